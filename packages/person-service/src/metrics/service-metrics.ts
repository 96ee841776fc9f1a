import { type Database, type FollowerFigures, StoreUnavailable } from "@waymark/collection";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { AccessDenial } from "../access/policy.ts";
import { checkWithin } from "../health.ts";
import type { ServiceObserver, TurnedAway } from "../observer.ts";
import type { WebhookFigures } from "../webhooks/sender.ts";
import { addHistogram, type HistogramSeries } from "./histogram.ts";
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

export interface CommitMetrics extends Required<Pick<ServiceObserver, "onCommit">> {
  readonly registry: Registry;
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
  new Gauge({
    name: "person_service_info",
    help: "1, with the version of the service",
    labelNames: ["version"],
    aggregator: "first",
    registers: [registry],
  }).set({ version }, 1);
  return {
    registry,
    observer: {
      ...requests,
      ...operationMetrics(registry),
      onCommit: commitMetrics(registry).onCommit,
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

/** Makes the metrics of the transactions with changes; of a process that makes those of others, they are all it has. */
export function commitMetrics(registry: Registry = new Registry()): CommitMetrics {
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
    registry,
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
  const registers = [registry];
  new Gauge({
    name: "person_service_ready",
    help: "1 while the service can do what it is for, as /health/ready says",
    aggregator: "min",
    registers,
    async collect() {
      this.set(isReady() && (await canBeUsed(database)) ? 1 : 0);
    },
  });
  new Gauge({
    name: "store_waiting",
    help: "Changes and long reads that wait for the database",
    labelNames: ["kind"],
    registers,
    collect() {
      const { waitingChanges, waitingReads } = database.figures();
      this.set({ kind: "changes" }, waitingChanges);
      this.set({ kind: "reads" }, waitingReads);
    },
  });
  const { files, pools } = database.figures();
  if (files !== undefined) {
    new Gauge({
      name: "sqlite_file_bytes",
      help: "Size of the database file and of its write-ahead log",
      labelNames: ["file"],
      aggregator: "max",
      registers,
      collect() {
        for (const [file, size] of Object.entries(database.figures().files ?? {})) this.set({ file }, size);
      },
    });
  }
  if (pools !== undefined) {
    new Gauge({
      name: "postgres_pool_connections",
      help: "Connections to PostgreSQL",
      labelNames: ["pool", "state"],
      registers,
      collect() {
        for (const [pool, { open, idle }] of Object.entries(database.figures().pools ?? {})) {
          this.set({ pool, state: "idle" }, idle);
          this.set({ pool, state: "used" }, open - idle);
        }
      },
    });
    new Gauge({
      name: "feed_held_seconds",
      help: "For how long a transaction that still runs has kept followers from changes",
      aggregator: "max",
      registers,
      collect() {
        this.set(database.figures().feedHeldSeconds ?? 0);
      },
    });
    new Gauge({
      name: "postgres_pool_waiting",
      help: "Work that waits for a connection to PostgreSQL",
      labelNames: ["pool"],
      registers,
      collect() {
        for (const [pool, { waiting: count }] of Object.entries(database.figures().pools ?? {}))
          this.set({ pool }, count);
      },
    });
  }
}

function followerMetrics(registry: Registry, followers: WatchedService["followers"]): void {
  const registers = [registry];
  new Gauge({
    name: "change_followers",
    help: "Clients that follow changes: open event streams, and requests that wait",
    labelNames: ["kind"],
    registers,
    async collect() {
      const { streams, waiting } = await followers();
      this.set({ kind: "stream" }, streams);
      this.set({ kind: "wait" }, waiting);
    },
  });
  new Gauge({
    name: "change_followers_lag_changes",
    help: "Changes that the slowest event stream does not have, at most",
    registers,
    async collect() {
      this.set((await followers()).changesBehind);
    },
  });
}

function webhookMetrics(registry: Registry, webhooks: () => readonly WebhookFigures[]): void {
  const registers = [registry];
  new Counter({
    name: "webhook_messages_total",
    help: "Attempts to send a change to a webhook, by outcome, and the changes that were given up",
    labelNames: ["webhook", "outcome"],
    registers,
    collect() {
      this.reset();
      for (const { host, delivered, failed, deadLetters } of webhooks()) {
        this.inc({ webhook: host, outcome: "delivered" }, delivered);
        this.inc({ webhook: host, outcome: "failed" }, failed);
        this.inc({ webhook: host, outcome: "given-up" }, deadLetters);
      }
    },
  });
  new Gauge({
    name: "webhook_pending",
    help: "People whose last change waits for another attempt",
    labelNames: ["webhook"],
    registers,
    collect() {
      this.reset();
      for (const { host, pending } of webhooks()) this.inc({ webhook: host }, pending);
    },
  });
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
export const patience = 500;
