import { displayAddress } from "@waymark/collection";
import type { Access } from "../../access/access.ts";
import type { AccessDenial } from "../../access/identify.ts";
import { joinObservers } from "../../observer.ts";
import { version } from "../../package-files.ts";
import { openPersonService } from "../../service.ts";
import type { Worker } from "../../workers/worker.ts";
import { databaseOptions } from "../settings/database-options.ts";
import type { Options } from "../settings/options.ts";
import type { CommandStreams } from "../terminal/streams.ts";
import { firstSteps } from "./first-steps.ts";
import { type Listening, listen, requirePorts, type Start } from "./listening.ts";
import { readLogo } from "./logo.ts";
import { openObservation } from "./observation.ts";
import { type Reload, reloadOnHangUp, reloadsOf } from "./reload.ts";
import { readSessionKey } from "./session-key.ts";
import { Shutdown } from "./shutdown.ts";
import { readTlsFiles } from "./tls-files.ts";
import {
  warnOfAccess,
  warnOfAnyHost,
  warnOfForgotten,
  warnOfIdleFiles,
  warnOfLoopback,
  warnOfReaders,
} from "./warnings.ts";
import { collectionsOf, openWebhooks } from "./webhooks.ts";

/**
 * Serves in this process. Resolves when the service listens; a signal or the supervisor stops it.
 *
 * @param worker this process, where a supervisor has started it
 */
export async function serveHere(options: Options, worker: Worker | undefined, io: CommandStreams): Promise<void> {
  const observation = await openObservation(options);
  const reloads = Promise.withResolvers<readonly Reload[]>();
  reloadOnHangUp(reloads.promise, observation.log);
  const access = await openAccessOf(options, worker, joinObservers(observation.observers).onDenial);
  const credentials = options.tls && (await readTlsFiles(options.tls));
  const { title, accent, trustProxy, cors } = options;
  const logo = options.logo === undefined ? undefined : await readLogo(options.logo);
  if (worker === undefined) await requirePorts(options);
  const shutdown = new Shutdown(observation, options.grace * 1000);
  const service = await openPersonService({
    ...options,
    collections: collectionsOf(options),
    access: access?.filter,
    // With a trusted proxy, as it says of each request.
    https: options.tls !== undefined || (trustProxy.length > 0 ? undefined : false),
    cors: cors.length > 0 ? { origins: cors } : undefined,
    brand: { title, accent, logo },
    writer: worker?.writer,
    isReady: shutdown.isReady,
    onFault: observation.serviceLog.onFault,
    observers: observation.observers,
    onForgotten: (_collection, members) => warnOfForgotten(members, observation.log),
  });
  shutdown.database = service.database;
  const start: Start = { options, service, credentials, observation, shutdown, worker, io };
  let listening: Listening;
  try {
    const webhooks = await openWebhooks(options, service, observation.log);
    shutdown.webhooks = webhooks;
    observation.metrics?.watch({ ...service, webhooks: webhooks?.figures }, shutdown.isReady);
    listening = await listen(start);
    await answerSupervisor(start);
  } catch (error) {
    await shutdown.stop();
    throw error;
  }
  announce(start, listening, access, reloads.resolve);
}

/** Reads the access file, with the key of sessions that all processes share. */
async function openAccessOf(
  { access: file, keys, sessionKeyFile }: Options,
  worker: Worker | undefined,
  onDenial: ((denial: AccessDenial) => void) | undefined,
): Promise<Access | undefined> {
  const sessionKey =
    sessionKeyFile === undefined
      ? worker && Buffer.from(worker.sessionKey, "base64")
      : await readSessionKey(sessionKeyFile);
  if (file === undefined) return undefined;
  // Most programs have none, and it takes a tenth of their start to load.
  const { openAccess } = await import("../../access/access.ts");
  return openAccess({ file, keys, onDenial, sessionKey, sharedEnds: worker?.sharedEnds });
}

/** Answers the questions of the supervisor about metrics and health. */
async function answerSupervisor({ observation, service, shutdown, worker }: Start): Promise<void> {
  const { metrics } = observation;
  if (metrics === undefined || worker === undefined) return;
  const { answerAsWorker } = await import("../../metrics/workers.ts");
  const check = () => service.database.check();
  worker.onQuestion(answerAsWorker(metrics.registry, { check, isReady: shutdown.isReady }));
}

/**
 * Logs and prints that the service listens. The handlers of signals come first, and nothing is awaited: a reader of the lines may
 * stop the service at once.
 */
function announce(
  start: Start,
  listening: Listening,
  access: Access | undefined,
  setReloads: (reloads: readonly Reload[]) => void,
): void {
  const { options, service, observation, shutdown, worker } = start;
  const { log, serviceLog } = observation;
  const { server, readOnly, loss } = listening;
  serviceLog.watch(service.database);
  if (loss !== undefined) serviceLog.observer.onUnavailable?.(loss);
  if (worker !== undefined) worker.onStop(shutdown.stopOn);
  else for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => shutdown.stopOn(signal));
  const database = displayAddress(options.database);
  const facts = { database, ...(readOnly && { readOnly }), version: version(), node: process.versions.node };
  log.write("info", "start", `listens on ${server.url}`, { url: server.url, ...facts });
  const isFirst = worker?.isFirst ?? true;
  const warn = (): void => {
    if (access !== undefined && isFirst) warnOfAccess(access.content, accessFiles(options), service.app.routes, log);
  };
  setReloads(reloadsOf(options.tls, access, server, warn));
  if (!isFirst) {
    worker?.reportReady(server.port, []);
    return;
  }
  warnOfReaders(options.database, log);
  warn();
  warnOfIdleFiles(options, log);
  warnOfLoopback(options, log);
  warnOfAnyHost(options, log);
  const lines = linesOf(start, listening, access);
  if (worker === undefined) start.io.print(lines.join("\n"));
  else worker.reportReady(server.port, lines);
}

const accessFiles = ({ access, keys }: Options): readonly string[] =>
  [access, keys].filter((file) => file !== undefined);

/** Returns the lines that are printed when the service listens. */
function linesOf(
  { options, credentials }: Start,
  { server, ...held }: Listening,
  access: Access | undefined,
): readonly string[] {
  const { database, platformVariables, publicUrl, tls } = options;
  return firstSteps({
    url: server.url,
    publicUrl,
    database: displayAddress(database),
    databaseVariable: platformVariables.find((variable) => variable === databaseOptions.database.platformVariable),
    ...held,
    access: access && { rules: access, files: accessFiles(options) },
    tls: tls && credentials && { files: tls, cert: credentials.cert },
  });
}
