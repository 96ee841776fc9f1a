import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { contestants } from "./contestant.ts";
import { measureDispatch } from "./dispatch.ts";
import { findLoadGenerator } from "./load.ts";
import { measure } from "./measure.ts";
import { type Command, parseCommand, type ServerOptions, usage } from "./options.ts";
import { measureOverload } from "./overload.ts";
import { findPlacement } from "./placement.ts";
import { measurePostgres } from "./postgres.ts";
import {
  describeEnvironment,
  doubts,
  toDispatchTable,
  toOverloadTable,
  toPostgresTable,
  toServersTable,
  toWritesTable,
} from "./report.ts";
import { scenarios } from "./scenario.ts";
import { measureWrites } from "./writes.ts";

/** Enough to keep a core busy. */
const connections = 64;

const interruption = new AbortController();

try {
  await run(parseCommand(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`);
  process.exitCode = interruption.signal.aborted ? 130 : 1;
}

async function run(command: Command): Promise<void> {
  switch (command.kind) {
    case "help":
      print(usage);
      return;
    case "dispatch":
      await runDispatch(command.rounds, command.json);
      return;
    case "overload":
      await runOverload(command.rounds, command.seconds, command.json);
      return;
    case "writes":
      await runWrites(command, command.json);
      return;
    case "postgres":
      await runPostgres(command, command.json);
      return;
    case "servers":
      await runServers(command, command.json);
  }
}

async function runServers(options: ServerOptions, jsonFile: string | undefined): Promise<void> {
  interruptOnSignals();
  const environment = await describeEnvironment();
  const loadGenerator = await findLoadGenerator(options.load);
  const placement = await findPlacement();
  const conditions = {
    load: `${loadGenerator.name} ${loadGenerator.version}`,
    connections,
    pinned: placement.pinned,
    rounds: options.rounds,
    seconds: options.seconds,
    warmUp: options.warmUp,
  };
  const { load, rounds, seconds, warmUp } = conditions;
  printEnvironment(environment);
  print(`${load}, ${connections} connections, ${rounds} × ${seconds} s, each after ${warmUp} s of warm-up`);
  print(
    placement.pinned
      ? "server on core 0, load on core 1"
      : "not pinned, since there is no taskset for two cores: server and load may compete for one",
  );
  const results = await measure({
    ...options,
    contestants,
    scenarios,
    loadGenerator,
    placement,
    connections,
    directory: tmpdir(),
    signal: interruption.signal,
    onProgress: (step) => process.stderr.write(`${step}\n`),
  });
  for (const result of results) {
    print(`\n${toServersTable(result)}`);
    for (const doubt of doubts(result)) print(`\n${doubt}`);
  }
  await writeJson(jsonFile, { environment, conditions, results });
}

async function runWrites(
  { rounds, seconds, warmUp, load }: Omit<ServerOptions, "records">,
  jsonFile: string | undefined,
): Promise<void> {
  interruptOnSignals();
  const environment = await describeEnvironment();
  const loadGenerator = await findLoadGenerator(load);
  const conditions = { load: `${loadGenerator.name} ${loadGenerator.version}`, connections, rounds, seconds, warmUp };
  printEnvironment(environment);
  print(`${conditions.load}, ${connections} connections, ${rounds} × ${seconds} s, not pinned`);
  const result = await measureWrites({
    ...conditions,
    loadGenerator,
    directory: tmpdir(),
    records: 100_000,
    signal: interruption.signal,
    onProgress: (step) => process.stderr.write(`${step}\n`),
  });
  print(`\n${toWritesTable(result)}`);
  await writeJson(jsonFile, { environment, conditions, result });
}

async function runPostgres(
  { rounds, seconds, warmUp, load }: Omit<ServerOptions, "records">,
  jsonFile: string | undefined,
): Promise<void> {
  interruptOnSignals();
  const environment = await describeEnvironment();
  const loadGenerator = await findLoadGenerator(load);
  const conditions = { load: `${loadGenerator.name} ${loadGenerator.version}`, connections, rounds, seconds, warmUp };
  printEnvironment(environment);
  print(`${conditions.load}, ${connections} connections, ${rounds} × ${seconds} s, not pinned`);
  const result = await measurePostgres({
    ...conditions,
    loadGenerator,
    signal: interruption.signal,
    onProgress: (step) => process.stderr.write(`${step}\n`),
  });
  print(`\n${toPostgresTable(result)}`);
  await writeJson(jsonFile, { environment, conditions, result });
}

function interruptOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => interruption.abort(new Error(`Interrupted by ${signal}`)));
  }
}

async function runDispatch(rounds: number, jsonFile: string | undefined): Promise<void> {
  const environment = await describeEnvironment();
  printEnvironment(environment);
  print(`app.handle alone, rounds: ${rounds}\n`);
  const results = measureDispatch({ sizes: [10, 10_000], rounds, requests: 20_000 });
  print(toDispatchTable(results));
  await writeJson(jsonFile, { environment, rounds, results });
}

async function runOverload(rounds: number, seconds: number, jsonFile: string | undefined): Promise<void> {
  interruptOnSignals();
  const environment = await describeEnvironment();
  printEnvironment(environment);
  print(`rounds: ${rounds}, ${seconds} s each after a second of warm-up; clients wait for 1 s\n`);
  const results = await measureOverload({
    rounds,
    seconds,
    warmUp: 1,
    placement: await findPlacement(),
    signal: interruption.signal,
    onProgress: (step) => process.stderr.write(`${step}\n`),
  });
  print(toOverloadTable(results));
  await writeJson(jsonFile, { environment, rounds, seconds, results });
}

function printEnvironment({
  processor,
  cores,
  platform,
  versions,
}: Awaited<ReturnType<typeof describeEnvironment>>): void {
  print(`${processor}, ${cores} cores, ${platform}`);
  print(
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", "),
  );
}

async function writeJson(file: string | undefined, results: object): Promise<void> {
  if (file !== undefined) await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
