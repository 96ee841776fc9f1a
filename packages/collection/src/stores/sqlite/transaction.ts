import type { DatabaseSync } from "node:sqlite";
import { StoreOutcomeUnknown } from "../../store.ts";
import { sqliteCode, sqliteCodeOf, toStoreFault } from "./fault.ts";

/**
 * Runs the work in a transaction that may write: what it throws, and a commit that fails, undoes it all.
 *
 * @param busyTimeout as in `begin`
 * @throws StoreUnavailable when the database cannot be written to just now
 * @throws StoreOutcomeUnknown when the disk failed while the transaction was committed
 */
export function inTransaction<T>(database: DatabaseSync, busyTimeout: number, work: () => T): T {
  begin(database, busyTimeout);
  const result = orRollBack(database, work);
  commit(database);
  return result;
}

/**
 * Begins a transaction that may write.
 *
 * @param busyTimeout how long it waits for that of another connection, in milliseconds. SQLite's own way of waiting looks ever
 *   less often, and hardly ever finds the moment between two commits of a process that writes without a break
 */
export function begin(database: DatabaseSync, busyTimeout: number): void {
  for (const deadline = performance.now() + busyTimeout; ; blockThread(1)) {
    try {
      database.exec("BEGIN IMMEDIATE");
      return;
    } catch (error) {
      if (sqliteCodeOf(error) !== sqliteCode.busy || performance.now() >= deadline) throw toStoreFault(error);
    }
  }
}

/** Does a part of the work of a transaction that has begun; what it throws undoes all of that. */
export function orRollBack<T>(database: DatabaseSync, work: () => T): T {
  try {
    return work();
  } catch (error) {
    rollBack(database);
    throw toStoreFault(error);
  }
}

/** Has all that was done since `begin` on disk, or nothing of it. */
export function commit(database: DatabaseSync): void {
  try {
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    // It may have been the last step that failed, and what was written may turn out to have reached the disk after a crash.
    if (sqliteCodeOf(error) !== sqliteCode.inputOutput) throw toStoreFault(error);
    throw new StoreOutcomeUnknown("The disk of the database failed during a commit", { cause: error });
  }
}

export function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec("ROLLBACK"); // SQLite itself has done it when the disk was full
}

/** Lets this thread do nothing for so many milliseconds. */
export function blockThread(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
