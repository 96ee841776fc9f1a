import type { StandardJsonSchema } from "waymark/routing";

/** A JSON Schema of objects. */
export interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/**
 * Returns the JSON Schema of what a schema takes or returns. Standard JSON Schema is a part that not every Standard Schema has:
 * without it, the result has no properties.
 */
export function objectSchemaOf(schema: object, direction: "input" | "output"): ObjectSchema {
  const { jsonSchema } = (schema as Partial<StandardJsonSchema>)["~standard"] ?? {};
  const { $schema: _, ...keywords } = jsonSchema?.[direction]({ target: "draft-2020-12" }) ?? {};
  return { type: "object", ...keywords, properties: { ...(keywords["properties"] as object | undefined) } };
}
