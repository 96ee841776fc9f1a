import type { ServeSettings } from "./options.ts";

/** What may take too long. */
export interface Watchable {
  /** Looks whether it does; `elapsed` are the milliseconds since the last call. */
  look(elapsed: number): void;
}

/** Connections or streams that are open, all of them watched by one timer. */
export class Watched<T extends Watchable> implements Iterable<T> {
  /** How often each is looked at, in milliseconds: nothing is noticed later than that. */
  readonly interval: number;
  readonly #open = new Set<T>();
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: ServeSettings) {
    this.interval = watchInterval(settings);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#open.values();
  }

  add(one: T): void {
    this.#open.add(one);
    this.#timer ??= this.#startTimer();
  }

  delete(one: T): void {
    this.#open.delete(one);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #startTimer(): NodeJS.Timeout {
    // Each round counts as long as it should be: clients are not to blame when this process has been held up.
    const look = (): void => {
      for (const one of this.#open) one.look(this.interval);
    };
    return setInterval(look, this.interval);
  }
}

/** Half the shortest time that is to be kept, and half a second at most; in milliseconds. */
function watchInterval(settings: ServeSettings): number {
  const { headersTimeout, requestTimeout, keepAliveTimeout, writeTimeout, drainTimeout } = settings;
  const times = [headersTimeout, requestTimeout, keepAliveTimeout, writeTimeout, drainTimeout].filter(
    (time) => time > 0,
  );
  return Math.max(1, Math.floor(Math.min(1_000, ...times) / 2));
}
