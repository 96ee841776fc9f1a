import type { MemberType, MemberValue } from "../stores/contract/selection.ts";
import { foldText } from "./fold.ts";
import type { JsonObject } from "./json-object.ts";

/**
 * Returns the value of a member for filters and order: text unchanged, times in milliseconds since the epoch. It is null where the
 * document lacks the member or has a value of another type.
 *
 * @param member `familyName`, or `address.postalCode` for a member of an object
 */
export function memberValue(document: unknown, member: string, type: MemberType | undefined): MemberValue {
  return toMemberValue(valueAt(document, member), type);
}

/** Converts the value of a member for filters and order, as `memberValue` returns it. */
export function toMemberValue(value: unknown, type: MemberType | undefined): MemberValue {
  switch (type) {
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? String(value) : null;
    case "time":
      return typeof value === "string" ? toTime(value) : null;
    default:
      return typeof value === "string" ? value : null;
  }
}

/** Returns the value of `address.postalCode`; undefined when the record lacks it. */
export function valueAt(document: unknown, member: string): unknown {
  return member.includes(".") ? valueAlong(document, member.split(".")) : memberOf(document, member);
}

/** Returns the values of a member: those of a list one by one, and of `emails.value` in each object of a list. */
export function valuesAt(document: unknown, member: string): readonly unknown[] {
  const values: unknown[] = [];
  addValues(document, pathOf(member), 0, values);
  return values;
}

/** Returns the path of a member that a definition names. To split it each time takes longer than to follow it. */
function pathOf(member: string): readonly string[] {
  const path = paths.get(member) ?? member.split(".");
  paths.set(member, path);
  return path;
}

const paths = new Map<string, readonly string[]>();

function addValues(value: unknown, path: readonly string[], at: number, values: unknown[]): void {
  if (value === undefined) return;
  const name = path[at];
  if (Array.isArray(value))
    for (const each of value) name === undefined ? values.push(each) : addValues(each, path, at, values);
  else if (name === undefined) values.push(value);
  else addValues(memberOf(value, name), path, at + 1, values);
}

/** Returns the value at the end of a path of names; undefined when the record lacks it. */
export function valueAlong(document: unknown, path: readonly string[]): unknown {
  return path.reduce(memberOf, document);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
    return undefined;
  return (value as JsonObject)[name]; // an object, by the line above
}

/** Converts a time of RFC 3339 §5.6 to milliseconds since the epoch, and drops smaller fractions; null for other text. */
export function toTime(text: string): number | null {
  // Date.parse reads the 30th of February as a day in March.
  if (!timePattern.test(text) || !isRealDate(text.slice(0, 10))) return null;
  const time = Date.parse(text.toUpperCase());
  return Number.isNaN(time) ? null : time;
}

/** Hours are 00 to 23, also in the offset; Date.parse checks the other bounds. */
const timePattern =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3])(?::[0-9]{2}){2}(?:\.[0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-9]{2})$/i;

/** Returns whether the text is a day of the calendar, as `YYYY-MM-DD`. */
export function isRealDate(text: string): boolean {
  const parts = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number]; // the pattern has three groups
  // Date.UTC reads the years 0 to 99 as 1900 to 1999. The calendar repeats after 400 years.
  const date = new Date(Date.UTC(year + 400, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Returns a value in the form in which this type of member is compared: text is folded. */
export const comparedValue = <V extends string | number>(value: V, type: MemberType): V | string =>
  type === "text" && typeof value === "string" ? foldText(value) : value;

/** Returns the first characters of a text; all where it has no more. */
export const firstCharacters = (text: string, most: number): string =>
  text.length > most ? Array.from(text).slice(0, most).join("") : text;

/** Returns the first text, by code points, after all that begin with the prefix; undefined when every later text begins with it. */
export function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10_ff_ff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  const next = last + 1 === 0xd8_00 ? 0xe0_00 : last + 1; // skips the surrogates, which are not characters
  return String.fromCodePoint(...points, next);
}

/** Converts canonical decimal text to a number; returns other text, and whole numbers that are not safe integers, unchanged. */
export function toNumber(text: string): number | string {
  const number = Number(text);
  const isExact = Number.isSafeInteger(number) || (Number.isFinite(number) && !/^-?\d+$/.test(text));
  return isExact && String(number) === text ? number : text;
}

/** Converts `true` and `false`; returns other text unchanged. */
export const toBoolean = (text: string): boolean | string =>
  text === "true" || text === "false" ? text === "true" : text;
