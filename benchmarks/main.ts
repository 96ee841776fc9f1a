import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { buildProgram } from "../scripts/build-program.ts";
import { contestants } from "./contestant.ts";
import { measureDeclared } from "./declared.ts";
import { measureDispatch } from "./dispatch.ts";
import { measureFootprints } from "./footprint.ts";
import { measureGrowth } from "./growth.ts";
import { installContestants } from "./installed.ts";
import { measureLists } from "./list.ts";
import { findLoadGenerator, type LoadGenerator, type MixingLoadGenerator } from "./load.ts";
import { measure } from "./measure.ts";
import { measureOpenLoop } from "./open-loop.ts";
import { type Command, type Measured, type Measurement, parseCommand, usage } from "./options.ts";
import { measureOverload } from "./overload.ts";
import { findPlacement } from "./placement.ts";
import { measurePostgres } from "./postgres.ts";
import { type Published, publish } from "./publish.ts";
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

const usualSizes = [1000, 100_000, 1_000_000];

const oursAndFastify = contestants.filter(({ name }) => name === "ours" || name === "fastify");

const interruption = new AbortController();

/** What measurements have in common. */
const common = {
  directory: tmpdir(),
  signal: interruption.signal,
  onProgress: (step: string): void => void process.stderr.write(`${step}\n`),
};

/** What a measurement came to. */
interface Outcome {
  /** What is written as JSON, beside the environment. */
  readonly figures: object;
  readonly table: string;
  /** What `--publish` writes, beside the environment. */
  readonly published?: Omit<Published, "environment">;
}

const measurements: Readonly<Record<Measured, (asked: Measurement) => Promise<Outcome>>> = {
  servers: measureServers,
  async lists({ records = 100_000, rounds }) {
    const options = { contestants: oursAndFastify, records, rounds, placement: await findPlacement() };
    const results = await measureLists({ ...common, ...options });
    return { figures: { records, rounds, results }, table: toListsTable(results) };
  },
  async growth({ records = 100_000, rounds }) {
    const sizes = [...usualSizes.filter((size) => size < records), records];
    const results = await measureGrowth({ ...common, sizes, rounds });
    return { figures: { records, rounds, results }, table: toGrowthTable(results) };
  },
  async dispatch({ rounds }) {
    print(`app.handle alone, rounds: ${rounds}`);
    const results = measureDispatch({ sizes: [10, 10_000], rounds, requests: 20_000 });
    return { figures: { rounds, results }, table: toDispatchTable(results) };
  },
  async types({ rounds }) {
    const results = await measureTypes({ ...common, groups: 100, rounds });
    return { figures: { rounds, results }, table: toTypesTable(results) };
  },
  async overload({ rounds, seconds }) {
    print(`rounds: ${rounds}, ${seconds} s each after a second of warm-up; clients wait for 1 s`);
    const options = { loads: [1, 2, 5, 10], rounds, seconds, warmUp: 1, placement: await findPlacement() };
    const results = await measureOverload({ ...common, ...options });
    return { figures: { rounds, seconds, results }, table: toOverloadTable(results) };
  },
  writes: underLoad((options) => measureWrites({ ...options, records: 100_000 }), toWritesTable),
  postgres: underLoad((options) => measurePostgres({ ...options, records: 10_000 }), toPostgresTable),
  open: underLoad(
    (options) => measureOpenLoop({ ...options, contestants: oursAndFastify, loads: [0.25, 0.5, 0.75] }),
    toOpenLoopTable,
  ),
  declared: underLoad(measureDeclared, toContestantsTable),
  scaling: underLoad(measureScaling, toScalingTable),
  records: underLoad(measureRecords, toRecordsTable),
};

try {
  await run(parseCommand(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`);
  process.exitCode = interruption.signal.aborted ? 130 : 1;
}

async function run(command: Command): Promise<void> {
  if (command.kind === "help") return print(usage);
  await buildProgram();
  // It takes one turn of the event loop, in which no signal is heard.
  if (command.kind !== "dispatch") interruptOnSignals();
  const environment = await describeEnvironment();
  const { processor, cores, platform, versions } = environment;
  print(`${processor}, ${cores} cores, ${platform}`);
  print(
    Object.entries(versions)
      .map((version) => version.join(" "))
      .join(", "),
  );
  const { figures, table, published } = await measurements[command.kind](command);
  print(`\n${table}`);
  if (command.publish && published !== undefined) await publish({ environment, ...published });
  const json = JSON.stringify({ environment, ...figures }, null, 2);
  if (command.json !== undefined) await writeFile(command.json, `${json}\n`);
}

function interruptOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => interruption.abort(new Error(`Interrupted by ${signal}`)));
  }
}

async function measureServers(asked: Measurement): Promise<Outcome> {
  const { fields, rounds, seconds, warmUp, records } = asked;
  const loadGenerator = await findLoadGenerator(asked.load);
  const placement = await findPlacement();
  const load = nameOf(loadGenerator);
  const conditions = { load, connections, pinned: placement.pinned, fields, rounds, seconds, warmUp };
  print(`${load}, ${connections} connections, fields: ${fields}, ${rounds} × ${seconds} s, each after ${warmUp} s`);
  print(
    placement.pinned
      ? "server on core 0, load on core 1"
      : "not pinned, since there is no taskset for two cores: server and load may compete for one",
  );
  const options = { ...common, rounds, seconds, warmUp, records, contestants, placement };
  const results = await measure({ ...options, scenarios: scenariosWith(fields), loadGenerator, connections });
  common.onProgress("memory and start");
  await using installed = await installContestants(tmpdir(), contestants.slice(1));
  const footprints = await measureFootprints({ ...options, ...installed, idleConnections: 1000 });
  const tables = results.flatMap((result) => [toServersTable(result), ...doubts(result)]);
  return {
    figures: { conditions, results, footprints },
    table: [...tables, toFootprintsTable(footprints)].join("\n\n"),
    published: { rounds, seconds, warmUp, results },
  };
}

/** Makes the measurement of servers under load that run where the system places them. */
function underLoad<R extends object>(
  measureResult: (
    options: RecordsOptions & Pick<ScalingOptions, "against"> & { readonly loadGenerator: MixingLoadGenerator },
  ) => Promise<R>,
  toTable: (result: R) => string,
): (asked: Measurement) => Promise<Outcome> {
  return async ({ load, rounds, seconds, warmUp, records, keep, against }) => {
    const loadGenerator = await findLoadGenerator(load);
    const conditions = { load: nameOf(loadGenerator), connections, rounds, seconds, warmUp };
    print(`${conditions.load}, ${connections} connections, ${rounds} × ${seconds} s, not pinned`);
    const sizes = records === undefined ? usualSizes : [1000, records];
    const result = await measureResult({ ...common, ...conditions, loadGenerator, sizes, keep, against });
    return { figures: { conditions, result }, table: toTable(result) };
  };
}

function nameOf({ name, version }: LoadGenerator): string {
  return `${name} ${version}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
