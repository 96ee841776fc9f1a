#!/usr/bin/env node
import { StoreNotEmpty, StoreOpenError } from "@waymark/collection";
import { ListenError, type RunningServer, serve } from "waymark/node";
import { demoPeople } from "./demo-people.ts";
import { type Options, parseOptions } from "./options.ts";
import { openPersonService } from "./service.ts";

const commandLine = parseOptions(process.argv.slice(2));
switch (commandLine.kind) {
  case "print":
    print(commandLine.text);
    break;
  case "refuse":
    complain(`${commandLine.fault}\n\n${commandLine.usage}`);
    process.exitCode = 2;
    break;
  case "serve":
    await start(commandLine.options);
}

/** Serves until it is told to stop; what stands against that is said in one line. */
async function start(options: Options): Promise<void> {
  try {
    await run(options);
  } catch (error) {
    if (!(error instanceof StoreOpenError || error instanceof StoreNotEmpty || error instanceof ListenError))
      throw error;
    complain(`person-service: ${error.message}`);
    process.exitCode = 1;
  }
}

async function run({ port, host, database, demo }: Options): Promise<void> {
  const { app, people } = openPersonService({ database });
  let server: RunningServer;
  try {
    if (demo) print(`stored ${await people.createAll(await demoPeople())} people for the demo`);
    server = await serve(app, { port, host });
  } catch (error) {
    await people.close();
    throw error;
  }
  print(`listening on ${server.url}`);
  print(`keeping people in ${database}`);
  print(`try: curl ${server.url}/person/1`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, async () => {
      await server.close();
      await people.close();
    });
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}
