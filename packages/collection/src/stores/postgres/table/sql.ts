import { hash } from "node:crypto";
import type { Ownership } from "../../../database.ts";

/** In bytes, the length of the longest name that the server keeps. It would cut longer ones, and confuse names that begin alike. */
const longestName = 63;

/**
 * Makes one name of others, such as `person_unique_identifier`. Replaces the end of a name that would be too long with a hash of
 * the whole.
 */
export function nameOf(...parts: readonly string[]): string {
  const name = parts.join("_");
  if (Buffer.byteLength(name) <= longestName) return name;
  const end = hash("sha256", name).slice(0, 16);
  return `${name.slice(0, longestName - end.length - 1)}_${end}`; // the names of collections and members are ASCII
}

/** Quotes a name for a statement. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes a text for a statement. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Makes the text of an array, as the server reads it. */
export function toArrayText(values: readonly (string | number | null)[]): string {
  const elements = values.map((value) => (typeof value === "string" ? `"${value.replace(/["\\]/g, "\\$&")}"` : value));
  return `{${elements.map((element) => element ?? "NULL").join(",")}}`;
}

/** Returns the expression for the owner's id; NULL where the collection has no owner. */
export const ownerColumn = (owner: Ownership | undefined): string => (owner === undefined ? "NULL" : "owner");

/** Returns a short text that differs for different texts. */
export const digestOf = (text: string): string => hash("sha256", text, "base64url").slice(0, 16);

/** The sequences of a collection: of the ids that it assigns, and of the revisions of its changes. */
export const idSequence = (collection: string): string => quoteName(nameOf("waymark_ids", collection));
export const revisionSequence = (collection: string): string => quoteName(nameOf("waymark_revisions", collection));

/** Returns the expression for the next number of a sequence, of which no two are the same. */
export const nextOf = (sequence: string): string => `nextval(${quoteText(sequence)})`;

/** Returns the expression for the last number of a sequence; 0 before the first. */
export const lastOf = (sequence: string): string =>
  `(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${sequence})`;

/** Returns the statement that has a sequence go on beyond `$1`, where it has not got as far. */
export const advance = (sequence: string): string =>
  `SELECT setval(${quoteText(sequence)}, $1::bigint) FROM ${sequence} WHERE $1::bigint >= last_value`;
