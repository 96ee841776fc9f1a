import type { ValidationIssue } from "waymark/content";
import type { ValueSchema } from "waymark/schema";
import { jsonType } from "./text.ts";

/** The schema of a list; it may be absent, and counts as absent when it is empty. */
export type ListSchema<T> = ValueSchema<readonly T[] | undefined>;

/** The most values of a list. */
export const mostValues = 50;

/**
 * Makes the schema of a list of up to 50 texts, none of them twice. Each is validated by its schema, and keeps its place.
 *
 * ```ts
 * textList(text({ min: 1, max: 100 }))["~standard"].validate(["press", "press"]);   // { issues: [{ path: [1], … }] }
 * ```
 */
export function textList(value: ValueSchema<unknown>): ListSchema<unknown> {
  return listSchema(value, { uniqueItems: true }, (values) => {
    const first = new Map<unknown, number>();
    return values.flatMap((each, i) => {
      if (!first.has(each)) first.set(each, i);
      return first.get(each) === i ? [] : [{ path: [i], message: "is there twice" }];
    });
  });
}

/**
 * Makes the schema of a list.
 *
 * @param keywords further keywords of its JSON Schema
 * @param judge returns what is wrong with valid values together
 */
export function listSchema<T>(
  value: ValueSchema<T>,
  keywords: Readonly<Record<string, unknown>>,
  judge: (values: readonly T[]) => readonly ValidationIssue[],
): ListSchema<T> {
  const { validate, jsonSchema } = value["~standard"];
  const schemaOf = (direction: "input" | "output") => (): Record<string, unknown> => {
    const { $schema: _, ...items } = jsonSchema[direction]({ target: "draft-2020-12" });
    return { type: "array", items, maxItems: mostValues, ...keywords };
  };
  return {
    "~standard": {
      version: 1,
      vendor: "waymark",
      validate: (sent) => {
        if (sent === undefined) return { value: undefined };
        if (!Array.isArray(sent)) return { issues: [{ message: `must be a list, not ${jsonType(sent)}` }] };
        if (sent.length > mostValues) {
          return { issues: [{ message: `has ${sent.length} values; at most ${mostValues} are allowed` }] };
        }
        const values: T[] = [];
        const issues: ValidationIssue[] = [];
        for (const [i, each] of sent.entries()) {
          const result = validate(each);
          if (result.issues === undefined) values.push(result.value);
          else for (const issue of result.issues) issues.push({ ...issue, path: [i, ...(issue.path ?? [])] });
        }
        if (issues.length === 0) issues.push(...judge(values));
        if (issues.length > 0) return { issues };
        return { value: values.length === 0 ? undefined : values };
      },
      jsonSchema: { input: schemaOf("input"), output: schemaOf("output") },
    },
  };
}
