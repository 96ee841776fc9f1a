/**
 * Quotes text of others for a message, a log line or a terminal: as JSON does, with everything escaped that
 * `escapeUnprintable` escapes.
 *
 * ```ts
 * quote("a\u009bb");   // "a\\u009bb"
 * ```
 */
export function quote(text: string): string {
  return escapeUnprintable(JSON.stringify(text));
}

/** Quotes as much of a text as a message may repeat: its first 40 characters, and an ellipsis where it has more. */
export function excerpt(text: string): string {
  return quote(shorten(text));
}

/** Returns the text, or its first 40 characters and an ellipsis. */
export function shorten(text: string): string {
  if (text.length <= longest) return text;
  // A character is one or two code units long: what is cut off in the middle lies beyond the ones that are kept.
  const characters = Array.from(text.slice(0, 2 * longest + 2));
  return characters.length <= longest ? text : `${characters.slice(0, longest).join("")}…`;
}

/**
 * Escapes, as `\u009b`, what could pretend to be something else where it is shown: controls but TAB and LF, characters that
 * change the direction of text, byte order marks, line separators and lone surrogates. JSON stays the same JSON.
 */
export function escapeUnprintable(text: string): string {
  return text.replace(unprintable, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Returns a whole number for a message: `1,234`. The first `toLocaleString` of a process would read 8 MB of data of languages. */
export const withCommas = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");

const longest = 40;

// Cc, the controls of direction (UAX #9), the separators of lines, the byte order mark, and Cs, which is lone under the flag u.
export const unprintable: RegExp = /(?![\t\n])[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** A place in a text: both count from 1, the column in characters (code points). */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Returns the place of an index, up to the text's length; a line ends with LF, CR LF or CR. */
export function positionAt(text: string, index: number): TextPosition {
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < index; i++) {
    const code = text.charCodeAt(i);
    if (code === lineFeed || (code === carriageReturn && text.charCodeAt(i + 1) !== lineFeed)) {
      line++;
      lineStart = i + 1;
    }
  }
  let column = 1;
  for (let i = lineStart; i < index; i++) {
    const code = text.codePointAt(i) as number; // before the end
    if (code > 0xffff) i++;
    column++;
  }
  return { line, column };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** `a, b or c`. */
export const eitherOf = (words: readonly (string | number)[]): string =>
  words.join(", ").replace(/, ([^,]*)$/, " or $1");

/** `order lines` as `OrderLines`. */
export const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
