import { positionAt, shorten } from "../message-text.ts";
import { ContentError } from "./decoder.ts";

/** How far a JSON text has been read, and within which bounds. */
export interface JsonReader {
  readonly text: string;
  readonly maxDepth: number;
  readonly maxValues: number;
  at: number;
  depth: number;
  values: number;
}

/** Returns the fault that something else is at the place of a reader. */
export const expected = (reader: JsonReader, due: string): ContentError =>
  fault(reader, `Expected ${due}, but found ${found(reader.text, reader.at)}`);

/** Returns a fault of the text with its place, by default that of the reader. */
export function fault(reader: JsonReader, detail: string, at: number = reader.at): ContentError {
  return new ContentError(detail, positionAt(reader.text, at));
}

/** Describes what is at a place, in words that fit after "found". */
export function found(text: string, at: number): string {
  if (at >= text.length) return text === "" ? "no content" : "the end of the content";
  if (/^\/[/*]/.test(text.slice(at, at + 2))) return "a comment, which JSON does not have";
  if (text[at] === "\ufeff") return "a byte order mark, which JSON does not have";
  const word = wordAt(text, at);
  return word === "" ? nameOf(String.fromCodePoint(text.codePointAt(at) as number)) : shorten(word); // not the end
}

/** Returns the letters, digits and underscores at a place, a few more at most than a message repeats. */
export function wordAt(text: string, at: number): string {
  return /^[A-Za-z_$][\w$]*/.exec(text.slice(at, at + 50))?.[0] ?? "";
}

/** Returns a character in quotes, or its number when it cannot be seen. */
export function nameOf(character: string): string {
  if (character === '"') return "a double quote";
  if (character === "'") return "a single quote";
  if (/[^\p{C}\p{M}\p{Z}]/u.test(character)) return `"${character}"`;
  return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}`; // never empty
}
