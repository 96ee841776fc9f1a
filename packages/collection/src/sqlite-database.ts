import type { DatabaseSync } from "node:sqlite";
import { assertDefinitions } from "./collection-definition.ts";
import type { Database, DatabaseOptions } from "./database.ts";
import { toStoreFault } from "./sqlite-fault.ts";
import { openSqliteFile } from "./sqlite-file.ts";
import { prepareSchema } from "./sqlite-schema.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { directWriter } from "./sqlite-writer.ts";
import type { Store } from "./store.ts";

export interface SqliteDatabaseOptions extends DatabaseOptions {
  /**
   * How long a write waits for one of another process, in milliseconds; 1000 unless told. The thread waits with it.
   * Reads never wait.
   */
  readonly busyTimeout?: number;
}

/**
 * Opens an SQLite file, made if it is missing, with the directories above it; several processes may share one. `:memory:`
 * is a database that is gone when it is closed. Reads are synchronous: `find` gives no promise.
 *
 * ```ts
 * const database = await openSqliteDatabase("data/person.db", {
 *   collections: [{ name: "person", unique: ["identifier"] }],
 * });
 * ```
 *
 * @throws StoreOpenError (rejects) when the file cannot be opened, or is not one of ours; the message says what to do
 * @throws TypeError (rejects) when the name of a collection or of a unique member is not one
 */
export async function openSqliteDatabase(file: string, options: SqliteDatabaseOptions): Promise<Database> {
  const { collections, busyTimeout = 1000, now = () => new Date() } = options;
  assertDefinitions(collections);
  const database = openSqliteFile(file, busyTimeout, (opened) => prepareSchema(opened, collections));
  const writer = directWriter(database, collections);
  const stores = collections.map(({ name }) => [name, new SqliteStore(database, writer, name, now)] as const);
  return new SqliteDatabase(database, new Map(stores));
}

class SqliteDatabase implements Database {
  readonly #database: DatabaseSync;
  readonly #stores: ReadonlyMap<string, Store>;

  constructor(database: DatabaseSync, stores: ReadonlyMap<string, Store>) {
    this.#database = database;
    this.#stores = stores;
  }

  store(collection: string): Store {
    const store = this.#stores.get(collection);
    if (store === undefined) throw new RangeError(`The database was opened without ${JSON.stringify(collection)}`);
    return store;
  }

  async check(): Promise<void> {
    try {
      this.#database.exec("SELECT name FROM waymark_collections LIMIT 1");
    } catch (error) {
      throw toStoreFault(error);
    }
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }
}
