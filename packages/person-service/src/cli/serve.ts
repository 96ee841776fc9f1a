import { existsSync } from "node:fs";
import {
  displayAddress,
  isPostgresAddress,
  isReadableByOthers,
  SharedWriter,
  type Store,
  StoreNotEmpty,
} from "@waymark/collection";
import { GET, router, text } from "waymark";
import { quote } from "waymark/content";
import { type RunningServer, serve } from "waymark/node";
import { openAccess } from "../access/access.ts";
import { forThisMachine } from "../access/this-machine.ts";
import type { Health } from "../health.ts";
import { type Log, openLog } from "../log/log.ts";
import { logService } from "../log/service-log.ts";
import { joinObservers } from "../observer.ts";
import { version } from "../package-files.ts";
import { personCollection } from "../person/collection.ts";
import { demoPeople } from "../person/demo.ts";
import type { Person } from "../person/person.ts";
import { openPersonService } from "../service.ts";
import { openTracing } from "../tracing.ts";
import { accessWarnings } from "./access-warnings.ts";
import { type Command, CommandError, type CommandStreams, userErrorMessage } from "./command.ts";
import { firstSteps } from "./first-steps.ts";
import { defaultKeysFile, type Options, serveOptions, toOptions, usageErrorInOptions } from "./options.ts";
import { readSessionKey } from "./session-key.ts";
import { readTlsFiles } from "./tls-files.ts";
import type { AskWorkers } from "./workers/questions.ts";
import { superviseWorkers } from "./workers/supervisor.ts";
import { type Worker, workerOfThisProcess } from "./workers/worker.ts";

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
    else await run(options, worker, io);
  },
};

/** Starts workers, processes of this program that each run as below. Resolves when the last has ended. */
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

/** Resolves when the service listens; a signal ends it. */
async function run(options: Options, worker: Worker | undefined, { print }: CommandStreams): Promise<void> {
  const {
    host,
    database: address,
    partitions,
    publicUrl,
    cors,
    access: accessFile,
    keys,
    sessionKeyFile,
    open,
    demo,
    rateLimit,
    maxDelay,
    maxInFlight,
    tls,
    trustProxy,
  } = options;
  const log = openLog({ detail: options.log, level: options.logLevel });
  const serviceLog = logService(log);
  const metrics = options.admin && (await import("../metrics/service-metrics.ts")).serviceMetrics(version());
  const observers = [serviceLog.observer, metrics?.observer, await openTracing()].filter(
    (observer) => observer !== undefined,
  );
  const { onDenial } = joinObservers(observers);
  const sessionKey =
    sessionKeyFile === undefined ? worker && Buffer.from(worker.sessionKey, "base64") : readSessionKey(sessionKeyFile);
  const access =
    accessFile === undefined ? undefined : await openAccess({ file: accessFile, keys, onDenial, sessionKey });
  const credentials = tls === undefined ? undefined : await readTlsFiles(tls);
  if (worker === undefined) await requirePort(options);
  const policy = cors.length > 0 && { cors: { origins: cors } };
  let stopping = false;
  const { app, people, database } = await openPersonService({
    database: address,
    partitions,
    publicUrl,
    access: access?.filter ?? (open ? undefined : forThisMachine(publicUrl)),
    rateLimit,
    maxDelay,
    maxInFlight,
    https: tls !== undefined || (trustProxy.length > 0 && (({ client }) => client.scheme === "https")),
    writer: worker?.writer,
    isReady: () => !stopping,
    onFault: serviceLog.onFault,
    observers,
    ...policy,
  });
  const health: Health = { check: () => database.check(), isReady: () => !stopping };
  metrics?.watch(database, health.isReady);
  let server: RunningServer | undefined;
  let admin: RunningServer | undefined;
  let closed: Promise<void> | undefined;
  const stop = async (notice = 0): Promise<void> => {
    stopping = true;
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
    if (demo && readOnly) throw readOnlyDemo(address);
    const toStore = demo && isFirst ? await demoPeople() : undefined;
    // The port comes first: where it is taken, the demo must not be stored, since it is stored only once.
    server = await serve(app, { port: worker?.port ?? options.port, host, tls: credentials, trustProxy });
    if (toStore !== undefined) print(await storeDemo(people, toStore, address));
    if (metrics !== undefined && options.admin !== undefined && worker === undefined) {
      const { openAdmin } = await import("../metrics/admin.ts");
      admin = await openAdmin(options.admin, { metrics: () => metrics.registry.metrics(), health });
      announced(admin, print);
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
  if (worker?.isFirst ?? true) warnOfReaders(address, log);
  const files = [accessFile, keys].filter((file) => file !== undefined);
  const warn = (): void => {
    if (access === undefined || !isFirst) return;
    for (const warning of accessWarnings(access.content, app.routes)) {
      log.write("warn", "unused", `${files.join(", ")}: ${warning}`);
    }
  };
  const reloads: Reload[] = [];
  if (access !== undefined) {
    const run = async (): Promise<void> => {
      await access.reload();
      warn();
    };
    reloads.push({ what: "the access rules", kept: "the access rules stay as they were", run });
  }
  if (tls !== undefined) {
    const run = async (): Promise<void> => server?.reloadTls(await readTlsFiles(tls));
    reloads.push({ what: "the certificate", kept: "the certificate stays as it was", run });
  }
  // Also where there is nothing to read again: without a listener SIGHUP would end the process.
  process.on("SIGHUP", () => {
    for (const each of reloads) void reload(each, log);
  });
  if (!isFirst) return worker?.tellReady(server.port, []);
  const lines = firstSteps({
    url: server.url,
    publicUrl,
    database: displayAddress(address),
    readOnly,
    ...held,
    access: access && { rules: access, files },
    tls: tls && credentials && { files: tls, cert: credentials.cert },
  });
  warn();
  warnOfIdleFiles(options, log);
  if (worker === undefined) print(lines.join("\n"));
  else worker.tellReady(server.port, lines);
}

/** Prints where the admin listener is. */
function announced(admin: RunningServer, print: (line: string) => void): RunningServer {
  print(`metrics on ${admin.url}/metrics`);
  return admin;
}

/** Warns of a database file that others on the machine may read: one that was made before the service keeps its mode. */
function warnOfReaders(address: string, log: Log): void {
  if (isPostgresAddress(address) || address === ":memory:" || !isReadableByOthers(address)) return;
  const message = `every user of this machine may read ${quote(address)}; take that away with: chmod o-r ${address}*`;
  log.write("warn", "readable-by-others", message, { database: address });
}

/**
 * Listens on the port, and stops: a start that fails since the port is taken must leave no database behind.
 *
 * @throws ListenError (rejects) when the port cannot be listened on
 */
async function requirePort({ port, host }: Pick<Options, "port" | "host">): Promise<void> {
  const probe = await serve(router(GET("/", () => text(""))), { port, host });
  await probe.close();
}

async function firstIdOf(people: Store): Promise<number | undefined> {
  for await (const [first] of people.list({ limit: 1 })) return first?.id;
  return undefined;
}

/** Warns of a file of keys that nothing reads, and of secrets that other users of the machine can see. */
function warnOfIdleFiles({ access, keys, sessionKeyFile, hasVisiblePassword }: Options, log: Log): void {
  if (sessionKeyFile !== undefined && isReadableByOthers(sessionKeyFile)) {
    const message = `every user of this machine may read ${quote(sessionKeyFile)}, and sign in as anybody; take that away with: chmod 600 ${sessionKeyFile}`;
    log.write("warn", "readable-by-others", message);
  }
  if (access !== undefined && keys === undefined && existsSync(defaultKeysFile)) {
    log.write("warn", "unused", `${defaultKeysFile} has keys that are not used: add --keys ${defaultKeysFile}`);
  }
  if (hasVisiblePassword) {
    const remedy = "use --database-file, PGPASSFILE or PGPASSWORD";
    log.write("warn", "visible-password", `other users of this machine can read the password in --database: ${remedy}`);
  }
}

const readOnlyDemo = (address: string): CommandError =>
  new CommandError(
    `--demo needs a database that can be changed, and ${quote(displayAddress(address))} is read-only: leave out --demo, or name another database`,
  );

/** Stores the people of the demo in an empty database, and returns a line that says so. */
async function storeDemo(people: Store, demo: readonly Person[], address: string): Promise<string> {
  try {
    const creation = await people.createAll(demo, { onlyIfEmpty: true });
    if (creation.kind === "created") return `stored ${creation.count} people for the demo`;
    throw new Error(`The demo has people who cannot be stored: ${JSON.stringify(creation)}`);
  } catch (error) {
    if (!(error instanceof StoreNotEmpty)) throw error;
    return `--demo: ${quote(displayAddress(address))} already has people, so nothing was added`;
  }
}

/** Files that are read again. */
interface Reload {
  readonly what: string;
  /** The message where the files cannot be used. */
  readonly kept: string;
  readonly run: () => Promise<void>;
}

/** Reads the files again, and logs that or why it failed. */
async function reload({ what, kept, run }: Reload, log: Log): Promise<void> {
  try {
    await run();
    log.write("info", "reload", `read ${what} again`);
  } catch (error) {
    log.write("error", "reload-failed", `${userErrorMessage(error) ?? String(error)}; ${kept}`);
  }
}
