import { FairQueue } from "../../fair-queue.ts";
import type { PostgresConnection } from "./connection.ts";
import { querySchedule } from "./query-schedule.ts";

/**
 * Does work that takes a moment, several pieces at once on one connection: those that are added in one turn of the event loop, or while
 * other pieces are under way. So their statements are one write, and the server takes the next one without waiting for it. Callers
 * take turns.
 */
export class SharedWork {
  readonly #lend: (work: (connection: PostgresConnection) => Promise<unknown>) => Promise<unknown>;
  readonly #waiting = new FairQueue<PieceOfWork>();
  readonly #schedule = querySchedule(
    () => this.#begin(),
    () => this.#waiting.size > 0,
  );

  /** @param lend does work on a connection that it has for itself */
  constructor(lend: (work: (connection: PostgresConnection) => Promise<unknown>) => Promise<unknown>) {
    this.#lend = lend;
  }

  /** How many pieces of work wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** @throws StoreUnavailable (rejects) when too much work waits, or no connection can be had */
  async add<T>(work: (connection: PostgresConnection) => Promise<T>, caller = ""): Promise<T> {
    this.#waiting.assertRoom(caller, queueLimits);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.add(caller, { begin: (connection) => work(connection).then(resolve, reject), reject });
    this.#schedule();
    return promise;
  }

  async #begin(): Promise<void> {
    try {
      await this.#lend((connection) => {
        const pieces = this.#waiting.takeAll().take(mostAtOnce);
        return Promise.all(pieces.map(({ begin }) => begin(connection)));
      });
    } catch (error) {
      for (const { reject } of this.#waiting.takeAll()) reject(error);
    }
  }
}

interface PieceOfWork {
  /** Resolves when it has ended, also when it has failed. */
  readonly begin: (connection: PostgresConnection) => Promise<void>;
  readonly reject: (error: unknown) => void;
}

/** In pieces of work that wait for a connection; for more, the store is unavailable. The share is that of a caller with a name. */
export const queueLimits = { ofAll: 1000, ofCaller: 100 };

/** A list that has a connection for itself is not kept waiting: an answer has up to 64 KiB and takes about a millisecond. */
const mostAtOnce = 16;
