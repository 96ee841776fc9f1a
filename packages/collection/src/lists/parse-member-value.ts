import { excerpt } from "waymark";
import type { MemberType } from "../selection.ts";

/** A value that a client gave, or what is wrong with it: `must be a real date, …`. */
export type ParsedValue = { readonly value: string | number } | { readonly fault: string };

/**
 * The value of a member that a text stands for: text and dates as they are, numbers in the form that JSON writers give
 * them, times in RFC 3339 (§5.6) as milliseconds since the epoch.
 *
 * ```ts
 * parseMemberValue("time", "2026-06-15T14:00:00+02:00");   // { value: 1781524800000 }
 * ```
 */
export function parseMemberValue(type: MemberType, text: string): ParsedValue {
  switch (type) {
    case "text":
    case "caseless-text":
      return { value: text };
    case "date":
      return isRealDate(text) ? { value: text } : fault("a real date such as 1950-01-31", text);
    case "number":
      return parseNumber(text);
    case "time":
      return parseTime(text);
  }
}

function fault(right: string, sent: string): ParsedValue {
  return { fault: `must be ${right}, and is ${excerpt(sent)}` };
}

/** Whether the text is a day that the calendar has, as `YYYY-MM-DD`. */
function isRealDate(text: string): boolean {
  const parts = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number]; // the pattern has three groups
  // Not Date.UTC, which takes the year 99 for 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function parseNumber(text: string): ParsedValue {
  const value = Number(text);
  if (Number.isFinite(value) && String(value) === text) return { value };
  if (!Number.isFinite(value) || text.trim() === "") return fault("a number such as 7 or 1.5", text);
  return { fault: `must be a number in its shortest form, here perhaps ${value}, and is ${excerpt(text)}` };
}

function parseTime(text: string): ParsedValue {
  const parts = timePattern.exec(text)?.groups;
  const example = "a time such as 2026-06-15T12:00:00Z, with milliseconds at most";
  if (parts === undefined) {
    // In a query a plus sign is a space.
    return / [0-9]{2}:[0-9]{2}$/.test(text)
      ? { fault: `must be a time, and has a space where %2B, the plus sign, may be meant: ${excerpt(text)}` }
      : fault(example, text);
  }
  const { date = "", clock = "", fraction = "", sign, hours = "00", minutes = "00" } = parts;
  if (!isRealDate(date) || !clockPattern.test(clock) || hours > "23" || minutes > "59") return fault(example, text);
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  return { value: Date.parse(`${date}T${clock}.${fraction.padEnd(3, "0")}Z`) - offset };
}

const timePattern =
  /^(?<date>[0-9-]{10})T(?<clock>[0-9:]{8})(?:\.(?<fraction>[0-9]{1,3}))?(?:Z|(?<sign>[+-])(?<hours>[0-9]{2}):(?<minutes>[0-9]{2}))$/i;
/** Without leap seconds, which no record's time has. */
const clockPattern = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$/;
