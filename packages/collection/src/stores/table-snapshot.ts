import type { Awaitable } from "waymark";
import type { Snapshot, SnapshotKey, SnapshotRange, SnapshotRecord, SnapshotRemoval } from "./contract/snapshot.ts";
import { type KeyRow, keyColumns, type RecordRow, toKey, toRecord } from "./table/rows.ts";

/** The columns of a record, and the time of its creation. */
export type StampedRow = readonly [...RecordRow<number | string>, createdAt: number | string];

/** The tables of a database, read over a connection that sees one state of them. */
export interface SnapshotTables extends Pick<Snapshot, "identity" | "close"> {
  /** Makes the statement that reads the last revision, the last id and the mark of a collection. */
  readonly counters: (collection: string) => string;
  /** Returns the rows of a statement, each an array of its columns. The parameters are `$1`, `$2` and so on. */
  query<Row>(text: string, values: readonly (number | string)[]): Awaitable<readonly Row[]>;
  /** Returns the first records of a range by ascending id, about as many as have `batchSize`. */
  first(collection: string, range: Required<SnapshotRange>): Awaitable<readonly StampedRow[]>;
}

/** Makes a snapshot of the tables of a database. */
export function tableSnapshot({ identity, counters, query, first, close }: SnapshotTables): Snapshot {
  const snapshot: Snapshot = {
    identity,
    async counters(collection) {
      const found = await query<readonly [number | string]>("SELECT 1 FROM waymark_collections WHERE name = $1", [
        collection,
      ]);
      if (found.length === 0) return { revision: 0, lastId: 0, records: 0, mark: 0 };
      const [row = []] = await query<Numbers>(counters(collection), []);
      const [revision = 0, lastId = 0, mark = 0] = row.map(Number);
      const [count] = await query<Numbers>(`SELECT count(*) FROM "${collection}"`, []);
      return { revision, lastId, records: Number(count?.[0]), mark };
    },

    async *records(collection, { after = 0, upTo = Number.MAX_SAFE_INTEGER, changedSince = -1 } = {}) {
      const { revision } = await snapshot.counters(collection);
      if (revision === 0) return; // it never had a record, and there may be no such table
      yield* inSteps(async (last?: SnapshotRecord) => {
        const rows = await first(collection, { after: last?.id ?? after, upTo, changedSince });
        return rows.map((row) => ({ ...toRecord(row), createdAt: Number(row[4]) }));
      });
    },

    removals(collection) {
      const text =
        "SELECT id, revision, owner FROM waymark_removals WHERE collection = $1 AND id > $2 ORDER BY id LIMIT 10000";
      return inSteps(async (last?: SnapshotRemoval) => {
        const rows = await query<Numbers>(text, [collection, last?.id ?? 0]);
        return rows.map((row) => {
          const [id = 0, revision = 0, owner = 0] = row.map(Number);
          return { id, revision, owner };
        });
      });
    },

    keys(collection) {
      const text = `SELECT ${keyColumns} FROM waymark_keys
        WHERE collection = $1 AND (owner, key) > ($2, $3) ORDER BY owner, key LIMIT 100`;
      return inSteps(async (last?: SnapshotKey) => {
        const rows = await query<KeyRow<number | string>>(text, [collection, last?.owner ?? -1, last?.key ?? ""]);
        return rows.map(toKey);
      });
    },

    close,
  };
  return snapshot;
}

/** Yields what is read behind the last that was read before, until there is nothing. */
async function* inSteps<T>(read: (last?: T) => Promise<readonly T[]>): AsyncGenerator<readonly T[], void, undefined> {
  for (let step = await read(); step.length > 0; step = await read(step.at(-1))) yield step;
}

/** Whole numbers are numbers of SQLite, and text of PostgreSQL. */
type Numbers = readonly (number | string)[];

/** In bytes or characters, exceeded by at most one record. */
export const batchSize = 1_048_576;
