import { parseArgs } from "node:util";
import { type LoadGeneratorName, loadGeneratorNames } from "./load.ts";
import { type FieldSet, fieldSets } from "./scenario.ts";

/** What the command line asks for: what is measured, and how. An option that this does not take has its default. */
export type Command = { readonly kind: "help" } | Measurement;

export interface Measurement {
  readonly kind: Measured;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
  readonly records: number | undefined;
  readonly fields: FieldSet;
  readonly load: LoadGeneratorName | undefined;
  readonly json: string | undefined;
  readonly publish: boolean;
  readonly keep: string | undefined;
  readonly against: string | undefined;
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
  const [kind = "servers", ...more] = positionals;
  if (more.length > 0 || !isMeasured(kind)) {
    const asked = JSON.stringify(positionals.join(" "));
    throw new RangeError(`What is measured is one of ${Object.keys(measured).join(", ")}, not ${asked}`);
  }
  const { takes, rounds } = measured[kind];
  const other = Object.keys(values).find((name) => !["rounds", "json", ...takes].includes(name));
  if (other !== undefined) throw new RangeError(`"${kind}" does not take --${other}`);
  const { json, publish = false, keep, against } = values;
  if (publish && (values.fields !== undefined || values.records !== undefined)) {
    throw new RangeError("--publish is for the servers with their usual fields and records");
  }
  return {
    kind,
    rounds: integer("rounds", values.rounds ?? rounds, 1),
    seconds: integer("seconds", values.seconds ?? "3", 1),
    warmUp: integer("warm-up", values["warm-up"] ?? "1", 0),
    records: values.records === undefined ? undefined : integer("records", values.records, 1),
    fields: oneOf("fields", values.fields ?? "browser", fieldSets),
    load: values.load === undefined ? undefined : oneOf("load", values.load, loadGeneratorNames),
    json,
    publish,
    keep,
    against,
  };
}

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

interface Taken {
  /** The options that it takes beside `rounds` and `json`. */
  readonly takes: readonly (keyof typeof accepted)[];
  /** By default. */
  readonly rounds: string;
}

export type Measured =
  | "servers"
  | "lists"
  | "growth"
  | "writes"
  | "postgres"
  | "open"
  | "scaling"
  | "records"
  | "declared"
  | "dispatch"
  | "types"
  | "overload";

const underLoad = ["seconds", "warm-up", "load"] as const;

const measured: Readonly<Record<Measured, Taken>> = {
  servers: { takes: [...underLoad, "records", "fields", "publish"], rounds: "5" },
  lists: { takes: ["records"], rounds: "3" },
  growth: { takes: ["records"], rounds: "3" },
  writes: { takes: [...underLoad, "against"], rounds: "5" },
  postgres: { takes: underLoad, rounds: "5" },
  open: { takes: underLoad, rounds: "5" },
  scaling: { takes: [...underLoad, "against"], rounds: "5" },
  records: { takes: [...underLoad, "records", "keep"], rounds: "5" },
  declared: { takes: underLoad, rounds: "5" },
  dispatch: { takes: [], rounds: "15" },
  types: { takes: [], rounds: "15" },
  overload: { takes: ["seconds"], rounds: "3" },
};

const isMeasured = (text: string): text is Measured => Object.hasOwn(measured, text);

export const usage: string = `Usage: npm run bench -- [${Object.keys(measured).join(" | ")}] [options]

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

function oneOf<N extends string>(option: string, text: string, names: readonly N[]): N {
  const name = names.find((known) => known === text);
  if (name !== undefined) return name;
  throw new RangeError(`--${option} must be ${names.join(" or ")}, not ${JSON.stringify(text)}`);
}
