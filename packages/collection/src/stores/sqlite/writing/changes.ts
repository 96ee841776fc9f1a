import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoredCollection } from "../../../database.ts";
import { keyColumns } from "../../table/rows.ts";
import { decide, forgottenForEach, keyLifetime } from "../../writing/decide.ts";
import type { OutcomeOf, Write } from "../../writing/write.ts";
import { limit, readRowidsAsBigInt } from "../connections/statements.ts";
import { type FilledColumn, filledColumns, rowInsertion } from "../table/columns.ts";
import { type SqliteValues, valuesOf } from "../table/values.ts";
import { type SqliteWords, wordsOf } from "../table/words.ts";
import type { SqliteCounters } from "./counters.ts";
import { SqliteKnown } from "./known.ts";

/** Makes the changes to a collection over one connection, within a transaction that may write. */
export class SqliteChanges {
  readonly definition: StoredCollection;
  readonly #collection: string;
  readonly #known: SqliteKnown;
  /** The columns of the selectable members. In a row, the keys of the unique members come before them. */
  readonly #selectable: readonly FilledColumn[];
  readonly #counters: SqliteCounters;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #keep: StatementSync;
  readonly #forget: StatementSync;
  readonly #any: StatementSync;
  readonly #words: SqliteWords | undefined;
  readonly #values: SqliteValues | undefined;
  /** The number of creations and replacements since expired keys were last removed, and the latest of their times. */
  #stored = { time: 0, records: 0 };

  /** @param counters those of the connection, for all collections */
  constructor(database: DatabaseSync, definition: StoredCollection, counters: SqliteCounters) {
    const { name: collection, owner } = definition;
    const columns = filledColumns(definition);
    this.definition = definition;
    this.#collection = collection;
    this.#known = new SqliteKnown(database, definition, counters);
    this.#selectable = columns.filter(({ kind }) => kind !== "unique");
    this.#counters = counters;
    this.#insert = database.prepare(rowInsertion(definition));
    const changes = ["revision", "updated_at", "document", ...columns.map(({ name }) => name)];
    this.#update = database.prepare(
      `UPDATE "${collection}" SET ${changes.map((name) => `"${name}" = ?`).join(", ")} WHERE id = ?`,
    );
    this.#delete = database.prepare(`DELETE FROM "${collection}" WHERE id = ?`);
    this.#keep = database.prepare(
      `INSERT OR REPLACE INTO waymark_keys (collection, ${keyColumns})
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#forget = database.prepare(
      `DELETE FROM waymark_keys WHERE (collection, owner, key) IN (
        SELECT collection, owner, key FROM waymark_keys WHERE time <= ? ORDER BY time ${limit}
      )`,
    );
    this.#any = database.prepare(
      `SELECT 1 FROM "${collection}" WHERE ? IS NULL${owner === undefined ? "" : " OR owner = ?1"} LIMIT 1`,
    );
    this.#words = wordsOf(database, definition);
    this.#values = valuesOf(database, definition);
    readRowidsAsBigInt(this.#insert, this.#update, this.#delete, this.#keep, this.#forget);
  }

  /** @throws StoreUnavailable when another program has changed the columns of the table, so that all changes fail */
  assertShape(): void {
    this.#known.counters();
  }

  /** Makes the change. When it throws, everything that it has written must be undone. */
  apply<W extends Write>(write: W): OutcomeOf<W> {
    if ("time" in write) {
      this.#stored.records++;
      this.#stored.time = Math.max(this.#stored.time, write.time);
    }
    const { outcome, change } = decide(this.#known, write);
    switch (change?.kind) {
      case "insert": {
        const { row, keys, document, lastId, keyed } = change;
        const { id, revision, updatedAt, json } = row.record;
        const owner = row.owner === undefined ? [] : [row.owner];
        this.#insert.run(id, revision, row.createdAt, updatedAt, json, ...owner, ...keys, ...this.#columns(document));
        this.#values?.add(id, document);
        // Last, because a failed insertion must leave nothing in memory.
        if (keyed !== undefined) this.#known.addKey(keyed);
        this.#counters.advance(this.#collection, { lastRevision: revision, lastId });
        this.#words?.add(id, document);
        break;
      }
      case "update": {
        const { row, keys, document, before, lastId } = change;
        const { id, revision, updatedAt, json } = row.record;
        this.#update.run(revision, updatedAt, json, ...keys, ...this.#columns(document), id);
        this.#values?.set(id, document);
        this.#counters.advance(this.#collection, { lastRevision: revision, lastId });
        this.#words?.replace(id, before.json, document);
        break;
      }
      case "remove":
        this.#counters.store();
        this.#delete.run(change.record.id); // a trigger counts the removal, and stores the id so that no other record gets it
        this.#counters.reread();
        break;
    }
    return outcome;
  }

  /** Must be called when a transaction has begun. */
  begin(): void {
    this.#words?.begin();
    this.#known.takeKeys(); // those that a failed transaction has left
    this.#stored = { time: 0, records: 0 };
  }

  /**
   * Must be called when the changes are applied, before the transaction is committed.
   *
   * @param hasRemovals whether the transaction may have removed records, also those of other collections
   */
  finish(hasRemovals: boolean): void {
    this.#words?.put(hasRemovals);
    for (const { owner, key, fingerprint, id, revision, time } of this.#known.takeKeys()) {
      this.#keep.run(this.#collection, owner, key, fingerprint, id, revision, time);
    }
    const { time, records } = this.#stored;
    // Removes expired keys of any collection. Without expired keys, this adds a few µs to a commit.
    if (records > 0) this.#forget.run(time - keyLifetime, records * forgottenForEach);
    this.#stored = { time, records: 0 };
  }

  /** Returns whether the collection, or the owner in it, has no record. */
  isEmpty(owner: number | undefined): boolean {
    return this.#any.get(owner ?? null) === undefined;
  }

  #columns(document: unknown): readonly (string | number | null)[] {
    return this.#selectable.map(({ toValue }) => toValue(document));
  }
}
