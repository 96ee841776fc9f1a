import type { Awaitable } from "waymark";
import type { Selection } from "../selection.ts";
import type { CountOptions } from "../store.ts";

/**
 * Keeps how many records some selections have, until the collection changes. To count the records with a word takes seconds where a
 * million have it; to find that nothing has changed takes as long as a page.
 */
export class KeptCounts {
  readonly #revisions: () => Awaitable<readonly number[]>;
  readonly #counts = new Map<string, number>();
  /** The revisions for which they were counted. */
  #state = "";

  /** @param revisions returns the last revision of each partition */
  constructor(revisions: () => Awaitable<readonly number[]>) {
    this.#revisions = revisions;
  }

  /**
   * Returns the number of records of a selection, of an owner or of all.
   *
   * @param options the number at which counting ends, and the revisions of a state that must not be later than that of the answer
   * @param count counts them in a state that is not before these revisions
   */
  async of(
    { filters = [], words = [] }: Selection,
    owner: number | undefined,
    { most, notBefore = [] }: Pick<CountOptions, "most" | "notBefore">,
    count: (notBefore: readonly number[]) => Awaitable<number>,
  ): Promise<number> {
    const key = JSON.stringify([owner, filters, words, most]);
    const before = await this.#revisions();
    // Where several servers answer, another one may have shown a later state.
    if (notBefore.some((least, partition) => (before[partition] ?? 0) < least)) return count(notBefore);
    const state = before.join();
    if (state !== this.#state) this.#counts.clear();
    this.#state = state;
    const kept = this.#counts.get(key);
    if (kept !== undefined) return kept;
    const counted = await count(before);
    // Otherwise the records may have been counted in a later state.
    const isUnchanged = (await this.#revisions()).join() === state && this.#state === state;
    if (isUnchanged && key.length <= longestKey) {
      if (this.#counts.size >= mostCounts) this.#counts.clear();
      this.#counts.set(key, counted);
    }
    return counted;
  }
}

const mostCounts = 256;

/** In characters. With the most counts, they take half a megabyte. */
const longestKey = 1_024;
