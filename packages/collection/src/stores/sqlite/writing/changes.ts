import type { DatabaseSync } from "node:sqlite";
import type { StoredCollection } from "../../../database.ts";
import type { SnapshotKey } from "../../contract/snapshot.ts";
import { keyColumns } from "../../table/rows.ts";
import { decide, forgottenForEach, type Known, keyLifetime } from "../../writing/decide.ts";
import type { OutcomeOf, RemoveWrite, Write } from "../../writing/write.ts";
import { limit, prepareChange } from "../connections/statements.ts";
import { filledColumns, filledValues, rowInsertion } from "../table/columns.ts";
import { valuesOf } from "../table/values.ts";
import { wordsOf } from "../table/words.ts";
import type { SqliteCounters } from "./counters.ts";
import { sqliteKnown } from "./known.ts";

/** The changes to a collection over one connection, within a transaction that may write. */
export interface SqliteChanges extends Pick<Known, "row" | "keyed"> {
  readonly definition: StoredCollection;
  /** @throws StoreUnavailable when another program compares records by something else, so that all changes fail */
  assertDeclared(): void;
  /** Makes the change. When it throws, everything that it has written must be undone. */
  apply<W extends Write>(write: W): OutcomeOf<W>;
  /** Returns whether a removal would remove its record, as it is now. */
  isRemovable(write: RemoveWrite): boolean;
  /** Must be called when a transaction has begun. */
  begin(): void;
  /**
   * Must be called when the changes are applied, before the transaction is committed.
   *
   * @param hasRemovals whether the transaction may have removed records, also those of other collections
   */
  finish(hasRemovals: boolean): void;
  /** Keeps a key with the changes; to be called before `finish`. */
  keep(keyed: SnapshotKey): void;
  /** Returns whether the collection, or the owner in it, has no record. */
  isEmpty(owner: number | undefined): boolean;
}

/**
 * Prepares the changes to a collection.
 *
 * @param counters those of the connection, for all collections
 */
export function sqliteChanges(
  database: DatabaseSync,
  definition: StoredCollection,
  counters: SqliteCounters,
): SqliteChanges {
  /** The number of creations and replacements since expired keys were last removed, and the latest of their times. */
  let stored = { time: 0, records: 0 };
  const { name: collection, owner } = definition;
  const toValues = filledValues(definition);
  const known = sqliteKnown(database, definition, counters);
  const insert = prepareChange(database, rowInsertion(definition));
  const changes = ["revision", "updated_at", "document", ...filledColumns(definition).keys()];
  const update = prepareChange(
    database,
    `UPDATE "${collection}" SET ${changes.map((name) => `"${name}" = ?`).join(", ")} WHERE id = ?`,
  );
  const removal = prepareChange(database, `DELETE FROM "${collection}" WHERE id = ?`);
  const keep = prepareChange(
    database,
    `INSERT OR REPLACE INTO waymark_keys (collection, ${keyColumns})
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const forget = prepareChange(
    database,
    `DELETE FROM waymark_keys WHERE (collection, owner, key) IN (
        SELECT collection, owner, key FROM waymark_keys WHERE time <= ? ORDER BY time ${limit}
      )`,
  );
  const any = database.prepare(
    `SELECT 1 FROM "${collection}" WHERE ? IS NULL${owner === undefined ? "" : " OR owner = ?1"} LIMIT 1`,
  );
  const words = wordsOf(database, definition);
  const values = valuesOf(database, definition);

  return {
    definition,
    row: known.row,
    keyed: known.keyed,
    assertDeclared() {
      known.counters();
    },
    apply(write) {
      if ("time" in write) {
        stored.records++;
        stored.time = Math.max(stored.time, write.time);
      }
      const { outcome, change } = decide(known, write);
      switch (change?.kind) {
        case "insert": {
          const { row, document, lastId, keyed } = change;
          const { id, revision, updatedAt, json } = row.record;
          const owner = row.owner === undefined ? [] : [row.owner];
          insert.run(id, revision, row.createdAt, updatedAt, json, ...owner, ...toValues(document));
          values?.add(id, document);
          // Last, because a failed insertion must leave nothing in memory.
          if (keyed !== undefined) known.addKey(keyed);
          counters.advance(collection, { lastRevision: revision, lastId });
          words?.add(id, document);
          break;
        }
        case "update": {
          const { row, document, before, lastId } = change;
          const { id, revision, updatedAt, json } = row.record;
          update.run(revision, updatedAt, json, ...toValues(document), id);
          values?.set(id, document);
          counters.advance(collection, { lastRevision: revision, lastId });
          words?.replace(id, before.json, document);
          break;
        }
        case "remove":
          counters.store();
          removal.run(change.record.id); // a trigger counts the removal, and stores the id so that no other record gets it
          counters.reread();
          break;
      }
      return outcome;
    },
    isRemovable: (write) => decide(known, write).change !== undefined,
    begin() {
      words?.begin();
      known.takeKeys(); // those that a failed transaction has left
      stored = { time: 0, records: 0 };
    },
    finish(hasRemovals) {
      words?.put(hasRemovals);
      for (const { owner, key, fingerprint, id, revision, time } of known.takeKeys()) {
        keep.run(collection, owner, key, fingerprint, id, revision, time);
      }
      const { time, records } = stored;
      // Removes expired keys of any collection. Without expired keys, this adds a few µs to a commit.
      if (records > 0) forget.run(time - keyLifetime, records * forgottenForEach);
      stored = { time, records: 0 };
    },
    keep: (keyed) => known.addKey(keyed),
    isEmpty: (owner) => any.get(owner ?? null) === undefined,
  };
}
