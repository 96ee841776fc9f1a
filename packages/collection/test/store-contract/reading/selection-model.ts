import type { MemberFilter, MemberUse, MemberValue, Selection, SortKey } from "../../../src/index.ts";

/** The members by which the records of these tests are selected. */
export const selectable: Readonly<
  Record<
    "name" | "email" | "birthDate" | "height" | "alive" | "seen" | "address.postalCode" | "tags" | "mails.value",
    MemberUse
  >
> = {
  name: { filter: "text" },
  email: { filter: "text" },
  birthDate: { filter: "date" },
  height: { filter: "number" },
  alive: { filter: "boolean" },
  seen: { filter: "time" },
  "address.postalCode": { filter: "exact" },
  tags: { filter: "exact", list: true },
  "mails.value": { filter: "text", list: true, single: "email" },
};

/** The ids of the records, as JSON says them, that a selection has, in its order. */
export function selectedFrom(records: readonly object[], selection: Selection): readonly number[] {
  const { filters = [], order = [{ member: "id", descending: false }], after, limit } = selection;
  return records
    .filter((record) => filters.every((filter) => isMet(filter, record)))
    .filter((record) => after === undefined || compareBy(order, placeOf(order, record), folded(order, after)) > 0)
    .toSorted((one, other) => compareBy(order, placeOf(order, one), placeOf(order, other)))
    .slice(0, limit)
    .map((record) => Number(keyOf(record, "id")));
}

/** The value of a member as it is compared; null where it lacks it or has one of another type. */
export function keyOf(record: object, member: string): MemberValue {
  let value: unknown = record;
  for (const name of member.split(".")) value = Object(value)[name];
  switch (member) {
    case "id":
    case "height":
      return typeof value === "number" ? value : null;
    case "alive":
      return typeof value === "boolean" ? `${value}` : null;
    case "createdAt":
    case "updatedAt":
    case "seen":
      return typeof value === "string" && timePattern.test(value) && isDay(value.slice(0, 10))
        ? Date.parse(value.toUpperCase())
        : null;
    default:
      return typeof value === "string" ? fold(member, value) : null;
  }
}

const timePattern = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:Z|[+-]([01]\d|2[0-3]):\d\d)$/i;

/** There is no 30th of February, which is the 2nd of March to a Date. */
const isDay = (day: string): boolean => new Date(day).toISOString().startsWith(day);

function fold<V extends MemberValue>(member: string, value: V): V | string {
  if (!["name", "email", "mails.value"].includes(member) || typeof value !== "string") return value;
  const letters = value.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return letters.replaceAll(/[ßıłøςæ]/g, (letter) => plain[letter] ?? letter);
}

const plain: Readonly<Record<string, string>> = { ß: "ss", ı: "i", ł: "l", ø: "o", ς: "σ", æ: "ae" };

const placeOf = (order: readonly SortKey[], record: object): readonly MemberValue[] =>
  order.map(({ member }) => keyOf(record, member));

const folded = (order: readonly SortKey[], place: readonly MemberValue[]): readonly MemberValue[] =>
  order.map(({ member }, i) => fold(member, place[i] ?? null));

/** A filter by value of an e-mail is one of all of them. */
function isMet(filter: MemberFilter, record: object): boolean {
  const { member, operator } = filter;
  if (operator === "exists") return (keyOf(record, member) !== null) === filter.value;
  const isOrdering = ["lt", "le", "gt", "ge"].includes(operator);
  const values = isOrdering ? [keyOf(record, member)] : valuesOf(record, member);
  const meets = (each: MemberFilter): boolean => values.some((value) => holds(each, value));
  return filter.operator === "ne" ? !meets({ ...filter, operator: "eq" }) : meets(filter);
}

function valuesOf(record: object, member: string): readonly MemberValue[] {
  switch (member) {
    case "tags":
      return textsOf(record, "tags");
    case "email":
    case "mails.value": {
      const mails = [Object(record).mails].flat().flatMap((mail) => textsOf(Object(mail), "value"));
      return [keyOf(record, "email"), ...mails.map((value) => fold(member, value))];
    }
    default:
      return [keyOf(record, member)];
  }
}

/** The texts of a list, which may be one text. */
const textsOf = (record: object, member: string): readonly string[] =>
  [Object(record)[member]].flat().filter((value) => typeof value === "string");

function holds(filter: MemberFilter, value: MemberValue): boolean {
  const { member, operator } = filter;
  if (operator === "exists") return (value !== null) === filter.value;
  if (operator === "in") return filter.values.some((each) => value === fold(member, each));
  const sought = fold(member, filter.value);
  if (operator === "eq") return value === sought;
  if (operator === "ne") return value !== sought;
  if (value === null) return false;
  if (operator === "prefix") return String(value).startsWith(String(sought));
  const order = compare(value, sought);
  return { lt: order < 0, le: order <= 0, gt: order > 0, ge: order >= 0 }[operator];
}

function compareBy(order: readonly SortKey[], one: readonly MemberValue[], other: readonly MemberValue[]): number {
  for (const [i, { descending }] of order.entries()) {
    const result = compare(one[i] ?? null, other[i] ?? null);
    if (result !== 0) return descending ? -result : result;
  }
  return 0;
}

/** What is absent first; numbers by size; text, folded before, by code points. */
function compare(one: MemberValue, other: MemberValue): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  if (typeof one === "number" || typeof other === "number") return Number(one) - Number(other);
  if (one === other) return 0;
  const [points, otherPoints] = [one, other].map((text) =>
    Array.from(text, (character) => character.codePointAt(0) ?? 0),
  );
  for (const [i, point] of (points ?? []).entries()) {
    const otherPoint = otherPoints?.[i] ?? -1;
    if (point !== otherPoint) return point - otherPoint;
  }
  return (points?.length ?? 0) - (otherPoints?.length ?? 0);
}
