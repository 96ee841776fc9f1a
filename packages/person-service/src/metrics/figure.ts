import { type Counter, Gauge, type Registry } from "prom-client";
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
