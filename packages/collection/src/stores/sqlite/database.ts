import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Database, DatabaseOptions, DatabaseState } from "../../database.ts";
import type { LoadOptions, Snapshot } from "../../snapshot.ts";
import type { Store } from "../../store.ts";
import { assertDefinitions } from "../definition.ts";
import { loadSnapshot } from "../load.ts";
import { toStoreFault } from "./fault.ts";
import { connectToSqliteFile, openSqliteFile } from "./file.ts";
import { SqliteLoadTarget } from "./load-target.ts";
import { type ReaderCalls, SqliteReader, threadedReader } from "./reader.ts";
import { type SqliteConnections, StandingLock } from "./reads.ts";
import { prepareSchema } from "./schema.ts";
import { SqliteQueries } from "./selection.ts";
import { identityOf, openSqliteSnapshot, snapshotOfMemory } from "./snapshot.ts";
import { sqliteStore } from "./store.ts";
import { localChannel } from "./thread.ts";
import { SqliteTransactions } from "./transactions.ts";
import { localWriter, SqliteWriter, threadedWriter } from "./writer.ts";

export interface SqliteDatabaseOptions extends DatabaseOptions {
  /**
   * How long writes wait for those of another process, in milliseconds; 1000 unless told. Reads never wait; but opening
   * does, and the thread that calls it.
   */
  readonly busyTimeout?: number;
  /** How many writes may wait for the disk; those beyond are refused with StoreUnavailable. 10,000 unless told. */
  readonly maxWaitingWrites?: number;
  /**
   * How many reads may wait whose cost grows with the number of records: counts, and lists whose records are not found one after the
   * other in an index. Those beyond are refused with StoreUnavailable. 1,000 unless told.
   */
  readonly maxWaitingReads?: number;
  /** How long such a read may take, its waiting included, in milliseconds; then it is stopped. 10,000 unless told. */
  readonly readTimeLimit?: number;
}

/**
 * Opens an SQLite file, made if it is missing, with the directories above it; several processes may share one. `:memory:`
 * is a database that is gone when it is closed. `find` gives no promise. Reads that may take long are made by a thread, so that the
 * others do not wait for them. Writes go to another, which commits together those that come at the same time; each is on disk
 * before its promise resolves.
 *
 * ```ts
 * const database = await openSqliteDatabase("data/person.db", {
 *   collections: [{ name: "person", unique: ["identifier"] }],
 * });
 * ```
 *
 * @throws StoreOpenError (rejects) when the file cannot be opened, or is not one of ours; the message says what to do
 * @throws TypeError (rejects) when the name of a collection or of a unique member is not one
 * @throws RangeError (rejects) when `maxWaitingWrites`, `maxWaitingReads` or `readTimeLimit` is not an integer from 1
 */
export async function openSqliteDatabase(file: string, options: SqliteDatabaseOptions): Promise<Database> {
  const { collections, busyTimeout = 1000, now = () => new Date() } = options;
  const { maxWaitingWrites = 10_000, maxWaitingReads = 1_000, readTimeLimit = 10_000 } = options;
  assertDefinitions(collections);
  assertPositive({ maxWaitingWrites, maxWaitingReads, readTimeLimit });
  const prepare = (opened: DatabaseSync): void => prepareSchema(opened, collections);
  const database = openSqliteFile(file, { busyTimeout, prepare, forLoading: options.forLoading });
  // KiB, for what leads to the records that are asked for often: one of 10,000,000 takes 4.7 µs, and 7.6 with the usual 2000.
  database.exec("PRAGMA cache_size = -16384");
  // Nobody else could see what is in memory.
  const isFile = file !== ":memory:";
  const path = resolve(file);
  const thread = { path, collections, busyTimeout };
  const writer = new SqliteWriter(
    isFile ? threadedWriter(thread) : localWriter(new SqliteTransactions(database, collections, busyTimeout)),
    maxWaitingWrites,
  );
  const queries = new SqliteQueries(database, collections);
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const reader = new SqliteReader(
    isFile ? threadedReader({ ...thread, stop }) : localChannel<ReaderCalls>(queries),
    { maxWaiting: maxWaitingReads, timeLimit: readTimeLimit },
    stop,
  );
  const lock = isFile ? new StandingLock(connectToSqliteFile(path, busyTimeout)) : undefined;
  const connections = { database, queries, reader, lock };
  const stores = collections.map(
    (definition) => [definition.name, sqliteStore(connections, writer, definition, now)] as const,
  );
  const target = new SqliteLoadTarget(database, identityOf(file), collections, busyTimeout);
  return new SqliteDatabase({ ...connections, writer, target, file, collections, stores: new Map(stores) });
}

/** @throws RangeError naming the option that is not an integer from 1 */
function assertPositive(options: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`${name} is an integer from 1, not ${value}`);
  }
}

/** What a SqliteDatabase is made of. */
interface SqliteParts extends SqliteConnections {
  readonly writer: SqliteWriter;
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

  async check(): Promise<DatabaseState> {
    try {
      this.#parts.database.exec("SELECT name FROM waymark_collections LIMIT 1");
      return { readOnly: false };
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
    const { writer, reader, lock, database } = this.#parts;
    await Promise.all([writer.close(), reader.close()]);
    lock?.close();
    if (database.isOpen) database.close();
  }
}
