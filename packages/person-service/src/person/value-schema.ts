import type { StandardSchemaV1, ValidationResult } from "waymark/content";
import type { StandardJsonSchema } from "waymark/openapi";

/** The schema of a value, with its JSON Schema. Its `validate` returns no promise. */
export interface ValueSchema<T> extends StandardSchemaV1<unknown, T>, StandardJsonSchema {
  readonly "~standard": StandardJsonSchema["~standard"] &
    Omit<StandardSchemaV1<unknown, T>["~standard"], "validate"> & {
      readonly validate: (value: unknown) => ValidationResult<T>;
    };
}

/**
 * Makes the schema of a value that stays as it is. With schemas of zod, a person takes a quarter longer.
 *
 * @param keywords its JSON Schema
 * @param faultOf returns what is wrong with a value, as the predicate of its member; undefined for a value of the type
 */
export function valueSchema<T>(
  keywords: Readonly<Record<string, unknown>>,
  faultOf: (value: unknown) => string | undefined,
): ValueSchema<T> {
  const toJsonSchema = (): Record<string, unknown> => ({ ...keywords });
  return {
    "~standard": {
      version: 1,
      vendor: "waymark",
      validate: (value) => {
        const message = faultOf(value);
        return message === undefined ? { value: value as T } : { issues: [{ message }] }; // as the fault says
      },
      jsonSchema: { input: toJsonSchema, output: toJsonSchema },
    },
  };
}

/** Makes the schema of a value that may be absent. */
export function optional<T>({ "~standard": standard }: ValueSchema<T>): ValueSchema<T | undefined> {
  const validate = (value: unknown): ValidationResult<T | undefined> =>
    value === undefined ? { value } : standard.validate(value);
  return { "~standard": { ...standard, types: undefined, validate } };
}
