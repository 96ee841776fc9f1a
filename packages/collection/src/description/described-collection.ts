import type { StandardSchemaV1 } from "waymark/content";
import { parseTemplate, wording } from "waymark/internal";
import { type JsonSchema, namedSchema, type Schema } from "waymark/openapi";
import { nameIn, objectSchemaOf } from "../members/object-schema.ts";
import type { RecordSchema } from "../members/record-schema.ts";
import type { RecordNouns } from "../options.ts";
import type { Addressed } from "../record-scope.ts";
import type { CollectionSettings } from "../settings.ts";
import { recordIdSchema } from "../stores/contract/store.ts";

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

/** What the messages of a collection look like. */
interface RecordSchemas {
  /** A record that a client sends to be stored. */
  readonly sent: Schema.Named;
  /** A record as it is sent to clients. */
  readonly stored: Schema.Named;
  /** A record that is to take the place of another: members that the server sets may be sent back as they were read. */
  readonly replacing: Schema.Named;
  /** A JSON merge patch. */
  readonly merged: Schema.Named;
}

/**
 * Derives the schemas from the one that validates, as far as that has a JSON Schema.
 *
 * @param namesOwner whether the path names the owner of the records
 */
function recordSchemas(
  { schema, serverMembers, setMembers, ownerMember }: CollectionSettings,
  nouns: Required<Pick<RecordNouns, "schema" | "always">>,
  namesOwner: boolean,
): RecordSchemas {
  const input = objectSchemaOf(schema, "input");
  // What is said of members together is of the whole record, and not of its changes or of the part that `fields` chooses.
  const { anyOf: _anyStored, not: _notStored, ...output } = objectSchemaOf(schema, "output");
  const ofStore = serverMembers.filter((name) => name !== "id" && !setMembers.includes(name));
  const setByServer = Object.fromEntries([
    ...ofStore.map((name) => [name, { ...(memberSchemas[name] ?? ownerId), readOnly: true }] as const),
    ...setMembers.map((name) => [name, { readOnly: true }] as const),
  ]);
  // Where the path names no owner, the record does.
  const given = ownerMember === undefined || namesOwner ? {} : { [ownerMember]: ownerId };
  const givenNames = Object.keys(given);
  const { id: _, ...changeable } = input.properties;
  const { anyOf: _any, not: _not, required: _all, ...changed } = input;
  return {
    sent: namedSchema(nouns.schema, {
      ...input,
      properties: { id: recordIdSchema, ...given, ...input.properties },
      ...(givenNames.length > 0 && { required: [...new Set([...givenNames, ...(input.required ?? [])])] }),
    }),
    stored: namedSchema(`Stored${nouns.schema}`, {
      ...output,
      properties: { id: recordIdSchema, ...output.properties, ...setByServer },
      required: [...new Set(["id", ...(output.required ?? []), ...nouns.always, ...ofStore])],
    }),
    replacing: namedSchema(`Replacing${nouns.schema}`, {
      ...input,
      properties: { id: recordIdSchema, ...input.properties, ...setByServer },
    }),
    merged: namedSchema(`${nouns.schema}Changes`, {
      ...changed,
      description: "The members to change, each with its new value; null takes a member away (RFC 7396).",
      properties: Object.fromEntries(
        Object.entries(changeable).map(([name, value]) => [name, { anyOf: [value, { type: "null" }] }]),
      ),
    }),
  };
}

const ownerId: JsonSchema = { ...recordIdSchema, description: "The id of the record that this one belongs to." };

const memberSchemas: Readonly<Record<string, JsonSchema>> = {
  createdAt: { type: "string", format: "date-time", description: "When it was stored." },
  updatedAt: { type: "string", format: "date-time", description: "When it last changed." },
};
