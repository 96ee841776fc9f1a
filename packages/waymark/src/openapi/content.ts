import type { ContentDescription, MediaTypeDescription, ResponseDescription, Schema } from "../description.ts";
import type { Components } from "./components.ts";
import type { MediaTypeObject, RequestBodyObject } from "./document.ts";

/** Returns the content of a request; undefined where neither the description nor the route names any. */
export async function toRequestBody(
  described: ContentDescription | undefined,
  consumes: readonly string[],
  components: Components,
): Promise<RequestBodyObject | undefined> {
  if (described === undefined && consumes.length === 0) return undefined;
  const { description, schema, types = {}, required = true } = described ?? {};
  const content = await toContent(mediaTypes(consumes, types), schema, types, "input", components);
  return { ...(description !== undefined && { description }), required, content };
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
