import { type Log, openLog } from "../../log/log.ts";
import { logService, type ServiceLog } from "../../log/service-log.ts";
import type { ServiceMetrics } from "../../metrics/service-metrics.ts";
import type { ServiceObserver } from "../../observer.ts";
import { version } from "../../package-files.ts";
import { openTracing } from "../../tracing.ts";
import type { Options } from "../settings/options.ts";

/** The log, the metrics and the traces of a service. */
export interface Observation {
  readonly log: Log;
  readonly serviceLog: ServiceLog;
  /** Undefined without an admin listener. */
  readonly metrics: ServiceMetrics | undefined;
  /** All that receive what the service does. */
  readonly observers: readonly ServiceObserver[];
}

/** Opens the log, and the metrics and traces that are asked for. */
export async function openObservation({ log: detail, admin }: Options): Promise<Observation> {
  const log = openLog({ detail });
  const serviceLog = logService(log);
  const metrics = admin && (await import("../../metrics/service-metrics.ts")).serviceMetrics(version());
  const observers = [serviceLog.observer, metrics?.observer, await openTracing()];
  return { log, serviceLog, metrics, observers: observers.filter((observer) => observer !== undefined) };
}
