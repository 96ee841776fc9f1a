import type { MemberType, MemberValue } from "./selection.ts";

/**
 * The value of a member by which records are selected and sorted: text as it stands, times in milliseconds since the epoch. It is
 * null where the document lacks the member, or has a value of another type.
 *
 * @param member `familyName`, or `address.postalCode` for a member of an object
 */
export function memberValue(document: unknown, member: string, type: MemberType | undefined): MemberValue {
  const value = valueAt(document, member);
  switch (type) {
    case "number":
      return typeof value === "number" ? value : null;
    case "time":
      return typeof value === "string" ? toTime(value) : null;
    default:
      return typeof value === "string" ? value : null;
  }
}

/** The value of `address.postalCode`; undefined when there is none. */
export function valueAt(document: unknown, member: string): unknown {
  return member.includes(".") ? member.split(".").reduce(memberOf, document) : memberOf(document, member);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
    return undefined;
  return (value as Readonly<Record<string, unknown>>)[name]; // an object of JSON
}

/** Milliseconds since the epoch for a time of RFC 3339 §5.6, digits of the second beyond the third left out; null for other text. */
function toTime(text: string): number | null {
  const day = timePattern.exec(text)?.[1];
  // Date.parse moves the 30th of February on.
  if (day === undefined || Number(day.slice(8)) > daysIn(day)) return null;
  const time = Date.parse(text.toUpperCase());
  return Number.isNaN(time) ? null : time;
}

/** Hours are 00 to 23, also those of an offset; Date.parse knows the other bounds. */
const timePattern =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})T(?:[01][0-9]|2[0-3])(?::[0-9]{2}){2}(?:\.[0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-9]{2})$/i;

/** How many days the month of a day has. */
const daysIn = (day: string): number =>
  new Date(Date.UTC(Number(day.slice(0, 4)) + 400, Number(day.slice(5, 7)), 0)).getUTCDate();
