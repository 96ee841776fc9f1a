/**
 * Keeps what has been read of one state of a collection, by what was asked for. What was read of another state goes. When it is full,
 * it stays as it is while reads are found in it as often as not: if room was made at once, none of 1,000 pages that are a fifth too
 * much and are asked for in turn was ever found, and to collect them as garbage took a fourth of the time.
 */
export class KeptReads<Read> {
  readonly #most: number;
  readonly #kept = new Map<string, Read>();
  #size = 0;
  /** How many more reads were not kept, for lack of room, than were found. */
  #lacked = 0;
  #state = "";

  /** @param most the sum of the sizes of all that is kept */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns what is kept of the latest state that is known; it may not be that of the collection any more. */
  latest(key: string): Read | undefined {
    return this.#kept.get(key);
  }

  /** Returns whether something is kept, which `find` would return. */
  has(key: string, state: string): boolean {
    this.#enter(state);
    return this.#kept.has(key);
  }

  /** @param state the one of which it must be */
  find(key: string, state: string): Read | undefined {
    this.#enter(state);
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#lacked > 0) this.#lacked--;
    return kept;
  }

  /** @param toKept makes what is kept, where there is room for it */
  keep(key: string, state: string, toKept: () => Read, size = 1): void {
    this.#enter(state);
    if (key.length > longestKey) return;
    if (this.#size + size > this.#most) {
      if (++this.#lacked <= this.#kept.size) return;
      this.#clear();
    }
    this.#size += size;
    this.#kept.set(key, toKept());
  }

  #enter(state: string): void {
    if (state !== this.#state) this.#clear();
    this.#state = state;
  }

  #clear(): void {
    this.#kept.clear();
    this.#size = 0;
    this.#lacked = 0;
  }
}

/** In characters. */
const longestKey = 1_024;
