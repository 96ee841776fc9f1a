import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { buildProgram } from "../scripts/build-program.ts";
import { contestants } from "./contestant.ts";
import { measureDeclared } from "./declared.ts";
import { measureDispatch } from "./dispatch.ts";
import { measureFootprints } from "./footprint.ts";
import { measureGrowth } from "./growth.ts";
import { installContestants } from "./installed.ts";
import { type ListOptions, measureLists } from "./list.ts";
import { findLoadGenerator, type MixingLoadGenerator } from "./load.ts";
import { measure } from "./measure.ts";
import { measureOpenLoop } from "./open-loop.ts";
import { type Command, parseCommand, usage } from "./options.ts";
import { measureOverload } from "./overload.ts";
import { findPlacement } from "./placement.ts";
import { measurePostgres } from "./postgres.ts";
import { publish } from "./publish.ts";
import { measureRecords, type RecordsOptions } from "./records.ts";
import {
  describeEnvironment,
  doubts,
  toContestantsTable,
  toDispatchTable,
  toFootprintsTable,
  toGrowthTable,
  toListsTable,
  toOpenLoopTable,
  toOverloadTable,
  toPostgresTable,
  toRecordsTable,
  toScalingTable,
  toServersTable,
  toTypesTable,
  toWritesTable,
} from "./report.ts";
import { measureScaling, type ScalingOptions } from "./scaling.ts";
import { scenariosWith } from "./scenario.ts";
import { measureTypes } from "./types.ts";
import { measureWrites } from "./writes.ts";

/** Enough to keep a core busy. */
const connections = 64;

/** Those of ours under load, each of which has its own result. */
type Loaded = Exclude<
  Command,
  { readonly kind: "help" | "dispatch" | "types" | "overload" | "lists" | "growth" | "servers" }
>;

const usualSizes = [1000, 100_000, 1_000_000];

const measurements: Readonly<
  Record<
    Loaded["kind"],
    (
      options: RecordsOptions & Pick<ScalingOptions, "against"> & { readonly loadGenerator: MixingLoadGenerator },
    ) => Promise<{ readonly result: object; readonly table: string }>
  >
> = {
  async writes(options) {
    const result = await measureWrites({ ...options, records: 100_000 });
    return { result, table: toWritesTable(result) };
  },
  async postgres(options) {
    const result = await measurePostgres({ ...options, records: 10_000 });
    return { result, table: toPostgresTable(result) };
  },
  async open(options) {
    const pair = contestants.filter(({ name }) => name === "ours" || name === "fastify");
    const result = await measureOpenLoop({ ...options, contestants: pair, loads: [0.25, 0.5, 0.75] });
    return { result, table: toOpenLoopTable(result) };
  },
  async declared(options) {
    const result = await measureDeclared(options);
    return { result, table: toContestantsTable(result) };
  },
  async scaling(options) {
    const result = await measureScaling(options);
    return { result, table: toScalingTable(result) };
  },
  async records(options) {
    const result = await measureRecords(options);
    return { result, table: toRecordsTable(result) };
  },
};

const interruption = new AbortController();

try {
  await run(parseCommand(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`);
  process.exitCode = interruption.signal.aborted ? 130 : 1;
}

async function run(command: Command): Promise<void> {
  if (command.kind !== "help") await buildProgram();
  switch (command.kind) {
    case "help":
      print(usage);
      return;
    case "dispatch":
      await runDispatch(command.rounds, command.json);
      return;
    case "types":
      await runTypes(command.rounds, command.json);
      return;
    case "overload":
      await runOverload(command.rounds, command.seconds, command.json);
      return;
    case "lists":
      await runLists(command, command.json);
      return;
    case "growth":
      await runGrowth(command, command.json);
      return;
    case "servers":
      await runServers(command, command.json);
      return;
    default:
      await runLoaded(command);
  }
}

async function runServers(
  options: Extract<Command, { readonly kind: "servers" }>,
  jsonFile: string | undefined,
): Promise<void> {
  interruptOnSignals();
  const environment = await describeEnvironment();
  const loadGenerator = await findLoadGenerator(options.load);
  const placement = await findPlacement();
  const conditions = {
    load: `${loadGenerator.name} ${loadGenerator.version}`,
    connections,
    pinned: placement.pinned,
    fields: options.fields,
    rounds: options.rounds,
    seconds: options.seconds,
    warmUp: options.warmUp,
  };
  const { load, fields, rounds, seconds, warmUp } = conditions;
  printEnvironment(environment);
  print(`${load}, ${connections} connections, fields: ${fields}, ${rounds} × ${seconds} s, each after ${warmUp} s`);
  print(
    placement.pinned
      ? "server on core 0, load on core 1"
      : "not pinned, since there is no taskset for two cores: server and load may compete for one",
  );
  const { signal } = interruption;
  const common = { ...options, contestants, placement, directory: tmpdir(), signal };
  const onProgress = (step: string): void => void process.stderr.write(`${step}\n`);
  const scenarios = scenariosWith(options.fields);
  const results = await measure({ ...common, scenarios, loadGenerator, connections, onProgress });
  onProgress("memory and start");
  await using installed = await installContestants(tmpdir(), contestants.slice(1));
  const footprints = await measureFootprints({ ...common, ...installed, idleConnections: 1000 });
  for (const result of results) {
    print(`\n${toServersTable(result)}`);
    for (const doubt of doubts(result)) print(`\n${doubt}`);
  }
  print(`\n${toFootprintsTable(footprints)}`);
  if (options.publish) await publish({ environment, rounds, seconds, warmUp, results });
  await writeJson(jsonFile, { environment, conditions, results, footprints });
}

async function runLists(options: Pick<ListOptions, "records" | "rounds">, jsonFile: string | undefined): Promise<void> {
  interruptOnSignals();
  const environment = await describeEnvironment();
  printEnvironment(environment);
  const { records, rounds } = options;
  const results = await measureLists({
    contestants: contestants.filter(({ name }) => name === "ours" || name === "fastify"),
    records,
    rounds,
    directory: tmpdir(),
    placement: await findPlacement(),
    signal: interruption.signal,
    onProgress: (step) => process.stderr.write(`${step}\n`),
  });
  print(`\n${toListsTable(results)}`);
  await writeJson(jsonFile, { environment, records, rounds, results });
}

async function runGrowth(
  { records, rounds }: { readonly records: number; readonly rounds: number },
  jsonFile: string | undefined,
): Promise<void> {
  interruptOnSignals();
  const environment = await describeEnvironment();
  printEnvironment(environment);
  const results = await measureGrowth({
    sizes: [...usualSizes.filter((size) => size < records), records],
    rounds,
    directory: tmpdir(),
    signal: interruption.signal,
    onProgress: (step) => process.stderr.write(`${step}\n`),
  });
  print(`\n${toGrowthTable(results)}`);
  await writeJson(jsonFile, { environment, records, rounds, results });
}

async function runLoaded(command: Loaded): Promise<void> {
  const { kind, load, rounds, seconds, warmUp, json } = command;
  interruptOnSignals();
  const environment = await describeEnvironment();
  const loadGenerator = await findLoadGenerator(load);
  const conditions = { load: `${loadGenerator.name} ${loadGenerator.version}`, connections, rounds, seconds, warmUp };
  printEnvironment(environment);
  print(`${conditions.load}, ${connections} connections, ${rounds} × ${seconds} s, not pinned`);
  const sizes = command.kind === "records" && command.records !== undefined ? [1000, command.records] : usualSizes;
  const { result, table } = await measurements[kind]({
    ...conditions,
    loadGenerator,
    directory: tmpdir(),
    sizes,
    keep: command.kind === "records" ? command.keep : undefined,
    against: "against" in command ? command.against : undefined,
    signal: interruption.signal,
    onProgress: (step) => process.stderr.write(`${step}\n`),
  });
  print(`\n${table}`);
  await writeJson(json, { environment, conditions, result });
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

async function runTypes(rounds: number, jsonFile: string | undefined): Promise<void> {
  interruptOnSignals();
  const environment = await describeEnvironment();
  printEnvironment(environment);
  const results = await measureTypes({
    groups: 100,
    rounds,
    directory: tmpdir(),
    signal: interruption.signal,
    onProgress: (step) => process.stderr.write(`${step}\n`),
  });
  print(`\n${toTypesTable(results)}`);
  await writeJson(jsonFile, { environment, rounds, results });
}

async function runOverload(rounds: number, seconds: number, jsonFile: string | undefined): Promise<void> {
  interruptOnSignals();
  const environment = await describeEnvironment();
  printEnvironment(environment);
  print(`rounds: ${rounds}, ${seconds} s each after a second of warm-up; clients wait for 1 s\n`);
  const results = await measureOverload({
    loads: [1, 2, 5, 10],
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
