import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CollectionDefinition } from "../../database.ts";
import type { SnapshotKey } from "../../snapshot.ts";
import { type Counters, decide, forgottenForEach, type Known, keyLifetime, type StoredRow } from "../decide.ts";
import { columnsChanged } from "../filled-columns.ts";
import { type KeyRow, keyColumns, type RecordRow, recordColumns, toKey, toRecord } from "../rows.ts";
import type { OutcomeOf, Write } from "../write.ts";
import { dueShape, type FilledColumn, filledColumns, rowInsertion } from "./columns.ts";
import { readRowidsAsBigInt } from "./statements.ts";
import { SqliteWords } from "./words.ts";

/** The changes to a collection over one connection, each to be made within a transaction that may write. */
export class SqliteWrites {
  readonly #collection: string;
  readonly #known: SqliteKnown;
  /** Those of the members that are not unique; the keys of the unique ones are stored before them. */
  readonly #selectable: readonly FilledColumn[];
  readonly #count: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #keep: StatementSync;
  readonly #forget: StatementSync;
  readonly #any: StatementSync;
  readonly #words: SqliteWords | undefined;
  /** How many records were to be stored since keys were forgotten last, and when the last of them came. */
  #stored = { time: 0, records: 0 };

  constructor(database: DatabaseSync, definition: CollectionDefinition) {
    const { name: collection, fullText = [], owner } = definition;
    const columns = filledColumns(definition);
    this.#collection = collection;
    this.#known = new SqliteKnown(database, definition);
    this.#selectable = columns.filter(({ kind }) => kind !== "unique");
    this.#count = database.prepare("UPDATE waymark_collections SET revision = ?, last_id = ? WHERE name = ?");
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
        SELECT collection, owner, key FROM waymark_keys WHERE time <= ? ORDER BY time LIMIT ?
      )`,
    );
    this.#any = database.prepare(
      `SELECT 1 FROM "${collection}" WHERE ? IS NULL${owner === undefined ? "" : " OR owner = ?1"} LIMIT 1`,
    );
    this.#words = fullText.length === 0 ? undefined : new SqliteWords(database, collection, fullText);
    readRowidsAsBigInt(this.#count, this.#insert, this.#update, this.#delete, this.#keep, this.#forget);
  }

  /** Makes the change. When it throws, the transaction is to be undone. */
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
        this.#insert.run(id, revision, row.createdAt, updatedAt, json, ...owner, ...keys, ...this.#values(document));
        this.#count.run(revision, lastId, this.#collection);
        if (keyed !== undefined) {
          const { key, fingerprint, time } = keyed;
          this.#keep.run(this.#collection, keyed.owner, key, fingerprint, id, revision, time);
        }
        this.#words?.add(id, document); // last, since a failure must not leave any
        break;
      }
      case "update": {
        const { row, keys, document, before, lastId } = change;
        const { id, revision, updatedAt, json } = row.record;
        this.#count.run(revision, lastId, this.#collection);
        this.#update.run(revision, updatedAt, json, ...keys, ...this.#values(document), id);
        this.#words?.replace(id, before.json, document);
        break;
      }
      case "remove":
        this.#delete.run(change.record.id); // a trigger counts it, and keeps the id from being given again
        break;
    }
    return outcome;
  }

  /** To be called when a transaction has begun. */
  begin(): void {
    this.#words?.begin();
    this.#stored = { time: 0, records: 0 };
  }

  /** To be called when all is applied, before the transaction is committed. */
  finish(): void {
    this.#words?.put();
    const { time, records } = this.#stored;
    // Those of any collection. Where none is too old, this takes a commit a few µs.
    if (records > 0) this.#forget.run(time - keyLifetime, records * forgottenForEach);
    this.#stored = { time, records: 0 };
  }

  /** Whether the collection, or the owner in it, has no record. */
  isEmpty(owner: number | undefined): boolean {
    return this.#any.get(owner ?? null) === undefined;
  }

  #values(document: unknown): readonly (string | number | null)[] {
    return this.#selectable.map(({ toValue }) => toValue(document));
  }
}

/** Reads what a collection has, over the connection that changes it. */
class SqliteKnown implements Known {
  readonly unique: readonly string[];
  readonly #collection: string;
  readonly #shape: string;
  readonly #row: StatementSync;
  readonly #counters: StatementSync;
  readonly #removed: StatementSync;
  readonly #owner: StatementSync | undefined;
  readonly #holders: readonly StatementSync[];
  readonly #keyed: StatementSync;

  constructor(database: DatabaseSync, definition: CollectionDefinition) {
    const { name: collection, unique = [], owner } = definition;
    const prepare = (text: string): StatementSync => {
      const statement = database.prepare(text);
      statement.setReturnArrays(true);
      return statement;
    };
    this.unique = unique;
    this.#collection = collection;
    this.#shape = dueShape(definition);
    const ownerColumn = owner === undefined ? "NULL" : "owner";
    this.#row = prepare(`SELECT ${recordColumns}, created_at, ${ownerColumn} FROM "${collection}" WHERE id = ?`);
    this.#counters = prepare("SELECT revision, last_id FROM waymark_collections WHERE name = ? AND form = ?");
    this.#removed = prepare("SELECT 1 FROM waymark_removals WHERE collection = ? AND id = ?");
    this.#owner = owner && prepare(`SELECT 1 FROM "${owner.collection}" WHERE id = ?`);
    this.#holders = filledColumns(definition)
      .filter(({ kind }) => kind === "unique")
      .map(({ name }) => prepare(`SELECT id FROM "${collection}" WHERE "${name}" = ?`));
    this.#keyed = prepare(`SELECT ${keyColumns} FROM waymark_keys WHERE collection = ? AND owner = ? AND key = ?`);
  }

  counters(): Counters {
    // The collection's row was made when the store was opened, and is never deleted. The statement returns arrays of the two columns.
    const counters = this.#counters.get(this.#collection, this.#shape) as readonly [number, number] | undefined;
    if (counters === undefined) throw columnsChanged(this.#collection);
    const [lastRevision, lastId] = counters;
    return { lastRevision, lastId };
  }

  row(id: number): StoredRow | undefined {
    if (!Number.isSafeInteger(id)) return undefined; // SQLite would throw for some
    // The statement returns arrays of the six columns, whose types the table enforces.
    const row = this.#row.get(id) as
      | readonly [...RecordRow<number>, createdAt: number, owner: number | null]
      | undefined;
    if (row === undefined) return undefined;
    const [, , , , createdAt, owner] = row;
    return { record: toRecord(row), createdAt, owner: owner ?? undefined };
  }

  wasGiven(id: number): boolean {
    return this.#row.get(id) !== undefined || this.#removed.get(this.#collection, id) !== undefined;
  }

  holder(position: number, key: string): number | undefined {
    // There is a statement for each unique member, which returns arrays of the one column.
    const row = this.#holders[position]?.get(key) as readonly [number] | undefined;
    return row?.[0];
  }

  hasOwner(id: number): boolean {
    return this.#owner?.get(id) !== undefined;
  }

  keyed(owner: number, key: string): SnapshotKey | undefined {
    // The statement returns arrays of these columns, whose types the table enforces.
    const row = this.#keyed.get(this.#collection, owner, key) as KeyRow<number> | undefined;
    return row && toKey(row);
  }
}
