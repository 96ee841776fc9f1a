/** Keeps what has been read of one state of a collection, by what was asked for. What was read of another state goes. */
export class KeptReads<Read> {
  readonly #most: number;
  readonly #kept = new Map<string, Read>();
  #size = 0;
  /** The revisions of the state. */
  #state = "";

  /** @param most the sum of the sizes of all that is kept */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns what is kept of the latest state that is known; it may not be that of the collection any more. */
  latest(key: string): Read | undefined {
    return this.#kept.get(key);
  }

  /** @param revisions the last revision of each partition in the state of which it must be */
  find(key: string, revisions: readonly number[]): Read | undefined {
    this.#enter(revisions);
    return this.#kept.get(key);
  }

  keep(key: string, revisions: readonly number[], read: Read, size = 1): void {
    this.#enter(revisions);
    if (key.length > longestKey) return;
    this.#size += size;
    if (this.#size > this.#most) this.#clear(size);
    this.#kept.set(key, read);
  }

  #enter(revisions: readonly number[]): void {
    const state = revisions.join();
    if (state !== this.#state) this.#clear(0);
    this.#state = state;
  }

  #clear(size: number): void {
    this.#kept.clear();
    this.#size = size;
  }
}

/** In characters. */
const longestKey = 1_024;
