import { StoreUnavailable } from "@waymark/collection";
import type { RunningServer } from "@waymark/node";
import { AggregatorRegistry, type Registry } from "prom-client";
import { checkWithin, type Health } from "../health.ts";
import type { WorkerQuestion } from "../workers/messages.ts";
import type { AskWorkers } from "../workers/questions.ts";
import { type AdminAddress, openAdmin } from "./admin.ts";
import { patience } from "./service-metrics.ts";

/** Makes the function by which a worker answers questions of its supervisor. */
export function answerAsWorker(registry: Registry, health: Health): (question: WorkerQuestion) => Promise<unknown> {
  return (question) => (question === "metrics" ? registry.getMetricsAsJSON() : healthOf(health));
}

/** The health of a worker, for its supervisor. */
type WorkerHealth = { readonly cause: string } | { readonly readOnly: boolean };

async function healthOf({ check, isReady }: Health): Promise<WorkerHealth> {
  if (!isReady()) return { cause: "A worker is about to stop" };
  try {
    const { readOnly } = await checkWithin(patience, check);
    return { readOnly };
  } catch (error) {
    return { cause: error instanceof StoreUnavailable ? error.message : "The check of the database fails" };
  }
}

/**
 * Opens the admin listener of several workers: it adds up their metrics, and is ready while all of them are.
 *
 * @param own the metrics of this process
 */
export function openAdminOfWorkers(address: AdminAddress, ask: AskWorkers, own?: Registry): Promise<RunningServer> {
  const metrics = async (): Promise<string> => {
    const answers = (await ask("metrics")) as object[]; // the answers of answerAsWorker
    const all = own === undefined ? answers : [...answers, await own.getMetricsAsJSON()];
    return AggregatorRegistry.aggregate(all).metrics();
  };
  const check: Health["check"] = async () => {
    const answers = (await ask("health")) as readonly WorkerHealth[]; // the answers of answerAsWorker
    if (answers.length === 0) throw new StoreUnavailable("No worker serves");
    const failing = answers.find((answer) => "cause" in answer);
    if (failing !== undefined) throw new StoreUnavailable(failing.cause);
    return { readOnly: answers.some((answer) => "readOnly" in answer && answer.readOnly) };
  };
  return openAdmin(address, { metrics, health: { check, isReady: () => true } });
}
