import { HttpError, type StandardSchemaV1, type ValidationIssue, type ValidationResult, type Validator } from "waymark";
import { applyPatch } from "./json-patch.ts";
import { parsePatch } from "./json-patch-operation.ts";
import { isJsonObject, mergePatch } from "./merge-patch.ts";
import { refuseOperation } from "./refusals.ts";
import type { StoredRecord } from "./store.ts";

/**
 * Takes the whole of a record that is to be replaced. Members that the server sets may be sent back as they were read;
 * another value of them is refused, beside all that the schema finds.
 */
export function replacementOf<T>(schema: StandardSchemaV1<unknown, T>, current: StoredRecord): Validator<T> {
  return (value) => takeReplacement(schema, current, value);
}

/** A change of a record as a client sends it. */
export type Amendment =
  /** A JSON merge patch (RFC 7396). */
  | { readonly kind: "merge"; readonly patch: unknown }
  /** A JSON Patch (RFC 6902). */
  | { readonly kind: "operations"; readonly patch: unknown };

/**
 * What an amendment makes of a record, if it changes no member that the server sets and leaves a record that the schema
 * takes.
 *
 * @throws HttpError 409 when an operation cannot be done
 */
export function amendmentOf<T>(schema: StandardSchemaV1<unknown, T>, current: StoredRecord): Validator<T> {
  return (value) => {
    const { kind, patch } = value as Amendment; // which each decoder of `amend` gives
    return kind === "merge" ? validateMerged(schema, current, patch) : validatePatched(schema, current, patch);
  };
}

function validateMerged<T>(schema: StandardSchemaV1<unknown, T>, current: StoredRecord, patch: unknown) {
  if (!isJsonObject(patch)) return { issues: [{ message: "must be an object with the members to change" }] };
  const issues = issuesWith(patch, () => setByServer);
  const [target, changes] = [parse(current), patch].map(withoutServerMembers);
  return validateBeside(issues, schema, mergePatch(target, changes));
}

function validatePatched<T>(schema: StandardSchemaV1<unknown, T>, current: StoredRecord, patch: unknown) {
  const operations = parsePatch(patch);
  if (operations.issues !== undefined) return operations;
  const issues = operations.value.flatMap((operation, index) => [
    ...(operation.op !== "test" && isServerMember(operation.path[0]) ? [{ path: [index, "path"] }] : []),
    ...(operation.op === "move" && isServerMember(operation.from[0]) ? [{ path: [index, "from"] }] : []),
  ]);
  if (issues.length > 0) return { issues: issues.map(({ path }) => ({ message: setByServer, path })) };
  const outcome = applyPatch(parse(current), operations.value);
  if (outcome.kind === "failed") throw new HttpError(refuseOperation(outcome.index, outcome.detail));
  // An operation on the whole may have set what the server sets.
  return takeReplacement(schema, current, outcome.value);
}

const setByServer = "is set by the server, and cannot be changed";

function takeReplacement<T>(schema: StandardSchemaV1<unknown, T>, current: StoredRecord, value: unknown) {
  if (!isJsonObject(value)) return schema["~standard"].validate(value);
  const stored = parse(current);
  const issues = issuesWith(value, (name, sent) =>
    sent === stored[name] ? undefined : `is set by the server: here it is ${JSON.stringify(stored[name])}, or absent`,
  );
  return validateBeside(issues, schema, withoutServerMembers(value));
}

const serverMemberNames = ["id", "createdAt", "updatedAt"] as const;
type ServerMemberName = (typeof serverMemberNames)[number];

/** What the schema says of the value, with these issues before its own. */
async function validateBeside<T>(
  issues: readonly ValidationIssue[],
  schema: StandardSchemaV1<unknown, T>,
  value: unknown,
): Promise<ValidationResult<T>> {
  const result = await schema["~standard"].validate(value);
  return result.issues === undefined && issues.length === 0
    ? result
    : { issues: [...issues, ...(result.issues ?? [])] };
}

/** What is wrong with a member that the server sets; undefined when nothing is. */
type Complaint = (name: ServerMemberName, sent: unknown) => string | undefined;

function issuesWith(value: Readonly<Record<string, unknown>>, complain: Complaint): readonly ValidationIssue[] {
  return serverMemberNames.flatMap((name) => {
    if (!Object.hasOwn(value, name)) return [];
    const message = complain(name, value[name]);
    return message === undefined ? [] : [{ message, path: [name] }];
  });
}

function withoutServerMembers(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isServerMember(name)));
}

const isServerMember = (name: unknown): boolean => serverMemberNames.some((known) => known === name);

// The store wrote the text: an object that has these members.
const parse = ({ json }: StoredRecord): Readonly<Record<string, unknown>> => JSON.parse(json);
