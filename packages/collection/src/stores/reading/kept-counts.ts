import type { Awaitable } from "waymark";
import type { Selection } from "../contract/selection.ts";
import type { CountOptions } from "../contract/store.ts";
import { KeptReads } from "./kept-reads.ts";

/**
 * Keeps how many records some selections have, until the collection changes. To count the records with a word takes seconds where a
 * million have it; to find that nothing has changed takes as long as a page.
 */
export class KeptCounts {
  readonly #revisions: () => Awaitable<readonly number[]>;
  readonly #counts = new KeptReads<number>(mostCounts);

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
    { most, notBefore }: Pick<CountOptions, "most" | "notBefore">,
    count: (notBefore: readonly number[]) => Awaitable<number>,
  ): Promise<number> {
    const key = JSON.stringify([owner, filters, words, most]);
    const state = notBefore ?? (await this.#revisions());
    const kept = this.#counts.find(key, state);
    if (kept !== undefined) return kept;
    const counted = await count(state);
    // If they were counted in a later state, this one does not come again.
    this.#counts.keep(key, state, counted);
    return counted;
  }
}

/** With the longest keys, they take half a megabyte. */
const mostCounts = 256;
