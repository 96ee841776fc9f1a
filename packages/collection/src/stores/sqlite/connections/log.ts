import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { blockThread } from "./transaction.ts";

/**
 * Bounds the size of a database file's write-ahead log. SQLite itself writes the log back after 1,000 pages and restarts it, but
 * only when no connection reads at that moment, which under constant reads may never happen. The writer bounds the log after a
 * commit. The reader bounds it between two long reads, because while these follow each other the writer finds no such moment.
 *
 * Returns a function that empties the log when it has grown too large. It must be called outside of a transaction. It waits for short
 * reads: those of this program are one statement each, and reads that begin meanwhile do not need the log. It does not wait for a
 * longer read; the next attempt then follows when the log has grown by the same size again.
 *
 * @param busyTimeout how long the connection waits for others in other calls, in milliseconds
 */
export function boundedLog(database: DatabaseSync, path: string, busyTimeout: number): () => void {
  const sizeNow = (): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const isEmptied = (): boolean => {
    // The first statement writes the log back without blocking commits. The second one blocks them, and has little left to write.
    database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
  };
  let bound = stride;
  return () => {
    const size = sizeNow();
    bound = Math.min(bound, size + stride); // another connection may have emptied it
    if (size < bound) return;
    database.exec(`PRAGMA busy_timeout = ${patience}`);
    try {
      // SQLite does not wait for another connection that writes the log back, as the writer does at each commit while the log is
      // large.
      for (const deadline = performance.now() + patience; !isEmptied() && performance.now() < deadline; )
        blockThread(1);
    } catch {
      // Commits are not affected, and the next commit reports what is wrong with the disk.
    }
    database.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
    bound = sizeNow() + stride;
  };
}

/** In bytes, twice the size that SQLite aims at. */
const stride = 8_388_608;

/** In milliseconds. */
const patience = 100;
