import { setTimeout as elapse } from "node:timers/promises";
import type { PoolFigures } from "../../../database.ts";
import { databaseClosed, nobodyWaits, StoreUnavailable } from "../../contract/errors.ts";
import type { ReadOptions } from "../../contract/store.ts";
import { FairQueue } from "../../fair-queue.ts";
import type { PostgresConnection } from "./connection.ts";
import { ConnectionLost, mayPass, toStoreFault } from "./fault.ts";
import type { Statement } from "./session.ts";
import { queueLimits, SharedWork } from "./shared-work.ts";

/**
 * Lends connections, each to one piece of work at a time. It opens them when they are needed, drops a broken one, and opens another
 * for the next piece of work, so that the pool heals by itself. Callers take turns, however many pieces of work of one of them
 * wait.
 */
export class PostgresPool {
  /** The greatest number of connections. */
  readonly size: number;
  readonly #patience: number;
  readonly #openOne: () => Promise<PostgresConnection>;
  readonly #idle: PostgresConnection[] = [];
  readonly #waiting = new FairQueue<Waiting>();
  readonly #shared = new SharedWork((work) => this.use(work));
  readonly #drained = Promise.withResolvers<void>();
  /** How many connections there are: idle, lent and being opened. */
  #count = 0;
  #isClosed = false;

  /**
   * @param size the greatest number of connections
   * @param patience in milliseconds, how long each piece of work waits for one
   */
  constructor(size: number, patience: number, open: () => Promise<PostgresConnection>) {
    this.size = size;
    this.#patience = patience;
    this.#openOne = open;
  }

  /**
   * Does work on a connection, and passes on its result and its errors.
   *
   * @param caller the caller that the work is for
   * @param preferred the connection to lend if nobody uses it
   * @throws StoreUnavailable when no connection can be had
   */
  async use<T>(
    work: (connection: PostgresConnection) => Promise<T>,
    caller = "",
    preferred?: PostgresConnection,
  ): Promise<T> {
    const connection = await this.#acquire(caller, preferred);
    try {
      return await work(connection);
    } finally {
      this.#release(connection);
    }
  }

  /**
   * Returns the rows of a statement that changes nothing. When the connection breaks, sends it once more, on another one. When a
   * standby undoes it because of changes from its primary, tries it up to five times.
   *
   * @param toFault makes the error to throw from an error of the database
   * @param options when their signal is aborted, the connection is given up, and the server ends the statement; but not a short one
   * @param series the reads that this one belongs to; by default it is one of its own
   * @throws StoreUnavailable when the database cannot be used, or when no caller waits for the answer any more
   */
  async read<Row extends readonly (string | null)[]>(
    statement: Statement,
    toFault: (error: unknown) => unknown = toStoreFault,
    options: ReadOptions = {},
    series?: ReadSeries<Row>,
  ): Promise<Row[]> {
    const { caller } = options;
    const askOn = async (connection: PostgresConnection): Promise<Row[]> => {
      const rows = await connection.queryAlone<Row>(statement);
      if (series?.isBehind(rows) === true) throw leave(connection);
      if (series !== undefined) series.connection = connection;
      return rows;
    };
    const askAlone = async (connection: PostgresConnection): Promise<Row[]> => {
      const { signal } = options;
      if (signal?.aborted) throw nobodyWaits({ cause: signal.reason });
      const giveUp = (): void => connection.destroy();
      signal?.addEventListener("abort", giveUp);
      try {
        return await askOn(connection);
      } finally {
        signal?.removeEventListener("abort", giveUp);
      }
    };
    const isShared = statement.isShort === true && series?.connection === undefined;
    const ask = (): Promise<Row[]> =>
      isShared ? this.#shared.add(askOn, caller) : this.use(askAlone, caller, series?.connection);
    const askOnTwo = (): Promise<Row[]> =>
      ask().catch((error) => {
        if (error instanceof ConnectionLost) return ask();
        throw error;
      });
    try {
      return await attempt(5, askOnTwo, (error) => mayPass(error) || error instanceof ServerBehind);
    } catch (error) {
      throw toFault(error);
    }
  }

  get figures(): PoolFigures {
    return { open: this.#count, idle: this.#idle.length, waiting: this.#waiting.size + this.#shared.waiting };
  }

  /** Lends no more connections, and closes them all when the current work is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failWaiting(databaseClosed());
    for (const connection of this.#idle.splice(0)) this.#drop(connection);
    if (this.#count === 0) this.#drained.resolve();
    await this.#drained.promise;
  }

  async #acquire(caller: string, preferred: PostgresConnection | undefined): Promise<PostgresConnection> {
    if (this.#isClosed) throw databaseClosed();
    const at = preferred === undefined ? -1 : this.#idle.indexOf(preferred);
    if (at >= 0) this.#idle.push(...this.#idle.splice(at, 1));
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isUsable) return idle;
      this.#drop(idle);
    }
    if (this.#count < this.size) return this.#open();
    this.#waiting.assertRoom(caller, queueLimits);
    return this.#wait(caller);
  }

  #wait(caller: string): Promise<PostgresConnection> {
    const { promise, resolve, reject } = Promise.withResolvers<PostgresConnection>();
    const waiting: Waiting = {
      resolve,
      reject,
      timer: setTimeout(() => this.#giveUp(caller, waiting), this.#patience),
    };
    this.#waiting.add(caller, waiting);
    return promise;
  }

  #giveUp(caller: string, waiting: Waiting): void {
    this.#waiting.delete(caller, waiting);
    waiting.reject(new StoreUnavailable("The database is too busy"));
  }

  async #open(): Promise<PostgresConnection> {
    this.#count++;
    let connection: PostgresConnection;
    try {
      connection = await this.#openOne();
    } catch (cause) {
      this.#forget();
      const fault = new StoreUnavailable("The database cannot be reached", { cause });
      // Where others work, one of them will serve those that wait. Otherwise each would fail in the same way, one after another.
      if (this.#count === 0) this.#failWaiting(fault);
      throw fault;
    }
    if (!this.#isClosed) return connection;
    this.#drop(connection);
    throw databaseClosed();
  }

  #release(connection: PostgresConnection): void {
    const isKept = connection.isUsable && !this.#isClosed;
    if (!isKept) this.#drop(connection);
    const next = this.#waiting.take();
    if (next === undefined) {
      if (isKept) this.#idle.push(connection);
      return;
    }
    clearTimeout(next.timer);
    if (isKept) next.resolve(connection);
    else this.#open().then(next.resolve, next.reject);
  }

  #drop(connection: PostgresConnection): void {
    if (connection.isUsable) connection.close().then(() => this.#forget());
    else {
      connection.destroy();
      this.#forget();
    }
  }

  #forget(): void {
    this.#count--;
    if (this.#isClosed && this.#count === 0) this.#drained.resolve();
  }

  #failWaiting(fault: StoreUnavailable): void {
    for (const next of this.#waiting.takeAll()) {
      clearTimeout(next.timer);
      next.reject(fault);
    }
  }
}

/**
 * Reads of which none may show an older state than the one before it. Where an address leads to several servers, the connections of a pool
 * may lead to different ones, and one may be behind another.
 */
export interface ReadSeries<Row> {
  /** The connection of the latest read, which the next one prefers. */
  connection?: PostgresConnection;
  /** Returns whether these rows show an older state. */
  readonly isBehind: (rows: readonly Row[]) => boolean;
}

/** Sends a statement to a server. */
export type Ask = <Row extends readonly (string | null)[]>(statement: Statement) => Promise<readonly Row[]>;

/** The error of a read whose server lacks what another server has shown. */
class ServerBehind extends StoreUnavailable {}

/** Gives up the connection to a server that is behind, so that the next attempt is made on another connection. */
function leave(connection: PostgresConnection): ServerBehind {
  connection.destroy();
  return new ServerBehind("The server of the database lacks what another one has shown");
}

interface Waiting {
  readonly resolve: (connection: PostgresConnection) => void;
  readonly reject: (error: StoreUnavailable) => void;
  readonly timer: NodeJS.Timeout;
}

/** Returns the result of work that is tried up to `most` times, where its error allows that. Throws the last error. */
export async function attempt<T>(
  most: number,
  work: () => Promise<T>,
  mayBeRepeated: (error: unknown) => boolean,
): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await work();
    } catch (error) {
      if (made === most || !mayBeRepeated(error)) throw error;
      await elapse(Math.random() * 10 * 2 ** made); // milliseconds; random, so that programs that collided do not collide again
    }
  }
}
