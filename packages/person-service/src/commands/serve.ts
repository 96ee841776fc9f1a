import { displayAddress, type Store, StoreNotEmpty } from "@waymark/collection";
import { listRoutes } from "waymark";
import { type RunningServer, serve } from "waymark/node";
import { type Access, openAccess } from "../access/access.ts";
import type { AccessRefusal } from "../access/refusal.ts";
import { forThisMachine } from "../access/this-machine.ts";
import { demoPeople } from "../demo-people.ts";
import { faultEntry } from "../fault-entry.ts";
import { obstacleOf } from "../obstacle.ts";
import { faultInOptions, type Options, serveOptions, toOptions } from "../options.ts";
import type { Person } from "../person.ts";
import { openPersonService } from "../service.ts";
import { type Command, CommandRefused, type CommandStreams } from "./command.ts";

/** Keeps people, and answers for them. */
export const serveCommand: Command = {
  synopsis: ["[serve] [options]"],
  about: "Keeps people, and answers for them over HTTP.",
  options: serveOptions,
  fault: faultInOptions,
  run: async (given, io) => (given.has("routes") ? io.print(await routesOfService()) : run(toOptions(given), io)),
};

/** The table of the routes, for which no database is needed. */
async function routesOfService(): Promise<string> {
  const { app, database } = await openPersonService({ database: ":memory:" });
  await database.close();
  return listRoutes(app);
}

/** Resolves when the service listens; a signal ends it. */
async function run(options: Options, { print, tell }: CommandStreams): Promise<void> {
  const { port, host, database: address, cors, access: accessFile, keys, open, demo, rateLimit, maxInFlight } = options;
  const onRefusal = (refusal: AccessRefusal): void => logRefusal(refusal, tell);
  const access = accessFile === undefined ? undefined : await openAccess({ file: accessFile, keys, onRefusal });
  const policy = cors.length > 0 && { cors: { origins: cors } };
  let stopping = false;
  const { app, people, database } = await openPersonService({
    database: address,
    access: access?.filter ?? (open ? undefined : forThisMachine),
    rateLimit,
    maxInFlight,
    isReady: () => !stopping,
    onFault: (error, request) => tell(faultEntry(error, request)),
    ...policy,
  });
  let server: RunningServer | undefined;
  const stop = async (): Promise<void> => {
    stopping = true;
    await server?.close();
    await database.close();
  };
  try {
    const toStore = demo ? await demoPeople() : undefined;
    // The port comes first: where it is taken, the demo must not have been stored, or it could not be another time.
    server = await serve(app, { port, host });
    if (toStore !== undefined) print(`stored ${await storeDemo(people, toStore, address)} people for the demo`);
  } catch (error) {
    await stop();
    throw error;
  }
  // Before the lines below: whoever reads them may stop the service at once.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  if (access !== undefined) process.on("SIGHUP", () => void reload(access, { print, tell }));
  print(`listening on ${server.url}`);
  print(`keeping people in ${displayAddress(address)}`);
  if (accessFile !== undefined) print(`letting in whom ${accessFile} names`);
  print(`try: curl ${server.url}/person/1`);
}

/** How many there are now. */
async function storeDemo(people: Store, demo: readonly Person[], address: string): Promise<number> {
  try {
    const creation = await people.createAll(demo, { onlyIfEmpty: true });
    if (creation.kind === "created") return creation.count;
    throw new Error(`The demo has people who cannot be stored: ${JSON.stringify(creation)}`);
  } catch (error) {
    if (!(error instanceof StoreNotEmpty)) throw error;
    const database = JSON.stringify(displayAddress(address));
    throw new CommandRefused(
      `--demo is for a database without people, and ${database} has some; leave it out, or name another one`,
    );
  }
}

/** Takes who gets in from the files as they are now, or says why not. */
async function reload(access: Access, { print, tell }: Pick<CommandStreams, "print" | "tell">): Promise<void> {
  try {
    await access.reload();
    print("read anew who gets in");
  } catch (error) {
    tell(`person-service: ${obstacleOf(error) ?? String(error)}\nWho gets in stays as it was.`);
  }
}

/** A line of JSON for each; that a client comes without credentials first is how HTTP works. */
function logRefusal(refusal: AccessRefusal, tell: CommandStreams["tell"]): void {
  if (refusal.reason === "no credentials") return;
  tell(JSON.stringify({ time: new Date().toISOString(), event: "refused", ...refusal }));
}
