import type { Awaitable } from "waymark";
import type { Selection } from "../contract/selection.ts";
import type { CountOptions } from "../contract/store.ts";
import { KeptReads } from "./kept-reads.ts";

/**
 * Returns the number of records of a selection, of an owner or of all.
 *
 * @param options the number at which counting ends, and a state that must not be later than that of the answer
 * @param count counts them in a state that is not before this one
 */
type KeptCount = (
  selection: Selection,
  owner: number | undefined,
  options: Pick<CountOptions, "most" | "notBefore">,
  count: (notBefore: string) => Awaitable<number>,
) => Promise<number>;

/**
 * Keeps how many records some selections have, until the collection changes. To count the records with a word takes seconds where a
 * million have it; to find that nothing has changed takes as long as a page.
 *
 * @param readState returns the present state
 */
export function keptCounts(readState: () => Awaitable<string>): KeptCount {
  const counts = new KeptReads<number>(mostCounts);
  return async ({ filters = [], words = [] }, owner, { most, notBefore }, count) => {
    const key = JSON.stringify([owner, filters, words, most]);
    const state = notBefore ?? (await readState());
    const kept = counts.find(key, state);
    if (kept !== undefined) return kept;
    const counted = await count(state);
    // If they were counted in a later state, this one does not come again.
    counts.keep(key, state, () => counted);
    return counted;
  };
}

/** With the longest keys, they take half a megabyte. */
const mostCounts = 256;
