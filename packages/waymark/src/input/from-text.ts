import { inlineReferences } from "../content/references.ts";
import type { StandardSchemaV1 } from "../content/standard-schema.ts";
import type { JsonSchema, Schema } from "../description.ts";

/** Returns whether the value keeps to Standard Schema. Schemas of some libraries are functions. */
export const isSchema = (value: unknown): value is StandardSchemaV1 =>
  typeof (value as Partial<StandardSchemaV1> | null | undefined)?.["~standard"]?.validate === "function";

/** How the texts of a parameter become the value that its schema validates. */
export interface TextForm {
  /** Whether the value is a list: the parameter may be repeated. */
  readonly isList: boolean;
  /** Returns the number or boolean that the text spells, where the schema takes such values; else the text. */
  readonly convert: (text: string) => unknown;
}

/**
 * Returns how the values of a schema are written as text. Its JSON Schema says it, so that a parameter has the schema that the
 * same value has in JSON: `z.int()`, and not `z.coerce.number()`.
 */
export function textForm(schema: JsonSchema | undefined): TextForm {
  const types = typesIn(schema ?? {});
  if (!types.has("array")) return { isList: false, convert: converter(types) };
  const items = schema?.["items"];
  return { isList: true, convert: converter(typesIn(typeof items === "object" ? (items as JsonSchema) : {})) };
}

/** Returns the JSON Schema of what a schema takes, in one piece; undefined where its library has none, or none for this schema. */
export function jsonSchemaOf(schema: StandardSchemaV1): JsonSchema | undefined {
  const { jsonSchema } = schema["~standard"] as Partial<Schema.Standard["~standard"]>;
  try {
    const keywords = jsonSchema?.input({ target: "draft-2020-12" });
    return keywords && inlineReferences(keywords);
  } catch {
    return undefined; // Libraries refuse what JSON Schema has no words for, such as a Date.
  }
}

function converter(types: ReadonlySet<string>): TextForm["convert"] {
  const takesNumbers = types.has("number") || types.has("integer");
  const takesBooleans = types.has("boolean");
  // What may be text stays text.
  if (types.has("string") || (!takesNumbers && !takesBooleans)) return (text) => text;
  return (text) => {
    if (takesNumbers && spelledNumber.test(text) && Number.isFinite(Number(text))) return Number(text);
    return takesBooleans && (text === "true" || text === "false") ? text === "true" : text;
  };
}

/** That of JSON, so that a value has one spelling of its integer: neither `01` nor `+1`. */
const spelledNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function typesIn(schema: JsonSchema): ReadonlySet<string> {
  const {
    type,
    anyOf,
    oneOf,
    allOf,
    const: only,
    enum: values,
  } = schema as JsonSchema & Readonly<Record<string, unknown>>;
  const own = typeof type === "string" ? [type] : Array.isArray(type) ? type : [];
  const listed = Array.isArray(values) ? values : only === undefined ? undefined : [only];
  const parts = [anyOf, oneOf, allOf].flatMap((part) => (Array.isArray(part) ? part : []));
  // Texts that are listed do not keep "7" from being a number.
  const types = listed?.filter((value) => typeof value !== "string").map((value) => typeof value) ?? own;
  return new Set([...types, ...parts.flatMap((part) => [...typesIn(part)])]);
}
