import { isDeepStrictEqual } from "node:util";
import { type Awaitable, HttpError } from "waymark";
import type { StandardSchemaV1 } from "waymark/content";
import { wording } from "waymark/internal";
import { isJsonObject, type JsonObject, without, withoutPath } from "../members/json-object.ts";
import { setRetiredAside, withoutEmptied } from "../members/retired-members.ts";
import type { MatchedRecords } from "../options.ts";
import { mergePatch } from "../patch/merge-patch.ts";
import type { Document, Store, StoredRecord } from "../stores/contract/store.ts";
import type { Judgement, Seen } from "./changes/lines.ts";
import type { BulkWork } from "./changes/work.ts";
import type { MatchRules } from "./query.ts";
import { refuseChanges } from "./report.ts";
import { RecordLookUp } from "./spool/record-look-up.ts";

export interface MatchingOptions extends MatchRules, MatchedRecords {
  readonly store: Store;
  /** Validates a whole record. */
  readonly validate: (value: unknown) => Awaitable<StandardSchemaV1.Result<Document>>;
  /** The schema by which records are validated, whose former members stay as they are stored. */
  readonly schema: object;
  readonly serverMembers: readonly string[];
  /**
   * Returns the members that the content names for all lines, as the header of a table does: a line lacks only these. Undefined where a
   * line lacks what it does not name.
   */
  readonly columns: readonly string[] | undefined;
  /** When the list began to be stored, of one that is stored in steps: what is newer is of the list. */
  readonly began: Date | undefined;
}

/** Judges the lines of one list by the records that are stored: no two lines change one record. */
export interface Matching {
  /**
   * Judges the next lines, in the order of the list.
   *
   * @param seen what the lines before were about; the upserted values of these, and their records, are added
   */
  judge(lines: readonly unknown[], seen: Seen): Promise<readonly Judgement[]>;
  /** Returns the upserted value of a line, as a text; undefined without one. */
  valueOf(line: unknown): string | undefined;
  /** Returns whether no line so far is about the record, which was there before the list. */
  isMissing(record: StoredRecord, seen: Seen): boolean;
}

/**
 * Makes what judges the lines of a list.
 *
 * @throws TypeError when the store cannot filter by a member
 */
export function matchingOf(options: MatchingOptions): Matching {
  const {
    store,
    upsert,
    alike,
    onMatch = "add",
    validate,
    schema,
    serverMembers,
    absent = "keep",
    columns,
    adjust,
    began,
  } = options;
  const needed = [...(upsert === undefined ? [] : [upsert]), ...(onMatch === "add" ? [] : alike.flat())];
  const records = new RecordLookUp(store, needed);

  const isOld = ({ createdAt }: JsonObject): boolean => began === undefined || String(createdAt) < began.toISOString();
  const isUntaken = ({ id }: StoredRecord, seen: Seen): boolean => !seen.has(`record ${id}`);
  const take = (seen: Seen, { id }: StoredRecord): void => seen.add(`record ${id}`);

  const judgeLine = (line: unknown, { keyed, result, likely }: Found, seen: Seen): Awaitable<Judgement> => {
    if (upsert !== undefined && isJsonObject(line)) {
      const value = records.valueOf(line, upsert);
      const isTaken = keyed.some((record) => !isUntaken(record, seen));
      for (const record of keyed) take(seen, record);
      if (value === null && upsert !== "id") {
        const issues = [{ message: "is required, to find the record by", path: upsert.split("."), code: "required" }];
        return { kind: "refuse", issues, isConflict: false };
      }
      if (value !== null) {
        const key = `value ${JSON.stringify(value)}`;
        if (seen.has(key)) return refusal(upsert, "is already used by an earlier line", "taken");
        seen.add(key);
      }
      const [record, other] = keyed;
      if (record !== undefined && other !== undefined) {
        const ids = keyed.map(({ id }) => id);
        return refusal(
          upsert,
          `fits several records: ${ids.slice(0, 2).join(" and ")}${ids.length > 2 ? " and others" : ""}`,
          "several",
        );
      }
      if (isTaken) return refusal(upsert, "fits the record of an earlier line", "taken");
      if (record !== undefined) return change(record, line);
    }
    if (result === undefined || result.issues !== undefined) {
      return { kind: "refuse", issues: result?.issues ?? [], isConflict: false };
    }
    const { value: document } = result;
    return likely.some(({ length }) => length > 0)
      ? judgeNew(line, document, likely, seen)
      : { kind: "create", document };
  };

  const judgeNew = async (
    line: unknown,
    document: Document,
    likely: readonly (readonly StoredRecord[])[],
    seen: Seen,
  ): Promise<Judgement> => {
    const isThere = (record: StoredRecord): boolean => isUntaken(record, seen) && isOld(JSON.parse(record.json));
    const records = new Map(
      likely
        .flat()
        .filter(isThere)
        .map((record) => [record.id, record]),
    );
    const [first, ...others] = records.values();
    if (first === undefined || !isJsonObject(line)) return { kind: "create", document };
    const changes = new Map<number, Judgement>();
    for (const record of records.values()) changes.set(record.id, await change(record, line));
    const same = changes.values().find(({ kind }) => kind === "unchanged");
    if (same !== undefined && "record" in same) {
      take(seen, same.record);
      return same;
    }
    for (const record of records.values()) take(seen, record);
    if (onMatch === "skip") return { kind: "skip", record: first };
    if (onMatch === "update" && others.length === 0) return changes.get(first.id) as Judgement; // each has one
    const position = likely.findIndex((found) => found.some(({ id }) => records.has(id)));
    const members = alike[position] ?? [];
    const ids = [...records.keys()];
    const those = ids.length === 1 ? `the record ${ids[0]}` : `the records ${ids.slice(0, 2).join(" and ")}`;
    const what = members.length === 1 ? "is" : `with ${members.slice(1).join(" and ")} is`;
    return refusal(
      members[0] ?? "",
      `${what} that of ${those}${ids.length > 2 ? " and others" : ""}, likely the same`,
      "likely",
    );
  };

  const change = async (record: StoredRecord, line: JsonObject): Promise<Judgement> => {
    const before = without(JSON.parse(record.json), serverMembers);
    const sent = without(line, serverMembers);
    const base = absent === "keep" ? before : cleared(before, columns);
    const after = withoutEmptied(schema, mergePatch(base, sent) as typeof before); // both are objects
    const adjusted = adjust === undefined ? after : adjust({ before, kept: base, line: sent, after });
    const { due, restore } = setRetiredAside(schema, adjusted as JsonObject, before);
    const result = restore(await validate(due));
    if (result.issues !== undefined) return { kind: "refuse", issues: result.issues, isConflict: false };
    const { value: document } = result;
    return isDeepStrictEqual(document, before) ? { kind: "unchanged", record } : { kind: "change", record, document };
  };

  return {
    async judge(lines, seen) {
      const keyed = upsert === undefined ? [] : await records.find(lines, [upsert], 3);
      // A line that is validated at once is not awaited: a promise would take as long as the validation.
      const results: Found["result"][] = [];
      for (const [i, line] of lines.entries()) {
        const result = keyed[i]?.length ? undefined : validate(line);
        results.push(result !== undefined && "then" in result ? await result : result);
      }
      const documents = results.map((result) => (result?.issues === undefined ? result?.value : undefined));
      const found: (readonly StoredRecord[])[][] = [];
      if (onMatch !== "add" && (await records.existed())) {
        for (const members of alike) found.push([...(await records.find(documents, members, 10))]);
      }
      const judgements: Judgement[] = [];
      for (const [i, line] of lines.entries()) {
        const likely = found.map((ofLines) => ofLines[i] ?? []);
        const judgement = judgeLine(line, { keyed: keyed[i] ?? [], result: results[i], likely }, seen);
        judgements.push("then" in judgement ? await judgement : judgement);
      }
      return judgements;
    },
    isMissing(record, seen) {
      if (!isUntaken(record, seen)) return false;
      const document: JsonObject = JSON.parse(record.json);
      const value = upsert === undefined ? null : records.valueOf(document, upsert);
      return isOld(document) && !(value !== null && seen.has(`value ${JSON.stringify(value)}`));
    },
    valueOf(line) {
      const value = upsert === undefined ? null : records.valueOf(line, upsert);
      return value === null ? undefined : `${upsert} ${JSON.stringify(value)}`;
    },
  };
}

/** Yields the records that no line is about. Throws HttpError where there are more than may be removed, or the list has no line. */
export async function* missingIn(
  store: Store,
  isMissing: (record: StoredRecord) => boolean,
  { most, count, work }: { readonly most: number; readonly count: number; readonly work: BulkWork },
): AsyncGenerator<StoredRecord, void, undefined> {
  if (count === 0) throw new HttpError(refuseChanges("the list has no records, and all would be removed"));
  let missing = 0;
  for await (const records of store.list()) {
    for (const record of records) {
      const pause = work.next();
      if (pause !== undefined) await pause;
      if (isMissing(record) && ++missing <= most) yield record;
    }
  }
  if (missing <= most) return;
  const are = missing === 1 ? "1 record is" : `${wording.withCommas(missing)} records are`;
  throw new HttpError(refuseChanges(`${are} missing in the list, and remove-missing allows ${most}`, { missing }));
}

/** What there is to judge a line by. */
interface Found {
  /** The records that have its upserted value. */
  readonly keyed: readonly StoredRecord[];
  /** The line as a new record; undefined where it is the change of one. */
  readonly result: StandardSchemaV1.Result<Document> | undefined;
  /** The records that are likely it, for each group of members. */
  readonly likely: readonly (readonly StoredRecord[])[];
}

const refusal = (member: string, message: string, code: string): Judgement => ({
  kind: "refuse",
  issues: [{ message, path: member.split("."), code }],
  isConflict: true,
});

/** Returns a record without these members, or without all. An object that loses its last member is gone. */
function cleared(record: JsonObject, members: readonly string[] | undefined): JsonObject {
  if (members === undefined) return {};
  return members.reduce((rest, member) => withoutPath(rest, member.split(".")), record);
}
