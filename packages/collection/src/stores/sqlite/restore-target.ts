import type { DatabaseSync } from "node:sqlite";
import type { StoredCollection } from "../../database.ts";
import type { JsonObject } from "../../members/json-object.ts";
import { changedMeanwhile, notEmpty, RestoreError } from "../contract/snapshot.ts";
import {
  assertPlace,
  markColumns,
  placesOf,
  type RestoreMark,
  type RestorePlace,
  type RestoreTarget,
} from "../restore.ts";
import { keyOfUnique, keysOf } from "../table/compared.ts";
import { isTable, numberIn, StatementCache } from "./connections/statements.ts";
import { inTransaction } from "./connections/transaction.ts";
import { filledColumns, filledValues, rowInsertion } from "./table/columns.ts";
import { dropIndexes, missingIndexes } from "./table/schema.ts";
import { type SqliteValues, valuesOf } from "./table/values.ts";
import { type SqliteWords, wordsOf } from "./table/words.ts";

/** Makes the target of a restore of an SQLite database. */
export function sqliteRestoreTarget(
  database: DatabaseSync,
  identity: string,
  collections: readonly StoredCollection[],
  busyTimeout: number,
): RestoreTarget {
  const tables = new Map(collections.map((definition) => [definition.name, toTable(database, definition)]));
  const statements = new StatementCache(database);
  let places = new Map<string, RestorePlace>();

  const tableOf = (collection: string): Table => tables.get(collection) as Table; // one of its collections

  const run = (text: string, ...values: readonly (string | number | null)[]): void => {
    const statement = statements.prepare(text);
    statement.setReadBigInts(true); // as in `prepareChange`
    statement.run(...values);
  };

  const setCounters = (collection: string, revision: number, lastId: number): void =>
    run("UPDATE waymark_collections SET revision = ?, last_id = ? WHERE name = ?", revision, lastId, collection);

  const assertUntouched = (message: string): void => {
    for (const [name, { declared }] of tables) {
      const counters = statements
        .prepare("SELECT 1 FROM waymark_collections WHERE name = ? AND revision = 0 AND last_id = 0 AND declared = ?")
        .get(name, declared);
      if (counters === undefined) throw new RestoreError(message);
    }
  };

  /** Checks that no other program has stored anything since the last step. */
  const assertAtPlace = (collection: string): void => {
    assertUntouched(changedMeanwhile);
    const text = `SELECT ${markColumns} FROM waymark_loading WHERE collection = ?`;
    const mark = isTable(database, "waymark_loading") ? statements.prepare(text).get(collection) : undefined;
    assertPlace(places.get(collection), mark as unknown as RestoreMark | undefined); // an array of these columns
  };

  const step = (collection: string, work: () => void): void =>
    inTransaction(database, busyTimeout, () => {
      assertAtPlace(collection);
      work();
    });

  /** Makes each index in a transaction of its own, so that the log has one of them at a time. */
  const makeIndexes = (): void => {
    for (const [collection, { definition }] of tables) {
      for (const makeIndex of missingIndexes(database, definition)) step(collection, makeIndex);
    }
  };

  return {
    identity,
    async begin(source) {
      return inTransaction(database, busyTimeout, () => {
        assertUntouched(notEmpty);
        database.exec(`CREATE TABLE IF NOT EXISTS waymark_loading (
          collection TEXT PRIMARY KEY,
          source TEXT NOT NULL,
          last_id INTEGER NOT NULL, -- up to which records are stored
          revision INTEGER NOT NULL -- of the collection that they are from
        ) STRICT, WITHOUT ROWID`);
        for (const collection of tables.keys()) {
          run("INSERT OR IGNORE INTO waymark_loading VALUES (?, ?, 0, 0)", collection, source);
        }
        const marks = statements.prepare(`SELECT ${markColumns} FROM waymark_loading`).all();
        places = placesOf(marks as unknown as RestoreMark[], source); // arrays of these columns
        for (const [collection, { id }] of places) if (id === 0) dropIndexes(database, collection);
        return places;
      });
    },

    async remove(collection, removals) {
      step(collection, () => {
        for (const { id, revision, owner } of removals) {
          run(`DELETE FROM "${collection}" WHERE id = ?`, id);
          // In place of what a trigger has stored.
          run(
            "INSERT OR REPLACE INTO waymark_removals (collection, id, revision, owner) VALUES (?, ?, ?, ?)",
            ...[collection, id, revision, owner],
          );
        }
        // Triggers have counted the removed records and those that they owned; the counters must stay 0.
        for (const name of tables.keys()) setCounters(name, 0, 0);
      });
    },

    async releaseUniqueKeys(collection, ids) {
      const { unique } = tableOf(collection).definition;
      const changes = unique.map((member) => `"${keyOfUnique(member)}" = NULL`).join(", ");
      if (unique.length === 0) return;
      step(collection, () => {
        for (const id of ids) run(`UPDATE "${collection}" SET ${changes} WHERE id = ?`, id);
      });
    },

    async put(collection, records, place) {
      const { definition, toValues, putting, words, values: listed } = tableOf(collection);
      const { owner } = definition;
      step(collection, () => {
        words?.begin();
        for (const { id, revision, createdAt, updatedAt, json } of records) {
          const document: JsonObject = JSON.parse(json);
          const owners = owner === undefined ? [] : [Number(document[owner.member])];
          run(putting, id, revision, createdAt, updatedAt, json, ...owners, ...toValues(document));
          words?.set(id, document);
          listed?.set(id, document);
        }
        words?.put(false);
        run(
          "UPDATE waymark_loading SET last_id = ?, revision = ? WHERE collection = ?",
          place.id,
          place.revision,
          collection,
        );
      });
      places.set(collection, place);
    },

    async count(collection, upTo) {
      return numberIn(database, `SELECT count(*) FROM "${collection}" WHERE id <= ?`, upTo);
    },

    async putKeys(collection, keys) {
      step(collection, () => {
        for (const { owner, key, fingerprint, id, revision, time } of keys) {
          run(
            "INSERT OR REPLACE INTO waymark_keys VALUES (?, ?, ?, ?, ?, ?, ?)",
            ...[collection, owner, key, fingerprint, id, revision, time],
          );
        }
      });
    },

    async end(counters) {
      makeIndexes();
      inTransaction(database, busyTimeout, () => {
        for (const collection of counters.keys()) assertAtPlace(collection);
        for (const [collection, { revision, lastId }] of counters) setCounters(collection, revision, lastId);
        database.exec("DROP TABLE waymark_loading");
      });
    },
  };
}

/** The table of a collection, for storing records in it. */
interface Table {
  readonly definition: StoredCollection;
  readonly toValues: ReturnType<typeof filledValues>;
  readonly declared: string;
  /** The statement that stores a row, and replaces a row with the same id. */
  readonly putting: string;
  readonly words: SqliteWords | undefined;
  readonly values: SqliteValues | undefined;
}

function toTable(database: DatabaseSync, definition: StoredCollection): Table {
  const replaced = ["revision", "created_at", "updated_at", "document", ...filledColumns(definition).keys()];
  const changes = replaced.map((name) => `"${name}" = excluded."${name}"`);
  const putting = `${rowInsertion(definition)} ON CONFLICT (id) DO UPDATE SET ${changes.join(", ")}`;
  return {
    definition,
    toValues: filledValues(definition),
    declared: JSON.stringify(keysOf(definition)),
    putting,
    words: wordsOf(database, definition),
    values: valuesOf(database, definition),
  };
}
