import { inlineReferences } from "../content/references.ts";
import type { Description, JsonSchema, Schema } from "../description.ts";
import type { MediaTypeObject, RequestBodyObject } from "./document.ts";
import { type Direction, hasJsonSchema, isNamed, type Schemas } from "./schemas.ts";

/** Content by media type. */
export type Contents = Readonly<Record<string, MediaTypeObject>>;

/** Returns the content of a request; undefined where neither the description nor the route names any. */
export async function toRequestBody(
  described: Description.Content | undefined,
  consumes: readonly string[],
  schemas: Schemas,
): Promise<RequestBodyObject | undefined> {
  if (described === undefined && consumes.length === 0) return undefined;
  const { description, schema, types = {}, required = true } = described ?? {};
  const sendable = consumes.filter((type) => type in types || !isForm(type) || fitsForm(schema));
  const content = await toContents(sendable, schema, types, "input", schemas);
  return { ...(description !== undefined && { description }), required, content };
}

/** Returns the content of a response; undefined where it has none. */
export async function toResponseContent(
  { schema, types = {} }: Pick<Description.Response, "schema" | "types">,
  produces: readonly string[] | undefined,
  schemas: Schemas,
): Promise<Contents | undefined> {
  if (schema === undefined && Object.keys(types).length === 0) return undefined;
  // Only a schema for whatever media type is one for those of the route.
  return toContents(schema === undefined ? [] : (produces ?? []), schema, types, "output", schemas);
}

async function toContents(
  named: readonly string[],
  shared: Schema | undefined,
  types: Readonly<Record<string, Description.MediaType>>,
  direction: Direction,
  schemas: Schemas,
): Promise<Contents> {
  const all = [...new Set([...named, ...Object.keys(types)])];
  const contents: Record<string, MediaTypeObject> = {};
  for (const name of all.length === 0 ? ["application/json"] : all) {
    const { schema = shared ?? {}, example } = types[name] ?? {};
    const isText = name.startsWith("text/") && Object.keys(schema).length === 0;
    const made: unknown = typeof example === "function" ? await example() : example;
    contents[name] = {
      schema: isText ? { type: "string" } : schemas.toJsonSchema(schema, direction),
      ...(made !== undefined && { example: made }),
    };
  }
  return contents;
}

/** Merges content of several routes, and that of problems; a media type whose schemas differ has any of them. */
export function mergeContents(contents: readonly Contents[]): Contents {
  const merged: Record<string, MediaTypeObject> = {};
  for (const [type, media] of contents.flatMap((content) => Object.entries(content))) {
    const { schema } = merged[type] ?? media;
    const isSame = JSON.stringify(schema) === JSON.stringify(media.schema);
    merged[type] = isSame
      ? { ...merged[type], ...media }
      : { ...media, ...merged[type], schema: { anyOf: [schema, media.schema] } };
  }
  return merged;
}

const isForm = (type: string): boolean => /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/.test(type);

/** Whether each member of what a schema takes can be a field of a form, or several of one name; so it is where nothing is known. */
function fitsForm(schema: Schema | undefined): boolean {
  if (schema === undefined) return true;
  const { schema: own } = isNamed(schema) ? schema : { schema };
  const keywords = hasJsonSchema(own) ? own["~standard"].jsonSchema.input({ target: "draft-2020-12" }) : own;
  return alternativesIn(inlineReferences(keywords)).every(({ type = "object", properties = {} }) => {
    const members: readonly JsonSchema[] = Object.values(properties as object); // as JSON Schema has it
    return type === "object" && members.every((member) => isField(member, true));
  });
}

function isField(keywords: JsonSchema, mayBeList: boolean): boolean {
  return alternativesIn(keywords).every(({ type, items = {}, properties }) => {
    const types = [type].flat();
    if (properties !== undefined || types.includes("object")) return false;
    return !types.includes("array") || (mayBeList && isField(items as JsonSchema, false)); // as JSON Schema has it
  });
}

/** Returns the parts of a schema that its values are of, one or all; the schema itself where it has none. */
function alternativesIn(keywords: JsonSchema): readonly JsonSchema[] {
  const { anyOf, oneOf, allOf } = keywords as Readonly<Record<string, unknown>>;
  const parts: readonly JsonSchema[] = [anyOf, oneOf, allOf].flatMap((each) => (Array.isArray(each) ? each : []));
  return parts.length === 0 ? [keywords] : parts.flatMap((part) => alternativesIn(part));
}
