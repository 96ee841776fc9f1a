import { StoreUnavailable } from "@waymark/collection";
import type { Registry } from "prom-client";
import type { RunningServer } from "waymark/node";
import type { AskWorkers, WorkerQuestion } from "../cli/supervisor.ts";
import type { Health } from "../health.ts";
import type { AdminAddress } from "./admin.ts";

/** Makes the function by which a worker answers its supervisor. */
export function answerAsWorker(registry: Registry, health: Health): (question: WorkerQuestion) => Promise<unknown> {
  return (question) => (question === "metrics" ? registry.getMetricsAsJSON() : healthOf(health));
}

/** How a worker is, as it tells its supervisor. */
type WorkerHealth = { readonly cause: string } | { readonly readOnly: boolean };

async function healthOf({ check, isReady }: Health): Promise<WorkerHealth> {
  if (!isReady()) return { cause: "A worker is about to stop" };
  try {
    const { readOnly } = await check();
    return { readOnly };
  } catch (error) {
    return { cause: error instanceof StoreUnavailable ? error.message : "The check of the database fails" };
  }
}

/** Opens the admin listener of several workers: their metrics added up, and ready while all of them are. */
export async function openAdminOfWorkers(address: AdminAddress, ask: AskWorkers): Promise<RunningServer> {
  const { openAdmin } = await import("./admin.ts");
  const { AggregatorRegistry } = await import("prom-client");
  const metrics = async (): Promise<string> => {
    const answers = (await ask("metrics")) as object[]; // each that of answerAsWorker
    return AggregatorRegistry.aggregate(answers).metrics();
  };
  const check: Health["check"] = async () => {
    const answers = (await ask("health")) as readonly WorkerHealth[]; // each that of answerAsWorker
    if (answers.length === 0) throw new StoreUnavailable("No worker serves");
    const cause = answers.map((answer) => ("cause" in answer ? answer.cause : undefined)).find((text) => text);
    if (cause !== undefined) throw new StoreUnavailable(cause);
    return { readOnly: answers.some((answer) => "readOnly" in answer && answer.readOnly) };
  };
  return openAdmin(address, { metrics, health: { check, isReady: () => true } });
}
