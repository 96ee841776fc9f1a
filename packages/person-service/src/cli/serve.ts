import { inspect } from "node:util";
import { displayAddress, type Store, StoreNotEmpty } from "@waymark/collection";
import type { HttpRequest } from "waymark";
import { escapeUnprintable, quote } from "waymark/content";
import { requestId } from "waymark/filters";
import { type RunningServer, serve } from "waymark/node";
import { listRoutes } from "waymark/routing";
import { openAccess } from "../access/access.ts";
import type { AccessRefusal } from "../access/identify.ts";
import { forThisMachine } from "../access/this-machine.ts";
import { demoPeople } from "../person/demo.ts";
import type { Person } from "../person/person.ts";
import { openPersonService } from "../service.ts";
import { type Command, CommandRefused, type CommandStreams, obstacleOf } from "./command.ts";
import { faultInOptions, type Options, serveOptions, toOptions } from "./options.ts";
import { superviseWorkers, type Worker, workerOfThisProcess } from "./supervisor.ts";
import { readTlsFiles } from "./tls-files.ts";

/** Keeps people, and answers for them. */
export const serveCommand: Command = {
  synopsis: ["[serve] [options]"],
  about: "Keeps people, and answers for them over HTTP.",
  options: serveOptions,
  fault: faultInOptions,
  async run(given, io) {
    const options = toOptions(given);
    const worker = workerOfThisProcess();
    if (given.has("routes")) io.print(await routesOfService());
    else if (options.workers > 1 && worker === undefined) await supervise(options, io);
    else await run(options, worker, io);
  },
};

/** The table of the routes, for which no database is needed. */
async function routesOfService(): Promise<string> {
  const { app, database } = await openPersonService({ database: ":memory:" });
  await database.close();
  return listRoutes(app);
}

/** Has workers serve: processes of this program, each of which runs as below. Resolves when the last has ended. */
async function supervise({ workers, grace, access, tls }: Options, { print, tell }: CommandStreams): Promise<void> {
  const handsOnHangup = access !== undefined || tls !== undefined;
  process.exitCode = await superviseWorkers({ count: workers, grace: grace * 1000, handsOnHangup, print, tell });
}

/** Resolves when the service listens; a signal ends it. */
async function run(options: Options, worker: Worker | undefined, { print, tell }: CommandStreams): Promise<void> {
  const {
    host,
    database: address,
    publicUrl,
    cors,
    access: accessFile,
    keys,
    open,
    demo,
    rateLimit,
    maxDelay,
    maxInFlight,
    tls,
    trustProxy,
  } = options;
  const onRefusal = (refusal: AccessRefusal): void => logRefusal(refusal, tell);
  const access = accessFile === undefined ? undefined : await openAccess({ file: accessFile, keys, onRefusal });
  const credentials = tls === undefined ? undefined : await readTlsFiles(tls);
  const policy = cors.length > 0 && { cors: { origins: cors } };
  let stopping = false;
  const { app, people, database } = await openPersonService({
    database: address,
    publicUrl,
    access: access?.filter ?? (open ? undefined : forThisMachine(publicUrl)),
    rateLimit,
    maxDelay,
    maxInFlight,
    https: tls !== undefined || (trustProxy.length > 0 && (({ client }) => client.scheme === "https")),
    isReady: () => !stopping,
    onFault: (error, request) => tell(faultEntry(error, request)),
    ...policy,
  });
  let server: RunningServer | undefined;
  let closed: Promise<void> | undefined;
  const stop = async (notice = 0): Promise<void> => {
    stopping = true;
    await server?.close({ notice, grace: options.grace * 1000 });
    closed ??= database.close();
    await closed;
  };
  let readOnly: boolean;
  try {
    ({ readOnly } = await database.check());
    if (demo && readOnly) throw readOnlyDemo(address);
    const toStore = demo && (worker?.isFirst ?? true) ? await demoPeople() : undefined;
    // The port comes first: where it is taken, the demo must not have been stored, or it could not be another time.
    server = await serve(app, { port: worker?.port ?? options.port, host, tls: credentials, trustProxy });
    if (toStore !== undefined) print(`stored ${await storeDemo(people, toStore, address)} people for the demo`);
  } catch (error) {
    await stop();
    throw error;
  }
  // Before the lines below: whoever reads them may stop the service at once.
  if (worker !== undefined) worker.onStop(stop);
  else for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop());
  const reloads: Reload[] = [];
  if (access !== undefined) {
    reloads.push({ what: "who gets in", kept: "Who gets in stays as it was.", run: () => access.reload() });
  }
  if (tls !== undefined) {
    const run = async (): Promise<void> => server?.reloadTls(await readTlsFiles(tls));
    reloads.push({ what: "the certificate", kept: "The certificate stays as it was.", run });
  }
  if (reloads.length > 0) {
    process.on("SIGHUP", () => {
      for (const each of reloads) void reload(each, { print, tell });
    });
  }
  const lines = [
    `listening on ${server.url}`,
    ...(publicUrl === undefined ? [] : [`naming everything under ${publicUrl}`]),
    `keeping people in ${displayAddress(address)}${readOnly ? ", reads only" : ""}`,
    ...(accessFile === undefined ? [] : [`letting in whom ${accessFile} names`]),
    `try: curl ${server.url}/person/1`,
  ];
  if (worker === undefined) print(lines.join("\n"));
  else worker.tellReady(server.port, lines);
}

const readOnlyDemo = (address: string): CommandRefused =>
  new CommandRefused(
    `--demo is for a database that can be written to, and ${quote(displayAddress(address))} is read-only; leave it out, or name another one`,
  );

/** How many there are now. */
async function storeDemo(people: Store, demo: readonly Person[], address: string): Promise<number> {
  try {
    const creation = await people.createAll(demo, { onlyIfEmpty: true });
    if (creation.kind === "created") return creation.count;
    throw new Error(`The demo has people who cannot be stored: ${JSON.stringify(creation)}`);
  } catch (error) {
    if (!(error instanceof StoreNotEmpty)) throw error;
    const database = quote(displayAddress(address));
    throw new CommandRefused(
      `--demo is for a database without people, and ${database} has some; leave it out, or name another one`,
    );
  }
}

/** Something that is taken from files again. */
interface Reload {
  readonly what: string;
  /** What is said where they cannot be used. */
  readonly kept: string;
  readonly run: () => Promise<void>;
}

/** Takes it from the files as they are now, or says why not. */
async function reload(
  { what, kept, run }: Reload,
  { print, tell }: Pick<CommandStreams, "print" | "tell">,
): Promise<void> {
  try {
    await run();
    print(`read anew ${what}`);
  } catch (error) {
    tell(`person-service: ${obstacleOf(error) ?? String(error)}\n${kept}`);
  }
}

/** A line of JSON for each; that a client comes without credentials first is how HTTP works. */
function logRefusal(refusal: AccessRefusal, tell: CommandStreams["tell"]): void {
  if (refusal.reason === "no credentials") return;
  tell(JSON.stringify({ time: new Date().toISOString(), event: "refused", ...refusal }));
}

/** What the log has of a fault: the id that the response has in `X-Request-Id`, and the error with its stack and causes. */
export function faultEntry(error: unknown, request: HttpRequest | undefined): string {
  // A stream that breaks while it is sent is told with the request as it came, before it was named.
  return escapeUnprintable(`request ${request?.attribute(requestId) ?? "without an id"}: ${inspect(error)}`);
}
