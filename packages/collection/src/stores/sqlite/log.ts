import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { blockThread } from "./transaction.ts";

/**
 * Bounds the size of a database file's write-ahead log. SQLite itself writes the log back after 1,000 pages and restarts it, but
 * only when no connection reads at that moment, which under constant reads may never happen. The writer bounds the log after a
 * commit. The reader bounds it between two long reads, because while these follow each other the writer finds no such moment.
 */
export class SqliteLog {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #busyTimeout: number;
  #bound = stride;

  /** @param busyTimeout how long the connection waits for others in other calls, in milliseconds */
  constructor(database: DatabaseSync, path: string, busyTimeout: number) {
    this.#database = database;
    this.#file = `${path}-wal`;
    this.#busyTimeout = busyTimeout;
  }

  /**
   * Empties the log when it has grown too large. Must be called outside of a transaction. Waits for short reads: those of this
   * program are one statement each, and reads that begin meanwhile do not need the log. Does not wait for a longer read; the next
   * attempt then follows when the log has grown by the same size again.
   */
  bound(): void {
    const size = this.#size();
    this.#bound = Math.min(this.#bound, size + stride); // another connection may have emptied it
    if (size < this.#bound) return;
    this.#database.exec(`PRAGMA busy_timeout = ${patience}`);
    try {
      // SQLite does not wait for another connection that writes the log back, as the writer does at each commit while the log is
      // large.
      for (const deadline = performance.now() + patience; !this.#isEmptied() && performance.now() < deadline; ) {
        blockThread(1);
      }
    } catch {
      // Commits are not affected, and the next commit reports what is wrong with the disk.
    }
    this.#database.exec(`PRAGMA busy_timeout = ${this.#busyTimeout}`);
    this.#bound = this.#size() + stride;
  }

  #isEmptied(): boolean {
    // The first statement writes the log back without blocking commits. The second one blocks them, and has little left to write.
    this.#database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    return this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
  }

  #size(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }
}

/** In bytes, twice the size that SQLite aims at. */
const stride = 8_388_608;

/** In milliseconds. */
const patience = 100;
