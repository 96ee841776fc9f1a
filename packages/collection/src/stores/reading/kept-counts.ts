import type { Awaitable } from "waymark";
import type { Selection } from "../contract/selection.ts";
import type { CountOptions } from "../contract/store.ts";

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
  let kept = { state: "", counts: new Map<string, number>() };
  /** How many counts were not kept for lack of room. At first they are not: of more counts that are asked for in turn, none was found. */
  let lacked = 0;
  return async ({ filters = [], words = [] }, owner, { most, notBefore }, count) => {
    const key = JSON.stringify([owner, filters, words, most]);
    const state = notBefore ?? (await readState());
    const isFull = kept.counts.size === mostCounts && ++lacked > mostCounts;
    if (kept.state !== state || isFull) {
      kept = { state, counts: new Map() };
      lacked = 0;
    }
    const { counts } = kept;
    const known = counts.get(key);
    if (known !== undefined) return known;
    const counted = await count(state);
    // If they were counted in a later state, this one does not come again.
    if (key.length <= longestKey && counts.size < mostCounts) counts.set(key, counted);
    return counted;
  };
}

/** With the longest keys, they take half a megabyte. */
const mostCounts = 256;

/** In characters. */
const longestKey = 1_024;
