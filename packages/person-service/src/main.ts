#!/usr/bin/env node
import { buffer } from "node:stream/consumers";
import { displayAddress, type Store, StoreNotEmpty, StoreOpenError, StoreUnavailable } from "@waymark/collection";
import { listRoutes } from "waymark";
import { ListenError, type RunningServer, serve } from "waymark/node";
import { type Access, openAccess } from "./access/access.ts";
import { FileMistakes } from "./access/json-file.ts";
import type { AccessRefusal } from "./access/refusal.ts";
import { CommandRefused } from "./commands/command.ts";
import { parseCommand } from "./commands/parse-command.ts";
import { demoPeople } from "./demo-people.ts";
import { faultEntry } from "./fault-entry.ts";
import { type Options, parseOptions } from "./options.ts";
import type { Person } from "./person.ts";
import { openPersonService } from "./service.ts";
import { superviseWorkers } from "./supervisor.ts";
import { type Worker, workerOfThisProcess } from "./worker.ts";

const argv = process.argv.slice(2);
const commandLine = parseCommand(argv) ?? parseOptions(argv);
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
  case "command":
    await attempt(() => commandLine.run({ print, tell: complain, readInput }));
    break;
  case "serve": {
    const { options } = commandLine;
    const worker = workerOfThisProcess();
    if (options.workers > 1 && worker === undefined) await supervise(options);
    else await attempt(() => run(options, worker), options);
    // When it could not start, its channel to the supervisor would keep it.
    if (worker !== undefined && process.exitCode !== undefined) process.exit();
  }
}

/** The table of the routes, for which no database is needed. */
async function routesOfService(): Promise<string> {
  const { app, database } = await openPersonService({ database: ":memory:" });
  await database.close();
  return listRoutes(app);
}

/** Does what was asked for; what stands against that is said. */
async function attempt(action: () => Promise<void>, options?: Options): Promise<void> {
  try {
    await action();
  } catch (error) {
    const obstacle = obstacleOf(error, options);
    if (obstacle === undefined) throw error;
    complain(`person-service: ${obstacle}`);
    process.exitCode = 1;
  }
}

/** Has workers serve: processes of this program, each of which runs as below. */
async function supervise({ workers, grace, access }: Options): Promise<void> {
  process.exitCode = await superviseWorkers({
    count: workers,
    grace: grace * 1000,
    handsOnHangup: access !== undefined,
    tell: complain,
  });
}

async function run(options: Options, worker: Worker | undefined): Promise<void> {
  const { host, database: address, cors, access: accessFile, keys } = options;
  const access =
    accessFile === undefined ? undefined : await openAccess({ file: accessFile, keys, onRefusal: logRefusal });
  const policy = cors.length > 0 && { cors: { origins: cors } };
  let stopping = false;
  const { app, people, database } = await openPersonService({
    database: address,
    access: access?.filter,
    isReady: () => !stopping,
    onFault: (error, request) => complain(faultEntry(error, request)),
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
  try {
    const toStore = options.demo && (worker?.isFirst ?? true) ? await demoPeople() : undefined;
    // The port comes first: where it is taken, the demo must not have been stored, or it could not be another time.
    server = await serve(app, { port: worker?.port ?? options.port, host });
    if (toStore !== undefined) print(`stored ${await storeDemo(people, toStore)} people for the demo`);
  } catch (error) {
    await stop();
    throw error;
  }
  // Before the lines below: whoever reads them may stop the service at once.
  if (worker !== undefined) worker.onStop(stop);
  else for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop());
  if (access !== undefined) process.on("SIGHUP", () => void reload(access));
  const lines = [
    `listening on ${server.url}`,
    `keeping people in ${displayAddress(address)}`,
    ...(accessFile === undefined ? [] : [`letting in whom ${accessFile} names`]),
    `try: curl ${server.url}/person/1`,
  ];
  if (worker === undefined) print(lines.join("\n"));
  else worker.tellReady(server.port, lines);
}

/** How many there are now. */
async function storeDemo(people: Store, demo: readonly Person[]): Promise<number> {
  const creation = await people.createAll(demo, { onlyIfEmpty: true });
  if (creation.kind === "created") return creation.count;
  throw new Error(`The demo has people who cannot be stored: ${JSON.stringify(creation)}`);
}

/** Takes who gets in from the files as they are now, or says why not. */
async function reload(access: Access): Promise<void> {
  try {
    await access.reload();
    print("read anew who gets in");
  } catch (error) {
    complain(`person-service: ${obstacleOf(error) ?? String(error)}\nWho gets in stays as it was.`);
  }
}

/** A line of JSON for each; that a client comes without credentials first is how HTTP works. */
function logRefusal(refusal: AccessRefusal): void {
  if (refusal.reason === "no credentials") return;
  complain(JSON.stringify({ time: new Date().toISOString(), event: "refused", ...refusal }));
}

/** What the person who starts the service can mend, and how; undefined for a fault of ours. */
function obstacleOf(error: unknown, options?: Options): string | undefined {
  if (error instanceof StoreNotEmpty && options !== undefined) {
    const database = JSON.stringify(displayAddress(options.database));
    return `--demo is for a database without people, and ${database} has some; leave it out, or name another one`;
  }
  const isTold = [StoreOpenError, StoreUnavailable, ListenError, FileMistakes, CommandRefused].some(
    (type) => error instanceof type,
  );
  return isTold ? (error as Error).message : undefined; // each of these is one
}

/** All of standard input; at a terminal a person is told that it is waited for. */
function readInput(): Promise<Uint8Array> {
  if (process.stdin.isTTY) complain("Type a line, then Ctrl-D on a line of its own.");
  return buffer(process.stdin);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}
