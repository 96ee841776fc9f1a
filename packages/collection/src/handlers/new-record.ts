import type { Awaitable } from "waymark";
import type { StandardSchemaV1 } from "waymark/content";
import { andThen } from "waymark/internal";
import { isJsonObject, without } from "../members/json-object.ts";
import { objectSchemaOf } from "../members/object-schema.ts";
import type { CollectionSettings } from "../settings.ts";
import { type Document, isRecordId, type StoreOwner } from "../stores/contract/store.ts";
import { validateBeside } from "./changed-document.ts";
import { type Preferences, preferredSchema } from "./preferences.ts";
import { notAnOwner } from "./refusals.ts";

/**
 * Returns the validator for a new record, by the schema that the client prefers. An id that the schema lets through must be one that
 * a record can have.
 *
 * @param owner what the record must name its owner by; undefined where the path names the owner, or records have no owner
 */
export function creationOf(
  settings: CollectionSettings,
  preferences: Preferences,
  owner: StoreOwner | undefined,
): (value: unknown) => Awaitable<StandardSchemaV1.Result<Document>> {
  const schema = preferredSchema(settings, preferences);
  const validate = owner === undefined ? schema["~standard"].validate : withOwner(schema, owner);
  return (value) => andThen(validate(value), withRecordId);
}

/**
 * Adds to a schema the member with the owner's id, unless the schema has it: most describe what the clients send below an owner.
 * The owner must exist.
 */
function withOwner(
  schema: StandardSchemaV1<unknown, Document>,
  { member, store }: StoreOwner,
): (value: unknown) => Promise<StandardSchemaV1.Result<Document>> {
  const knowsMember = Object.hasOwn(objectSchemaOf(schema, "input").properties, member);
  return async (value) => {
    if (!isJsonObject(value)) return schema["~standard"].validate(value);
    const id = value[member];
    const isOwner = isRecordId(id) && (await store.find(id)) !== undefined;
    const issues = isOwner ? [] : [{ message: notAnOwner(id), path: [member], code: "owner" }];
    const result = await validateBeside(issues, schema, knowsMember ? value : without(value, [member]), {});
    return result.issues === undefined ? { value: { ...result.value, [member]: id } } : result;
  };
}

function withRecordId(result: StandardSchemaV1.Result<Document>): StandardSchemaV1.Result<Document> {
  if (result.issues !== undefined || !("id" in result.value)) return result;
  const { id } = result.value;
  if (id === undefined || isRecordId(id)) return result;
  return { issues: [{ message: `must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}`, path: ["id"] }] };
}
