import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { blockThread } from "./transaction.ts";

/**
 * Bounds the write-ahead log of a database file. SQLite itself writes the log back after 1,000 pages and begins it anew, but
 * only where nobody reads at that very moment, which under constant reads can be never. Who writes bounds it after a commit, and who
 * makes long reads between two of them: where one follows the other, nobody else finds a moment.
 */
export class SqliteLog {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #busyTimeout: number;
  #bound = stride;

  /** @param busyTimeout how long the connection waits for others otherwise, in milliseconds */
  constructor(database: DatabaseSync, path: string, busyTimeout: number) {
    this.#database = database;
    this.#file = `${path}-wal`;
    this.#busyTimeout = busyTimeout;
  }

  /**
   * Empties the log when it has grown too large, outside of a transaction. For that it waits for those who read: short reads of
   * ours are one statement each, and those that begin meanwhile do not need the log. A reader that takes longer is not waited for,
   * nor tried again before the log has grown by as much once more.
   */
  bound(): void {
    const size = this.#size();
    this.#bound = Math.min(this.#bound, size + stride); // another connection may have emptied it
    if (size < this.#bound) return;
    this.#database.exec(`PRAGMA busy_timeout = ${patience}`);
    try {
      // SQLite does not wait for another connection that writes back itself, as who writes does at each commit while the log is large.
      for (const deadline = performance.now() + patience; !this.#isEmptied() && performance.now() < deadline; ) {
        blockThread(1);
      }
    } catch {
      // What is committed stays so, and the next commit tells what is wrong with the disk.
    }
    this.#database.exec(`PRAGMA busy_timeout = ${this.#busyTimeout}`);
    this.#bound = this.#size() + stride;
  }

  #isEmptied(): boolean {
    // The first writes back what is there and has no commit wait for it; the second, which has, is left with little.
    this.#database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    return this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
  }

  #size(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }
}

/** Bytes; twice what SQLite aims at. */
const stride = 8_388_608;

/** Milliseconds. */
const patience = 100;
