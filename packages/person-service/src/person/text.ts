import { type Keywords, type ValueSchema, valueSchema } from "waymark/schema";

/** Returns what is wrong with a text, as the predicate of its member (`must be …, not …`); undefined for a valid text. */
export type Rule = (text: string) => string | undefined;

/** The length of a text in Unicode code points, both bounds included. */
interface TextBounds {
  readonly min: number;
  readonly max: number;
  /** Whether several lines are allowed, with TAB and LF, and white space at both ends. */
  readonly multiline?: boolean;
  /** What JSON Schema has as the pattern of the whole text; a rule has to check it. */
  readonly pattern?: string | undefined;
}

/**
 * Makes the schema of a visible text that JSON, XML 1.0 and PostgreSQL can all hold: no control characters, lone surrogates, U+FFFE
 * or U+FFFF, not blank, no white space at either end. Trims and normalises nothing.
 *
 * ```ts
 * text({ min: 3, max: 254 }, email)
 * ```
 *
 * @param rules applied in order to a text that is valid so far; the first error is reported
 */
export function text(
  { min, max, multiline = false, pattern }: TextBounds,
  ...rules: readonly Rule[]
): ValueSchema<string> {
  const length = lengthWithin(min, max);
  const sound = multiline ? [legalText, notBlank, length] : [legalLine, notBlank, noOuterSpace, length];
  const keywords = { minLength: min, maxLength: max, ...(pattern !== undefined && { pattern: `^(?:${pattern})$` }) };
  return ruledString([farTooLong(max, length), plainOr(sound, min, max), ...rules], keywords);
}

/** Spares most texts the rules for other scripts: in printable ASCII without outer spaces, each unit is a visible character. */
const plainOr =
  (rules: readonly Rule[], min: number, max: number): Rule =>
  (text) =>
    text.length >= min && text.length <= max && printable.test(text) ? undefined : firstFault(rules, text);

const printable = /^[!-~](?:[ -~]*[!-~])?$/;

function firstFault(rules: readonly Rule[], text: string): string | undefined {
  for (const rule of rules) {
    const fault = rule(text);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Spares the rules a text that has too many characters even if each takes two units: a text of 1 MiB would take them 20 ms. */
const farTooLong =
  (max: number, length: Rule): Rule =>
  (text) =>
    text.length > 2 * max ? length(text) : undefined;

/**
 * Makes the schema of a string with rules, of which the first error is reported.
 *
 * @param keywords the keywords of the published JSON Schema that express the rules
 */
export function ruledString(rules: readonly Rule[], keywords: Keywords): ValueSchema<string> {
  return judged({ type: "string", ...keywords }, (value) => {
    if (typeof value === "string") return firstFault(rules, value);
    return value === undefined ? "is required" : `must be a string, not ${jsonType(value)}`;
  });
}

/** The bounds of a number, both included. */
interface NumberBounds {
  readonly isWhole: boolean;
  readonly least?: number | undefined;
  readonly greatest?: number | undefined;
}

/** Makes the schema of a number. An integer is one that JavaScript has exactly. */
export function numeric({ isWhole, least, greatest }: NumberBounds): ValueSchema<number> {
  const bounds =
    least === undefined
      ? greatest === undefined
        ? ""
        : ` up to ${greatest}`
      : ` from ${least} ${greatest === undefined ? "on" : `to ${greatest}`}`;
  const isTaken = (value: unknown): boolean =>
    typeof value === "number" &&
    (isWhole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
    value >= (least ?? Number.NEGATIVE_INFINITY) &&
    value <= (greatest ?? Number.POSITIVE_INFINITY);
  const keywords = {
    type: isWhole ? "integer" : "number",
    ...(least !== undefined && { minimum: least }),
    ...(greatest !== undefined && { maximum: greatest }),
  };
  return judged(keywords, (value) => {
    if (isTaken(value)) return undefined;
    return `must be ${isWhole ? "an integer" : "a number"}${bounds}, not ${typeof value === "number" ? value : jsonType(value)}`;
  });
}

/** The schema of what is true or false. */
export const truth: ValueSchema<boolean> = judged({ type: "boolean" }, (value) =>
  typeof value === "boolean" ? undefined : `must be true or false, not ${jsonType(value)}`,
);

/**
 * Makes the schema of a value that stays as it is. With schemas of zod, a person takes a quarter longer.
 *
 * @param faultOf returns what is wrong with a value, as the predicate of its member; undefined for a value of the type
 */
function judged<T>(keywords: Keywords, faultOf: (value: unknown) => string | undefined): ValueSchema<T> {
  return valueSchema<T>(keywords, (value) => {
    const message = faultOf(value);
    return message === undefined ? { value: value as T } : { issues: [{ message }] }; // as the fault says
  });
}

/** XML 1.0 §2.2 allows neither these nor most controls below U+0020; the other controls are not visible. */
const illegalInLine = /[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u;
const illegalInText = /(?![\t\n])[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u;

const legalLine: Rule = (text) => illegalCharacter(text, illegalInLine, "control characters");
const legalText: Rule = (text) => illegalCharacter(text, illegalInText, "control characters but TAB and LF");

function illegalCharacter(text: string, illegal: RegExp, controls: string): string | undefined {
  const index = text.search(illegal);
  if (index < 0) return undefined;
  const codePoint = text.charCodeAt(index);
  const kind = codePoint < 0xd800 ? controls : codePoint < 0xe000 ? "lone surrogates" : "noncharacters";
  const place = countCharacters(text.slice(0, index)) + 1;
  return `must not contain ${kind}: character ${place} is ${hexadecimal(codePoint)}`;
}

const notBlank: Rule = (text) =>
  /^[\s\p{Default_Ignorable_Code_Point}]+$/u.test(text) ? "must not be blank; it has no visible character" : undefined;

const noOuterSpace: Rule = (text) => {
  const begins = /^\s/.test(text);
  if (!begins && !/\s$/.test(text)) return undefined;
  const space = hexadecimal(text.charCodeAt(begins ? 0 : text.length - 1));
  return `must not begin or end with white space; it ${begins ? "begins" : "ends"} with ${space}`;
};

const lengthWithin =
  (min: number, max: number): Rule =>
  (text) => {
    const length = countCharacters(text);
    if (length >= min && length <= max) return undefined;
    return `must have ${min} to ${max} characters${length === 0 ? "; it is empty" : `, not ${length}`}`;
  };

/** Counts code points, not UTF-16 units, as the databases do: an emoji of one code point is one character. */
export function countCharacters(text: string): number {
  let count = text.length;
  if (!/[\ud800-\udbff]/.test(text)) return count;
  for (let i = 0; i < text.length - 1; i++) {
    const pair = (text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (pair) count--;
  }
  return count;
}

function hexadecimal(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Names the type of a JSON value for a message: `a number`, `an array`, `null`. */
export function jsonType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
