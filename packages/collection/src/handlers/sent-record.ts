import { type Awaitable, HttpError } from "waymark";
import type { StandardSchemaV1 } from "waymark/content";
import { andThen } from "waymark/internal";
import { isJsonObject, type JsonObject, without } from "../members/json-object.ts";
import { memberNamesOf, objectSchemaOf } from "../members/object-schema.ts";
import { setRetiredAside, withoutEmptied } from "../members/retired-members.ts";
import { applyPatch } from "../patch/apply-patch.ts";
import { parsePatch } from "../patch/json-patch.ts";
import { mergePatch } from "../patch/merge-patch.ts";
import type { CollectionSettings } from "../settings.ts";
import { type Document, isRecordId, type StoredRecord, type StoreOwner } from "../stores/contract/store.ts";
import { type Preferences, preferredSchema } from "./preferences.ts";
import { notAnOwner, refuseExcess, refuseOperation, refuseUnreadable } from "./refusals.ts";

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
): Validation {
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

type Validation = (value: unknown) => Awaitable<StandardSchemaV1.Result<Document>>;

/** The rules for the result of a change. */
interface ItemRules {
  readonly schema: StandardSchemaV1<unknown, Document>;
  readonly serverMembers: readonly string[];
  /** The record before the change. */
  readonly current: StoredRecord;
  /** Whether the caller may read the record. If not, no message reveals anything of it. */
  readonly mayRead: boolean;
}

/**
 * Validates the replacement of a record. Members that the server sets may be sent back as they were read; other values of them
 * are refused, in addition to the issues of the schema.
 */
export function replacementOf(rules: ItemRules): Validation {
  return (value) => takeReplacement(rules, value);
}

/** A change of a record as a client sends it. */
export type Amendment =
  /** A JSON merge patch (RFC 7396). */
  | { readonly kind: "merge"; readonly patch: unknown }
  /** A JSON Patch (RFC 6902). */
  | { readonly kind: "operations"; readonly patch: unknown };

/**
 * Applies an amendment to a record, and validates the result: members that the server sets must not change, and the schema must
 * accept the whole record.
 *
 * @throws HttpError 409 when an operation cannot be applied, 422 when the operations exceed a bound; 403 for a JSON Patch from a
 *   caller without the right to read the record, because the outcome would reveal parts of it
 */
export function amendmentOf(rules: ItemRules): Validation {
  return (value) => {
    const { kind, patch } = value as Amendment; // the decoders of `amend` return this type
    return kind === "merge" ? takeMerged(rules, patch) : takePatched(rules, patch);
  };
}

/** Applies a JSON merge patch to a record, and validates the result. */
export async function takeMerged(rules: ItemRules, patch: unknown): Promise<StandardSchemaV1.Result<Document>> {
  const { schema, serverMembers, current, mayRead } = rules;
  if (!isJsonObject(patch)) {
    const hint = Array.isArray(patch) ? "; send a JSON Patch as application/json-patch+json" : "";
    return { issues: [{ message: `must be an object with the members to change${hint}` }] };
  }
  const issues = issuesWith(patch, serverMembers, () => setByServer);
  const before = without(parse(current), serverMembers);
  const merged = mergePatch(before, without(patch, serverMembers)); // an object, since the patch is one
  const result = await validateBeside(issues, schema, withoutEmptied(schema, merged as JsonObject), before);
  if (mayRead || result.issues === undefined) return result;
  return { issues: result.issues.map((issue) => (isSent(patch, issue.path) ? issue : withoutDetails(issue))) };
}

/** Returns whether the whole value at a path comes from the patch. An object is merged with members of the record. */
function isSent(patch: unknown, [first, ...rest]: NonNullable<StandardSchemaV1.Issue["path"]> = []): boolean {
  if (!isJsonObject(patch)) return true;
  if (first === undefined) return false;
  const key = typeof first === "object" ? first.key : first;
  return Object.hasOwn(patch, key) && isSent(patch[String(key)], rest);
}

const withoutDetails = ({ path }: StandardSchemaV1.Issue): StandardSchemaV1.Issue => ({
  message: "is not valid with what is stored",
  ...(path !== undefined && { path }),
});

function takePatched(rules: ItemRules, patch: unknown) {
  if (!rules.mayRead) throw new HttpError(refuseUnreadable("JSON Patch"));
  const operations = parsePatch(patch);
  if (operations.issues !== undefined) return operations;
  const isServerMember = (name = ""): boolean => rules.serverMembers.includes(name);
  const issues = operations.value.flatMap((operation, index) => [
    ...(operation.op !== "test" && isServerMember(operation.path[0]) ? [{ path: [index, "path"] }] : []),
    ...(operation.op === "move" && isServerMember(operation.from[0]) ? [{ path: [index, "from"] }] : []),
  ]);
  if (issues.length > 0)
    return { issues: issues.map(({ path }) => ({ message: setByServer, path, code: "set-by-server" })) };
  const outcome = applyPatch(parse(rules.current), operations.value, memberNamesOf(rules.schema));
  if (outcome.kind === "failed") throw new HttpError(refuseOperation(outcome.index, outcome.detail));
  if (outcome.kind === "excessive") throw new HttpError(refuseExcess(outcome.index, outcome.detail));
  // An operation on the whole record may have changed members that the server sets.
  const { value } = outcome;
  return takeReplacement(rules, isJsonObject(value) ? withoutEmptied(rules.schema, value) : value);
}

const setByServer = "is set by the server, and cannot be changed";

function takeReplacement(rules: ItemRules, value: unknown) {
  const { schema, serverMembers, current, mayRead } = rules;
  if (!isJsonObject(value)) return schema["~standard"].validate(value);
  const stored = parse(current);
  const issues = issuesWith(value, serverMembers, (name, sent) => {
    // The caller knows the id from the path. Whether another member is right would reveal its value.
    if (!mayRead) return name === "id" && sent === stored[name] ? undefined : setByServer;
    if (sent === stored[name]) return undefined;
    return `is set by the server; send ${JSON.stringify(stored[name])}, or leave it out`;
  });
  const sent = without(value, serverMembers);
  // For a caller who may not read the record, nothing may depend on what it was.
  return validateBeside(issues, schema, sent, mayRead ? stored : {});
}

/**
 * Validates the value by the schema, and puts these issues before those of the schema. What the schema does not have any more stays.
 *
 * @param stored the record before
 */
async function validateBeside(
  issues: readonly StandardSchemaV1.Issue[],
  schema: StandardSchemaV1<unknown, Document>,
  value: JsonObject,
  stored: JsonObject,
): Promise<StandardSchemaV1.Result<Document>> {
  const { due, restore } = setRetiredAside(schema, value, stored);
  const result = restore(await schema["~standard"].validate(due));
  return result.issues === undefined && issues.length === 0
    ? result
    : { issues: [...issues, ...(result.issues ?? [])] };
}

/** Returns the issues of the members that the value has. */
function issuesWith(
  value: JsonObject,
  members: readonly string[],
  complain: (name: string, sent: unknown) => string | undefined,
): readonly StandardSchemaV1.Issue[] {
  return members.flatMap((name) => {
    const message = Object.hasOwn(value, name) ? complain(name, value[name]) : undefined;
    return message === undefined ? [] : [{ message, path: [name], code: "set-by-server" }];
  });
}

// The store keeps objects only.
const parse = ({ json }: StoredRecord): JsonObject => JSON.parse(json);
