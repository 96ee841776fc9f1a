import { DeclarationSite } from "../../common/declaration.ts";
import type { Filter } from "../../filter.ts";
import { content, type HttpResponse } from "../../response.ts";
import { whenEnded } from "./request-log.ts";

/** A filter that counts, and the handler that shows what it has counted. */
export interface RequestMetrics extends Filter {
  /** Answers in the text format of Prometheus. */
  readonly handler: () => HttpResponse;
}

/**
 * Counts requests by method, route and status, and how long they take, on any runtime. For `router({ filters })`. Whoever may read
 * the paths of routes may read the answer of `handler`.
 *
 * ```ts
 * const metrics = requestMetrics();
 * router({ filters: [metrics] }, GET("/metrics", metrics.handler), ...routes)
 * ```
 *
 * @param buckets upper bounds of durations, in seconds. Default: 1 ms to 10 s
 */
export function requestMetrics(
  buckets: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
): RequestMetrics {
  const bounds = [...buckets].sort((a, b) => a - b);
  // There are as many as the app has routes, times the methods and the statuses of their answers.
  const counts = new Map<string, { readonly below: number[]; sum: number; count: number }>();
  const filter = whenEnded(new DeclarationSite(requestMetrics), (request, { status }, duration) => {
    // The method of a refused request can be any word.
    const { route } = request;
    const method = route === undefined ? "" : request.method;
    const labels = `method="${method}",route="${escaped(route?.path ?? "")}",status="${status}"`;
    const counted = counts.get(labels) ?? { below: bounds.map(() => 0), sum: 0, count: 0 };
    counts.set(labels, counted);
    const seconds = duration / 1000;
    for (const [i, bound] of bounds.entries())
      if (seconds <= bound) counted.below[i] = (counted.below[i] as number) + 1;
    counted.sum += seconds;
    counted.count++;
  });
  const handler = (): HttpResponse => {
    const lines = [...counts].flatMap(([labels, { below, sum, count }]) => [
      ...bounds.map((bound, i) => `${name}_bucket{${labels},le="${bound}"} ${below[i]}`),
      `${name}_bucket{${labels},le="+Inf"} ${count}`,
      `${name}_sum{${labels}} ${sum}`,
      `${name}_count{${labels}} ${count}`,
    ]);
    const head = [`# HELP ${name} How long requests took, until all was sent.`, `# TYPE ${name} histogram`];
    return content("text/plain; version=0.0.4; charset=utf-8", [...head, ...lines, ""].join("\n"));
  };
  return { ...filter, handler };
}

const name = "http_request_duration_seconds";

const escaped = (text: string): string => text.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`));
