#!/usr/bin/env node
import { type Store, StoreNotEmpty, StoreOpenError, StoreUnavailable } from "@waymark/collection";
import { listRoutes } from "waymark";
import { ListenError, type RunningServer, serve } from "waymark/node";
import { demoPeople } from "./demo-people.ts";
import { type Options, parseOptions } from "./options.ts";
import type { Person } from "./person.ts";
import { openPersonService } from "./service.ts";

const commandLine = parseOptions(process.argv.slice(2));
switch (commandLine.kind) {
  case "print":
    print(commandLine.text);
    break;
  case "routes":
    print(await routesOfService());
    break;
  case "refuse":
    complain(`${commandLine.fault}\n\n${commandLine.usage}`);
    process.exitCode = 2;
    break;
  case "serve":
    await start(commandLine.options);
}

/** The table of the routes, for which no database is needed. */
async function routesOfService(): Promise<string> {
  const { app, database } = await openPersonService({ database: ":memory:" });
  await database.close();
  return listRoutes(app);
}

/** Serves until it is told to stop; what stands against that is said in one line. */
async function start(options: Options): Promise<void> {
  try {
    await run(options);
  } catch (error) {
    const obstacle = obstacleOf(error, options);
    if (obstacle === undefined) throw error;
    complain(`person-service: ${obstacle}`);
    process.exitCode = 1;
  }
}

async function run({ port, host, database: address, cors, demo }: Options): Promise<void> {
  const policy = cors.length > 0 && { cors: { origins: cors } };
  let stopping = false;
  const isReady = () => !stopping;
  const { app, people, database } = await openPersonService({ database: address, isReady, ...policy });
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
    if (toStore !== undefined) print(`stored ${await storeDemo(people, toStore)} people for the demo`);
  } catch (error) {
    await stop();
    throw error;
  }
  // Before the lines below: whoever reads them may stop the service at once.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  print(`listening on ${server.url}`);
  print(`keeping people in ${address}`);
  print(`try: curl ${server.url}/person/1`);
}

/** How many there are now. */
async function storeDemo(people: Store, demo: readonly Person[]): Promise<number> {
  const creation = await people.createAll(demo, { onlyIfEmpty: true });
  if (creation.kind === "created") return creation.count;
  throw new Error(`The demo has people who cannot be stored: ${JSON.stringify(creation.conflicts)}`);
}

/** What the person who starts the service can mend, and how; undefined for a fault of ours. */
function obstacleOf(error: unknown, { database }: Options): string | undefined {
  if (error instanceof StoreNotEmpty) {
    return `--demo is for a database without people, and ${JSON.stringify(database)} has some; leave it out, or name another file`;
  }
  const isTold = [StoreOpenError, StoreUnavailable, ListenError].some((type) => error instanceof type);
  return isTold ? (error as Error).message : undefined; // each of these is one
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}
