import { type JsonSchema, namedSchema, type Schema } from "waymark/openapi";
import { objectSchemaOf } from "../members/object-schema.ts";
import type { CollectionSettings, RecordNouns } from "../settings.ts";
import { recordIdSchema } from "../stores/contract/store.ts";

/** What the messages of a collection look like. */
export interface RecordSchemas {
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
export function recordSchemas(
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
