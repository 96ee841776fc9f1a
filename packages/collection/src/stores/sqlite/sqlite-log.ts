import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/**
 * Bounds the write-ahead log of a database file. SQLite itself writes the log back after 1,000 pages and begins it anew, but
 * only where nobody reads at that very moment, which under constant reads can be never.
 */
export class SqliteLog {
  readonly #database: DatabaseSync;
  readonly #file: string;
  #bound = stride;

  /** @param database a connection that does not wait for others */
  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#file = `${path}-wal`;
  }

  /**
   * Empties the log when it has grown too large, outside of a transaction. For that it waits for those who read: each read of
   * ours is one statement, and those that begin meanwhile do not need the log. A reader of another process may take longer, and is not
   * waited for, nor tried again before the log has grown by as much once more.
   */
  bound(): void {
    if (this.#size() < this.#bound) return;
    this.#database.exec(`PRAGMA busy_timeout = ${patience}`);
    try {
      this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // What is committed stays so, and the next commit tells what is wrong with the disk.
    }
    this.#database.exec("PRAGMA busy_timeout = 0");
    this.#bound = this.#size() + stride;
  }

  #size(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }
}

/** Bytes; twice what SQLite aims at. */
const stride = 8_388_608;

/** Milliseconds. */
const patience = 100;
