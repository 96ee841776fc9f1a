import { HttpError } from "waymark";
import type { StandardSchemaV1, ValidationIssue, ValidationResult, Validator } from "waymark/content";
import { applyPatch, parsePatch } from "../patch/json-patch.ts";
import { isJsonObject, mergePatch } from "../patch/merge-patch.ts";
import type { StoredRecord } from "../store.ts";
import { refuseOperation } from "./refusals.ts";

/** What a record must be like that a change makes. */
export interface ItemRules<T> {
  readonly schema: StandardSchemaV1<unknown, T>;
  /** The members that the server sets. */
  readonly serverMembers: readonly string[];
  /** The record as it is. */
  readonly current: StoredRecord;
}

/**
 * Takes the whole of a record that is to be replaced. Members that the server sets may be sent back as they were read;
 * another value of them is refused, beside all that the schema finds.
 */
export function replacementOf<T>(rules: ItemRules<T>): Validator<T> {
  return (value) => takeReplacement(rules, value);
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
export function amendmentOf<T>(rules: ItemRules<T>): Validator<T> {
  return (value) => {
    const { kind, patch } = value as Amendment; // which each decoder of `amend` gives
    return kind === "merge" ? takeMerged(rules, patch) : takePatched(rules, patch);
  };
}

function takeMerged<T>({ schema, serverMembers, current }: ItemRules<T>, patch: unknown) {
  if (!isJsonObject(patch)) return { issues: [{ message: "must be an object with the members to change" }] };
  const issues = issuesWith(patch, serverMembers, () => setByServer);
  const [target, changes] = [parse(current), patch].map((value) => without(value, serverMembers));
  return validateBeside(issues, schema, mergePatch(target, changes));
}

function takePatched<T>(rules: ItemRules<T>, patch: unknown) {
  const operations = parsePatch(patch);
  if (operations.issues !== undefined) return operations;
  const isServerMember = (name = ""): boolean => rules.serverMembers.includes(name);
  const issues = operations.value.flatMap((operation, index) => [
    ...(operation.op !== "test" && isServerMember(operation.path[0]) ? [{ path: [index, "path"] }] : []),
    ...(operation.op === "move" && isServerMember(operation.from[0]) ? [{ path: [index, "from"] }] : []),
  ]);
  if (issues.length > 0) return { issues: issues.map(({ path }) => ({ message: setByServer, path })) };
  const outcome = applyPatch(parse(rules.current), operations.value);
  if (outcome.kind === "failed") throw new HttpError(refuseOperation(outcome.index, outcome.detail));
  // An operation on the whole may have set what the server sets.
  return takeReplacement(rules, outcome.value);
}

const setByServer = "is set by the server, and cannot be changed";

function takeReplacement<T>({ schema, serverMembers, current }: ItemRules<T>, value: unknown) {
  if (!isJsonObject(value)) return schema["~standard"].validate(value);
  const stored = parse(current);
  const issues = issuesWith(value, serverMembers, (name, sent) =>
    sent === stored[name] ? undefined : `is set by the server: here it is ${JSON.stringify(stored[name])}, or absent`,
  );
  return validateBeside(issues, schema, without(value, serverMembers));
}

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

/** What is wrong with those of the members that the value has. */
function issuesWith(
  value: Readonly<Record<string, unknown>>,
  members: readonly string[],
  complain: (name: string, sent: unknown) => string | undefined,
): readonly ValidationIssue[] {
  return members.flatMap((name) => {
    const message = Object.hasOwn(value, name) ? complain(name, value[name]) : undefined;
    return message === undefined ? [] : [{ message, path: [name] }];
  });
}

export function without(value: Readonly<Record<string, unknown>>, members: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !members.includes(name)));
}

// The store wrote the text: an object that has these members.
const parse = ({ json }: StoredRecord): Readonly<Record<string, unknown>> => JSON.parse(json);
