import { kindOf } from "@waymark/collection";
import { openLog } from "../../log/log.ts";
import { personCollectionOf } from "../../person/collection.ts";
import type { AskWorkers } from "../../workers/questions.ts";
import { superviseWorkers } from "../../workers/supervisor.ts";
import type { Options } from "../settings/options.ts";
import type { CommandStreams } from "../terminal/streams.ts";
import { printAdmin, requirePorts } from "./listening.ts";
import { collectionsOf } from "./webhooks.ts";

/** Starts workers, processes of this program that each call `serveHere`. Resolves when the last has ended. */
export async function supervise({ workers, grace, ...options }: Options, io: CommandStreams): Promise<void> {
  await requirePorts(options);
  const log = openLog({ detail: options.log, level: options.logLevel });
  const { admin } = options;
  const metrics = admin && (await import("../../metrics/service-metrics.ts")).commitMetrics();
  const openAdmin =
    admin &&
    (async (ask: AskWorkers) => {
      const { openAdminOfWorkers } = await import("../../metrics/workers.ts");
      const server = await openAdminOfWorkers(admin, ask, metrics?.registry);
      printAdmin(server, io);
      return server;
    });
  const collections = [personCollectionOf(options.members), ...collectionsOf(options)];
  const writing = { collections, onCommit: metrics?.onCommit };
  const writer = kindOf(options.database).shareWriter?.(options.database, writing);
  const { print } = io;
  process.exitCode = await superviseWorkers({ count: workers, grace: grace * 1000, print, log, openAdmin, writer });
  log.flush();
}
