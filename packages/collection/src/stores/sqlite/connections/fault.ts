import { databaseClosed, StoreDamaged, StoreUnavailable } from "../../contract/errors.ts";

/** Primary result codes of SQLite, by their meaning for the store. */
export const sqliteCode = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  notADatabase: 26,
} as const;

/** Returns the primary result code of an error of node:sqlite; undefined for any other value. */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff; // the bits above are the extended code
}

/**
 * Returns the error that a store throws for an error of node:sqlite: StoreDamaged for a damaged file, StoreUnavailable when trying
 * later may help, otherwise the error itself.
 */
export function toStoreFault(error: unknown): unknown {
  const code = sqliteCodeOf(error);
  if (code !== undefined) {
    const reason = temporary.get(code);
    if (reason !== undefined) return new StoreUnavailable(reason, { cause: error });
    return code === sqliteCode.corrupt ? new StoreDamaged(damaged, { cause: error }) : error;
  }
  // node:sqlite reports an invalid state of its own, not an invalid argument, when the database or the statement is closed.
  const isClosed = error instanceof Error && "code" in error && error.code === "ERR_INVALID_STATE";
  return isClosed ? databaseClosed({ cause: error }) : error;
}

/** Makes a read, and throws its errors as `toStoreFault` returns them. */
export function guardedRead<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw toStoreFault(error);
  }
}

/** Why no file can be made at a place, and what helps, by the codes of the system. */
export const placeReasons = {
  ENOSPC: "the disk is full; make room, or name a file elsewhere",
  ENOTDIR: "a part of the path before it is not a directory; name another file",
  EROFS: "the file system is read-only; name a file elsewhere",
} as const;

const damaged = "The file of the database is damaged: stop the service, and restore a backup";

const temporary: ReadonlyMap<number, string> = new Map([
  [sqliteCode.busy, "Another process is writing to the database"],
  [sqliteCode.locked, "The database is locked"],
  [sqliteCode.readOnly, "The database has become read-only"],
  [sqliteCode.inputOutput, "The disk of the database reports an error"],
  [sqliteCode.full, "The disk of the database is full"],
  [sqliteCode.cannotOpen, "The database can no longer be opened"],
]);
