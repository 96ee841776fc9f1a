import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { requireOptions } from "waymark/internal";
import type { Database, DatabaseOptions, StoredCollection } from "../../database.ts";
import { type DatabaseEngine, lostAtMost, recordDatabase } from "../record-database.ts";
import { databaseOptionTypes, toStoredCollections } from "../table/definition.ts";
import { localChannel } from "./connections/channel.ts";
import { guardedRead } from "./connections/fault.ts";
import { connectToSqliteFile, openSqliteFile } from "./connections/file.ts";
import { SharedReadLock, SqliteSource } from "./connections/source.ts";
import { inTransaction } from "./connections/transaction.ts";
import { type SqliteConnections, sqliteEngine, sqliteTransacted } from "./engine.ts";
import { SqliteQueries } from "./reading/queries.ts";
import { type ReaderCalls, SqliteReader } from "./reading/reader.ts";
import { sqliteRestoreTarget } from "./restore-target.ts";
import { identityOf, openSqliteSnapshot, snapshotOfCopy } from "./snapshot.ts";
import { missingIndexes, prepareSchema } from "./table/schema.ts";
import { type ReaderThreadData, ThreadChannel } from "./threads/thread.ts";
import { SqliteCommitter } from "./writing/committer.ts";
import { type DatabaseCopy, localCommitter } from "./writing/committer-channel.ts";
import { SqliteWriter } from "./writing/writer.ts";

export interface SqliteDatabaseOptions extends DatabaseOptions {
  /**
   * How long writes wait for another process, in milliseconds. Reads never wait, but opening does, and blocks the
   * calling thread. Default: 1000.
   */
  readonly busyTimeout?: number;
  /** The maximum of waiting writes; further ones fail with StoreUnavailable. Default: 10,000. */
  readonly maxWaitingWrites?: number;
  /**
   * The maximum of waiting reads whose cost grows with the number of records, such as counts; further ones fail with
   * StoreUnavailable. Default: 1,000.
   */
  readonly maxWaitingReads?: number;
  /** The maximum of these reads for one caller (`caller` of `list` and `count`). Default: 100. */
  readonly maxWaitingReadsPerCaller?: number;
  /** How long such a read may take, waiting included, in milliseconds; then it is stopped, unless its thread still starts. Default: 10,000. */
  readonly readTimeLimit?: number;
}

const optionTypes: requireOptions.Types<SqliteDatabaseOptions> = {
  ...databaseOptionTypes,
  busyTimeout: "number",
  maxWaitingWrites: "number",
  maxWaitingReads: "number",
  maxWaitingReadsPerCaller: "number",
  readTimeLimit: "number",
};

/**
 * Opens an SQLite file, and makes it with the directories above it if it is missing. Several processes may share one file.
 * `:memory:` is a database that is gone when it is closed. `find` returns no promise. A thread makes the reads that may take long,
 * so that other reads do not wait for them. Another thread makes the writes, and commits those that arrive at the same time
 * together. Each write is on disk before its promise resolves.
 *
 * ```ts
 * const database = await openSqliteDatabase("data/person.db", {
 *   collections: [{ name: "person", members: { identifier: { unique: true } } }],
 * });
 * ```
 *
 * @throws StoreOpenError (rejects) when the file cannot be opened, or is not one of ours; the message says what to do
 * @throws TypeError (rejects) when the name of a collection, of a unique member or of an option is not valid
 * @throws RangeError (rejects) when a bound is not an integer from 1
 */
export async function openSqliteDatabase(file: string, options: SqliteDatabaseOptions): Promise<Database> {
  requireOptions("openSqliteDatabase(file, { … })", options, optionTypes);
  // Another process that makes the late indexes when it opens the file takes some seconds.
  const { busyTimeout = options.lateIndexes ? 60_000 : 1000 } = options;
  const { maxWaitingWrites = 10_000, readTimeLimit = 10_000 } = options;
  const { maxWaitingReads = 1_000, maxWaitingReadsPerCaller = 100 } = options;
  const collections = toStoredCollections(options.collections);
  assertPositive({ maxWaitingWrites, maxWaitingReads, maxWaitingReadsPerCaller, readTimeLimit });
  const prepare = (opened: DatabaseSync): void => prepareSchema(opened, collections, options);
  const database = openSqliteFile(file, { busyTimeout, prepare, forRestore: options.forRestore });
  // In KiB, taken as records are read. Among 100,000 people, 20 in the order of a name take 43 µs, and 69 with 16 MiB: they lie apart.
  database.exec("PRAGMA cache_size = -65536");
  // No other connection can see a database in memory.
  const isFile = file !== ":memory:";
  const path = resolve(file);
  const thread = { path, collections, busyTimeout };
  const writer = new SqliteWriter(
    isFile
      ? new ThreadChannel("committer-thread", thread)
      : localCommitter(new SqliteCommitter(database, collections, busyTimeout), () =>
          copyInMemory(database, collections),
        ),
    maxWaitingWrites,
    options.observer?.onCommit,
  );
  const queries = new SqliteQueries(database, collections);
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const reading: ReaderThreadData = { ...thread, stop };
  const reader = new SqliteReader(
    isFile ? new ThreadChannel("reader-thread", reading) : localChannel<ReaderCalls>(queries),
    { maxWaiting: maxWaitingReads, maxWaitingPerCaller: maxWaitingReadsPerCaller, timeLimit: readTimeLimit },
    stop,
  );
  const lock = isFile ? new SharedReadLock(connectToSqliteFile(path, busyTimeout)) : undefined;
  const source = new SqliteSource(database, lock);
  const connections = { database, queries, reader, writer, lock, source };
  return recordDatabase(sqliteDatabaseEngine(connections, file, collections, busyTimeout), { ...options, collections });
}

/** A transaction has a copy to itself: a few milliseconds, where no one has more in memory than can be read in a moment. */
function copyInMemory(original: DatabaseSync, collections: readonly StoredCollection[]): DatabaseCopy {
  const address = `file:/${randomUUID()}?vfs=memdb`;
  const copy = new DatabaseSync(address); // as long as it is open, so long there is the memory
  original.prepare("VACUUM INTO ?").run(address);
  return { committer: new SqliteCommitter(copy, collections, 0), close: () => copy.close() };
}

/** @throws RangeError naming the option that is not an integer from 1 */
function assertPositive(options: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`${name} is an integer from 1, not ${value}`);
  }
}

function sqliteDatabaseEngine(
  connections: SqliteConnections,
  file: string,
  collections: readonly StoredCollection[],
  busyTimeout: number,
): DatabaseEngine {
  const { database, writer, reader, lock, source } = connections;
  const identity = identityOf(database, file);
  return {
    collection: (definition) => sqliteEngine(connections, definition, collections),
    async check() {
      guardedRead(() => database.exec("SELECT name FROM waymark_collections LIMIT 1"));
      return { readOnly: false };
    },
    snapshot: async () =>
      guardedRead(() => (file === ":memory:" ? snapshotOfCopy(database, identity) : openSqliteSnapshot(file))),
    async restoreTarget() {
      source.stopCounting();
      return sqliteRestoreTarget(database, identity, collections, busyTimeout);
    },
    async makeIndexes() {
      // Each in a transaction of its own, so that others can write in between.
      for (const definition of collections) {
        while (inTransaction(database, busyTimeout, () => makeMissingIndex(database, definition)));
      }
    },
    unusedIndexes: async () => [], // they are dropped when the file is opened
    probeChanges: () => writer.probe(),
    // Without a wait for other processes, the work still has a moment.
    longestWait: Math.max(busyTimeout, 100),
    transaction: (work) => writer.transaction((channel) => work((definition) => sqliteTransacted(channel, definition))),
    async resume() {
      source.stopCounting();
      const raise = `UPDATE waymark_era SET era = '${randomUUID()}';
        UPDATE waymark_collections SET revision = revision + ${lostAtMost}, last_id = last_id + ${lostAtMost}`;
      inTransaction(database, busyTimeout, () => database.exec(raise));
    },
    figures: () => ({
      waitingChanges: writer.waiting,
      waitingReads: reader.waiting,
      ...(file !== ":memory:" && { files: { database: sizeOf(file), log: sizeOf(`${file}-wal`) } }),
    }),
    async close() {
      await Promise.all([writer.close(), reader.close()]);
      lock?.close();
      if (database.isOpen) database.close();
    },
  };
}

/** Makes an index that is missing; returns whether there was one. */
function makeMissingIndex(database: DatabaseSync, definition: StoredCollection): boolean {
  const [makeIndex] = missingIndexes(database, definition);
  makeIndex?.();
  return makeIndex !== undefined;
}

/** Returns the size of a file in bytes; 0 where it is missing. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
