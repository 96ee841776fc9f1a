import { isPostgresAddress, SharedWriter } from "@waymark/collection";
import { openLog } from "../log/log.ts";
import { personCollection } from "../person/collection.ts";
import type { Command, CommandStreams } from "./command.ts";
import { type Options, serveOptions, toOptions, usageErrorInOptions } from "./options.ts";
import { announced, requirePort, serveHere } from "./serve-here.ts";
import type { AskWorkers } from "./workers/questions.ts";
import { superviseWorkers } from "./workers/supervisor.ts";
import { workerOfThisProcess } from "./workers/worker.ts";

/** Runs the service. */
export const serveCommand: Command = {
  synopsis: ["[serve] [options]"],
  about: "Serves people over HTTP, and keeps them in an SQLite file or in PostgreSQL.",
  examples: [
    ["person-service --demo", "try it: 537 people at http://127.0.0.1:8080/person"],
    ["person-service --database people.db --access access.json --keys data/keys.json", "only with an API key"],
  ],
  options: serveOptions,
  usageError: usageErrorInOptions,
  async run(given, io) {
    const options = toOptions(given);
    const worker = workerOfThisProcess();
    if (options.workers > 1 && worker === undefined) await supervise(options, io);
    else await serveHere(options, worker, io);
  },
};

/** Starts workers, processes of this program that each call `serveHere`. Resolves when the last has ended. */
async function supervise({ workers, grace, ...options }: Options, { print }: CommandStreams): Promise<void> {
  await requirePort(options);
  const log = openLog({ detail: options.log, level: options.logLevel });
  const { admin } = options;
  const metrics = admin && (await import("../metrics/service-metrics.ts")).commitMetrics();
  const openAdmin =
    admin &&
    (async (ask: AskWorkers) => {
      const { openAdminOfWorkers } = await import("../metrics/workers.ts");
      return announced(await openAdminOfWorkers(admin, ask, metrics?.registry), print);
    });
  const writer = isPostgresAddress(options.database)
    ? undefined
    : new SharedWriter({ file: options.database, collections: [personCollection], onCommit: metrics?.onCommit });
  process.exitCode = await superviseWorkers({ count: workers, grace: grace * 1000, print, log, openAdmin, writer });
  log.flush();
}
