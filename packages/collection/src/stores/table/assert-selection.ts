import {
  comparesValues,
  defaultOrder,
  type MemberFilter,
  type MemberType,
  type SelectableMember,
  type Selection,
} from "../contract/selection.ts";
import type { Store } from "../contract/store.ts";

/**
 * Checks a selection against the members of a store.
 *
 * @throws TypeError with the mistake, for programmers: what a client sends has been checked before
 */
export function assertSelection(
  selection: Selection,
  { members, fullText }: Pick<Store, "members" | "fullText">,
): void {
  const { filters = [], words = [], order = defaultOrder, after, limit } = selection;
  const memberOf = (name: string): SelectableMember => {
    const member = members.find((each) => each.name === name);
    if (member === undefined) throw new TypeError(`${JSON.stringify(name)} is not a member to select or sort by`);
    return member;
  };
  for (const filter of filters) assertFilter(filter, memberOf(filter.member));

  if (words.length > 0 && fullText.length === 0) throw new TypeError("The collection has no full text to search");
  const noWord = words.find((word) => !/^[\p{L}\p{N}]+$/u.test(word));
  if (noWord !== undefined)
    throw new TypeError(`${JSON.stringify(noWord)} is not a word: toWords gives those of a text`);

  if (order.at(-1)?.member !== "id") throw new TypeError("The last key of an order is id");
  if (new Set(order.map(({ member }) => member)).size < order.length)
    throw new TypeError("An order names a member twice");
  const types = order.map(({ member }) => {
    const { type, isList } = memberOf(member);
    if (isList === true) throw new TypeError(`${JSON.stringify(member)} is a list, which is no order`);
    return type;
  });
  if (after !== undefined && after.length !== order.length) {
    throw new TypeError(`A place in an order of ${order.length} keys has as many values, not ${after.length}`);
  }
  for (const [i, value] of (after ?? []).entries()) {
    const { member } = order[i] as { member: string }; // there are as many
    if (value === null && member !== "id") continue;
    assertValue(member, types[i] as MemberType, value);
  }

  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1)) {
    throw new TypeError(`A limit is an integer from 1, not ${limit}`);
  }
}

function assertFilter(filter: MemberFilter, { type, isList }: SelectableMember): void {
  if (isList === true && !comparesValues(filter.operator)) {
    throw new TypeError(`${JSON.stringify(filter.member)} is a list, and cannot be filtered by ${filter.operator}`);
  }
  if (filter.operator === "prefix" && isNumeric(type)) {
    throw new TypeError(`${JSON.stringify(filter.member)} is not text, and cannot be filtered by prefix`);
  }
  if (filter.operator === "exists") {
    const { member, value } = filter;
    if (typeof value === "boolean") return;
    throw new TypeError(`${JSON.stringify(member)} exists or not, by true or false, and not ${value}`);
  }
  const values = filter.operator === "in" ? filter.values : [filter.value];
  for (const value of values) assertValue(filter.member, type, value);
}

function assertValue(member: string, type: MemberType, value: unknown): void {
  const isValue = isNumeric(type) ? Number.isFinite(value) : typeof value === "string";
  if (isValue) return;
  throw new TypeError(`${JSON.stringify(member)} compares with ${isNumeric(type) ? "numbers" : "text"}, not ${value}`);
}

const isNumeric = (type: MemberType): boolean => type === "number" || type === "time";
