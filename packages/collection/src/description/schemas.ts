import { type JsonSchema, type NamedSchema, namedSchema, type Schema } from "waymark/openapi";
import { objectSchemaOf } from "../members/object-schema.ts";
import { mostLists, mostListValues } from "../patch/amendment-of-many.ts";
import type { DescribedCollection } from "./described-collection.ts";

/** What the messages of a collection look like. */
export interface RecordSchemas {
  /** A record that a client sends to be stored. */
  readonly sent: NamedSchema;
  /** A record as it is sent to clients. */
  readonly stored: NamedSchema;
  /** A record that is to take the place of another: members that the server sets may be sent back as they were read. */
  readonly replacing: NamedSchema;
  /** A JSON merge patch. */
  readonly merged: NamedSchema;
}

/** Derives the schemas from the one that validates, as far as that has a JSON Schema. */
export function recordSchemas(settings: DescribedCollection): RecordSchemas {
  const { schema, serverMembers, nouns, ownerMember, namesOwner } = settings;
  const input = objectSchemaOf(schema, "input");
  // What is said of members together is of the whole record, and not of its changes or of the part that `fields` chooses.
  const { anyOf: _anyStored, not: _notStored, ...output } = objectSchemaOf(schema, "output");
  const own = serverMembers.filter((name) => name !== "id");
  const setByServer = Object.fromEntries(
    own.map((name) => [name, { ...(memberSchemas[name] ?? ownerId), readOnly: true }]),
  );
  // Where the path names no owner, the record does.
  const given = ownerMember === undefined || namesOwner ? {} : { [ownerMember]: ownerId };
  const givenNames = Object.keys(given);
  const { id: _, ...changeable } = input.properties;
  const { anyOf: _any, not: _not, required: _all, ...changed } = input;
  return {
    sent: namedSchema(nouns.schema, {
      ...input,
      properties: { id: recordId, ...given, ...input.properties },
      ...(givenNames.length > 0 && { required: [...new Set([...givenNames, ...(input.required ?? [])])] }),
    }),
    stored: namedSchema(`Stored${nouns.schema}`, {
      ...output,
      properties: { id: recordId, ...output.properties, ...setByServer },
      required: [...new Set(["id", ...(output.required ?? []), ...nouns.always, ...own])],
    }),
    replacing: namedSchema(`Replacing${nouns.schema}`, {
      ...input,
      properties: { id: recordId, ...input.properties, ...setByServer },
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

/** Changes: records, and removals. */
export const changesSchema = ({ stored }: Pick<RecordSchemas, "stored">): Schema => ({
  type: "array",
  items: {
    anyOf: [
      stored,
      {
        type: "object",
        description: "A record that was removed.",
        required: ["id", "removed"],
        properties: { id: recordId, removed: { const: true } },
      },
    ],
  },
});

/** A change of many records. */
export const changeOfManySchema = ({ merged }: Pick<RecordSchemas, "merged">): Schema => ({
  type: "object",
  additionalProperties: false,
  properties: {
    records: {
      type: "array",
      description: "Those to change, in place of filters.",
      items: {
        type: "object",
        required: ["id"],
        additionalProperties: false,
        properties: { id: recordId, etag: { type: "string", description: "The ETag that it must still have." } },
      },
    },
    merge: merged,
    add: { ...listsSchema, description: "Values for the end of lists that do not have them, by the member." },
    drop: { ...listsSchema, description: "Values that lists lose, by the member." },
    removed: { type: "boolean", description: "True to remove the records." },
  },
});

const listsSchema: JsonSchema = {
  type: "object",
  maxProperties: mostLists,
  additionalProperties: { type: "array", items: {}, maxItems: mostListValues },
};

/** A JSON Patch (RFC 6902). */
export const jsonPatchSchema: NamedSchema = namedSchema("JsonPatch", {
  type: "array",
  description: "The operations, done in order, all or none (RFC 6902).",
  items: {
    type: "object",
    required: ["op", "path"],
    properties: {
      op: { enum: ["add", "remove", "replace", "move", "copy", "test"] },
      path: { type: "string", description: "A JSON Pointer to what is changed.", pattern: "^(?:/.*)?$" },
      from: { type: "string", description: "For `move` and `copy`.", pattern: "^(?:/.*)?$" },
      value: { description: "For `add`, `replace` and `test`." },
    },
  },
});

/** The id of a record. */
export const recordId: JsonSchema = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

const ownerId: JsonSchema = { ...recordId, description: "The id of the record that this one belongs to." };

const memberSchemas: Readonly<Record<string, JsonSchema>> = {
  createdAt: { type: "string", format: "date-time", description: "When it was stored." },
  updatedAt: { type: "string", format: "date-time", description: "When it last changed." },
};
