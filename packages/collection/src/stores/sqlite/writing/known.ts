import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoredCollection } from "../../../database.ts";
import type { SnapshotKey } from "../../contract/snapshot.ts";
import { keyOfUnique, keysOf } from "../../table/compared.ts";
import { type KeyRow, keyColumns, type RecordRow, recordColumns, toKey, toRecord } from "../../table/rows.ts";
import type { Known } from "../../writing/decide.ts";
import { prepareRows } from "../connections/statements.ts";
import type { SqliteCounters } from "./counters.ts";

/** The state of a collection, with the keys that a transaction adds. */
export interface SqliteKnown extends Known {
  /** Makes a key known that is not stored yet. */
  addKey(keyed: SnapshotKey): void;
  /** Returns the keys that were added since the last call, and forgets them. */
  takeKeys(): readonly SnapshotKey[];
}

/** Reads the state of a collection, over the connection of the writes to decide them, or over that of the reads. */
export function sqliteKnown(
  database: DatabaseSync,
  definition: StoredCollection,
  counters: SqliteCounters,
): SqliteKnown {
  const { name: collection, unique, owner: ownership } = definition;
  const prepare = (text: string): StatementSync => prepareRows(database, text);
  const declared = JSON.stringify(keysOf(definition));
  const ownerColumn = ownership === undefined ? "NULL" : "owner";
  const findRow = prepare(`SELECT ${recordColumns}, created_at, ${ownerColumn} FROM "${collection}" WHERE id = ?`);
  const findRemoval = prepare("SELECT 1 FROM waymark_removals WHERE collection = ? AND id = ?");
  const findOwner = ownership && prepare(`SELECT 1 FROM "${ownership.collection}" WHERE id = ?`);
  const findHolders = unique.map((member) =>
    prepare(`SELECT id FROM "${collection}" WHERE "${keyOfUnique(member)}" = ?`),
  );
  const findKey = prepare(`SELECT ${keyColumns} FROM waymark_keys WHERE collection = ? AND owner = ? AND key = ?`);
  /** The keys that the transaction has added, by owner and key. */
  const added = new Map<string, SnapshotKey>();

  // The statements return arrays of their columns, whose types the tables enforce.
  return {
    unique,
    counters: () => counters.of(collection, declared),
    row(id) {
      if (!Number.isSafeInteger(id)) return undefined; // SQLite throws for some of these numbers
      const row = findRow.get(id) as
        | readonly [...RecordRow<number>, createdAt: number, owner: number | null]
        | undefined;
      return row && { record: toRecord(row), createdAt: row[4], owner: row[5] ?? undefined };
    },
    nextId: (after) => after + 1,
    wasGiven: (id) => findRow.get(id) !== undefined || findRemoval.get(collection, id) !== undefined,
    holder: (position, key) => (findHolders[position]?.get(key) as readonly [number] | undefined)?.[0],
    hasOwner: (id) => findOwner?.get(id) !== undefined,
    keyed(owner, key) {
      const known = added.get(`${owner} ${key}`);
      if (known !== undefined) return known;
      const row = findKey.get(collection, owner, key) as KeyRow<number> | undefined;
      return row && toKey(row);
    },
    addKey(keyed) {
      added.set(`${keyed.owner} ${keyed.key}`, keyed);
    },
    takeKeys() {
      if (added.size === 0) return [];
      const keys = [...added.values()];
      added.clear();
      return keys;
    },
  };
}
