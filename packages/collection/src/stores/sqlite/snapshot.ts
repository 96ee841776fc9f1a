import { randomUUID } from "node:crypto";
import { accessSync, constants, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type {
  Snapshot,
  SnapshotCounters,
  SnapshotKey,
  SnapshotOptions,
  SnapshotRange,
  SnapshotRecord,
  SnapshotRemoval,
  SnapshotSeal,
} from "../../snapshot.ts";
import { lastNumber } from "../layout-numbers.ts";
import { type KeyRow, keyColumns, type RecordRow, recordColumns, toKey, toRecord } from "../rows.ts";
import { isUntouched } from "../snapshot-counters.ts";
import { sqliteCode, sqliteCodeOf, toStoreFault } from "./fault.ts";
import { identifySqliteFile, openingFault, openSqliteFile, Unusable } from "./file.ts";
import { presentLayouts } from "./migrations.ts";

/**
 * Opens a snapshot of a database file of ours. The file is neither changed nor made; of one that has an older layout, a temporary
 * copy is brought to the present one. The snapshot and the programs that use the file do not block each other, but the log cannot be
 * emptied before the snapshot is closed.
 */
export function openSqliteSnapshot(file: string, options: SnapshotOptions = {}): SqliteSnapshot {
  const { database, version } = readSqliteFile(file, options);
  if (version === lastNumber(presentLayouts)) return new SqliteSnapshot({ database, file, identity: identityOf(file) });
  try {
    database.exec("COMMIT; PRAGMA query_only = OFF"); // the copy is of one moment, too
    return snapshotOfCopy(database, identityOf(file));
  } catch (error) {
    throw openingFault(file, error);
  } finally {
    database.close();
  }
}

/**
 * Opens a file of ours, of any layout that this program knows, and begins a transaction that sees its present state.
 *
 * @throws StoreOpenError when it is missing, is not one of ours, or is damaged
 */
export function readSqliteFile(
  file: string,
  { verify = false }: SnapshotOptions = {},
): { readonly database: DatabaseSync; readonly version: number } {
  let database: DatabaseSync | undefined;
  try {
    database = connectToRead(file);
    const version = identifySqliteFile(database, false);
    if (version === 0) throw new Unusable("it is empty; name another file");
    if (verify) assertIntact(database);
    return { database, version };
  } catch (error) {
    database?.close();
    throw openingFault(file, error);
  }
}

/** Makes a snapshot of a temporary copy of a database, which is brought to the present layout. */
export function snapshotOfCopy(original: DatabaseSync, identity: string): SqliteSnapshot {
  const directory = mkdtempSync(join(tmpdir(), "waymark-snapshot-"));
  const remove = (): void => rmSync(directory, { recursive: true });
  try {
    const file = join(directory, "snapshot.db");
    original.prepare("VACUUM INTO ?").run(file);
    openSqliteFile(file, { busyTimeout: patience, prepare: () => undefined }).close();
    const { database } = readSqliteFile(file);
    return new SqliteSnapshot({ database, file, identity, onClose: remove });
  } catch (error) {
    remove();
    throw error;
  }
}

/** Returns the identity of a database, which no other database has. For `:memory:`, every call returns another one. */
export function identityOf(file: string): string {
  if (file === ":memory:") return `memory ${randomUUID()}`;
  const { dev, ino } = statSync(file, { bigint: true });
  return `sqlite ${dev} ${ino}`;
}

/** @throws Unusable when the file is damaged */
export function assertIntact(database: DatabaseSync): void {
  const findings = database.prepare("PRAGMA quick_check(1)").all();
  if (findings[0]?.["quick_check"] !== "ok") throw new Unusable("it is damaged; restore it from a backup");
}

/** Connects to an existing file, and begins a transaction that sees its present state. */
function connectToRead(file: string): DatabaseSync {
  const status = statSync(file, { throwIfNoEntry: false });
  if (status === undefined) throw new Unusable("there is no such file; name another one");
  if (!status.isFile()) throw new Unusable("it is no file; name another one");
  accessSync(file, constants.R_OK);
  const url = pathToFileURL(file);
  // A connection that may write also removes the files that SQLite needs beside the database.
  url.searchParams.set("mode", isWritable(file) ? "rw" : "ro");
  const database = new DatabaseSync(url, { timeout: patience });
  database.exec("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; BEGIN; SELECT 1 FROM sqlite_schema");
  return database;
}

/** In milliseconds. */
const patience = 1000;

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The parts of a SqliteSnapshot. */
interface SqliteSnapshotParts {
  readonly database: DatabaseSync;
  readonly file: string;
  readonly identity: string;
  readonly onClose?: () => void;
}

export class SqliteSnapshot implements Snapshot {
  readonly identity: string;
  readonly #parts: SqliteSnapshotParts;

  constructor(parts: SqliteSnapshotParts) {
    this.identity = parts.identity;
    this.#parts = parts;
  }

  async counters(collection: string): Promise<SnapshotCounters> {
    return this.#guarded(() => {
      const row = this.#parts.database
        .prepare("SELECT revision, last_id FROM waymark_collections WHERE name = ?")
        .get(collection);
      if (row === undefined) return { partitions: [], records: 0 };
      const count = this.#parts.database.prepare(`SELECT count(*) AS records FROM "${collection}"`).get();
      const partitions = [{ revision: Number(row["revision"]), lastId: Number(row["last_id"]) }];
      return { partitions, records: Number(count?.["records"]) };
    });
  }

  async *records(collection: string, range: SnapshotRange = {}): AsyncGenerator<readonly SnapshotRecord[]> {
    if (isUntouched(await this.counters(collection))) return; // there may be no such table
    const { after = 0, upTo = Number.MAX_SAFE_INTEGER, changedSince = -1 } = range;
    const rows = this.#rows(
      `SELECT ${recordColumns}, created_at FROM "${collection}"
      WHERE id > ? AND id <= ? AND revision > ? ORDER BY id`,
      [after, upTo, changedSince],
      (row: StampedRow) => ({ ...toRecord(row), createdAt: row[4] }),
    );
    yield* batched(rows, ({ json }) => json.length);
  }

  async *removals(collection: string): AsyncGenerator<readonly SnapshotRemoval[]> {
    const text = "SELECT id, revision, owner FROM waymark_removals WHERE collection = ? ORDER BY id";
    yield* batched(
      this.#rows(text, [collection], ([id, revision, owner]: readonly [number, number, number]) => ({
        id,
        revision,
        owner,
      })),
      () => sizeOfId,
    );
  }

  async seals(collection: string): Promise<readonly SnapshotSeal[]> {
    const text = "SELECT revision, seal FROM waymark_seals WHERE collection = ? ORDER BY revision";
    return [
      ...this.#rows(text, [collection], ([revision, seal]: readonly [number, number]) => ({
        partition: 0,
        revision,
        seal,
      })),
    ];
  }

  async *keys(collection: string): AsyncGenerator<readonly SnapshotKey[]> {
    const rows = this.#rows(
      `SELECT ${keyColumns} FROM waymark_keys WHERE collection = ? ORDER BY owner, key`,
      [collection],
      (row: KeyRow<number>) => toKey(row),
    );
    yield* batched(rows, ({ key }) => key.length + sizeOfId);
  }

  async close(): Promise<void> {
    const { database, onClose } = this.#parts;
    if (!database.isOpen) return;
    database.close();
    onClose?.();
  }

  *#rows<Row, T>(text: string, values: readonly (string | number)[], toValue: (row: Row) => T): Generator<T> {
    const rows = this.#guarded(() => {
      const statement = this.#parts.database.prepare(text);
      statement.setReturnArrays(true);
      return statement.iterate(...values);
    });
    for (;;) {
      const { done, value } = this.#guarded(() => rows.next());
      if (done) return;
      yield toValue(value as Row); // the statement gives arrays of the columns that it names
    }
  }

  #guarded<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      const isDamaged = sqliteCodeOf(error) === sqliteCode.corrupt;
      throw isDamaged ? openingFault(this.#parts.file, error) : toStoreFault(error);
    }
  }
}

type StampedRow = readonly [...RecordRow<number>, createdAt: number];

/** In characters, exceeded by at most one value. */
const batchSize = 1_048_576;
const sizeOfId = 100;

function* batched<T>(values: Iterable<T>, sizeOf: (value: T) => number): Generator<readonly T[]> {
  let batch: T[] = [];
  let size = 0;
  for (const value of values) {
    batch.push(value);
    size += sizeOf(value);
    if (size < batchSize) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}
