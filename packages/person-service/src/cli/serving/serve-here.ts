import type { CollectionDefinition } from "@waymark/collection";
import { displayAddress } from "@waymark/collection/internal";
import type { Access } from "../../access/access.ts";
import type { AccessDenial } from "../../access/policy.ts";
import type { Log } from "../../log/log.ts";
import { joinObservers } from "../../observer.ts";
import { version } from "../../package-files.ts";
import { openPersonService, type PersonService } from "../../service.ts";
import { webhookCollection } from "../../webhooks/state.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import type { Options } from "../settings/options.ts";
import { settings } from "../settings/settings.ts";
import type { CommandStreams } from "../terminal/streams.ts";
import { firstSteps } from "./first-steps.ts";
import { type Listening, listen, requirePorts, type Start, storeDemoFor } from "./listening.ts";
import { readLogo, readSessionKey, readTlsFiles } from "./named-files.ts";
import { openObservation } from "./observation.ts";
import { type Reload, reloadOnHangUp, reloadsOf, Shutdown } from "./signals.ts";
import {
  warnOfAccess,
  warnOfAnyHost,
  warnOfForgotten,
  warnOfIdleFiles,
  warnOfLoopback,
  warnOfReaders,
  warnOfUnusedIndexes,
} from "./warnings.ts";

/** Serves in this process. Resolves when the service listens; a signal stops it. */
export async function serveHere(options: Options, io: CommandStreams): Promise<void> {
  const observation = await openObservation(options);
  const reloads = Promise.withResolvers<readonly Reload[]>();
  reloadOnHangUp(reloads.promise, observation.log);
  const access = await openAccessOf(options, joinObservers(observation.observers).onDenial);
  const credentials = options.tls && (await readTlsFiles(options.tls));
  const { title, accent, trustProxy } = options;
  const logo = options.logo === undefined ? undefined : await readLogo(options.logo);
  await requirePorts(options);
  const shutdown = new Shutdown(observation, options.grace * 1000);
  const service = await openPersonService({
    ...options,
    collections: collectionsOf(options),
    access: access?.filter,
    // With a trusted proxy, as it says of each request.
    https: options.tls !== undefined || (trustProxy.length > 0 ? undefined : false),
    brand: { title, accent, logo },
    isReady: shutdown.isReady,
    onFault: observation.serviceLog.onFault,
    observers: observation.observers,
    onForgotten: (_collection, members) => warnOfForgotten(members, observation.log),
  });
  shutdown.database = service.database;
  const start: Start = { options, service, credentials, observation, shutdown, io };
  let listening: Listening;
  try {
    await storeDemoFor(start);
    const webhooks = await openWebhooks(options, service, observation.log);
    shutdown.webhooks = webhooks;
    observation.metrics?.watch({ ...service, webhooks: webhooks?.figures }, shutdown.isReady);
    listening = await listen(start);
  } catch (error) {
    await shutdown.stop();
    throw error;
  }
  announce(start, listening, access, reloads.resolve);
}

/** Returns the collections that the database has beside that of the people. */
const collectionsOf = ({ webhooks }: Pick<Options, "webhooks">): readonly CollectionDefinition[] =>
  webhooks.length > 0 ? [webhookCollection] : [];

/**
 * Begins to send changes to the webhooks of the settings; undefined without webhooks.
 *
 * @throws FileError (rejects) when the file of a secret cannot be used
 */
async function openWebhooks(
  { webhooks: settings }: Options,
  { database, people }: PersonService,
  log: Log,
): Promise<Webhooks | undefined> {
  if (settings.length === 0) return undefined;
  const { startWebhooks } = await import("../../webhooks/webhooks.ts");
  const webhooks = startWebhooks({ settings, people, states: database.store(webhookCollection.name), log });
  // What the first request stores is sent.
  await webhooks.begun;
  return webhooks;
}

/** Reads the access file, with the key of sessions. */
async function openAccessOf(
  { access: file, keys, sessionKey: keyFile }: Options,
  onDenial: ((denial: AccessDenial) => void) | undefined,
): Promise<Access | undefined> {
  const sessionKey = keyFile === undefined ? undefined : await readSessionKey(keyFile);
  if (file === undefined) return undefined;
  // Most programs have none, and it takes a tenth of their start to load.
  const { openAccess } = await import("../../access/access.ts");
  return openAccess({ file, keys, onDenial, sessionKey });
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
  const { options, service, observation, shutdown } = start;
  const { log, serviceLog } = observation;
  const { server, readOnly } = listening;
  serviceLog.watch(service.database);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => shutdown.stopOn(signal));
  const database = displayAddress(options.database);
  const facts = { database, ...(readOnly && { readOnly }), version: version(), node: process.versions.node };
  log.write("info", "start", `listens on ${server.url}`, { url: server.url, ...facts });
  const warn = (): void => {
    if (access !== undefined) warnOfAccess(access.content, accessFiles(options), service.app.routes, log);
  };
  setReloads(reloadsOf(options.tls, access, server, warn));
  warnOfReaders(options.database, log);
  warn();
  warnOfIdleFiles(options, log);
  warnOfLoopback(options, log);
  warnOfAnyHost(options, log);
  if (!readOnly) void warnOfUnusedIndexes(service.database, log);
  start.io.print(linesOf(start, listening, access).join("\n"));
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
    databaseVariable: platformVariables.find((variable) => variable === settings.database.platform),
    ...held,
    access: access && { rules: access, files: accessFiles(options) },
    tls: tls && credentials && { files: tls, cert: credentials.cert },
  });
}
