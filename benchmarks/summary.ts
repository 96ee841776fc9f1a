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
