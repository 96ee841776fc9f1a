/** What repeated measurements come to. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/**
 * The median, the least and the greatest.
 *
 * @throws RangeError when there are no values
 */
export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) throw new RangeError("There are no values to summarize");
  const middle = (sorted.length - 1) / 2;
  const around = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]] as [number, number]; // Both lie within.
  return { median: (around[0] + around[1]) / 2, min, max };
}

/** The same of the values that are known; undefined where none is. */
export function summarizeKnown(values: readonly (number | undefined)[]): Summary | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : summarize(known);
}

/** What repeated measurements come to beside those of another way. */
export interface Ratio extends Summary {
  /** The median as a share of the other one. */
  readonly ratio: number;
}

/**
 * The same, beside the measurements that they are compared to.
 *
 * @throws RangeError when one of the two has no values
 */
export function summarizeBeside(values: readonly number[], baseline: readonly number[]): Ratio {
  const summary = summarize(values);
  return { ...summary, ratio: summary.median / summarize(baseline).median };
}
