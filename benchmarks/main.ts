import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { buildProgram } from "../scripts/build-program.ts";
import { makeDatabase } from "./database.ts";
import { measureFiles } from "./files.ts";
import { measureList } from "./list.ts";
import { byH2load, byWrk, isInstalled } from "./load.ts";
import { type MeasureOptions, measureRow, type RowResult } from "./measure.ts";
import { anywhere, findPlacement } from "./placement.ts";
import { measurePostgres } from "./postgres.ts";
import { describeEnvironment, publish, type Table, toPublished, toSharesTable, toText, versionOf } from "./report.ts";
import { measureRoutes } from "./routes.ts";
import { groups, type Row, rows } from "./rows.ts";
import { measureStart } from "./start.ts";

const usage = `Usage: npm run bench -- [what…] [options]

Measures the service beside its peers and bare node:http. What is measured is one or more of:
  reads      one person, by one client and by many, behind a proxy, with a log; and a mixed load
  pages      pages of 20: at cursors, sorted, filtered, searched
  writes     people who are stored, over 1, 16 and 64 connections
  http2      one person over HTTP/2 with TLS, by h2load
  list       everybody as one array
  postgres   reads, pages and writes on PostgreSQL, beside bare node:http and pg
  files      import and export of everybody, beside sqlite3
  start      the time to the first answer, and memory
  routes     finding one of many routes, beside find-my-way and Hono
Default: reads pages writes.

Options:
  --only TEXT     only the rows with this text in their name
  --rounds N      how often each is measured (default 5)
  --seconds N     how long each load counts (default 2)
  --warm-up N     how long it lasts before it counts (default 2)
  --people N      how many made-up people are stored (default 100000)
  --json FILE     write all figures of reads, pages, writes and http2 to a file
  --publish       only the rows that have every server; write the shares into README.md and benchmarks/README.md`;

const tables = {
  list: measureList,
  postgres: measurePostgres,
  files: measureFiles,
  start: measureStart,
  routes: measureRoutes,
} as const satisfies Readonly<Record<string, (options: MeasureOptions) => Promise<Table>>>;

type Measured = (typeof groups)[number] | keyof typeof tables;

const known: readonly Measured[] = [...groups, ...(Object.keys(tables) as (keyof typeof tables)[])]; // what the object has

const accepted = {
  help: { type: "boolean" },
  only: { type: "string", default: "" },
  rounds: { type: "string", default: "5" },
  seconds: { type: "string", default: "2" },
  "warm-up": { type: "string", default: "2" },
  people: { type: "string", default: "100000" },
  json: { type: "string" },
  publish: { type: "boolean" },
} as const;

const interruption = new AbortController();
const { signal } = interruption;

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = signal.aborted ? 130 : 1;
}

async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args: [...args], options: accepted, allowPositionals: true });
  if (values.help) return print(usage);
  const asked = positionals.length === 0 ? groups.slice(0, 3) : positionals.map(measured);
  const people = integer("people", values.people, 1_000);
  const rounds = {
    rounds: integer("rounds", values.rounds, 1),
    seconds: integer("seconds", values.seconds, 1),
    warmUp: integer("warm-up", values["warm-up"], 0),
  };
  await requirePrograms(asked);
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(name, () => interruption.abort(new Error(`Interrupted by ${name}`)));
  }
  await buildProgram();
  const environment = await describeEnvironment();
  const placement = await findPlacement();
  const conditions = `medians of ${rounds.rounds} × ${rounds.seconds} s after ${rounds.warmUp} s of warm-up`;
  print(`${environment}\n${conditions}, ${placement.pinned ? "server on core 0, load on core 1" : "not pinned"}`);
  await using database = await makeDatabase(tmpdir(), people);
  const onProgress = (step: string): void => void process.stderr.write(`${step}\n`);
  const options = { ...rounds, database: database.file, people, generate: byWrk, placement, signal, onProgress };
  const results: RowResult[] = [];
  for (const what of asked) {
    if (isTable(what)) {
      print(`\n${toText(await tables[what](options))}`);
      continue;
    }
    const chosen = rows.filter((row) => isChosen(row, what, values));
    for (const row of chosen) {
      const generate = what === "http2" ? byH2load : byWrk;
      // A thread that writes is to have a core as it has otherwise.
      const result = await measureRow(row, { ...options, generate, placement: row.isWritten ? anywhere : placement });
      print(`\n${toText(toSharesTable([result]))}`);
      results.push(result);
    }
  }
  const { json } = values;
  if (json !== undefined) await writeFile(json, `${JSON.stringify({ environment, rounds, results }, null, 2)}\n`);
  if (values.publish) {
    const shares = "Shares of bare `node:http` in requests per processor second";
    const version = await versionOf("@waymark/person-service");
    const [machine = "", node = ""] = environment.split(/, (?=Node)/);
    await publish(
      `${toPublished(results)}\n${shares}, of version ${version} on ${machine}\nwith ${node.split(",")[0]}: ${conditions}, by \`npm run bench -- --publish\`.\n`,
    );
  }
}

/** Returns whether a row is measured; those that are published compare every server. */
function isChosen(
  { group, name, servers }: Row,
  what: Measured,
  { only, publish = false }: { readonly only: string; readonly publish?: boolean | undefined },
): boolean {
  return group === what && name.includes(only) && (!publish || servers.length > 3);
}

/** @throws Error when a program that is started for a measurement is missing */
async function requirePrograms(asked: readonly Measured[]): Promise<void> {
  for (const what of asked) {
    const program = { http2: "h2load", files: "sqlite3", list: "", start: "", routes: "" }[what as string] ?? "wrk";
    if (program !== "" && !(await isInstalled(program))) {
      throw new Error(`"${what}" needs ${program}, which is not on the PATH`);
    }
  }
}

function measured(name: string): Measured {
  const found = known.find((each) => each === name);
  if (found !== undefined) return found;
  throw new RangeError(`What is measured is one of ${known.join(", ")}, not ${JSON.stringify(name)}`);
}

function isTable(what: Measured): what is keyof typeof tables {
  return Object.hasOwn(tables, what);
}

function integer(option: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least) return value;
  throw new RangeError(`--${option} must be an integer from ${least} to 999999999, not ${JSON.stringify(text)}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
