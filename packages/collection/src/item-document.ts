import type { StandardSchemaV1, ValidationIssue, ValidationResult, Validator } from "waymark";
import { isJsonObject, mergePatch } from "./merge-patch.ts";
import type { StoredRecord } from "./store.ts";

/**
 * Takes the whole of a record that is to be replaced. Members that the server sets may be sent back as they were read;
 * another value of them is refused, beside all that the schema finds.
 */
export function replacementOf<T>(schema: StandardSchemaV1<unknown, T>, current: StoredRecord): Validator<T> {
  const stored = parse(current);
  return (value) => {
    if (!isJsonObject(value)) return schema["~standard"].validate(value);
    const issues = issuesWith(value, (name, sent) =>
      sent === stored[name] ? undefined : `is set by the server: here it is ${JSON.stringify(stored[name])}, or absent`,
    );
    return validateBeside(issues, schema, withoutServerMembers(value));
  };
}

/**
 * What a merge patch makes of a record, if it names no member that the server sets and leaves a record that the schema
 * takes.
 */
export function amendmentOf<T>(schema: StandardSchemaV1<unknown, T>, current: StoredRecord): Validator<T> {
  return (patch) => {
    if (!isJsonObject(patch)) return { issues: [{ message: "must be an object with the members to change" }] };
    const issues = issuesWith(patch, () => "is set by the server, and cannot be changed");
    const [target, changes] = [parse(current), patch].map(withoutServerMembers);
    return validateBeside(issues, schema, mergePatch(target, changes));
  };
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
