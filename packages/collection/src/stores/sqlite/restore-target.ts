import type { DatabaseSync } from "node:sqlite";
import type { StoredCollection } from "../../database.ts";
import {
  changedMeanwhile,
  notEmpty,
  RestoreError,
  type SnapshotKey,
  type SnapshotRecord,
  type SnapshotRemoval,
} from "../../snapshot.ts";
import {
  assertPlace,
  countersFor,
  markColumns,
  placesOf,
  type RestoredState,
  type RestoreMark,
  type RestorePlace,
  type RestoreTarget,
} from "../restore.ts";
import { sealsFor } from "../seals.ts";
import { dueShape, type FilledColumn, filledColumns, rowInsertion } from "./columns.ts";
import { Unusable } from "./file.ts";
import { dropIndexes, missingIndexes } from "./schema.ts";
import { isTable, readRowidsAsBigInt, StatementCache } from "./statements.ts";
import { inTransaction } from "./transaction.ts";
import { type SqliteValues, valuesOf } from "./values.ts";
import { type SqliteWords, wordsOf } from "./words.ts";

/** An SQLite database that a snapshot is restored into. */
export class SqliteRestoreTarget implements RestoreTarget {
  readonly identity: string;
  readonly #database: DatabaseSync;
  readonly #busyTimeout: number;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #statements: StatementCache;
  #places = new Map<string, RestorePlace>();

  constructor(database: DatabaseSync, identity: string, collections: readonly StoredCollection[], busyTimeout: number) {
    this.identity = identity;
    this.#database = database;
    this.#busyTimeout = busyTimeout;
    this.#tables = new Map(collections.map((definition) => [definition.name, toTable(database, definition)]));
    this.#statements = new StatementCache(database);
  }

  async begin(source: string): Promise<ReadonlyMap<string, RestorePlace>> {
    return inTransaction(this.#database, this.#busyTimeout, () => {
      this.#assertUntouched(notEmpty);
      this.#database.exec(`CREATE TABLE IF NOT EXISTS waymark_loading (
        collection TEXT PRIMARY KEY,
        source TEXT NOT NULL,
        last_id INTEGER NOT NULL, -- up to which records are stored
        revision INTEGER NOT NULL -- of the collection that they are from
      ) STRICT, WITHOUT ROWID`);
      for (const collection of this.#tables.keys()) {
        this.#run("INSERT OR IGNORE INTO waymark_loading VALUES (?, ?, 0, 0)", collection, source);
      }
      const marks = this.#statements.prepare(`SELECT ${markColumns} FROM waymark_loading`).all();
      this.#places = placesOf(marks as unknown as RestoreMark[], source); // arrays of these columns
      for (const [collection, { id }] of this.#places) if (id === 0) dropIndexes(this.#database, collection);
      return this.#places;
    });
  }

  async remove(collection: string, removals: readonly SnapshotRemoval[]): Promise<void> {
    this.#step(collection, () => {
      for (const { id, revision, owner } of removals) {
        this.#run(`DELETE FROM "${collection}" WHERE id = ?`, id);
        // In place of what a trigger has stored.
        this.#run(
          "INSERT OR REPLACE INTO waymark_removals (collection, id, revision, owner) VALUES (?, ?, ?, ?)",
          ...[collection, id, revision, owner],
        );
      }
      // Triggers have counted the removed records and those that they owned; the counters must stay 0.
      for (const name of this.#tables.keys()) this.#count(name, 0, 0);
    });
  }

  async releaseUniqueKeys(collection: string, ids: readonly number[]): Promise<void> {
    const { columns } = this.#tableOf(collection);
    const changes = columns.filter(({ kind }) => kind === "unique").map(({ name }) => `"${name}" = NULL`);
    if (changes.length === 0) return;
    this.#step(collection, () => {
      for (const id of ids) this.#run(`UPDATE "${collection}" SET ${changes.join(", ")} WHERE id = ?`, id);
    });
  }

  async put(collection: string, records: readonly SnapshotRecord[], place: RestorePlace): Promise<void> {
    const { definition, columns, putting, words, values: listed } = this.#tableOf(collection);
    const { owner } = definition;
    this.#step(collection, () => {
      words?.begin();
      for (const { id, revision, createdAt, updatedAt, json } of records) {
        const document: Readonly<Record<string, unknown>> = JSON.parse(json);
        const owners = owner === undefined ? [] : [Number(document[owner.member])];
        const values = columns.map(({ toValue }) => toValue(document));
        this.#run(putting, id, revision, createdAt, updatedAt, json, ...owners, ...values);
        words?.set(id, document);
        listed?.set(id, document);
      }
      words?.put(false);
      this.#run(
        "UPDATE waymark_loading SET last_id = ?, revision = ? WHERE collection = ?",
        place.id,
        place.revision,
        collection,
      );
    });
    this.#places.set(collection, place);
  }

  async count(collection: string, upTo: number): Promise<number> {
    const row = this.#database.prepare(`SELECT count(*) AS stored FROM "${collection}" WHERE id <= ?`).get(upTo);
    return Number(row?.["stored"]);
  }

  async putKeys(collection: string, keys: readonly SnapshotKey[]): Promise<void> {
    this.#step(collection, () => {
      for (const { owner, key, fingerprint, id, revision, time } of keys) {
        this.#run(
          "INSERT OR REPLACE INTO waymark_keys VALUES (?, ?, ?, ?, ?, ?, ?)",
          ...[collection, owner, key, fingerprint, id, revision, time],
        );
      }
    });
  }

  async end(states: ReadonlyMap<string, RestoredState>): Promise<void> {
    this.#makeIndexes();
    inTransaction(this.#database, this.#busyTimeout, () => {
      for (const collection of states.keys()) this.#assertPlace(collection);
      for (const [collection, { counters, seals }] of states) {
        for (const { revision, lastId } of countersFor(1, counters)) this.#count(collection, revision, lastId);
        this.#run("DELETE FROM waymark_seals WHERE collection = ?", collection);
        for (const { revision, seal } of sealsFor(1, counters.partitions.length, seals)) {
          this.#run("INSERT INTO waymark_seals VALUES (?, ?, ?)", collection, revision, seal);
        }
      }
      this.#database.exec("DROP TABLE waymark_loading");
    });
  }

  /** Makes each index in a transaction of its own, so that the log has one of them at a time. */
  #makeIndexes(): void {
    try {
      for (const [collection, { definition }] of this.#tables) {
        for (const makeIndex of missingIndexes(this.#database, definition)) this.#step(collection, makeIndex);
      }
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      throw new RestoreError(`The records cannot be restored: ${error.message}`, { cause: error });
    }
  }

  #step(collection: string, work: () => void): void {
    inTransaction(this.#database, this.#busyTimeout, () => {
      this.#assertPlace(collection);
      work();
    });
  }

  /** Checks that no other program has stored anything since the last step. */
  #assertPlace(collection: string): void {
    this.#assertUntouched(changedMeanwhile);
    const text = `SELECT ${markColumns} FROM waymark_loading WHERE collection = ?`;
    const mark = isTable(this.#database, "waymark_loading")
      ? this.#statements.prepare(text).get(collection)
      : undefined;
    assertPlace(this.#places.get(collection), mark as unknown as RestoreMark | undefined); // an array of these columns
  }

  #assertUntouched(message: string): void {
    for (const [name, { form }] of this.#tables) {
      const counters = this.#statements
        .prepare("SELECT 1 FROM waymark_collections WHERE name = ? AND revision = 0 AND last_id = 0 AND form = ?")
        .get(name, form);
      if (counters === undefined) throw new RestoreError(message);
    }
  }

  #count(collection: string, revision: number, lastId: number): void {
    this.#run("UPDATE waymark_collections SET revision = ?, last_id = ? WHERE name = ?", revision, lastId, collection);
  }

  #tableOf(collection: string): Table {
    return this.#tables.get(collection) as Table; // one of its collections
  }

  #run(text: string, ...values: readonly (string | number | null)[]): void {
    const statement = this.#statements.prepare(text);
    readRowidsAsBigInt(statement);
    statement.run(...values);
  }
}

/** The table of a collection, for storing records in it. */
interface Table {
  readonly definition: StoredCollection;
  readonly columns: readonly FilledColumn[];
  readonly form: string;
  /** The statement that stores a row, and replaces a row with the same id. */
  readonly putting: string;
  readonly words: SqliteWords | undefined;
  readonly values: SqliteValues | undefined;
}

function toTable(database: DatabaseSync, definition: StoredCollection): Table {
  const columns = filledColumns(definition);
  const replaced = ["revision", "created_at", "updated_at", "document", ...columns.map(({ name }) => name)];
  const changes = replaced.map((name) => `"${name}" = excluded."${name}"`);
  const putting = `${rowInsertion(definition)} ON CONFLICT (id) DO UPDATE SET ${changes.join(", ")}`;
  return {
    definition,
    columns,
    form: dueShape(definition),
    putting,
    words: wordsOf(database, definition),
    values: valuesOf(database, definition),
  };
}
