import { accessSync, closeSync, constants, lstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { damagedReason } from "../../contract/errors.ts";
import { unfinished } from "../../contract/snapshot.ts";
import { notOpened, reasonIfForeign, saidOf, UnusableDatabase } from "../../unusable-database.ts";
import { placeReasons, sqliteCode, sqliteCodeOf } from "./fault.ts";
import { type Layouts, migrate, presentLayouts } from "./migrations.ts";
import { isTable, numberIn } from "./statements.ts";
import { blockThread } from "./transaction.ts";

/** Written to the header of a database file: the ASCII codes of `wmk1`. */
const applicationId = 0x77_6d_6b_31;

/** What files had there before layout 1. */
const formerApplicationId = 0x77_6d_72_6b;

interface SqliteFileOptions {
  /** How long a statement waits for a lock, in milliseconds. */
  readonly busyTimeout: number;
  /** Prepares the tables, in the transaction that migrates the file to the last layout. */
  readonly prepare: (database: DatabaseSync) => void;
  /** Whether the file may have an unfinished restore. Default: false. */
  readonly forRestore?: boolean | undefined;
  /** Default: the layouts of this program. */
  readonly layouts?: Layouts;
}

/**
 * Opens a database file of ours, or makes a new one with the directories above it. `:memory:` is a database that lives as long as
 * the connection.
 *
 * @throws StoreOpenError when the file is missing and cannot be made, or is not one of ours
 */
export function openSqliteFile(
  file: string,
  { busyTimeout, prepare, forRestore = false, layouts = presentLayouts }: SqliteFileOptions,
): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file === ":memory:" ? file : usablePath(file), { timeout: busyTimeout });
    // Before anything is changed: a file of another program must stay as it is.
    database.exec("BEGIN");
    const found = identifySqliteFile(database, forRestore, layouts);
    if (found === 0 && file !== ":memory:") assertNoLink(file);
    database.exec("COMMIT");
    useWriteAheadLog(database, busyTimeout);
    database.exec(`${settings} BEGIN IMMEDIATE`);
    // Again, because another process may have made the new file ours or its own meanwhile, or migrated it to this layout.
    const version = identifySqliteFile(database, forRestore, layouts);
    if (version === 0) database.exec(`PRAGMA application_id = ${applicationId}`);
    migrate(database, version, layouts);
    prepare(database);
    database.exec("COMMIT");
    return database;
  } catch (error) {
    database?.close(); // which also rolls back
    throw openingFault(file, error);
  }
}

/** Returns a StoreOpenError for an error that keeps a file from being opened, and a fault of the program unchanged. */
export function openingFault(file: string, error: unknown): unknown {
  return notOpened(file, saidOf(error) ?? reasonOf(error), error);
}

/**
 * Makes another connection to a file that `openSqliteFile` has opened.
 *
 * @param path absolute
 * @param busyTimeout as in `openSqliteFile`
 * @throws an error of node:sqlite when the file can no longer be opened; a missing file is not made again
 */
export function connectToSqliteFile(path: string, busyTimeout: number): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set("mode", "rw");
  const database = new DatabaseSync(url, { timeout: busyTimeout });
  database.exec(settings);
  return database;
}

/** The settings of every connection: a commit is on disk when it returns. */
const settings = `
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON; -- where fsync leaves data in the drive's cache (macOS)
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA secure_delete = ON; -- what is removed is overwritten, so that nothing of a person stays in free pages
`;

/** Checks or makes the file, and returns its absolute path, because SQLite reads a path that begins with `file:` as a URI. */
function usablePath(file: string): string {
  if (file === "") throw new UnusableDatabase("the name is empty; name a file, or :memory:");
  const path = resolve(file);
  makeDirectory(dirname(path));
  const status = statSync(path, { throwIfNoEntry: false });
  if (status?.isDirectory()) throw new UnusableDatabase("it is a directory; name a file in it");
  if (status?.isFile() === false) throw new UnusableDatabase("it is a device, a socket or a pipe; name a file");
  if (status !== undefined) accessSync(path, constants.R_OK | constants.W_OK);
  else makePrivateFile(path);
  return path;
}

/** Checks a file that is made or still empty: another user of the directory may have put a link there. */
function assertNoLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new UnusableDatabase("it is a symbolic link; name the file that it leads to");
}

/** Makes an empty file for its owner only. SQLite gives the files beside it, which end in -wal and -shm, the same mode. */
function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    assertNoLink(path); // otherwise another process was faster
  }
}

/**
 * Returns whether users of the machine other than the owner and the group may read a database file, or a file that SQLite
 * keeps beside it. A file that this program makes is for its owner only; an existing file keeps its mode.
 */
export function isReadableByOthers(file: string): boolean {
  if (process.platform === "win32") return false; // its file modes do not say which users may read
  const modes = ["", "-wal", "-shm"].map((suffix) => statSync(file + suffix, { throwIfNoEntry: false })?.mode ?? 0);
  return modes.some((mode) => (mode & constants.S_IROTH) !== 0);
}

/**
 * Makes a directory and the missing ones above it, one by one, because Node's `recursive` never ends where the system answers
 * ENOENT below an existing directory, as it does in /proc.
 */
function makeDirectory(path: string): void {
  const isDirectory = (): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isDirectory()) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!isDirectory()) throw error; // else another process was faster
  }
}

/**
 * Returns the number of the layout of the file; 0 for an empty file.
 *
 * @param forRestore whether it may have an unfinished restore
 * @throws UnusableDatabase when it is not one of ours
 */
export function identifySqliteFile(
  database: DatabaseSync,
  forRestore: boolean,
  layouts: Layouts = presentLayouts,
): number {
  const application = numberIn(database, "PRAGMA application_id");
  const version = numberIn(database, "PRAGMA user_version");
  const tables = numberIn(database, "SELECT count(*) FROM sqlite_schema");
  if (application === 0 && version === 0 && tables === 0) return 0;
  if (application !== applicationId && application !== formerApplicationId)
    throw new UnusableDatabase("it is the database of another program; name another file");
  const foreign = reasonIfForeign(application === applicationId ? version : undefined, layouts, "file");
  if (foreign !== undefined) throw new UnusableDatabase(foreign);
  // Every layout has had these.
  const own = "SELECT count(*) FROM sqlite_schema WHERE name IN ('waymark_collections', 'waymark_removals')";
  if (numberIn(database, own) < 2) throw new UnusableDatabase("tables of it are missing; restore it from a backup");
  if (!forRestore && isTable(database, "waymark_loading")) throw new UnusableDatabase(unfinished);
  return version;
}

/**
 * Switches the file to a write-ahead log. Waits for other connections, because SQLite itself does not wait here, and several
 * processes may open a new file at once.
 */
function useWriteAheadLog(database: DatabaseSync, timeout: number): void {
  for (const deadline = performance.now() + timeout; ; ) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (sqliteCodeOf(error) !== sqliteCode.busy || performance.now() >= deadline) throw error;
      blockThread(5);
    }
  }
}

/** Returns in one line why the file system or SQLite refuses the file; undefined for a fault of the program. */
function reasonOf(error: unknown): string | undefined {
  const code = sqliteCodeOf(error);
  if (code !== undefined) return databaseReasons.get(code);
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  const systemCode = String(error.code);
  return systemReasons.get(systemCode) ?? `the system answers ${systemCode} to ${String(error.syscall)}`;
}

const databaseReasons: ReadonlyMap<number, string> = new Map([
  [sqliteCode.busy, "another process has locked it; stop that one, or try again"],
  [sqliteCode.locked, "another process has locked it; stop that one, or try again"],
  [sqliteCode.readOnly, "it or its directory is read-only; allow writing, or name another file"],
  [sqliteCode.inputOutput, "the disk reports an error"],
  [sqliteCode.corrupt, damagedReason],
  [sqliteCode.full, placeReasons.ENOSPC],
  [sqliteCode.cannotOpen, "it, or the -wal and -shm files beside it, cannot be opened; allow writing to its directory"],
  [sqliteCode.notADatabase, "it is not an SQLite database; name another file, or move this one away"],
]);

const noPermission = "there is no permission to read and write it; grant it, or name another file";

const systemReasons: ReadonlyMap<string, string> = new Map([
  ...Object.entries(placeReasons),
  ["EACCES", noPermission],
  ["EPERM", noPermission],
  ["EEXIST", placeReasons.ENOTDIR], // the part before it is a file
  ["ENOENT", "its directory cannot be made; name a file elsewhere"],
  ["ENAMETOOLONG", "the name is too long; name another file"],
]);
