import type { observeRequests } from "@waymark/node";
import { Counter, type Registry } from "prom-client";
import { type ServiceObserver, usualMethods } from "../observer.ts";
import { addFigure, addHistogram, gaugesOf, type HistogramSeries } from "./figures.ts";

/** The figures of the requests with one method and one route. */
interface Figures {
  readonly labels: { readonly method: string; readonly route: string };
  /** How many requests were answered, by status. */
  readonly answered: Map<number | "none", number>;
  readonly durations: HistogramSeries;
  received: number;
  sent: number;
  aborted: number;
}

/**
 * Makes the metrics of requests. Their figures are kept here and handed to prom-client when the metrics are read: for each
 * request, its counters would make a text of the labels, five times.
 */
export function requestMetrics(registry: Registry): Required<Pick<ServiceObserver, "onStart" | "onEnd" | "onRepeat">> {
  const newDurations = addHistogram(registry, {
    name: "http_request_duration_seconds",
    help: "Time from the head of a request until its whole response was sent",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  });
  const byRoute = new Map<string, Map<string, Figures>>();
  let inFlight = 0;

  const figuresOf = (event: observeRequests.Event): Figures => {
    const method = methodLabel(event);
    const route = event.request.route?.path ?? "none";
    const known = byRoute.get(route)?.get(method);
    if (known !== undefined) return known;
    const labels = { method, route };
    const figures = { labels, answered: new Map(), durations: newDurations(labels), received: 0, sent: 0, aborted: 0 };
    byRoute.set(route, (byRoute.get(route) ?? new Map<string, Figures>()).set(method, figures));
    return figures;
  };

  /** Returns what counts an answer like this one; it keeps nothing of the event. */
  const counterOf = (
    event: observeRequests.Event,
  ): ((end: Pick<observeRequests.Event, "duration" | "isSent">) => void) => {
    const figures = figuresOf(event);
    const { response, contentBytes } = event;
    const status = response?.status ?? "none";
    return ({ duration, isSent }) => {
      figures.answered.set(status, (figures.answered.get(status) ?? 0) + 1);
      figures.durations.observe(duration / 1000);
      figures.sent += contentBytes;
      if (!isSent) figures.aborted++;
    };
  };

  addCounters(registry, () => byRoute.values().flatMap((byMethod) => byMethod.values()));
  gaugesOf(registry)("http_requests_in_flight", "Requests in progress", [], () => [[{}, inFlight]]);
  return {
    onStart() {
      inFlight++;
    },
    onEnd(event) {
      inFlight--;
      counterOf(event)(event);
      figuresOf(event).received += event.receivedBytes;
    },
    onRepeat: counterOf,
  };
}

/** Adds the counters of requests; a series without any is left out. */
function addCounters(registry: Registry, all: () => Iterable<Figures>): void {
  const answered = "Requests that have been answered";
  addFigure(registry, Counter, "http_requests_total", answered, ["method", "route", "status"], () =>
    Iterator.from(all()).flatMap(({ labels, answered }) =>
      answered.entries().map(([status, count]) => [{ ...labels, status }, count] as const),
    ),
  );
  const sums = [
    ["http_request_content_bytes_total", "Bytes of content that were read, before decompression", "received"],
    ["http_response_content_bytes_total", "Bytes of content that were sent, after compression", "sent"],
    ["http_requests_aborted_total", "Requests whose client went before it had the whole response", "aborted"],
  ] as const;
  for (const [name, help, figure] of sums) {
    addFigure(registry, Counter, name, help, ["method", "route"], () =>
      Iterator.from(all()).flatMap((figures) =>
        figures[figure] > 0 ? [[figures.labels, figures[figure]] as const] : [],
      ),
    );
  }
}

/** Replaces unknown methods, because each label is kept in memory and clients can invent methods. */
const methodLabel = ({ request: { method } }: observeRequests.Event): string =>
  usualMethods.has(method) ? method : "other";
