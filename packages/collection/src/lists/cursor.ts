import { createHash } from "node:crypto";
import type { MemberType, MemberValue, SelectableMember, Selection, SortKey } from "../selection.ts";

/**
 * A place in a selection as an opaque text of `A-Z`, `a-z`, `0-9`, `-` and `_`: the values of the record at the place, and
 * what the selection asks for, so that the text means nothing in another one.
 */
export function toCursor(selection: Selection & Ordered, values: readonly MemberValue[]): string {
  return Buffer.from(JSON.stringify([fingerprint(selection), ...values])).toString("base64url");
}

/** The values of the record at the place; undefined when the text was not made by `toCursor` for this selection. */
export function parseCursor(
  text: string,
  selection: Selection & Ordered,
  members: readonly SelectableMember[],
): readonly MemberValue[] | undefined {
  const json = Buffer.from(text, "base64url");
  // The decoder passes over what it does not know: one place has one text.
  if (json.toString("base64url") !== text) return undefined;
  const [made, ...values] = parseArray(json);
  if (made !== fingerprint(selection) || values.length !== selection.order.length) return undefined;
  const types = new Map(members.map(({ name, type }) => [name, type]));
  const isValid = selection.order.every(({ member }, i) => isValueOf(member, types.get(member), values[i]));
  // Each was found to be a value of its member.
  return isValid ? (values as readonly MemberValue[]) : undefined;
}

interface Ordered {
  readonly order: readonly SortKey[];
}

/** Of what the selection asks for, in whatever order its filters are named. */
function fingerprint({ filters = [], words = [], order }: Selection & Ordered): string {
  const asked = [filters.map((filter) => JSON.stringify(filter)).toSorted(), words, order];
  return createHash("sha256").update(JSON.stringify(asked)).digest("base64url").slice(0, 11);
}

function parseArray(json: Buffer): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json.toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isValueOf(member: string, type: MemberType | undefined, value: unknown): boolean {
  if (member === "id") return Number.isSafeInteger(value);
  if (value === null) return true;
  if (type === "number" || type === "time") return Number.isFinite(value);
  return typeof value === "string" && value.isWellFormed() && !value.includes("\u0000");
}
