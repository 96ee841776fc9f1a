import { createHash } from "node:crypto";
import { valueAt } from "../../member-value.ts";

/**
 * What a member is told apart by where it is unique, for each of the members; null when the document lacks it. It is the JSON text of
 * the value, so that 1 and "1" differ, or a hash where that is too long.
 */
export function uniqueKeys(document: unknown, members: readonly string[]): readonly (string | null)[] {
  return members.map((member) => uniqueKey(document, member));
}

export function uniqueKey(document: unknown, member: string): string | null {
  const value = valueAt(document, member) ?? null;
  if (value === null) return null;
  const key = JSON.stringify(value);
  return Buffer.byteLength(key) <= longestKey ? key : createHash("sha256").update(key).digest("hex");
}

/** In bytes: an entry of an index has at most 2,704. */
const longestKey = 2000;
