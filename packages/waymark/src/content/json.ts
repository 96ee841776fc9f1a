import { excerpt, positionAt, shorten } from "../common/wording.ts";
import { isKeptByDouble } from "./decimal.ts";
import { ContentError, type Decoder, decodeUtf8 } from "./decoder.ts";

/** The options of `parseStrictJson` and of decoders of JSON. */
export interface StrictJsonOptions {
  /** How deep arrays and objects may nest, 0 to 1000: `[[]]` is two deep. Default: 64. */
  readonly maxDepth?: number;
  /**
   * How many values there may be, 1 or more; arrays, objects and what is in them count. 10,000 take up to 10 ms. Default: 10,000.
   */
  readonly maxValues?: number;
}

/**
 * Returns the value of a JSON text that every reader understands alike (I-JSON, RFC 7493).
 *
 * Beyond what `JSON.parse` refuses, it refuses two members of one name, however they are escaped; a number that a double
 * would round; half of a surrogate pair; nesting beyond `maxDepth` and more values than `maxValues`, before anything is built; and the member name
 * `__proto__`, with which careless code reaches a prototype. A byte order mark is refused too (RFC 8259 §8.1).
 * Noncharacters such as U+FFFF are left to the schema. The result is what `JSON.parse` gives.
 *
 * ```ts
 * parseStrictJson('{"id":9007199254740993}');
 * // ContentError: The number 9007199254740993 would be rounded to 9007199254740992 at line 1, column 7
 * ```
 *
 * @throws ContentError with the line and the column of the first fault
 * @throws RangeError when `maxDepth` or `maxValues` is out of bounds
 */
export function parseStrictJson(text: string, options?: StrictJsonOptions): unknown {
  const maxDepth = options?.maxDepth ?? 64;
  if (!Number.isInteger(maxDepth) || maxDepth < 0 || maxDepth > 1000) {
    throw new RangeError(`maxDepth is an integer of 0 to 1000, not ${maxDepth}`);
  }
  const maxValues = options?.maxValues ?? 10_000;
  if (!(maxValues >= 1)) throw new RangeError(`maxValues is a number of 1 or more, not ${maxValues}`);
  assertStrictJson(text, maxDepth, maxValues);
  return JSON.parse(text);
}

/** Reads `application/json`, strictly, as UTF-8 and nothing else (RFC 8259 §8.1). */
export const jsonDecoder: Decoder = {
  mediaTypes: ["application/json"],
  charsets: ["utf-8"],
  decode: (content) => parseStrictJson(decodeUtf8(content)),
};

/**
 * Looks at the tokens of a text by the rules of `parseStrictJson`, in time that grows with its length: expressions find where a
 * token ends, and a stack says what may come next.
 *
 * @throws ContentError with the line and the column of the first fault
 */
export function assertStrictJson(text: string, maxDepth: number, maxValues: number = Number.POSITIVE_INFINITY): void {
  let [at, values, due] = [0, 0, value];
  /** For each object that is open, the names of its members; for each array, undefined. */
  const open: (Set<string> | undefined)[] = [];
  let names: Set<string> | undefined;
  const fault = (detail: string, place = at): ContentError => new ContentError(detail, positionAt(text, place));
  const expected = (wanted: string): ContentError => fault(`Expected ${wanted}, but found ${found(text, at)}`);
  const skip = (token: RegExp): void => {
    token.lastIndex = at;
    if (token.test(text)) at = token.lastIndex;
  };

  // By hand: an expression takes three times as long for what is mostly nothing.
  const skipSpace = (): void => {
    while (isSpace(text.charCodeAt(at))) at++;
  };

  const readString = (): void => {
    const start = at;
    skip(plainString);
    if (at > start) return;
    at++;
    for (let before = -1; before < at; ) {
      before = at;
      skip(soundPart);
    }
    if (text[at] !== '"') throw fault(faultInString(text, at));
    at++;
  };

  const readName = (members: Set<string>): void => {
    const start = at;
    if (text[at] !== '"') throw expected(due.words);
    readString();
    const spelling = text.slice(start + 1, at - 1);
    const name = spelling.includes("\\") ? String(JSON.parse(`"${spelling}"`)) : spelling;
    if (name === "__proto__") throw fault('A member must not be named "__proto__"', start);
    if (members.size === members.add(name).size) throw fault(`The member ${excerpt(name)} occurs twice`, start);
    skipSpace();
    if (text[at] !== ":") throw expected(`":" after the member name ${excerpt(name)}`);
    at++;
    due = value;
  };

  const readNumber = (): void => {
    const start = at;
    skip(smallInteger);
    if (at > start) return;
    skip(number);
    const whole = at;
    if (/^-?0\d/.test(text.slice(start, start + 3))) throw fault("A number must not have a leading zero", start);
    skip(whole === start ? minus : numberPart);
    if (at > whole) throw expected("a digit");
    const detail = faultOfNumber(text.slice(start, at));
    if (detail !== undefined) throw fault(detail, start);
  };

  const readValue = (first: string): void => {
    if (++values > maxValues) throw fault(`There are more than ${maxValues} values`);
    if (first === "{" || first === "[") {
      if (open.length === maxDepth) throw fault(`Arrays and objects nest more than ${maxDepth} deep`);
      names = first === "{" ? new Set() : undefined;
      open.push(names);
      due = names === undefined ? firstElement : firstMember;
      at++;
      return;
    }
    if (first === '"') readString();
    else if (first === "-" || (first >= "0" && first <= "9")) readNumber();
    else {
      const start = at;
      skip(word);
      if (at === start) throw expected(due.words);
    }
    due = more;
  };

  // What JavaScript makes of an object that is given as the content of a request.
  if (text.startsWith("[object ")) {
    throw fault("Send JSON.stringify(…): the content is the text of an object in JavaScript, not JSON,");
  }
  for (skipSpace(); at < text.length; skipSpace()) {
    const first = text[at] as string; // before the end
    const closing = names === undefined ? "]" : "}";
    if (first === closing && open.length > 0 && due.mayEnd) {
      open.pop();
      names = open.at(-1);
      due = more;
      at++;
    } else if (due !== more) {
      if (names !== undefined && due !== value) readName(names);
      else readValue(first);
    } else if (open.length === 0) throw expected("nothing more after the value");
    else if (first !== ",") throw expected(`"," or "${closing}"`);
    else {
      due = names === undefined ? nextElement : nextMember;
      at++;
    }
  }
  if (due !== more) throw expected(due.words);
  if (open.length > 0) throw expected(`"," or "${names === undefined ? "]" : "}"}"`);
}

/** What may come next, and whether the end of the array or object may. */
interface Due {
  readonly words: string;
  readonly mayEnd: boolean;
}

const value: Due = { words: "a value", mayEnd: false };
const more: Due = { words: "", mayEnd: true };
const firstElement: Due = { words: 'a value or "]"', mayEnd: true };
const nextElement: Due = { words: "a value after the comma", mayEnd: false };
const firstMember: Due = { words: 'a member name in double quotes or "}"', mayEnd: true };
const nextMember: Due = { words: "a member name in double quotes after the comma", mayEnd: false };

const word = /(?:true|false|null)(?![\w$])/y;
/** A number that any double keeps, as most are. */
const smallInteger = /-?(?:0|[1-9]\d{0,14})(?![\d.eE])/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const minus = /-/y;
/** What has digits behind it, where a number goes on. */
const numberPart = /(?<![.eE][\d+-]*)\.|(?<![eE][\d+-]*)[eE][+-]?/y;
/** What a string may have as it is: no quote, backslash, control character or surrogate. */
const plain = String.raw`[^"\\\u0000-\u001f\ud800-\udfff]`;
const plainString = new RegExp(`"${plain}*"`, "y");
// So many at once that the matcher needs little memory. Nothing follows, so it never goes back.
const soundPart = new RegExp(
  `(?:${[
    `${plain}+`,
    String.raw`[\ud800-\udbff][\udc00-\udfff]`,
    String.raw`\\["\\/bfnrt]`,
    String.raw`\\u(?![dD][89a-fA-F])[\da-fA-F]{4}`,
    String.raw`\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}`,
  ].join("|")}){1,512}`,
  "y",
);

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Returns what is wrong in a string at a place that is not sound. */
function faultInString(text: string, at: number): string {
  const character = text.charAt(at);
  if (character === "") return "The string has no closing quote";
  if (character < " ") return `The control character ${nameOf(character)} must be escaped in a string`;
  if (character !== "\\") return `${nameOf(character)} is half of a surrogate pair`;
  if (text[at + 1] !== "u") return `The backslash must begin an escape, but is followed by ${found(text, at + 1)}`;
  const whole = text.slice(at, at + 6);
  return /^\\u[\da-fA-F]{4}$/.test(whole)
    ? `The escape "${whole}" is half of a surrogate pair without the other half`
    : 'The escape "\\u" needs four hexadecimal digits';
}

function faultOfNumber(number: string): string | undefined {
  if (isKeptByDouble(number)) return undefined;
  const double = Number(number);
  return `The number ${shorten(number)} ${Number.isFinite(double) ? `would be rounded to ${double}` : "is too large for a double"}`;
}

/** Describes what is at a place, in words that fit after "found". */
function found(text: string, at: number): string {
  if (at >= text.length) return text === "" ? "no content" : "the end of the content";
  const rest = text.slice(at, at + 50);
  if (/^\/[/*]/.test(rest)) return "a comment, which JSON does not have";
  if (rest.startsWith("\ufeff")) return "a byte order mark, which JSON does not have";
  const [word] = /^[A-Za-z_$][\w$]*/.exec(rest) ?? [];
  return word === undefined ? nameOf(String.fromCodePoint(text.codePointAt(at) as number)) : shorten(word); // not the end
}

/** Returns a character in quotes, or its number when it cannot be seen. */
function nameOf(character: string): string {
  if (character === '"') return "a double quote";
  if (character === "'") return "a single quote";
  if (/[^\p{C}\p{M}\p{Z}]/u.test(character)) return `"${character}"`;
  return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}`; // never empty
}
