import { type Database, StoreUnavailable } from "@waymark/collection";
import type { FollowerFigures } from "@waymark/collection/internal";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { AccessDenial } from "../access/policy.ts";
import { checkWithin } from "../health.ts";
import type { ServiceObserver, TurnedAway } from "../observer.ts";
import type { WebhookFigures } from "../webhooks/sender.ts";
import { addFigure, addHistogram, gaugesOf, type HistogramSeries } from "./figures.ts";
import { requestMetrics } from "./request-metrics.ts";

/** The metrics of a service in this process. */
export interface ServiceMetrics {
  readonly registry: Registry;
  readonly observer: ServiceObserver;
  /** Adds the figures of the database and of those who follow it, which are read with the metrics. */
  watch(service: WatchedService, isReady: () => boolean): void;
}

/** A service, as far as its metrics read it. */
interface WatchedService {
  readonly database: Database;
  readonly followers: () => Promise<FollowerFigures>;
  /** Default: there are no webhooks. */
  readonly webhooks?: (() => readonly WebhookFigures[]) | undefined;
}

/** Makes the metrics of a service; docs/operating.md lists them. */
export function serviceMetrics(version: string): ServiceMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = requestMetrics(registry);
  const refused = new Counter({
    name: "http_requests_refused_total",
    help: "Requests that were turned away or not let in, by cause",
    labelNames: ["cause"],
    registers: [registry],
  });
  for (const [cause, first] of Object.entries(refusals)) refused.inc({ cause }, first);
  addFigure(registry, Gauge, "person_service_info", "1, with the version of the service", ["version"], () => [
    [{ version }, 1],
  ]);
  return {
    registry,
    observer: {
      ...requests,
      ...operationMetrics(registry),
      ...commitMetrics(registry),
      onTurnedAway: (cause) => refused.inc({ cause }),
      onDenial: ({ kind }) => refused.inc({ cause: kind }),
    },
    watch({ database, followers, webhooks }, isReady) {
      databaseMetrics(registry, database, isReady);
      followerMetrics(registry, followers);
      if (webhooks !== undefined) webhookMetrics(registry, webhooks);
    },
  };
}

/** Each cause begins at 0, so that a rate is known from the first refusal on. */
const refusals: Readonly<Record<TurnedAway | AccessDenial["kind"], 0>> = {
  delay: 0,
  "in-flight": 0,
  quota: 0,
  ambiguous: 0,
  unauthenticated: 0,
  forbidden: 0,
  throttled: 0,
  unavailable: 0,
};

const storeBuckets = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

function operationMetrics(registry: Registry): Pick<ServiceObserver, "onOperation"> {
  const newSeries = addHistogram(registry, {
    name: "store_operation_duration_seconds",
    help: "Time that operations of the store took, their waiting included",
    buckets: storeBuckets,
  });
  const byOutcome: Readonly<Record<Outcome, Map<string, HistogramSeries>>> = {
    ok: new Map(),
    unavailable: new Map(),
    error: new Map(),
  };
  return {
    onOperation({ name, milliseconds, error }) {
      const outcome = outcomeOf(error);
      let series = byOutcome[outcome].get(name);
      if (series === undefined) {
        series = newSeries({ operation: name, outcome });
        byOutcome[outcome].set(name, series);
      }
      series.observe(milliseconds / 1000);
    },
  };
}

function commitMetrics(registry: Registry): Pick<ServiceObserver, "onCommit"> {
  const registers = [registry];
  const commits = new Histogram({
    name: "store_commit_duration_seconds",
    help: "Time that transactions with changes took",
    labelNames: ["outcome"],
    buckets: storeBuckets,
    registers,
  });
  const changes = new Histogram({
    name: "store_commit_changes",
    help: "Changes that were committed together",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  });
  return {
    onCommit({ changes: count, milliseconds, error }) {
      commits.observe({ outcome: outcomeOf(error) }, milliseconds / 1000);
      changes.observe(count);
    },
  };
}

type Outcome = "ok" | "unavailable" | "error";

function outcomeOf(error: unknown): Outcome {
  if (error === undefined) return "ok";
  return error instanceof StoreUnavailable ? "unavailable" : "error";
}

function databaseMetrics(registry: Registry, database: Database, isReady: () => boolean): void {
  const gauge = gaugesOf(registry);
  gauge("person_service_ready", "1 while the service can do what it is for, as /health/ready says", [], async () => [
    [{}, isReady() && (await canBeUsed(database)) ? 1 : 0],
  ]);
  gauge("store_waiting", "Changes and long reads that wait for the database", ["kind"], () => {
    const { waitingChanges, waitingReads } = database.figures();
    return [
      [{ kind: "changes" }, waitingChanges],
      [{ kind: "reads" }, waitingReads],
    ];
  });
  const { files, pools } = database.figures();
  if (files !== undefined) {
    gauge("sqlite_file_bytes", "Size of the database file and of its write-ahead log", ["file"], () =>
      Object.entries(database.figures().files ?? {}).map(([file, size]) => [{ file }, size]),
    );
  }
  if (pools === undefined) return;
  const poolsNow = () => Object.entries(database.figures().pools ?? {});
  gauge("postgres_pool_connections", "Connections to PostgreSQL", ["pool", "state"], () =>
    poolsNow().flatMap(([pool, { open, idle }]) => [
      [{ pool, state: "idle" }, idle],
      [{ pool, state: "used" }, open - idle],
    ]),
  );
  gauge("postgres_pool_waiting", "Work that waits for a connection to PostgreSQL", ["pool"], () =>
    poolsNow().map(([pool, { waiting }]) => [{ pool }, waiting]),
  );
  gauge("feed_held_seconds", "For how long a transaction that still runs has kept followers from changes", [], () => [
    [{}, database.figures().feedHeldSeconds ?? 0],
  ]);
}

function followerMetrics(registry: Registry, followers: WatchedService["followers"]): void {
  const gauge = gaugesOf(registry);
  const open = "Clients that follow changes: open event streams, and requests that wait";
  gauge("change_followers", open, ["kind"], async () => {
    const { streams, waiting } = await followers();
    return [
      [{ kind: "stream" }, streams],
      [{ kind: "wait" }, waiting],
    ];
  });
  const lag = "Changes that the slowest event stream does not have, at most";
  gauge("change_followers_lag_changes", lag, [], async () => [[{}, (await followers()).changesBehind]]);
}

function webhookMetrics(registry: Registry, webhooks: () => readonly WebhookFigures[]): void {
  const sent = "Attempts to send a change to a webhook, by outcome, and the changes that were given up";
  addFigure(registry, Counter, "webhook_messages_total", sent, ["webhook", "outcome"], () =>
    webhooks().flatMap(({ host, delivered, failed, deadLetters }) => [
      [{ webhook: host, outcome: "delivered" }, delivered],
      [{ webhook: host, outcome: "failed" }, failed],
      [{ webhook: host, outcome: "given-up" }, deadLetters],
    ]),
  );
  const waiting = "People whose last change waits for another attempt";
  gaugesOf(registry)("webhook_pending", waiting, ["webhook"], () =>
    webhooks().map(({ host, pending }) => [{ webhook: host }, pending]),
  );
}

async function canBeUsed(database: Database): Promise<boolean> {
  try {
    await checkWithin(patience, () => database.check());
    return true;
  } catch {
    return false;
  }
}

/** How long a check of the database may take, in milliseconds. */
const patience = 500;
