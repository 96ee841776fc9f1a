import type { Histogram, Registry } from "prom-client";

/** What a histogram is for; the names are those of prom-client. */
interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** The upper bounds of the buckets, ascending, without infinity. */
  readonly buckets: readonly number[];
}

/** The observations with the same labels. */
export interface HistogramSeries {
  observe(value: number): void;
}

/**
 * Adds a histogram to a registry. Returns a function that makes its series, each of which the caller keeps: for each
 * observation, the histogram of prom-client makes a text of the labels and finds its series by that.
 *
 * ```ts
 * const newSeries = addHistogram(registry, { name: "duration_seconds", help: "Time taken", buckets: [0.1, 1] });
 * const ofGet = newSeries({ method: "GET" });
 * ofGet.observe(0.25);
 * ```
 */
export function addHistogram(
  registry: Registry,
  { name, help, buckets }: HistogramOptions,
): (labels: Readonly<Record<string, string>>) => HistogramSeries {
  const all: Series[] = [];
  const metric = {
    name,
    help,
    type: "histogram",
    aggregator: "sum",
    get: async () => ({
      name,
      help,
      type: "histogram",
      aggregator: "sum",
      values: all.flatMap((s) => s.samples(name)),
    }),
  };
  registry.registerMetric(metric as unknown as Histogram); // a registry uses the name and `get` only
  return (labels) => {
    const series = new Series(labels, buckets);
    all.push(series);
    return series;
  };
}

/** A line of the text format. */
interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

class Series implements HistogramSeries {
  readonly #labels: Readonly<Record<string, string>>;
  readonly #bounds: readonly number[];
  /** How many observations each bucket has, those of lower buckets not included; the last one has no bound. */
  readonly #counts: number[];
  #sum = 0;

  constructor(labels: Readonly<Record<string, string>>, bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  samples(name: string): readonly Sample[] {
    let count = 0;
    const buckets = this.#counts.map((own, bucket): Sample => {
      count += own;
      const le = this.#bounds[bucket] ?? "+Inf";
      return { metricName: `${name}_bucket`, labels: { le, ...this.#labels }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: this.#labels, value: this.#sum },
      { metricName: `${name}_count`, labels: this.#labels, value: count },
    ];
  }
}
