import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Database, DatabaseOptions } from "../../database.ts";
import type { LoadOptions, Snapshot } from "../../snapshot.ts";
import type { Store } from "../../store.ts";
import { assertDefinitions } from "../collection-definition.ts";
import { loadSnapshot } from "../load-snapshot.ts";
import { toStoreFault } from "./sqlite-fault.ts";
import { connectToSqliteFile, openSqliteFile } from "./sqlite-file.ts";
import { SqliteLoadTarget } from "./sqlite-load-target.ts";
import { prepareSchema } from "./sqlite-schema.ts";
import { identityOf, openSqliteSnapshot, snapshotOfMemory } from "./sqlite-snapshot.ts";
import { StandingLock } from "./sqlite-standing-lock.ts";
import { sqliteStore } from "./sqlite-store.ts";
import { SqliteTransactions } from "./sqlite-transactions.ts";
import { SqliteWriter } from "./sqlite-writer.ts";
import { localWriter, threadedWriter } from "./sqlite-writer-channel.ts";

export interface SqliteDatabaseOptions extends DatabaseOptions {
  /**
   * How long writes wait for those of another process, in milliseconds; 1000 unless told. Reads never wait; but opening
   * does, and the thread that calls it.
   */
  readonly busyTimeout?: number;
  /** How many writes may wait for the disk; those beyond are refused with StoreUnavailable. 10,000 unless told. */
  readonly maxWaitingWrites?: number;
}

/**
 * Opens an SQLite file, made if it is missing, with the directories above it; several processes may share one. `:memory:`
 * is a database that is gone when it is closed. Reads are synchronous: `find` gives no promise. Writes go to a thread, which
 * commits together those that come at the same time; each is on disk before its promise resolves.
 *
 * ```ts
 * const database = await openSqliteDatabase("data/person.db", {
 *   collections: [{ name: "person", unique: ["identifier"] }],
 * });
 * ```
 *
 * @throws StoreOpenError (rejects) when the file cannot be opened, or is not one of ours; the message says what to do
 * @throws TypeError (rejects) when the name of a collection or of a unique member is not one
 * @throws RangeError (rejects) when `maxWaitingWrites` is not an integer from 1
 */
export async function openSqliteDatabase(file: string, options: SqliteDatabaseOptions): Promise<Database> {
  const { collections, busyTimeout = 1000, maxWaitingWrites = 10_000, now = () => new Date() } = options;
  assertDefinitions(collections);
  if (!Number.isSafeInteger(maxWaitingWrites) || maxWaitingWrites < 1) {
    throw new RangeError(`maxWaitingWrites is an integer from 1, not ${maxWaitingWrites}`);
  }
  const prepare = (opened: DatabaseSync): void => prepareSchema(opened, collections);
  const database = openSqliteFile(file, busyTimeout, prepare, options.forLoading);
  // Nobody else could see what is in memory.
  const isFile = file !== ":memory:";
  const lock = isFile ? new StandingLock(connectToSqliteFile(resolve(file), busyTimeout)) : undefined;
  const channel = isFile
    ? threadedWriter({ path: resolve(file), collections, busyTimeout })
    : localWriter(new SqliteTransactions(database, collections, busyTimeout));
  const writer = new SqliteWriter(channel, maxWaitingWrites);
  const stores = collections.map(
    (definition) => [definition.name, sqliteStore(database, writer, definition, now, lock)] as const,
  );
  const target = new SqliteLoadTarget(database, identityOf(file), collections, busyTimeout);
  return new SqliteDatabase({ database, writer, lock, target, file, collections, stores: new Map(stores) });
}

/** What a SqliteDatabase is made of. */
interface SqliteParts {
  readonly database: DatabaseSync;
  readonly writer: SqliteWriter;
  readonly lock: StandingLock | undefined;
  readonly target: SqliteLoadTarget;
  readonly file: string;
  readonly collections: DatabaseOptions["collections"];
  readonly stores: ReadonlyMap<string, Store>;
}

class SqliteDatabase implements Database {
  readonly #parts: SqliteParts;

  constructor(parts: SqliteParts) {
    this.#parts = parts;
  }

  store(collection: string): Store {
    const store = this.#parts.stores.get(collection);
    if (store === undefined) throw new RangeError(`The database was opened without ${JSON.stringify(collection)}`);
    return store;
  }

  async check(): Promise<void> {
    try {
      this.#parts.database.exec("SELECT name FROM waymark_collections LIMIT 1");
    } catch (error) {
      throw toStoreFault(error);
    }
  }

  async snapshot(): Promise<Snapshot> {
    const { database, target, file } = this.#parts;
    try {
      return file === ":memory:" ? snapshotOfMemory(database, target.identity) : openSqliteSnapshot(file);
    } catch (error) {
      throw toStoreFault(error);
    }
  }

  async load(snapshot: Snapshot, options?: LoadOptions): Promise<void> {
    await loadSnapshot(this.#parts.target, snapshot, this.#parts.collections, options);
  }

  async close(): Promise<void> {
    const { writer, lock, database } = this.#parts;
    await writer.close();
    lock?.close();
    if (database.isOpen) database.close();
  }
}
