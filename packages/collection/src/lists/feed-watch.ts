import type { Store } from "../store.ts";

/**
 * Says when a store has changed, to all who wait for that. It asks for the state of the store at intervals while somebody waits, so
 * that it finds the changes of every program, also through a pooler of connections. To ask takes 3 µs on SQLite and one short query
 * on PostgreSQL, however many wait.
 */
export class FeedWatch {
  readonly #store: Pick<Store, "state">;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Pick<Store, "state">) {
    this.#store = store;
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Waits until the state of the store is another one than this. Returns whether it is; false where the signal is aborted before.
   *
   * @param state as `Store.state` returned it
   */
  changedFrom(state: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const onAbort = (): void => waiting.end(false);
    const waiting: Waiting = {
      state,
      end: (hasChanged) => {
        signal.removeEventListener("abort", onAbort);
        this.#waiting.delete(waiting);
        resolve(hasChanged);
      },
    };
    signal.addEventListener("abort", onAbort);
    this.#waiting.add(waiting);
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => this.#look(), interval);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    try {
      const present = await this.#store.state();
      for (const waiting of this.#waiting) if (waiting.state !== present) waiting.end(true);
    } catch {
      // The database is away: the next look may find it again.
    }
    this.#timer = undefined;
    this.#schedule();
  }
}

interface Waiting {
  readonly state: string;
  readonly end: (hasChanged: boolean) => void;
}

/** In milliseconds: a change is seen within twice this time. */
const interval = 25;
