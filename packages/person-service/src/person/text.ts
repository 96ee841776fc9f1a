import { z } from "zod";

/** Says what is wrong with a text as the predicate of its member (`must be …, not …`); undefined when nothing is. */
export type Rule = (text: string) => string | undefined;

/** How long a text may be, in Unicode code points, both bounds included. */
interface TextBounds {
  readonly min: number;
  readonly max: number;
  /** Several lines: TAB and LF are characters like any other, and spaces may stand at either end. */
  readonly multiline?: boolean;
}

/**
 * A string that is legal in JSON, XML 1.0 and PostgreSQL alike and that shows something: no control characters, lone
 * surrogates, U+FFFE or U+FFFF, not blank, no white space at either end. Nothing is trimmed or normalised.
 *
 * ```ts
 * text({ min: 3, max: 254 }, email)
 * ```
 *
 * @param rules tried in order once the text itself is sound; the first that objects is reported
 */
export function text({ min, max, multiline = false }: TextBounds, ...rules: readonly Rule[]): z.ZodString {
  const sound = multiline ? [legalText, notBlank] : [legalLine, notBlank, noOuterSpace];
  return ruledString([...sound, lengthWithin(min, max), ...rules], { minLength: min, maxLength: max });
}

/**
 * A string under rules, of which the first that objects is reported.
 *
 * @param keywords what JSON Schema can say of the rules, for the schema that is published
 */
export function ruledString(rules: readonly Rule[], keywords: Readonly<Record<string, unknown>>): z.ZodString {
  return z
    .string({ error: ({ input }) => `must be a string, not ${jsonType(input)}` })
    .check(({ value, issues }) => {
      for (const rule of rules) {
        const fault = rule(value);
        if (fault === undefined) continue;
        issues.push({ code: "custom", message: fault, input: value });
        return;
      }
    })
    .meta(keywords);
}

/** XML 1.0 §2.2 admits neither these nor, save TAB, LF and CR, the controls below U+0020; the rest of Cc shows nothing. */
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

/** Code points, not UTF-16 units: an emoji of one code point is one character here and in the databases. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const pair = (text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (pair) count--;
  }
  return count;
}

function hexadecimal(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Says what a JSON value is, for a message: `a number`, `an array`, `null`. */
export function jsonType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
