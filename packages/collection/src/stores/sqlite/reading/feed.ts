import type { DatabaseSync } from "node:sqlite";
import { cursorGone } from "../../contract/errors.ts";
import type { EngineChanges, FeedRange } from "../../engine.ts";
import { isInEra, stillBegan } from "../../reading/feed-cursor.ts";
import { type RecordRow, recordColumns, toRecord } from "../../table/rows.ts";
import { guardedRead } from "../connections/fault.ts";
import { limit, StatementCache } from "../connections/statements.ts";
import { feedIndex } from "../table/columns.ts";

/**
 * Returns what reads the changes of a collection in their order, over one connection.
 *
 * @throws StoreCursorGone when the database does not have the changes up to the place, or is in another era
 */
export function sqliteFeed(database: DatabaseSync, collection: string): (range: FeedRange) => EngineChanges {
  const statements = new StatementCache(database);

  const read = ({ after, owner, most, size }: FeedRange): EngineChanges => {
    const [head] = ask<readonly [number]>("SELECT revision FROM waymark_collections WHERE name = ?") ?? [0];
    // What is committed after this is of a later revision, and is left to the next read.
    const given = after === "now" ? undefined : after;
    const [era] = statements.prepare("SELECT era FROM waymark_era").get() as unknown as readonly [string]; // it has one row
    if (given !== undefined && (given.revision > head || !isInEra(given, era))) throw cursorGone();
    const before = after === "now" ? head : (given?.revision ?? 0);
    const began = after === undefined ? `${head}` : given?.began;
    const removals = removalsBehind(Math.max(before, Number(began ?? 0)), head, owner, most);
    const records = recordsBehind(before, head, owner, most, size);
    // Where either was cut, the other is not known to be complete behind its end.
    const isCut = removals.length === most || records.isCut;
    const ends = [removals.length === most ? removals.at(-1)?.[1] : undefined, records.isCut ? records.end : undefined];
    const end = isCut ? Math.min(...ends.filter((each) => each !== undefined)) : head;
    const changes = [
      ...records.rows.map((row) => ({ kind: "stored", record: toRecord(row) }) as const),
      ...removals.map(([id, revision]) => ({ kind: "removed", id, revision }) as const),
    ]
      .filter((change) => revisionOf(change) <= end)
      .sort((one, other) => revisionOf(one) - revisionOf(other));
    const kept = changes.slice(0, most);
    const last = kept.at(-1);
    const revision = kept.length < changes.length && last !== undefined ? revisionOf(last) : end;
    const place = { era, tx: "0", revision, began: began && stillBegan(began, revision) };
    return { changes: kept, place, hasMore: revision < head, revision };
  };

  const removalsBehind = (
    after: number,
    upTo: number,
    owner: number | undefined,
    most: number,
  ): readonly (readonly [id: number, revision: number])[] => {
    const [index, ofOwner] =
      owner === undefined
        ? ["waymark_removals_revision", ""]
        : ["waymark_removals_owner", "AND owner = ?4 AND owner <> 0"]; // the second term is that of the index
    const text = `SELECT id, revision FROM waymark_removals INDEXED BY ${index}
      WHERE collection = ?1 AND revision > ?2 AND revision <= ?3 ${ofOwner} ORDER BY revision LIMIT +?5`;
    const values = [collection, after, upTo, owner ?? 0, most];
    return statements.prepare(text).all(...values) as unknown as (readonly [number, number])[]; // of these columns
  };

  /** Reads the first records behind a revision: some at once, as many as fill the size by the length of those before them. */
  const recordsBehind = (
    after: number,
    upTo: number,
    owner: number | undefined,
    most: number,
    size: number,
  ): FoundRows => {
    const ofOwner = owner === undefined ? "" : "owner = ? AND";
    const text = `SELECT ${recordColumns} FROM "${collection}"
      INDEXED BY "${feedIndex(collection, owner !== undefined)}"
      WHERE ${ofOwner} revision > ? AND revision <= ? ORDER BY revision ${limit}`;
    const statement = statements.prepare(text);
    const owners = owner === undefined ? [] : [owner];
    const rows: RecordRow<number>[] = [];
    let [end, length] = [after, 0];
    for (let wanted = rowsAtOnce; rows.length < most && length < size; ) {
      const asked = Math.min(wanted, most - rows.length);
      const found = statement.all(...owners, end, upTo, asked) as unknown as RecordRow<number>[]; // of these columns
      for (const row of found) {
        if (length >= size) break;
        rows.push(row);
        [end, length] = [row[1], length + row[3].length];
      }
      if (found.length < asked && length < size) return { rows, end, isCut: false };
      wanted = Math.max(1, Math.min(rowsAtOnce, Math.floor((size - length) / (length / rows.length))));
    }
    return { rows, end, isCut: true };
  };

  const ask = <Row>(text: string, ...values: readonly number[]): Row | undefined => {
    return statements.prepare(text).get(collection, ...values) as Row | undefined; // its columns have these types
  };

  return (range) => guardedRead(() => read(range));
}

/** The records of a read, by ascending revision. */
interface FoundRows {
  readonly rows: readonly RecordRow<number>[];
  /** The revision of the last of them. */
  readonly end: number;
  /** Whether there may be more behind it. */
  readonly isCut: boolean;
}

const revisionOf = (change: EngineChanges["changes"][number]): number =>
  change.kind === "stored" ? change.record.revision : change.revision;

const rowsAtOnce = 32;
