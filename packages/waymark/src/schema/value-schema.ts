import type { StandardSchemaV1, ValidationResult } from "../content/standard-schema.ts";
import { typeName } from "../declaration.ts";
import type { StandardJsonSchema } from "../description.ts";

/** A schema that validates values of the type T, without a promise, and can be shown in a document. */
export interface ValueSchema<T> extends StandardSchemaV1<unknown, T>, StandardJsonSchema {
  readonly "~standard": StandardJsonSchema["~standard"] &
    Omit<StandardSchemaV1<unknown, T>["~standard"], "validate"> & {
      /** Returns the value, perhaps converted, or what is wrong with it. */
      readonly validate: (value: unknown) => ValidationResult<T>;
    };
}

/** A schema of ours or of a library, within another one of ours. */
export type InnerSchema<T> = StandardSchemaV1<unknown, T> & StandardJsonSchema;

/** JSON Schema, as far as the schemas of this folder write it. */
export type Keywords = Readonly<Record<string, unknown>>;

/**
 * Makes a schema of a function that validates, and of the JSON Schema that says the same.
 *
 * ```ts
 * const even = valueSchema<number>({ type: "integer", multipleOf: 2 }, (value) =>
 *   typeof value === "number" && value % 2 === 0 ? { value } : { issues: [{ message: "must be even" }] },
 * );
 * ```
 */
export function valueSchema<T>(keywords: Keywords, validate: (value: unknown) => ValidationResult<T>): ValueSchema<T> {
  const jsonSchema = () => keywords;
  return {
    "~standard": { version: 1, vendor: "waymark", validate, jsonSchema: { input: jsonSchema, output: jsonSchema } },
  };
}

/**
 * Returns what a schema within another one does: how it validates, and its JSON Schema.
 *
 * @param around the function of the other one
 * @throws TypeError when it is no schema, or has no JSON Schema
 */
export function innerSchema<T>(
  schema: InnerSchema<T>,
  around: string,
): { readonly validate: InnerSchema<T>["~standard"]["validate"]; readonly keywords: Keywords } {
  const standard = (schema as Partial<InnerSchema<T>> | undefined)?.["~standard"]; // JavaScript callers give anything
  if (standard?.jsonSchema === undefined) {
    throw new TypeError(
      `${around}(…) takes a schema that has a JSON Schema, such as string(), not ${typeName(schema)}`,
    );
  }
  return { validate: standard.validate, keywords: standard.jsonSchema.input({ target: "draft-2020-12" }) };
}

/** What schemas of one value have in common. */
export interface WithDefault<T> {
  /** The value that stands for a missing one. Default: a value is required. */
  readonly default?: T;
}

/**
 * Makes a schema of values for which the rule holds. `must` ends the sentence "must be …".
 *
 * @throws TypeError when the default is not one of the values
 */
export function ruled<T>(
  keywords: Keywords,
  must: string,
  { default: fallback }: WithDefault<T>,
  holds: (value: unknown) => value is T,
): ValueSchema<T> {
  if (fallback !== undefined && !holds(fallback)) {
    throw new TypeError(`The default of a schema must be ${must}, not ${inWords(fallback)}`);
  }
  const shown = fallback === undefined ? keywords : { ...keywords, default: fallback };
  return valueSchema<T>(shown, (value) => {
    if (value === undefined && fallback !== undefined) return { value: fallback };
    return holds(value) ? { value } : refused(`must be ${must}, not ${inWords(value)}`);
  });
}

/**
 * Returns the words for a range, which may be empty.
 *
 * @throws RangeError when no value is in the range, as with a bound of NaN
 */
export function inRange(least: number | undefined, most: number | undefined): string {
  if (!((least ?? -Infinity) <= (most ?? Infinity))) {
    throw new RangeError(`A schema takes no value from ${least ?? "anything"} to ${most ?? "anything"}`);
  }
  if (least === undefined) return most === undefined ? "" : ` up to ${most}`;
  return most === undefined ? ` from ${least}` : ` from ${least} to ${most}`;
}

/**
 * Returns the words for a number of things: ` of 2 or more characters`.
 *
 * @throws RangeError as `inRange` does
 */
export function counted(least: number | undefined, most: number | undefined, things: string): string {
  const range = inRange(least, most);
  if (range === "") return "";
  return ` of ${most === undefined ? `${least} or more` : range.replace(/^ (?:from )?/, "")} ${things}`;
}

export const refused = (message: string): ValidationResult<never> => ({ issues: [{ message }] });

/** Refuses a value whose schema validates by a promise, for which a schema around it does not wait. */
export function refusedPromise(result: Promise<unknown>, around: string): ValidationResult<never> {
  result.catch(() => undefined);
  return refused(`is validated by a promise, which ${around}(…) does not wait for`);
}

/** Shows a value that was sent, shortened. */
export function inWords(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`;
}

const longest = 40;
