import { inlineReferences } from "../content/references.ts";
import type {
  ContentDescription,
  JsonSchema,
  MediaTypeDescription,
  ResponseDescription,
  Schema,
} from "../description.ts";
import { type Components, hasJsonSchema, isNamed } from "./components.ts";
import type { MediaTypeObject, RequestBodyObject } from "./document.ts";

/** Returns the content of a request; undefined where neither the description nor the route names any. */
export async function toRequestBody(
  described: ContentDescription | undefined,
  consumes: readonly string[],
  components: Components,
): Promise<RequestBodyObject | undefined> {
  if (described === undefined && consumes.length === 0) return undefined;
  const { description, schema, types = {}, required = true } = described ?? {};
  const sendable = consumes.filter((type) => type in types || !isForm(type) || fitsForm(schema));
  const content = await toContent(mediaTypes(sendable, types), schema, types, "input", components);
  return { ...(description !== undefined && { description }), required, content };
}

const isForm = (type: string): boolean => /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/.test(type);

/** Whether each member of what a schema takes can be a field of a form, or several of one name; so it is where nothing is known. */
function fitsForm(schema: Schema | undefined): boolean {
  if (schema === undefined) return true;
  const { schema: own } = isNamed(schema) ? schema : { schema };
  const keywords = hasJsonSchema(own) ? own["~standard"].jsonSchema.input({ target: "draft-2020-12" }) : own;
  return isObjectOf(inlineReferences(keywords));
}

const isObjectOf = (keywords: JsonSchema): boolean =>
  alternativesIn(keywords).every(({ type = "object", properties = {} }) => {
    const members: readonly JsonSchema[] = Object.values(properties as object); // as JSON Schema has it
    return type === "object" && members.every((member) => isField(member, true));
  });

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

/** Returns the content of a response; undefined where it has none. */
export function toResponseContent(
  { schema, types = {} }: ResponseDescription,
  produces: readonly string[] | undefined,
  components: Components,
): Promise<Readonly<Record<string, MediaTypeObject>>> | undefined {
  if (schema === undefined && Object.keys(types).length === 0) return undefined;
  // Only a schema for whatever media type is one for those of the route.
  return toContent(
    mediaTypes(schema === undefined ? [] : (produces ?? []), types),
    schema,
    types,
    "output",
    components,
  );
}

function mediaTypes(named: readonly string[], described: Readonly<Record<string, unknown>>): readonly string[] {
  const all = [...new Set([...named, ...Object.keys(described)])];
  return all.length === 0 ? ["application/json"] : all;
}

async function toContent(
  names: readonly string[],
  shared: Schema | undefined,
  types: Readonly<Record<string, MediaTypeDescription>>,
  direction: "input" | "output",
  components: Components,
): Promise<Readonly<Record<string, MediaTypeObject>>> {
  const entries = names.map(async (name): Promise<readonly [string, MediaTypeObject]> => {
    const { schema = shared, example } = types[name] ?? {};
    const isText = schema === undefined || Object.keys(schema).length === 0;
    const resolved =
      isText && name.startsWith("text/") ? { type: "string" } : components.schema(schema ?? {}, direction);
    const made: unknown = typeof example === "function" ? await example() : example;
    return [name, { schema: resolved, ...(made !== undefined && { example: made }) }];
  });
  return Object.fromEntries(await Promise.all(entries));
}
