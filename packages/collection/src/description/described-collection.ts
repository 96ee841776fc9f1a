import type { StandardSchemaV1 } from "waymark/content";
import { parseTemplate, wording } from "waymark/internal";
import type { Schema } from "waymark/openapi";
import { nameIn } from "../members/object-schema.ts";
import type { RecordSchema } from "../members/record-schema.ts";
import type { Addressed } from "../record-scope.ts";
import type { CollectionSettings, RecordNouns } from "../settings.ts";
import { type RecordSchemas, recordSchemas } from "./schemas.ts";

/** A collection as its document speaks of it: where it stands, and what its records are called. */
export interface DescribedCollection extends Omit<CollectionSettings, "path" | "nouns"> {
  /** The whole path of the collection, with variables: `/users/{userId}/books`. */
  readonly path: string;
  readonly nouns: Required<Omit<RecordNouns, "example">>;
  /** What its messages look like. */
  readonly schemas: RecordSchemas;
}

/**
 * Takes a route of a collection apart for its document.
 *
 * @param template the whole path of the route
 * @param of what the path leads to
 */
export function describedAt(settings: CollectionSettings, template: string, of: Addressed): DescribedCollection {
  const known = described.get(settings) ?? new Map<string, DescribedCollection>();
  described.set(settings, known);
  const segments = parseTemplate(template).slice(0, of === "collection" ? undefined : -1);
  const path = segments.map((parts) => `/${parts.map(plainText).join("")}`).join("");
  const place = known.get(path) ?? placeOf(settings, path);
  known.set(path, place);
  return place;
}

/** All operations of a collection have the same schemas. */
const described = new WeakMap<CollectionSettings, Map<string, DescribedCollection>>();

function placeOf(settings: CollectionSettings, path: string): DescribedCollection {
  const nouns = nounsOf(path, settings);
  const namesOwner = path.includes(`{${settings.ownerMember}}`);
  return { ...settings, path, nouns, schemas: recordSchemas(settings, nouns, namesOwner) };
}

/** Leaves out the regular expressions of variables. */
function plainText(part: ReturnType<typeof parseTemplate>[number][number]): string {
  if (part.kind === "text") return part.text;
  return part.kind === "wildcard" ? "*" : `{${part.name}}`;
}

/**
 * Names the records by the noun of their schema and the last segment of the path: `order-lines`, and without a noun `record of order-lines`
 * since only a person knows the singular.
 */
function nounsOf(
  path: string,
  { nouns: given, schema: validator }: Pick<CollectionSettings, "nouns" | "schema">,
): DescribedCollection["nouns"] {
  const segment = path.split("/").at(-1) ?? "";
  const { noun } = validator as Partial<Pick<RecordSchema<object>, "noun">>; // undefined for other schemas
  const { one = noun ?? `record of ${segment}`, many = segment, schema, always = [] } = given ?? {};
  const isNamed = given !== undefined || noun !== undefined;
  return { one, many, schema: schema ?? nameOf(validator) ?? wording.pascalCase(isNamed ? one : segment), always };
}

/** The name that `namedSchema` or its library gave the schema. */
function nameOf(schema: StandardSchemaV1 & Partial<Pick<Schema.Named, "kind" | "name">>): string | undefined {
  return schema.kind === "named-schema" ? schema.name : nameIn(schema);
}
