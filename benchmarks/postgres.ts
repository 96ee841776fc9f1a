import { startPostgres } from "../packages/collection/test/start-postgres.ts";
import { serverProgram } from "./contestant.ts";
import type { Load, Rounds } from "./load.ts";
import { addedPerson } from "./scenario.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { type Summary, summarize } from "./summary.ts";
import { anywhere } from "./writes.ts";

/** Requests a second. */
export interface PostgresResult {
  readonly reads: Comparison;
  readonly writes: Comparison;
}

export interface Comparison {
  /** Of ours, by which requests that arrive together are one query or one transaction. */
  readonly together: Summary;
  /** Of the same service with a statement for each request. */
  readonly each: Summary;
  /** The ratio of the medians. */
  readonly gain: number;
}

/**
 * Measures the service on a PostgreSQL server that is started for it and writes its commits to the disk: ours beside the same with
 * a statement for each request. Each is a fresh process on a new database, one at a time, each round another one first.
 *
 * @throws Error when a server does not start, or a request fails
 */
export async function measurePostgres(options: Rounds): Promise<PostgresResult> {
  const server = await startPostgres();
  try {
    const together: Rates[] = [];
    const each: Rates[] = [];
    for (let round = 0; round < options.rounds; round++) {
      const contestants = [
        { name: "ours", rates: together },
        { name: "query-each", rates: each },
      ];
      for (const { name, rates } of round % 2 === 0 ? contestants : contestants.toReversed()) {
        options.onProgress?.(`round ${round + 1} of ${options.rounds}: ${name}`);
        rates.push(await measureServer(name, await server.createDatabase(), options));
      }
    }
    return { reads: compare(together, each, "reads"), writes: compare(together, each, "writes") };
  } catch (error) {
    options.signal.throwIfAborted(); // what the interruption breaks fails in ways of its own
    throw error;
  } finally {
    await server.end();
  }
}

interface Rates {
  readonly reads: number;
  readonly writes: number;
}

async function measureServer(name: string, database: string, options: Rounds): Promise<Rates> {
  const server = await startServer({
    program: serverProgram(name),
    database,
    placement: anywhere,
    signal: options.signal,
  });
  try {
    const writes = await time({ ...loadOf(server, "/person", options), json: JSON.stringify(addedPerson) }, options);
    const reads = await time(loadOf(server, "/person/1", options), options);
    return { reads, writes };
  } finally {
    await server.stop();
  }
}

async function time(load: Load, { loadGenerator, warmUp }: Rounds): Promise<number> {
  if (warmUp > 0) await loadGenerator.run({ ...load, seconds: warmUp });
  return loadGenerator.run(load);
}

const loadOf = ({ url }: ServerProcess, path: string, { connections, seconds, signal }: Rounds): Load => {
  return { url: url + path, headers: {}, connections, seconds, signal, placement: anywhere };
};

function compare(together: readonly Rates[], each: readonly Rates[], kind: keyof Rates): Comparison {
  const [ours, theirs] = [together, each].map((rates) => summarize(rates.map((rate) => rate[kind])));
  if (ours === undefined || theirs === undefined) throw new RangeError("There was no round");
  return { together: ours, each: theirs, gain: ours.median / theirs.median };
}
