import { rm, stat } from "node:fs/promises";
import { backup, DatabaseSync } from "node:sqlite";
import { FileNameError, FileTakenError, NewFile } from "../contract/new-file.ts";
import { RestoreError } from "../contract/snapshot.ts";
import { placeReasons, sqliteCode, sqliteCodeOf, toStoreFault } from "./connections/fault.ts";
import { openingFault } from "./connections/file.ts";
import { assertIntact, readSqliteFile } from "./snapshot.ts";

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
  const refuse = (error: unknown): never => {
    throw refusalOf(to, error);
  };
  await using target = await NewFile.open(to).catch(refuse);
  const partial = target.partial as string; // nothing but a new file is not replaced
  // The transaction sees one moment, however long the copying takes. Without it, each write would restart the copying.
  const { database } = readSqliteFile(file);
  try {
    await backup(database, partial, {
      rate: pagesAtOnce,
      progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / Math.max(1, totalPages)),
    });
    assertWhole(file, partial);
    await target.handle.chmod((await stat(file)).mode & 0o666);
    await target.finish();
    onProgress(1);
  } catch (error) {
    refuse(error);
  } finally {
    database.close();
    // SQLite leaves its journal when it cannot undo an unfinished write.
    await rm(`${partial}-journal`, { force: true });
  }
}

/** The options of a backup. */
interface BackupOptions {
  /** Called from time to time with the share of the file that is written, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/** In pages; 4 MiB. */
const pagesAtOnce = 1024;

/** Makes the new file a single one without a log, and checks that it is intact. */
function assertWhole(file: string, partial: string): void {
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
}

/** Returns the error to throw: a RestoreError of one line when the system or SQLite refuses the new file. */
function refusalOf(to: string, error: unknown): unknown {
  if (error instanceof FileTakenError) {
    return new RestoreError(`There is ${JSON.stringify(to)} already: name a file that is not there yet`);
  }
  const reason = reasonOf(error);
  if (reason === undefined) return toStoreFault(error);
  return new RestoreError(`Cannot write ${JSON.stringify(to)}: ${reason}`, { cause: error });
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof FileNameError) return error.message;
  // Only the new file needs room: the database is only read.
  if (sqliteCodeOf(error) === sqliteCode.full) return placeReasons.ENOSPC;
  if (sqliteCodeOf(error) === sqliteCode.inputOutput) return "its disk, or that of the database, reports an error";
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return undefined;
  return reasons.get(String(error.code)) ?? `the system answers ${error.code}`;
}

const reasons: ReadonlyMap<string, string> = new Map([
  ...Object.entries(placeReasons),
  ["ENOENT", "its directory is not there; make it, or name another file"],
  ["EACCES", "there is no permission to write to its directory; grant it, or name another file"],
]);
