import { displayAddress, type Store } from "@waymark/collection";
import { GET, router, text } from "waymark";
import { quote } from "waymark/content";
import { type RunningServer, serve } from "waymark/node";
import { type Access, openAccess } from "../access/access.ts";
import type { AccessDenial } from "../access/identify.ts";
import { forThisMachine } from "../access/this-machine.ts";
import type { Health } from "../health.ts";
import { openLog } from "../log/log.ts";
import { logService } from "../log/service-log.ts";
import { joinObservers } from "../observer.ts";
import { version } from "../package-files.ts";
import { demoPeople, storeDemo } from "../person/demo.ts";
import { openPersonService, type PersonServiceOptions } from "../service.ts";
import { openTracing } from "../tracing.ts";
import { CommandError, type CommandStreams } from "./command.ts";
import { firstSteps } from "./first-steps.ts";
import type { Options } from "./options.ts";
import { reloadOnHangUp } from "./reload.ts";
import { readSessionKey } from "./session-key.ts";
import { readTlsFiles } from "./tls-files.ts";
import { warnOfAccess, warnOfIdleFiles, warnOfReaders } from "./warnings.ts";
import type { Worker } from "./workers/worker.ts";

/**
 * Serves in this process. Resolves when the service listens; a signal or the supervisor stops it.
 *
 * @param worker this process, where a supervisor has started it
 */
export async function serveHere(options: Options, worker: Worker | undefined, io: CommandStreams): Promise<void> {
  const { database: address, keys, demo, tls, trustProxy } = options;
  const log = openLog({ detail: options.log, level: options.logLevel });
  const serviceLog = logService(log);
  const metrics = options.admin && (await import("../metrics/service-metrics.ts")).serviceMetrics(version());
  const observers = [serviceLog.observer, metrics?.observer, await openTracing()].filter(
    (observer) => observer !== undefined,
  );
  const access = await openAccessOf(options, worker, joinObservers(observers).onDenial);
  const credentials = tls && (await readTlsFiles(tls));
  if (worker === undefined) await requirePort(options);
  let isStopping = false;
  const isReady = (): boolean => !isStopping;
  const { app, people, database } = await openPersonService({
    ...serviceOptions(options, access),
    writer: worker?.writer,
    isReady,
    onFault: serviceLog.onFault,
    observers,
  });
  const health: Health = { check: () => database.check(), isReady };
  metrics?.watch(database, isReady);
  let server: RunningServer | undefined;
  let admin: RunningServer | undefined;
  let closed: Promise<void> | undefined;
  const stop = async (notice = 0): Promise<void> => {
    isStopping = true;
    await server?.close({ notice, grace: options.grace * 1000 });
    serviceLog.close();
    await admin?.close();
    closed ??= database.close();
    await closed;
    log.flush();
  };
  const stopLogged = async (cause: string, notice = 0): Promise<void> => {
    log.write("info", "stop", `stops on ${cause}`, { cause });
    await stop(notice);
  };
  const isFirst = worker?.isFirst ?? true;
  let readOnly: boolean;
  let held: { readonly people: number; readonly firstId: number | undefined };
  try {
    ({ readOnly } = await database.check());
    if (demo && readOnly) {
      const what = `${quote(displayAddress(address))} is read-only`;
      throw new CommandError(
        `--demo needs a database that can be changed, and ${what}: leave out --demo, or name another database`,
      );
    }
    const toStore = demo && isFirst ? await demoPeople() : undefined;
    // The port comes first: where it is taken, the demo must not be stored, since it is stored only once.
    server = await serve(app, {
      port: worker?.port ?? options.port,
      host: options.host,
      tls: credentials,
      trustProxy,
    });
    if (toStore !== undefined) io.print(await storeDemo(people, toStore, address));
    if (metrics !== undefined && options.admin !== undefined && worker === undefined) {
      const { openAdmin } = await import("../metrics/admin.ts");
      admin = await openAdmin(options.admin, { metrics: () => metrics.registry.metrics(), health });
      announced(admin, io.print);
    }
    held = { people: await people.count(), firstId: await firstIdOf(people) };
  } catch (error) {
    await stop();
    throw error;
  }
  if (metrics !== undefined && worker !== undefined) {
    const { answerAsWorker } = await import("../metrics/workers.ts");
    worker.onQuestion(answerAsWorker(metrics.registry, health));
  }
  serviceLog.watch(database);
  // The handlers come first, and nothing is awaited from here on: a reader of the lines below may stop the service at once.
  if (worker !== undefined) worker.onStop(stopLogged);
  else for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopLogged(signal));
  log.write("info", "start", `listens on ${server.url}`, {
    url: server.url,
    database: displayAddress(address),
    ...(readOnly && { readOnly }),
    version: version(),
    node: process.versions.node,
  });
  const files = [options.access, keys].filter((file) => file !== undefined);
  const warn = (): void => {
    if (access !== undefined && isFirst) warnOfAccess(access.content, files, app.routes, log);
  };
  reloadOnHangUp(tls, access, server, warn, log);
  if (!isFirst) return worker?.reportReady(server.port, []);
  warnOfReaders(address, log);
  warn();
  warnOfIdleFiles(options, log);
  const lines = firstSteps({
    url: server.url,
    publicUrl: options.publicUrl,
    database: displayAddress(address),
    readOnly,
    ...held,
    access: access && { rules: access, files },
    tls: tls && credentials && { files: tls, cert: credentials.cert },
  });
  if (worker === undefined) io.print(lines.join("\n"));
  else worker.reportReady(server.port, lines);
}

/** Reads the access file, with the key of sessions that all processes share. */
async function openAccessOf(
  { access: file, keys, sessionKeyFile }: Options,
  worker: Worker | undefined,
  onDenial: ((denial: AccessDenial) => void) | undefined,
): Promise<Access | undefined> {
  const sessionKey =
    sessionKeyFile === undefined ? worker && Buffer.from(worker.sessionKey, "base64") : readSessionKey(sessionKeyFile);
  return file === undefined ? undefined : await openAccess({ file, keys, onDenial, sessionKey });
}

function serviceOptions(options: Options, access: Access | undefined): PersonServiceOptions {
  const { database, partitions, publicUrl, rateLimit, maxDelay, maxInFlight, open, tls, trustProxy, cors } = options;
  return {
    database,
    partitions,
    publicUrl,
    access: access?.filter ?? (open ? undefined : forThisMachine(publicUrl)),
    rateLimit,
    maxDelay,
    maxInFlight,
    https: tls !== undefined || (trustProxy.length > 0 && (({ client }) => client.scheme === "https")),
    ...(cors.length > 0 && { cors: { origins: cors } }),
  };
}

async function firstIdOf(people: Store): Promise<number | undefined> {
  for await (const [first] of people.list({ limit: 1 })) return first?.id;
  return undefined;
}

/** Prints where the admin listener is. */
export function announced(admin: RunningServer, print: (line: string) => void): RunningServer {
  print(`metrics on ${admin.url}/metrics`);
  return admin;
}

/**
 * Listens on the port, and stops: a start that fails since the port is taken must leave no database behind.
 *
 * @throws ListenError (rejects) when the port cannot be listened on
 */
export async function requirePort({ port, host }: Pick<Options, "port" | "host">): Promise<void> {
  const probe = await serve(router(GET("/", () => text(""))), { port, host });
  await probe.close();
}
