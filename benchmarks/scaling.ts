import { mkdtempDisposable } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "@waymark/collection";
import { personCollection } from "@waymark/person-service";
import { startPostgres } from "../packages/collection/test/start-postgres.ts";
import { serverProgram } from "./contestant.ts";
import type { Rounds } from "./load.ts";
import { addedPerson } from "./scenario.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { type Ratio, summarizeBeside } from "./summary.ts";

export interface ScalingOptions extends Rounds {
  /** Where the SQLite files are made: what is measured is the disk too. */
  readonly directory: string;
  /** Kept alive, spread over the instances. */
  readonly connections: number;
  /** The folder of another checkout whose four instances are measured too, without partitions. */
  readonly against?: string | undefined;
}

/** What one way to run the service came to; requests are per second, and ratios are to the first of the ways. */
export interface ScalingResult {
  readonly name: string;
  /** GET /person/1. */
  readonly reads: Ratio;
  /** POST /person, of about 150 bytes. */
  readonly writes: Ratio;
}

/**
 * Measures the service as it grows: one process on an SQLite file, two workers on one, an instance on a PostgreSQL server on this
 * machine, two of them; and four on a server whose commits take 5 ms, without partitions and with 16. Each is made of fresh processes on a new database, one way at a time, each round another one first.
 *
 * @throws Error when a server does not start, or a request fails
 */
export async function measureScaling(options: ScalingOptions): Promise<readonly ScalingResult[]> {
  const { against } = options;
  await using made = await mkdtempDisposable(join(options.directory, "scaling-benchmark-"));
  const directory = made.path;
  try {
    await using postgres = await disposablePostgres();
    await using slow = await disposablePostgres("-c", "commit_delay=5000", "-c", "commit_siblings=0");
    let files = 0;
    const file = async (): Promise<string> => join(directory, `${++files}.db`);
    const ways = [
      { name: "SQLite, one process", programs: [ours], newDatabase: file },
      { name: "SQLite, two workers", programs: [serverProgram("workers")], newDatabase: file },
      { name: "PostgreSQL, one instance", programs: [ours], newDatabase: postgres.createDatabase },
      { name: "PostgreSQL, two instances", programs: [ours, ours], newDatabase: postgres.createDatabase },
      { name: "four instances, 5 ms commits", programs: fourOf(ours), newDatabase: slow.createDatabase },
      {
        name: "the same, 16 partitions",
        programs: fourOf(ours),
        newDatabase: async () => madeInPartitions(await slow.createDatabase()),
      },
      ...(against === undefined
        ? []
        : [
            {
              name: "the same of the other checkout",
              programs: fourOf(serverProgram("ours", against)),
              newDatabase: slow.createDatabase,
            },
          ]),
    ].map((way) => ({ ...way, rates: [] as Rates[] }));
    for (let round = 0; round < options.rounds; round++) {
      for (const { name, programs, newDatabase, rates } of round % 2 === 0 ? ways : ways.toReversed()) {
        options.onProgress?.(`round ${round + 1} of ${options.rounds}: ${name}`);
        rates.push(await measureWay(programs, await newDatabase(), options));
      }
    }
    const first = ways[0]?.rates ?? [];
    const ofKind = (rates: readonly Rates[], kind: keyof Rates): readonly number[] => rates.map((rate) => rate[kind]);
    return ways.map(({ name, rates }) => ({
      name,
      reads: summarizeBeside(ofKind(rates, "reads"), ofKind(first, "reads")),
      writes: summarizeBeside(ofKind(rates, "writes"), ofKind(first, "writes")),
    }));
  } catch (error) {
    options.signal.throwIfAborted(); // what the interruption breaks fails in ways of its own
    throw error;
  }
}

const ours = serverProgram("ours");

const fourOf = (program: URL): readonly URL[] => [program, program, program, program];

/** Makes the tables of a database in 16 partitions, which the programs that open it find. */
async function madeInPartitions(address: string): Promise<string> {
  const database = await openDatabase(address, { collections: [personCollection], partitions: 16 });
  await database.close();
  return address;
}

interface Rates {
  readonly reads: number;
  readonly writes: number;
}

/** @param flags of the program `postgres` */
async function disposablePostgres(
  ...flags: readonly string[]
): Promise<AsyncDisposable & { createDatabase(): Promise<string> }> {
  const server = await startPostgres(...flags);
  return { createDatabase: () => server.createDatabase(), [Symbol.asyncDispose]: () => server.end() };
}

async function measureWay(programs: readonly URL[], database: string, options: ScalingOptions): Promise<Rates> {
  const servers: ServerProcess[] = [];
  try {
    for (const program of programs) {
      servers.push(await startServer({ program, database, signal: options.signal }));
    }
    const writes = await time(servers, { path: "/person", json: JSON.stringify(addedPerson) }, options);
    const reads = await time(servers, { path: "/person/1" }, options);
    return { reads, writes };
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
}

/** The requests a second of all servers together. */
async function time(
  servers: readonly ServerProcess[],
  { path, ...content }: { readonly path: string; readonly json?: string },
  { loadGenerator, connections, seconds, warmUp, signal }: ScalingOptions,
): Promise<number> {
  const run = async (duration: number): Promise<number> => {
    const share = { headers: {}, connections: connections / servers.length, seconds: duration, signal };
    const rates = await Promise.all(
      servers.map(({ url }) => loadGenerator.run({ ...share, ...content, url: url + path })),
    );
    return rates.reduce((sum, rate) => sum + rate, 0);
  };
  if (warmUp > 0) await run(warmUp);
  return run(seconds);
}
