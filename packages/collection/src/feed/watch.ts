import type { Store } from "../stores/contract/store.ts";

/**
 * Says when a store has changed, to all who wait for that. It asks for the state of the store at intervals while somebody waits, so
 * that it finds the changes of every program, also through a pooler of connections. To ask takes 3 µs on SQLite and one short query
 * on PostgreSQL, however many wait.
 */
export class FeedWatch {
  readonly #store: Pick<Store, "state">;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  /** In milliseconds, before the next look. */
  #pause = interval;

  constructor(store: Pick<Store, "state">) {
    this.#store = store;
  }

  /**
   * Waits until the state of the store is another one than this. Returns that one; undefined where the signal is aborted before.
   *
   * @param state as `Store.state` returned it
   * @param pauseAfter returns for how long others are to have the processor once this is answered, in milliseconds
   */
  changedFrom(state: string, signal: AbortSignal, pauseAfter: () => number = pauseOfOne): Promise<string | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const onAbort = (): void => waiting.end(undefined);
    const waiting: Waiting = {
      state,
      pauseAfter,
      end: (present) => {
        signal.removeEventListener("abort", onAbort);
        this.#waiting.delete(waiting);
        resolve(present);
      },
    };
    signal.addEventListener("abort", onAbort);
    this.#waiting.add(waiting);
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => this.#look(), this.#pause);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    try {
      const present = await this.#store.state();
      const changed = [...this.#waiting].filter(({ state }) => state !== present);
      for (const waiting of changed) waiting.end(present);
      const least = changed.length === 0 ? interval : intervalOfChanges;
      const pause = changed.reduce((sum, { pauseAfter }) => sum + pauseAfter(), least);
      this.#pause = Math.min(longestInterval, pause);
    } catch {
      // The database is away: the next look may find it again.
    }
    this.#timer = undefined;
    this.#schedule();
  }
}

interface Waiting {
  readonly state: string;
  readonly pauseAfter: () => number;
  readonly end: (present: string | undefined) => void;
}

/** In milliseconds: a change is seen within twice this time, if no other came shortly before. */
const interval = 15;

/**
 * In milliseconds: while changes go on, many of them share a look and a read. On SQLite, both take 200 µs, and 1.4 µs more for each
 * change (Node 26), however many follow.
 */
const intervalOfChanges = 30;

/** In milliseconds: while changes go on, answers to many requests that wait leave most of the time to others. */
const pauseOfOne = (): number => 2;

/** In milliseconds. */
const longestInterval = 1000;
