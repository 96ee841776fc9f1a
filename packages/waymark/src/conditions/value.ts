import { typeName } from "../common/wording.ts";

/** What a named value must be: equal to a text, or such that an expression finds a match; undefined takes any. */
export type WantedValue = string | RegExp | undefined;

/** Returns what is wrong with a value, which JavaScript callers may have given; undefined where nothing is. */
export const findInvalidValue = (wanted: unknown): string | undefined =>
  wanted === undefined || typeof wanted === "string" || wanted instanceof RegExp
    ? undefined
    : `A value is wanted as a text or a regular expression, not as ${typeName(wanted)}`;

/** Returns what asks whether a value is as it is wanted. */
export function compileValue(wanted: WantedValue): (actual: string) => boolean {
  if (wanted === undefined) return () => true;
  if (typeof wanted === "string") return (actual) => actual === wanted;
  // With g or y an expression remembers where it stopped, and would answer differently from one request to the next.
  const expression = new RegExp(wanted);
  return (actual) => {
    expression.lastIndex = 0;
    return expression.test(actual);
  };
}

/** Describes a named value: `format = csv`. */
export const describeValue = (name: string, wanted: WantedValue): string =>
  wanted === undefined ? name : `${name} ${typeof wanted === "string" ? "=" : "~"} ${wanted}`;

/** Returns whether each value that the first takes is sure to be one that the second takes. */
export const impliesValue = (given: WantedValue, wanted: WantedValue): boolean =>
  wanted === undefined ||
  given === wanted ||
  (given instanceof RegExp && wanted instanceof RegExp && String(given) === String(wanted));

/** Returns the JSON Schema of such a value. */
export function valueSchema(wanted: WantedValue): Readonly<Record<string, unknown>> {
  if (wanted === undefined) return { type: "string" };
  return { type: "string", ...(typeof wanted === "string" ? { enum: [wanted] } : patternOf(wanted)) };
}

/** What JSON Schema can say of an expression: its pattern, unless a flag changes what that matches. */
const patternOf = ({ flags, source }: RegExp): { readonly pattern?: string } =>
  /[ims]/.test(flags) ? {} : { pattern: source };
