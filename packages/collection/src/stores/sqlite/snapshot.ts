import { randomUUID } from "node:crypto";
import { accessSync, constants, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { damagedReason } from "../contract/errors.ts";
import type { Snapshot, SnapshotOptions } from "../contract/snapshot.ts";
import { recordColumns } from "../table/rows.ts";
import { batchSize, type StampedRow, tableSnapshot } from "../table-snapshot.ts";
import { UnusableDatabase } from "../unusable-database.ts";
import { sqliteCode, sqliteCodeOf, toStoreFault } from "./connections/fault.ts";
import { identifySqliteFile, openingFault, openSqliteFile } from "./connections/file.ts";
import { presentLayouts } from "./connections/migrations.ts";
import { prepareRows } from "./connections/statements.ts";

/**
 * Opens a snapshot of a database file of ours. The file is neither changed nor made; of one that has an older layout, a temporary
 * copy is brought to the present one. The snapshot and the programs that use the file do not block each other, but the log cannot be
 * emptied before the snapshot is closed.
 */
export function openSqliteSnapshot(file: string, options: SnapshotOptions = {}): Snapshot {
  const { database, version } = readSqliteFile(file, options);
  if (version === presentLayouts.length) return snapshotOver(database, file, identityOf(database, file));
  try {
    database.exec("COMMIT; PRAGMA query_only = OFF"); // the copy is of one moment, too
    return snapshotOfCopy(database, identityOf(database, file));
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
    if (version === 0) throw new UnusableDatabase("it is empty; name another file");
    if (verify) assertIntact(database);
    return { database, version };
  } catch (error) {
    database?.close();
    throw openingFault(file, error);
  }
}

/** Makes a snapshot of a temporary copy of a database, which is brought to the present layout. */
export function snapshotOfCopy(original: DatabaseSync, identity: string): Snapshot {
  const directory = mkdtempSync(join(tmpdir(), "waymark-snapshot-"));
  const remove = (): void => rmSync(directory, { recursive: true });
  try {
    const file = join(directory, "snapshot.db");
    original.prepare("VACUUM INTO ?").run(file);
    openSqliteFile(file, { busyTimeout: patience, prepare: () => undefined }).close();
    const { database } = readSqliteFile(file);
    return snapshotOver(database, file, identity, remove);
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * Returns the identity of a database: the random text that each file has of its own, whatever its name and its place on a disk. A copy
 * of a file has that of the file, until one of them is resumed. For `:memory:`, every call returns another one.
 */
export function identityOf(database: DatabaseSync, file: string): string {
  if (file === ":memory:") return `memory ${randomUUID()}`;
  const [era] = prepareRows(database, "SELECT era FROM waymark_era").get() as unknown as readonly [string]; // its only row
  return `sqlite ${era}`;
}

/** @throws UnusableDatabase when the file is damaged */
export function assertIntact(database: DatabaseSync): void {
  const findings = database.prepare("PRAGMA quick_check(1)").all();
  if (findings[0]?.["quick_check"] !== "ok") throw new UnusableDatabase(damagedReason);
}

/** Connects to an existing file, and begins a transaction that sees its present state. */
function connectToRead(file: string): DatabaseSync {
  const status = statSync(file, { throwIfNoEntry: false });
  if (status === undefined) throw new UnusableDatabase("there is no such file; name another one");
  if (!status.isFile()) throw new UnusableDatabase("it is no file; name another one");
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

/** Makes the snapshot of what a connection to a file sees, which is closed with it. */
function snapshotOver(database: DatabaseSync, file: string, identity: string, onClose?: () => void): Snapshot {
  const read = <Row>(
    text: string,
    values: readonly (number | string)[],
    take: (rows: Iterable<Row>) => readonly Row[],
  ): readonly Row[] => {
    try {
      const statement = prepareRows(database, text.replaceAll("$", "?"));
      return take(statement.iterate(...values) as unknown as Iterable<Row>); // arrays of the columns that the text names
    } catch (error) {
      throw sqliteCodeOf(error) === sqliteCode.corrupt ? openingFault(file, error) : toStoreFault(error);
    }
  };
  return tableSnapshot({
    identity,
    counters: (collection) =>
      `SELECT revision, last_id, revision FROM waymark_collections WHERE name = '${collection}'`, // a name has no quotes
    query: (text, values) => read(text, values, (rows) => [...rows]),
    first(collection, { after, upTo, changedSince }) {
      const text = `SELECT ${recordColumns}, created_at FROM "${collection}"
        WHERE id > $1 AND id <= $2 AND revision > $3 ORDER BY id`;
      const rows: StampedRow[] = [];
      let size = 0;
      return read<StampedRow>(text, [after, upTo, changedSince], (found) => {
        for (const row of found) {
          rows.push(row);
          size += row[3].length;
          if (size >= batchSize) break;
        }
        return rows;
      });
    },
    async close() {
      if (!database.isOpen) return;
      database.close();
      onClose?.();
    },
  });
}
