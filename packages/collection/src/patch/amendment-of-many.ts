import { type Decoder, decodeUtf8, jsonDecoder, parseStrictJson, type StandardSchemaV1 } from "waymark/content";
import { wording } from "waymark/internal";
import type { JsonSchema, Schema } from "waymark/openapi";
import { isJsonObject, type JsonObject } from "../members/json-object.ts";
import { valueAt } from "../members/value.ts";
import { isRecordId, recordIdSchema } from "../stores/contract/store.ts";
import { isJsonEqual } from "./json-equality.ts";
import { maxDepth } from "./json-patch.ts";
import { mergePatch, patchAt } from "./merge-patch.ts";

/** What a client asks to become of many records. */
export interface AmendmentOfMany extends ListChanges {
  /** The records that it has chosen; undefined for those that the query finds. */
  readonly records: readonly ChosenRecord[] | undefined;
  /** Whether they are to be removed, rather than changed. */
  readonly removed: boolean;
  /** A merge patch (RFC 7396) for each. */
  readonly merge: JsonObject;
}

/** Changes of lists that need not say what else is in them. */
interface ListChanges {
  /** The values that lists get at their end, where they do not have them; `custom.skills` is a list in an object. */
  readonly add: Lists;
  /** The values that lists lose. */
  readonly drop: Lists;
}

/** A record that a client has chosen. */
export interface ChosenRecord {
  readonly id: number;
  /** The entity tag that it must still have; undefined for any. */
  readonly etag: string | undefined;
}

type Report = (message: string, ...path: readonly (string | number | undefined)[]) => void;
type Lists = Readonly<Record<string, readonly unknown[]>>;

/** Reads JSON with some 16,000 chosen records: more values than one record has. */
export const amendmentOfManyDecoder: Decoder = {
  ...jsonDecoder,
  decode: (content) => parseStrictJson(decodeUtf8(content), { maxValues: 50_000 }),
};

/** Validates what a client sends as an amendment of many records. */
export function validateAmendment(value: unknown): StandardSchemaV1.Result<AmendmentOfMany> {
  const issues: StandardSchemaV1.Issue[] = [];
  const report: Report = (message, ...path) => {
    issues.push({ message, path: path.filter((part) => part !== undefined) });
  };
  if (!isJsonObject(value))
    return { issues: [{ message: `must be an object with ${wording.eitherOf(changes)}`, path: [] }] };
  for (const name of Object.keys(value)) {
    if (!known.includes(name)) {
      report(
        `is not known here${wording.orNearest(wording.nearestName(name, known)) || `. Known: ${known.join(", ")}`}`,
        name,
      );
    }
  }
  const members = (name: string): JsonObject => {
    const sent = value[name] ?? {};
    if (isJsonObject(sent)) return sent;
    report("must be an object with members of the records", name);
    return {};
  };
  const lists = (name: string): Lists => {
    const all = members(name);
    const entries = Object.entries(all);
    if (entries.length > mostLists) report(`has ${entries.length} members; at most ${mostLists} are allowed`, name);
    for (const [member, values] of entries.slice(0, mostLists)) {
      if (!Array.isArray(values)) report("must be a list of values", name, member);
      else if (values.length > mostListValues)
        report(`has ${values.length} values; at most ${mostListValues} are allowed`, name, member);
      const path = member.split(".", maxDepth + 1);
      if (path.length > maxDepth) report(`has a member of more than ${maxDepth} names`, name);
      else if (isMerged(merge, path)) report("is in merge, too", name, member);
    }
    return all as Lists; // or it is reported
  };
  const merge = members("merge");
  const { removed = false, records } = value;
  const amendment = { merge, add: lists("add"), drop: lists("drop"), removed: removed === true };
  const parts = [merge, amendment.add, amendment.drop];
  const size = parts.reduce((sum, part) => sum + countWithin(part), 0);
  if (size > mostValues) report(`has changes of ${size} values; at most ${mostValues} are allowed`);
  else if (JSON.stringify(parts).length > longestChanges)
    report(`has changes of more than ${longestChanges} characters`);
  if (removed !== false && removed !== true) report("must be true or false", "removed");
  const isChange = parts.some((part) => Object.keys(part).length > 0);
  if (isChange && amendment.removed) report("cannot be combined with another change", "removed");
  if (!(isChange || amendment.removed)) report(`must have ${wording.eitherOf(changes)}`);
  const chosen = records === undefined ? undefined : chosenRecords(records, report);
  return issues.length > 0 ? { issues } : { value: { ...amendment, records: chosen } };
}

/** Returns how many values are in one of JSON; `custom.skills` is two. */
const countWithin = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.entries(value).reduce((sum, [name, each]) => sum + name.split(".").length + countWithin(each), 0)
    : 0;

/** Whether a merge patch says what becomes of a member: by its value, or by that of an object that it is in. */
function isMerged(patch: unknown, [name = "", ...inner]: readonly string[]): boolean {
  if (!isJsonObject(patch)) return true;
  return Object.hasOwn(patch, name) && (inner.length === 0 || isMerged(patch[name], inner));
}

const changes = ["merge", "add", "drop", "removed"];
const known = ["records", ...changes];

/** In a change, which is made of each record. */
const mostValues = 1000;
const longestChanges = 65_536;

/** The lists that a change adds to, and those that it drops from. */
const mostLists = 100;

/** In a list to add or to drop: each is compared with those of each record. */
const mostListValues = 100;

/** Reports at most ten of the records that are not chosen well. */
function chosenRecords(sent: unknown, report: Report): readonly ChosenRecord[] {
  if (!Array.isArray(sent)) {
    report("must be a list of records, each with its id", "records");
    return [];
  }
  const ids = new Set<unknown>();
  let faults = 0;
  for (const [i, each] of sent.entries()) {
    const [message, ...path] = faultIn(each, ids) ?? [];
    if (message !== undefined && ++faults <= 10) report(message, "records", i, ...path);
    ids.add(each?.id);
  }
  return sent; // or it is reported
}

/** Returns what is wrong with a chosen record, and where; undefined where nothing is. */
function faultIn(each: unknown, ids: ReadonlySet<unknown>): readonly [message: string, name?: string] | undefined {
  if (!isJsonObject(each)) return ["must be an object with id, and etag if it must not have changed"];
  const { id, etag, ...others } = each;
  const [other] = Object.keys(others);
  if (other !== undefined) return ["is not known here. Known: id, etag", other];
  if (!isRecordId(id))
    return [
      `must be the id of a record, not ${wording.excerpt(typeof id === "object" ? JSON.stringify(id) : String(id))}`,
      "id",
    ];
  if (ids.has(id)) return ["is there twice", "id"];
  if (etag === undefined || (typeof etag === "string" && strongTag.test(etag))) return undefined;
  return ['must be an entity tag with its quotation marks, such as "7-json", and without W/', "etag"];
}

/** Any other text is the tag of no state, so that each record would seem to have changed. */
const strongTag = /^"[^"]*"$/;

/** Returns the merge patch that makes the changes of a record, which has these members. */
export function patchOf(
  { merge, add, drop }: AmendmentOfMany,
  before: JsonObject,
): StandardSchemaV1.Result<JsonObject> {
  const names = new Set([...Object.keys(drop), ...Object.keys(add)]);
  if (names.size === 0) return { value: merge };
  let lists: unknown = {};
  for (const name of names) {
    const present = valueAt(before, name) ?? [];
    if (!Array.isArray(present)) return { issues: [{ message: "is not a list", path: name.split(".") }] };
    const values = present.filter((value) => !valuesIn(drop, name).some((each) => isAskedFor(value, each)));
    for (const each of valuesIn(add, name)) if (!values.some((value) => isAskedFor(value, each))) values.push(each);
    lists = mergePatch(lists, patchAt(name, values));
  }
  return { value: mergePatch(merge, lists) as JsonObject }; // objects are merged
}

const valuesIn = (lists: Lists, name: string): readonly unknown[] =>
  Object.hasOwn(lists, name) ? (lists[name] ?? []) : [];

/** Whether a value of a list is one to add or to drop: equal to it, or an object with its members. */
function isAskedFor(value: unknown, asked: unknown): boolean {
  if (!isJsonObject(value) || !isJsonObject(asked)) return isJsonEqual(value, asked, () => {});
  const names = Object.keys(asked);
  const isIn = (name: string): boolean => Object.hasOwn(value, name) && isJsonEqual(value[name], asked[name], () => {});
  return names.length > 0 && names.every(isIn);
}

/** Returns the JSON Schema of an amendment, from that of a merge patch. */
export const changeOfManySchema = (merged: Schema): Schema => ({
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
        properties: {
          id: recordIdSchema,
          etag: { type: "string", pattern: strongTag.source, description: "The ETag that it must still have." },
        },
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
