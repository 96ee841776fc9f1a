import type { ValidationIssue } from "../content/standard-schema.ts";
import { requireKnownOptions } from "../known-options.ts";
import {
  counted,
  type InnerSchema,
  innerSchema,
  inWords,
  refused,
  refusedPromise,
  type ValueSchema,
  valueSchema,
} from "./value-schema.ts";

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
 *
 * @throws TypeError when the schema has no JSON Schema; RangeError when no length is in the bounds
 */
export function many<T>(schema: InnerSchema<T>, options: ManyOptions = {}): ValueSchema<readonly T[]> {
  requireKnownOptions("many(…, { … })", options, ["least", "most"]);
  const { validate, keywords: items } = innerSchema(schema, "many");
  const { least = 0, most } = options;
  const must = `must be a list${counted(least, most, "values")}`;
  const keywords = {
    type: "array",
    items,
    ...(least > 0 && { minItems: least }),
    ...(most !== undefined && { maxItems: most }),
  };
  return valueSchema<readonly T[]>(keywords, (value = []) => {
    if (!Array.isArray(value)) return refused(`must be a list, not ${inWords(value)}`);
    if (value.length < least || value.length > (most ?? value.length)) {
      return refused(`${must}, not ${value.length}`);
    }
    const values: T[] = [];
    const issues: ValidationIssue[] = [];
    for (const [i, each] of value.entries()) {
      const result = validate(each);
      if (result instanceof Promise) return refusedPromise(result, "many");
      if (result.issues === undefined) values.push(result.value);
      else issues.push(...result.issues.map((issue) => ({ ...issue, path: [i, ...(issue.path ?? [])] })));
    }
    return issues.length === 0 ? { value: values } : { issues };
  });
}
