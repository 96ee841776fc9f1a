import type { MemberFilter, MemberType, SelectableMember, Selection } from "../selection.ts";

/**
 * Sees that a store with these members can make sense of a selection.
 *
 * @throws TypeError saying what is wrong, for the programmer: what a client sends is checked before
 */
export function assertSelection(selection: Selection, members: readonly SelectableMember[], fullText: boolean): void {
  const { filters = [], words = [], order, after, limit } = selection;
  const typeOf = (name: string): MemberType => {
    const member = members.find((each) => each.name === name);
    if (member === undefined) throw new TypeError(`${JSON.stringify(name)} is not a member to select or sort by`);
    return member.type;
  };
  for (const filter of filters) assertFilter(filter, typeOf(filter.member));

  if (words.length > 0 && !fullText) throw new TypeError("The collection has no full text to search");
  const noWord = words.find((word) => !/^[\p{L}\p{N}]+$/u.test(word));
  if (noWord !== undefined)
    throw new TypeError(`${JSON.stringify(noWord)} is not a word: toWords gives those of a text`);

  const keys = order ?? [{ member: "id", descending: false }];
  if (keys.at(-1)?.member !== "id") throw new TypeError("The last key of an order is id");
  if (new Set(keys.map(({ member }) => member)).size < keys.length)
    throw new TypeError("A member is twice in an order");
  const types = keys.map(({ member }) => typeOf(member));
  if (after !== undefined && after.length !== keys.length) {
    throw new TypeError(`A place in an order of ${keys.length} keys has as many values, not ${after.length}`);
  }
  for (const [i, value] of (after ?? []).entries()) {
    const { member } = keys[i] as { member: string }; // there are as many
    if (value === null && member !== "id") continue;
    assertValue(member, types[i] as MemberType, value);
  }

  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1)) {
    throw new TypeError(`A limit is an integer from 1, not ${limit}`);
  }
}

function assertFilter(filter: MemberFilter, type: MemberType): void {
  if (filter.operator === "prefix" && isNumeric(type)) {
    throw new TypeError(`${JSON.stringify(filter.member)} is no text, and has no beginning`);
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
