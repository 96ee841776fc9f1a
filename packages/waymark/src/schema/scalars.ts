import { typeName } from "../declaration.ts";
import { patternKeyword } from "../expression-parts.ts";
import { requireKnownOptions } from "../known-options.ts";
import {
  counted,
  type InnerSchema,
  innerSchema,
  inRange,
  inWords,
  refusedPromise,
  ruled,
  type ValueSchema,
  valueSchema,
  type WithDefault,
} from "./value-schema.ts";

/** Lists the options of `integer` and `number`. */
export interface NumberOptions extends WithDefault<number> {
  readonly least?: number;
  readonly most?: number;
}

/**
 * Makes a schema of integers up to 2^53 - 1. In a path, a query or a header field they are decimal digits without zeros in
 * front: `7`, `-7`.
 *
 * ```ts
 * takes({ query: { page: integer({ least: 1, default: 1 }) } })
 * ```
 */
export function integer(options: NumberOptions = {}): ValueSchema<number> {
  return bounded("integer", "an integer", options, Number.isSafeInteger);
}

/** Makes a schema of numbers: `0.5`, `-7`, `1e3`. */
export function number(options: NumberOptions = {}): ValueSchema<number> {
  return bounded("number", "a number", options, Number.isFinite);
}

function bounded(
  type: string,
  noun: string,
  options: NumberOptions,
  isOfType: (value: unknown) => boolean,
): ValueSchema<number> {
  requireKnownOptions(`${type}({ … })`, options, ["least", "most", "default"]);
  const { least, most } = options;
  const keywords = {
    type,
    ...(least !== undefined && { minimum: least }),
    ...(most !== undefined && { maximum: most }),
  };
  const range = inRange(least, most);
  return ruled(
    keywords,
    noun + range,
    options,
    (value): value is number =>
      isOfType(value) &&
      (least === undefined || Number(value) >= least) &&
      (most === undefined || Number(value) <= most),
  );
}

/** Lists the options of `string`. Lengths are counted in characters (code points). */
export interface StringOptions extends WithDefault<string> {
  /** Default: 0. */
  readonly shortest?: number;
  /** Default: any length. */
  readonly longest?: number;
  /** What the text must match as a whole. */
  readonly pattern?: RegExp;
}

/**
 * Makes a schema of text.
 *
 * ```ts
 * takes({ query: { q: string({ shortest: 2, longest: 100 }) } })
 * ```
 */
export function string(options: StringOptions = {}): ValueSchema<string> {
  requireKnownOptions("string({ … })", options, ["shortest", "longest", "pattern", "default"]);
  const { shortest, longest, pattern } = options;
  if (pattern !== undefined && !(pattern instanceof RegExp)) {
    throw new TypeError(`string({ pattern }) is a regular expression, not ${typeName(pattern)}`);
  }
  // With g or y an expression remembers where it stopped.
  const whole = pattern && new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gy]/g, ""));
  const keywords = {
    type: "string",
    ...(shortest !== undefined && { minLength: shortest }),
    ...(longest !== undefined && { maxLength: longest }),
    ...(whole && patternKeyword(whole)),
  };
  const must = `text${counted(shortest, longest, "characters")}${pattern ? ` that matches ${pattern.source}` : ""}`;
  const isLongEnough = (text: string): boolean => {
    if (shortest === undefined && longest === undefined) return true;
    // A character is one or two code units: most texts are counted without being taken apart.
    if (text.length < (shortest ?? 0) || text.length > 2 * (longest ?? text.length)) return false;
    const { length } = Array.from(text);
    return length >= (shortest ?? 0) && length <= (longest ?? length);
  };
  return ruled(
    keywords,
    must,
    options,
    (value): value is string => typeof value === "string" && isLongEnough(value) && (whole?.test(value) ?? true),
  );
}

/** Makes a schema of `true` and `false`. */
export function boolean(options: WithDefault<boolean> = {}): ValueSchema<boolean> {
  requireKnownOptions("boolean({ … })", options, ["default"]);
  return ruled({ type: "boolean" }, "true or false", options, (value): value is boolean => typeof value === "boolean");
}

/**
 * Makes a schema of days that there are, as text: `2026-02-28` (RFC 3339, full-date). They compare as text does.
 */
export function date(options: WithDefault<string> = {}): ValueSchema<string> {
  requireKnownOptions("date({ … })", options, ["default"]);
  const keywords = { type: "string", format: "date" };
  return ruled(
    keywords,
    "a day such as 2026-02-28",
    options,
    (value): value is string => typeof value === "string" && isDay(value),
  );
}

/** Returns whether a text is a day that there is: `2026-02-28` (RFC 3339, full-date). */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  // Of a day that there is not, JavaScript makes one of the next month, or an invalid one.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/**
 * Makes a schema of some texts.
 *
 * ```ts
 * takes({ query: { order: oneOf(["oldest", "newest"], { default: "newest" }) } })
 * ```
 *
 * @throws TypeError without a list of texts
 */
export function oneOf<const T extends string>(texts: readonly T[], options: WithDefault<T> = {}): ValueSchema<T> {
  if (!Array.isArray(texts) || texts.length === 0) {
    throw new TypeError(`oneOf(…) takes a list of texts, such as ["oldest", "newest"], not ${inWords(texts)}`);
  }
  requireKnownOptions("oneOf([ … ], { … })", options, ["default"]);
  const known: readonly unknown[] = texts;
  const must = `one of ${texts.join(", ")}`;
  return ruled({ type: "string", enum: texts }, must, options, (value): value is T => known.includes(value));
}

/**
 * Makes the schema one of values that can be left out, which are then undefined.
 *
 * ```ts
 * takes({ query: { since: optional(date()) } })
 * ```
 *
 * @throws TypeError when the schema has no JSON Schema
 */
export function optional<T>(schema: InnerSchema<T>): ValueSchema<T | undefined> {
  const { validate, keywords } = innerSchema(schema, "optional");
  return valueSchema<T | undefined>(keywords, (value) => {
    if (value === undefined) return { value };
    const result = validate(value);
    return result instanceof Promise ? refusedPromise(result, "optional") : result;
  });
}
