import { type JsonSchema, type NamedSchema, namedSchema, type StandardJsonSchema } from "waymark/routing";
import type { CollectionSettings } from "../settings.ts";
import type { Document } from "../store.ts";

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
export function recordSchemas<T extends Document>(settings: CollectionSettings<T>): RecordSchemas {
  const { schema, serverMembers, nouns } = settings;
  const input = objectOf(schema, "input");
  // What is said of members together is of the whole record, and not of its changes or of the part that `fields` chooses.
  const { anyOf: _anyStored, not: _notStored, ...output } = objectOf(schema, "output");
  const own = serverMembers.filter((name) => name !== "id");
  const setByServer = Object.fromEntries(
    own.map((name) => [name, { ...(memberSchemas[name] ?? ownerId), readOnly: true }]),
  );
  const { id: _, ...changeable } = input.properties;
  const { anyOf: _any, not: _not, required: _all, ...changed } = input;
  return {
    sent: namedSchema(nouns.schema, { ...input, properties: { id: recordId, ...input.properties } }),
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

interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

function objectOf(schema: object, direction: "input" | "output"): ObjectSchema {
  // Standard JSON Schema is a part that not every Standard Schema has.
  const { jsonSchema } = (schema as Partial<StandardJsonSchema>)["~standard"] ?? {};
  const { $schema: _, ...keywords } = jsonSchema?.[direction]({ target: "draft-2020-12" }) ?? {};
  return { type: "object", ...keywords, properties: { ...(keywords["properties"] as object | undefined) } };
}
