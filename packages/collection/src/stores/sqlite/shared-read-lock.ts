import type { DatabaseSync, StatementSync } from "node:sqlite";

/**
 * Makes several reads of a file in one turn of the event loop cheaper. A transaction of a separate connection holds the lock that
 * each read takes and releases; connections of one process share their locks without a call of the system. Each read still sees
 * every commit that was made before it.
 *
 * The lock is released at the end of the turn, so that the log can be written back to the file and restarted.
 */
export class SharedReadLock {
  readonly #connection: DatabaseSync;
  readonly #read: StatementSync;
  #reads = 0;

  /** @param connection to the file, used for nothing else; closed with the lock */
  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    this.#read = connection.prepare("SELECT name FROM waymark_collections LIMIT 1");
  }

  /** Must be called before each read. */
  beforeRead(): void {
    // A read takes 3.1 µs, and 1.4 µs under the lock; taking and releasing the lock takes 4.2 µs (Node 26). With 64 busy clients
    // there are about 40 reads in a turn, and with a few clients there are one or two.
    this.#reads += 1;
    if (this.#reads === 1) setImmediate(() => this.#release());
    else if (this.#reads === readsBeforeLock) this.#take();
  }

  close(): void {
    if (this.#connection.isOpen) this.#connection.close();
  }

  #take(): void {
    try {
      this.#connection.exec("BEGIN");
      this.#read.get(); // which takes the lock
    } catch {
      // The reads do without it, and report what is wrong with the file.
    }
  }

  #release(): void {
    this.#reads = 0;
    try {
      if (this.#connection.isOpen && this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
    } catch {
      // As above; the transaction has changed nothing.
    }
  }
}

const readsBeforeLock = 4;
