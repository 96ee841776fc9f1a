import { type Counter, Gauge, type Histogram, type Registry } from "prom-client";
import type { Awaitable } from "waymark";

/** What a figure is now: a value for each set of labels. */
export type Figure = () => Awaitable<
  Iterable<readonly [labels: Readonly<Record<string, string | number>>, value: number]>
>;

/** Adds a gauge or a counter that is read with the metrics. Two with the same labels add up. */
export function addFigure(
  registry: Registry,
  Kind: typeof Gauge | typeof Counter,
  name: string,
  help: string,
  labelNames: readonly string[],
  read: Figure,
): void {
  const metric: Gauge | Counter = new Kind({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    async collect() {
      metric.reset();
      for (const [labels, value] of await read()) metric.inc(labels, value);
    },
  });
}

/** Returns a function that adds gauges. */
export const gaugesOf =
  (registry: Registry) =>
  (name: string, help: string, labelNames: readonly string[], read: Figure): void =>
    addFigure(registry, Gauge, name, help, labelNames, read);

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
  const about = { name, help, type: "histogram", aggregator: "sum" };
  const metric = { ...about, get: async () => ({ ...about, values: all.flatMap((each) => each.samples(name)) }) };
  registry.registerMetric(metric as unknown as Histogram); // a registry uses the name and `get` only
  return (labels) => {
    const made = series(labels, buckets);
    all.push(made);
    return made;
  };
}

interface Series extends HistogramSeries {
  /** Returns the lines of the text format. */
  samples(name: string): readonly Sample[];
}

/** A line of the text format. */
interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

function series(labels: Readonly<Record<string, string>>, bounds: readonly number[]): Series {
  let sum = 0;
  /** How many observations each bucket has, those of lower buckets not included; the last one has no bound. */
  const counts = Array.from({ length: bounds.length + 1 }, () => 0);

  return {
    observe(value) {
      let bucket = 0;
      while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      sum += value;
    },
    samples(name) {
      let count = 0;
      const buckets = counts.map((own, bucket): Sample => {
        count += own;
        const le = bounds[bucket] ?? "+Inf";
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
      });
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    },
  };
}
