import type { DatabaseSync } from "node:sqlite";
import { StoreUnavailable } from "../../contract/errors.ts";
import { sqliteCode, sqliteCodeOf } from "../connections/fault.ts";
import { numberIn } from "../connections/statements.ts";
import { begin, inTransaction, orRollBack, rollBack } from "../connections/transaction.ts";

/**
 * Makes a change that needs room in the log and a commit, and leaves all data unchanged. Does nothing while another process
 * writes, because changes can be made then.
 *
 * @param begun called in the transaction, before the change
 */
export function probe(database: DatabaseSync, busyTimeout: number, begun: () => void): void {
  try {
    probeRoom(database, busyTimeout);
    inTransaction(database, busyTimeout, () => {
      begun();
      // Two updates, because SQLite would find nothing to write for one that changes no value.
      database.exec("UPDATE waymark_collections SET revision = revision + 1");
      database.exec("UPDATE waymark_collections SET revision = revision - 1");
    });
  } catch (error) {
    if (!(error instanceof StoreUnavailable && sqliteCodeOf(error.cause) === sqliteCode.busy)) throw error;
  }
}

/**
 * Makes SQLite write as much to the log as for a large record, in a transaction that is undone. A test with a page or two could
 * succeed where a record does not fit, because a failed change leaves the room that it had begun to fill.
 */
function probeRoom(database: DatabaseSync, busyTimeout: number): void {
  const cacheSize = numberIn(database, "PRAGMA cache_size");
  database.exec("PRAGMA cache_size = 8"); // SQLite writes pages beyond this number before the end
  try {
    begin(database, busyTimeout);
    orRollBack(database, () => {
      database.exec("CREATE TABLE waymark_probe (content); INSERT INTO waymark_probe VALUES (zeroblob(262144))");
    });
    rollBack(database);
  } finally {
    database.exec(`PRAGMA cache_size = ${cacheSize}`);
  }
}
