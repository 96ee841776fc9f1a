import type { ValidationIssue } from "../content/standard-schema.ts";
import { type InnerSchema, inWords, refused, refusedPromise, type ValueSchema, valueSchema } from "./value-schema.ts";

/** Lists the options of `many`. */
export interface ManyOptions {
  /** Default: 0. */
  readonly least?: number;
  /** Default: any number. */
  readonly most?: number;
}

/**
 * Makes a schema of lists. A query parameter is repeated for each of its values, `?tag=a&tag=b`, and is an empty list where it is
 * absent.
 *
 * ```ts
 * takes({ query: { tag: many(string(), { most: 10 }) } })
 * ```
 */
export function many<T>(schema: InnerSchema<T>, { least = 0, most }: ManyOptions = {}): ValueSchema<readonly T[]> {
  const { validate, jsonSchema } = schema["~standard"];
  const keywords = {
    type: "array",
    items: jsonSchema.input({ target: "draft-2020-12" }),
    ...(least > 0 && { minItems: least }),
    ...(most !== undefined && { maxItems: most }),
  };
  const bound = most === undefined ? `${least} or more` : `${least} to ${most}`;
  return valueSchema<readonly T[]>(keywords, (value = []) => {
    if (!Array.isArray(value)) return refused(`must be a list, not ${inWords(value)}`);
    if (value.length < least || value.length > (most ?? value.length)) {
      return refused(`must be a list of ${bound} values, not ${value.length}`);
    }
    const values: T[] = [];
    const issues: ValidationIssue[] = [];
    for (const [i, each] of value.entries()) {
      const result = validate(each);
      if (result instanceof Promise) return refusedPromise(result, "many");
      if (result.issues === undefined) values.push(result.value);
      else issues.push(...result.issues.map(({ message, path = [] }) => ({ message, path: [i, ...path] })));
    }
    return issues.length === 0 ? { value: values } : { issues };
  });
}
