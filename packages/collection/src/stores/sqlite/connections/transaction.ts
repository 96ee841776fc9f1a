import type { DatabaseSync } from "node:sqlite";
import { StoreOutcomeUnknown } from "../../contract/errors.ts";
import { sqliteCode, sqliteCodeOf, toStoreFault } from "./fault.ts";

/**
 * Runs the work in a transaction that may write. An error of the work or of the commit undoes all of it.
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
 * @param busyTimeout how long to wait for the transaction of another connection, in milliseconds. SQLite itself would try less and
 *   less often, and hardly ever find the moment between two commits of a process that writes without a break
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

/** Does a part of the work of a transaction that has begun. An error rolls back the whole transaction. */
export function orRollBack<T>(database: DatabaseSync, work: () => T): T {
  try {
    return work();
  } catch (error) {
    rollBack(database);
    throw toStoreFault(error);
  }
}

/** Commits the transaction: either all of it is on disk, or nothing. */
export function commit(database: DatabaseSync): void {
  try {
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    // Perhaps only the last step has failed: after a crash, the transaction may turn out to be on disk.
    if (sqliteCodeOf(error) !== sqliteCode.inputOutput) throw toStoreFault(error);
    throw new StoreOutcomeUnknown("The disk of the database failed during a commit", { cause: error });
  }
}

export function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec("ROLLBACK"); // SQLite itself has done it when the disk was full
}

/** Blocks this thread for a number of milliseconds. */
export function blockThread(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
