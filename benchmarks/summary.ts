/** What repeated measurements come to. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Returns the median, the least and the greatest of the values that are known; undefined where none is. */
export function summarize(values: readonly (number | undefined)[]): Summary | undefined {
  const sorted = values
    .filter((value): value is number => value !== undefined && !Number.isNaN(value))
    .toSorted((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return undefined;
  const middle = (sorted.length - 1) / 2;
  const around = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]] as [number, number]; // Both lie within.
  return { median: (around[0] + around[1]) / 2, min, max };
}

/** Returns the ratio of two medians: `"1.25"`, or `"–"` where one is unknown. */
export function ratio(one: Summary | undefined, other: Summary | undefined): string {
  return one === undefined || other === undefined ? "–" : (one.median / other.median).toFixed(2);
}
