import { requireOptions } from "../common/known-options.ts";
import type { StandardSchemaV1 } from "../content/standard-schema.ts";
import type { JsonSchema, Schema } from "../description.ts";

/** A schema that validates values of the type T, without a promise, and can be shown in a document. */
export interface ValueSchema<T> extends StandardSchemaV1<unknown, T>, Schema.Standard {
  readonly "~standard": Schema.Standard["~standard"] &
    Omit<StandardSchemaV1<unknown, T>["~standard"], "validate"> & {
      /** Returns the value, perhaps converted, or what is wrong with it. */
      readonly validate: (value: unknown) => StandardSchemaV1.Result<T>;
    };
}

/** Makes a schema of a function that validates, and of the JSON Schema that says the same. */
function valueSchema<T>(
  keywords: JsonSchema,
  validate: (value: unknown) => StandardSchemaV1.Result<T>,
): ValueSchema<T> {
  const jsonSchema = { input: () => keywords, output: () => keywords };
  return { "~standard": { version: 1, vendor: "waymark", validate, jsonSchema } };
}

/**
 * Makes a schema of integers up to 2^53 - 1. In a path, a query or a header field they are decimal digits without zeros in
 * front: `7`, `-7`. A missing one is the default, where there is one.
 *
 * ```ts
 * takes({ query: { page: integer({ least: 1, default: 1 }) } })
 * ```
 *
 * @throws RangeError when no value is in the bounds; TypeError when the default is not one of the values
 */
export function integer(options: { least?: number; most?: number; default?: number } = {}): ValueSchema<number> {
  requireOptions("integer({ … })", options, ["least", "most", "default"]);
  const { least, most } = options;
  const keywords = {
    type: "integer",
    ...(least !== undefined && { minimum: least }),
    ...(most !== undefined && { maximum: most }),
  };
  requireRange(least, most);
  const to = most === undefined ? "" : ` ${least === undefined ? "up " : ""}to ${most}`;
  const must = `an integer${least === undefined ? "" : ` from ${least}`}${to}`;
  return bounded(keywords, must, options.default, (value) => {
    return Number.isSafeInteger(value) && Number(value) >= (least ?? -Infinity) && Number(value) <= (most ?? Infinity);
  });
}

/**
 * Makes a schema of text, bounded in characters (code points). A missing one is the default, where there is one.
 *
 * @throws RangeError when no value is in the bounds; TypeError when the default is not one of the values
 */
export function string(options: { shortest?: number; longest?: number; default?: string } = {}): ValueSchema<string> {
  requireOptions("string({ … })", options, ["shortest", "longest", "default"]);
  const { shortest, longest } = options;
  const keywords = {
    type: "string",
    ...(shortest !== undefined && { minLength: shortest }),
    ...(longest !== undefined && { maxLength: longest }),
  };
  requireRange(shortest, longest);
  const isFree = shortest === undefined && longest === undefined;
  const range = longest === undefined ? `at least ${shortest}` : `${shortest ?? 0} to ${longest}`;
  return bounded(keywords, isFree ? "text" : `text of ${range} characters`, options.default, (value) => {
    if (typeof value !== "string" || value.length > 2 * (longest ?? value.length)) return false;
    if (isFree) return true;
    const { length } = Array.from(value);
    return length >= (shortest ?? 0) && length <= (longest ?? length);
  });
}

function bounded<T>(
  keywords: JsonSchema,
  must: string,
  fallback: T | undefined,
  holds: (value: unknown) => boolean,
): ValueSchema<T> {
  if (fallback !== undefined && !holds(fallback))
    throw new TypeError(`The default of a schema must be ${must}, not ${JSON.stringify(fallback)}`);
  const shown = fallback === undefined ? keywords : { ...keywords, default: fallback };
  return valueSchema<T>(shown, (value) => {
    if (value === undefined && fallback !== undefined) return { value: fallback };
    if (holds(value)) return { value: value as T }; // so the rule says
    const text = JSON.stringify(value) ?? String(value);
    const found = text.length <= longestShown ? text : `${text.slice(0, longestShown).toWellFormed()}…`;
    return { issues: [{ message: `must be ${must}, not ${found}` }] };
  });
}

function requireRange(least: number | undefined, most: number | undefined): void {
  if ((least ?? -Infinity) <= (most ?? Infinity)) return;
  throw new RangeError(`A schema takes no value from ${least ?? "anything"} to ${most ?? "anything"}`);
}

const longestShown = 40;
