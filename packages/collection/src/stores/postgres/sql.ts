import { createHash } from "node:crypto";
import type { Ownership } from "../../database.ts";

/** The longest name that the server keeps, in bytes; it would cut a longer one, and take two for one. */
const longestName = 63;

/**
 * One name made of others, such as `person_unique_identifier`; where it would be too long its end is replaced by a hash of
 * it all.
 */
export function nameOf(...parts: readonly string[]): string {
  const name = parts.join("_");
  if (Buffer.byteLength(name) <= longestName) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return `${name.slice(0, longestName - hash.length - 1)}_${hash}`; // the names of collections and members are ASCII
}

/** A name as part of a statement. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A text as part of a statement. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The text of an array, as the server reads it. */
export function toArrayText(values: readonly (string | number | null)[]): string {
  const elements = values.map((value) => (typeof value === "string" ? `"${value.replace(/["\\]/g, "\\$&")}"` : value));
  return `{${elements.map((element) => element ?? "NULL").join(",")}}`;
}

/** The expression for the owner's id, where the collection has an owner. */
export const ownerColumn = (owner: Ownership | undefined): string => (owner === undefined ? "NULL" : "owner");
