import { parseArgs } from "node:util";
import { type LoadGeneratorName, loadGeneratorNames } from "./load.ts";
import { type FieldSet, fieldSets } from "./scenario.ts";

/** What the command line asks for. */
export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "dispatch" | "types"; readonly rounds: number; readonly json: string | undefined }
  | { readonly kind: "overload"; readonly rounds: number; readonly seconds: number; readonly json: string | undefined }
  | {
      readonly kind: "lists" | "growth";
      readonly records: number;
      readonly rounds: number;
      readonly json: string | undefined;
    }
  | ({ readonly kind: "postgres" | "open" | "declared"; readonly json: string | undefined } & Omit<
      ServerOptions,
      "records"
    >)
  | ({
      readonly kind: "writes" | "scaling";
      readonly against: string | undefined;
      readonly json: string | undefined;
    } & Omit<ServerOptions, "records">)
  | ({
      readonly kind: "records";
      readonly keep: string | undefined;
      readonly json: string | undefined;
    } & ServerOptions)
  | ({
      readonly kind: "servers";
      readonly fields: FieldSet;
      readonly publish: boolean;
      readonly json: string | undefined;
    } & ServerOptions);

export interface ServerOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
  readonly records: number | undefined;
  readonly load: LoadGeneratorName | undefined;
}

/**
 * Reads the command line.
 *
 * ```ts
 * parseCommand(["--rounds", "3"]);   // { kind: "servers", rounds: 3, seconds: 3, warmUp: 1, … }
 * ```
 *
 * @throws TypeError or RangeError whose message says what is wrong with it
 */
export function parseCommand(argv: readonly string[]): Command {
  const { values, positionals } = parseArgs({ args: [...argv], options: accepted, allowPositionals: true });
  if (values.help) return { kind: "help" };
  const [what = "servers", ...more] = positionals;
  if (more.length > 0 || !isMeasured(what)) {
    const asked = JSON.stringify(positionals.join(" "));
    throw new RangeError(`What is measured is one of ${measured.join(", ")}, not ${asked}`);
  }
  const { json } = values;
  const others = Object.keys(values).filter((name) => name !== "rounds" && name !== "json");
  if (what === "dispatch" || what === "types") {
    if (others.length > 0) throw new RangeError(`"${what}" takes --rounds and --json, not --${others[0]}`);
    return { kind: what, rounds: integer("rounds", values.rounds ?? "15", 1), json };
  }
  if (what === "overload") {
    const other = others.find((name) => name !== "seconds");
    if (other !== undefined) throw new RangeError(`"overload" takes --rounds, --seconds and --json, not --${other}`);
    const rounds = integer("rounds", values.rounds ?? "3", 1);
    return { kind: "overload", rounds, seconds: integer("seconds", values.seconds ?? "3", 1), json };
  }
  if (what === "lists" || what === "growth") {
    const other = others.find((name) => name !== "records");
    if (other !== undefined) throw new RangeError(`"${what}" takes --rounds, --records and --json, not --${other}`);
    const rounds = integer("rounds", values.rounds ?? "3", 1);
    return { kind: what, rounds, records: integer("records", values.records ?? "100000", 1), json };
  }
  if (what !== "servers" && values.fields !== undefined) throw new RangeError(`"${what}" does not take --fields`);
  const { publish = false } = values;
  if (publish && (what !== "servers" || values.fields !== undefined || values.records !== undefined)) {
    throw new RangeError("--publish is for the servers with their usual fields and records");
  }
  if (what !== "records" && values.keep !== undefined) throw new RangeError(`"${what}" does not take --keep`);
  if (what !== "writes" && what !== "scaling" && values.against !== undefined) {
    throw new RangeError(`"${what}" does not take --against`);
  }
  const options = {
    rounds: integer("rounds", values.rounds ?? "5", 1),
    seconds: integer("seconds", values.seconds ?? "3", 1),
    warmUp: integer("warm-up", values["warm-up"] ?? "1", 0),
    load: values.load === undefined ? undefined : loadGenerator(values.load),
    json,
  };
  if (what === "writes" || what === "postgres" || what === "open" || what === "declared" || what === "scaling") {
    if (values.records !== undefined) throw new RangeError(`"${what}" does not take --records`);
    return what === "postgres" || what === "open" || what === "declared"
      ? { kind: what, ...options }
      : { kind: what, ...options, against: values.against };
  }
  const records = values.records === undefined ? undefined : integer("records", values.records, 1);
  if (what === "records") return { kind: what, ...options, records, keep: values.keep };
  return { kind: what, ...options, records, publish, fields: fieldSet(values.fields ?? "browser") };
}

const measured = [
  "servers",
  "lists",
  "growth",
  "writes",
  "postgres",
  "open",
  "scaling",
  "records",
  "declared",
  "dispatch",
  "types",
  "overload",
] as const;

const isMeasured = (text: string): text is (typeof measured)[number] => measured.some((known) => known === text);

const accepted = {
  rounds: { type: "string" },
  seconds: { type: "string" },
  "warm-up": { type: "string" },
  records: { type: "string" },
  fields: { type: "string" },
  load: { type: "string" },
  json: { type: "string" },
  publish: { type: "boolean" },
  keep: { type: "string" },
  against: { type: "string" },
  help: { type: "boolean" },
} as const;

export const usage: string = `Usage: npm run bench -- [${measured.join(" | ")}] [options]

servers, the default: requests a second of ours, the peers and bare node:http; their memory, and how long they take to start.
  --rounds N     how often each is measured (default 5)
  --seconds N    for how long each time (default 3)
  --warm-up N    seconds under load before that (default 1)
  --records N    a database of N made-up people (default: the 537 of the demo)
  --fields NAME  the header fields of requests: browser, those of Chromium (the default), or none
  --load NAME    wrk or autocannon (default: wrk where there is one)
  --json FILE    write the results there too
  --publish      write the table into README.md and benchmarks/README.md

lists: all people as one JSON array, of ours and of Fastify: the first byte, the rate, and the memory for it.
  --rounds N     how often each is measured (default 3)
  --records N    how many people (default 100000)
  --json FILE    write the results there too

growth: the time of some forty lists of 20 people among more and more people, at first and again.
  --rounds N     how often each is asked for again (default 3)
  --records N    among 1,000, 100,000 … and N people (default 100000)
  --json FILE    write the results there too

writes: durable POSTs a second, of ours and with a commit for each; what reads lose meanwhile; memory and file.
  --rounds, --seconds, --warm-up, --load, --json as above
  --against FOLDER  measure the service of another checkout too

postgres: the processor time of GETs, pages and POSTs on a PostgreSQL server, of ours and of bare node:http with pg.
  --rounds, --seconds, --warm-up, --load, --json as above

open: how long requests take that come by chance, of ours and Fastify at 25, 50 and 75 % of what the slower one can answer.
  --rounds, --seconds, --warm-up, --load, --json as above

scaling: GETs and POSTs a second on SQLite, with two workers, and on PostgreSQL with one instance, two, and four in partitions.
  --rounds, --seconds, --warm-up, --load, --json as above
  --against FOLDER  measure four instances of another checkout too

records: GETs and pages a second among 1,000, 100,000 and 1,000,000 records; memory and file.
  --rounds, --seconds, --warm-up, --load, --json as above
  --records N    among 1,000 and N records
  --keep FOLDER  keep the databases there, and use those that are there

declared: requests a second of a route with variables, query and content declared, of ours and of Fastify with ajv.
  --rounds, --seconds, --warm-up, --load, --json as above

dispatch: the time that finding a route takes, for 10 and 10,000 routes.
  --rounds N     how often each is measured (default 15)
  --json FILE    write the results there too

types: the processor time in which the compiler checks 500 routes that declare what they take and answer, and untyped ones.
  --rounds N     how often each is checked (default 15)
  --json FILE    write the results there too

overload: what is still answered in time at 1 to 10 times the load, with the filter and without.
  --rounds N     how often each is measured (default 3)
  --seconds N    for how long each time (default 3)
  --json FILE    write the results there too`;

function integer(option: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least) return value;
  throw new RangeError(`--${option} must be an integer from ${least} to 999999999, not ${JSON.stringify(text)}`);
}

function fieldSet(text: string): FieldSet {
  const name = fieldSets.find((known) => known === text);
  if (name !== undefined) return name;
  throw new RangeError(`--fields must be ${fieldSets.join(" or ")}, not ${JSON.stringify(text)}`);
}

function loadGenerator(text: string): LoadGeneratorName {
  const name = loadGeneratorNames.find((known) => known === text);
  if (name !== undefined) return name;
  throw new RangeError(`--load must be ${loadGeneratorNames.join(" or ")}, not ${JSON.stringify(text)}`);
}
