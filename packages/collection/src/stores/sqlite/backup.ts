import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, chmod, link, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { RestoreError } from "../../snapshot.ts";
import { sqliteCode, sqliteCodeOf, toStoreFault } from "./fault.ts";
import { makePrivateFile, openingFault } from "./file.ts";
import { assertIntact, readSqliteFile } from "./snapshot.ts";

/** Lists the options of `backupSqliteFile`. */
export interface BackupOptions {
  /** Called from time to time with the share of the file that is written, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/**
 * Writes the present content of a database file to a new file, while other programs read and write the database. The new file gets
 * its name when it is complete, has been read through and is on disk. Until then, a file for its owner only, whose name ends in
 * `.partial`, is in the same directory. The new file has the mode of the database file.
 *
 * @throws StoreOpenError (rejects) when the database cannot be opened, is not one of ours, or is damaged; RestoreError when the
 *   name of the new file is taken, or the file cannot be written
 */
export async function backupSqliteFile(
  file: string,
  to: string,
  { onProgress = () => undefined }: BackupOptions = {},
): Promise<void> {
  await assertFree(to);
  await access(dirname(resolve(to)), constants.W_OK | constants.X_OK).catch((error) => {
    throw refusalOf(to, error);
  });
  // The transaction sees one moment, however long the copying takes. Without it, each write would restart the
  // copying.
  const { database } = readSqliteFile(file);
  const partial = join(dirname(resolve(to)), `.${basename(to)}.${randomUUID()}.partial`);
  try {
    makePrivateFile(partial);
    await backup(database, partial, {
      rate: pagesAtOnce,
      progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / Math.max(1, totalPages)),
    });
    await finish(file, partial);
    await chmod(partial, (await stat(file)).mode & 0o666);
    await giveName(partial, to);
    onProgress(1);
  } catch (error) {
    throw refusalOf(to, error);
  } finally {
    database.close();
    // SQLite leaves its journal when it cannot undo an unfinished write.
    for (const suffix of ["", "-journal"]) await rm(partial + suffix, { force: true });
  }
}

/** In pages; 4 MiB. */
const pagesAtOnce = 1024;

async function assertFree(to: string): Promise<void> {
  const isThere = await access(to, constants.F_OK).then(
    () => true,
    () => false,
  );
  if (isThere) throw taken(to);
}

const taken = (to: string): RestoreError =>
  new RestoreError(`There is ${JSON.stringify(to)} already: name a file that is not there yet`);

/** Makes the new file a single one without a log, checks that it is intact, and flushes it to disk. */
async function finish(file: string, partial: string): Promise<void> {
  try {
    const written = new DatabaseSync(partial);
    try {
      written.exec("PRAGMA journal_mode = DELETE");
      assertIntact(written);
    } finally {
      written.close();
    }
  } catch (error) {
    throw openingFault(file, error);
  }
  await synchronize(partial);
}

/**
 * Gives the new file its name. A link never replaces another file. On a file system without links, a file that gets the name
 * between the check and the renaming is replaced.
 */
async function giveName(partial: string, to: string): Promise<void> {
  try {
    await link(partial, to);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw taken(to);
    await assertFree(to);
    await rename(partial, to);
  }
  await synchronize(dirname(resolve(to))).catch(() => undefined); // not every system lets a directory be opened
}

async function synchronize(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns the error to throw: a RestoreError of one line when the system or SQLite refuses the new file. */
function refusalOf(to: string, error: unknown): unknown {
  const reason = reasonOf(error);
  if (reason === undefined) return toStoreFault(error);
  return new RestoreError(`Cannot write ${JSON.stringify(to)}: ${reason}`, { cause: error });
}

function reasonOf(error: unknown): string | undefined {
  // Only the new file needs room: the database is only read.
  if (sqliteCodeOf(error) === sqliteCode.full) return full;
  if (sqliteCodeOf(error) === sqliteCode.inputOutput) return "its disk, or that of the database, reports an error";
  const code = codeOf(error);
  if (code === undefined || !(error instanceof Error && "syscall" in error)) return undefined;
  return reasons.get(code) ?? `the system answers ${code}`;
}

const full = "the disk is full; make room, or name a file elsewhere";

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "its directory is not there; make it, or name another file"],
  ["ENOTDIR", "a part of the path before it is not a directory; name another file"],
  ["EACCES", "there is no permission to write to its directory; grant it, or name another file"],
  ["EROFS", "the file system is read-only; name a file elsewhere"],
  ["ENOSPC", full],
]);

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error ? String(error.code) : undefined;
