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

/** Names what a value is, for messages: `null`, `array`, `undefined`, `function`, … */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
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

/**
 * Returns the known name that a name most likely means: the same in another case, one that a slip or two make of it
 * (letters added, left out, exchanged or swapped), or the only one that begins with it. Undefined where nothing is near. The work is
 * small, since names of more than 64 characters are near to none.
 *
 * ```ts
 * nearestName("birthdate", ["name", "birthDate"]);   // "birthDate"
 * nearestName("cvs", ["json", "csv"]);               // "csv"
 * nearestName("shoeSize", ["name", "birthDate"]);    // undefined
 * ```
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > longestName) return undefined;
  const wanted = name.toLowerCase();
  const letters = lettersOf(wanted);
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  const begun: string[] = [];
  for (const candidate of known) {
    const other = candidate.toLowerCase();
    if (wanted.length >= shortestBeginning && other.startsWith(wanted)) begun.push(candidate);
    const allowed = Math.min(Math.floor(Math.max(wanted.length, other.length) / 3), least - 1);
    if (other.length > longestName || Math.abs(wanted.length - other.length) > allowed) continue;
    // A slip adds, leaves out or exchanges one letter. Most names differ in more of them, and that is seen 20 times as fast.
    const others = lettersOf(other);
    if (countBits(letters & ~others) > allowed || countBits(others & ~letters) > allowed) continue;
    const slips = countSlips(wanted, other);
    if (slips > allowed) continue;
    nearest = candidate;
    least = slips;
  }
  return nearest ?? (begun.length === 1 ? begun[0] : undefined);
}

/** Ends a clause about an unknown name with the name that may have been meant: `; did you mean birthDate?`, or nothing. */
export const orNearest = (nearest: string | undefined): string =>
  nearest === undefined ? "" : `; did you mean ${nearest}?`;

/** Of names that are looked at, in UTF-16 units. */
const longestName = 64;
const shortestBeginning = 3;

/** Returns the letters of a text as bits; some letters share one. */
function lettersOf(text: string): number {
  let letters = 0;
  for (let i = 0; i < text.length; i++) letters |= 1 << text.charCodeAt(i);
  return letters;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Counts the fewest single letters added, left out, exchanged or swapped with the next that make one text of the other. */
function countSlips(one: string, other: string): number {
  let before: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const exchanged = at(previous, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1);
      let fewest = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, exchanged);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        fewest = Math.min(fewest, at(before, j - 2) + 1);
      }
      row.push(fewest);
    }
    before = previous;
    previous = row;
  }
  return at(previous, other.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;

/**
 * Escapes text for the content of an XML element; a quotation mark stays, so it is not for attributes. What XML 1.0 cannot
 * carry (§2.2) becomes U+FFFD.
 *
 * ```ts
 * escapeXml("a < b & c");   // a &lt; b &amp; c
 * ```
 */
export function escapeXml(text: string): string {
  // Most text has none of it: looking takes less time than replacing nothing.
  if (!special.test(text)) return text;
  return text.replaceAll(/[&<>\r]/g, (character) => escapes[character] ?? character).replaceAll(inadmissible, "\uFFFD");
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  // Text must not have `]]>` (XML 1.0 §2.4).
  ">": "&gt;",
  // A bare carriage return would be read as a line feed (XML 1.0 §2.11).
  "\r": "&#13;",
};

const inadmissible = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const special = /[&<>\r]|[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
