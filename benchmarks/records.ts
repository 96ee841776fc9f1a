import { stat } from "node:fs/promises";
import { serverProgram } from "./contestant.ts";
import { keptDatabase, madeUpFamilyName, makeDatabase, type TemporaryDatabase } from "./database.ts";
import type { Rounds } from "./load.ts";
import { spread } from "./many-people.ts";
import { startServer } from "./server-process.ts";
import { type Ratio, summarizeBeside, summarizeKnown } from "./summary.ts";

export interface RecordsOptions extends Rounds {
  /** How many records the databases have; the first is what the others are compared to. */
  readonly sizes: readonly number[];
  /** Where the databases are made. */
  readonly directory: string;
  /** Where they are kept, to be found by the next measurement; undefined to remove them. */
  readonly keep?: string | undefined;
}

/** What reading among so many records came to. Requests are per second; memory and files are in bytes. */
export interface RecordsResult {
  readonly records: number;
  /** GET /person/{id}, of ids all over. */
  readonly item: Ratio;
  /** A page of 50 in the order of a member that has an index, from places all over. */
  readonly page: Ratio;
  /** Once started, and after the reads; undefined where the system does not say. */
  readonly idleMemory: number | undefined;
  readonly loadedMemory: number | undefined;
  /** Of the file, for each record of about 550 bytes. */
  readonly bytesPerRecord: number;
}

/**
 * Measures what the number of records costs who reads: the service on an SQLite file of each size, a fresh process for each, each
 * round another one first.
 *
 * @throws Error when a server does not start, or a request fails
 */
export async function measureRecords(options: RecordsOptions): Promise<readonly RecordsResult[]> {
  const databases: Measured[] = [];
  try {
    for (const size of options.sizes) {
      options.signal.throwIfAborted();
      options.onProgress?.(`storing ${size} records`);
      const database = await (options.keep === undefined
        ? makeDatabase(options.directory, size)
        : keptDatabase(options.keep, size));
      databases.push({ database, rounds: [] });
    }
    for (let round = 0; round < options.rounds; round++) {
      for (const { database, rounds } of round % 2 === 0 ? databases : databases.toReversed()) {
        options.onProgress?.(`round ${round + 1} of ${options.rounds}: ${database.records} records`);
        rounds.push(await measureRound(database.file, database.records, options));
      }
    }
    return await Promise.all(databases.map((measured) => toResult(measured, databases[0]?.rounds)));
  } catch (error) {
    options.signal.throwIfAborted(); // what the interruption breaks fails in ways of its own
    throw error;
  } finally {
    for (const { database } of databases) await database[Symbol.asyncDispose]();
  }
}

interface Measured {
  readonly database: TemporaryDatabase;
  readonly rounds: Round[];
}

interface Round {
  readonly item: number;
  readonly page: number;
  readonly idleMemory: number | undefined;
  readonly loadedMemory: number | undefined;
}

async function toResult({ database, rounds }: Measured, first: readonly Round[] = rounds): Promise<RecordsResult> {
  const figures = (of: readonly Round[], kind: "item" | "page"): readonly number[] => of.map((round) => round[kind]);
  return {
    records: database.records,
    item: summarizeBeside(figures(rounds, "item"), figures(first, "item")),
    page: summarizeBeside(figures(rounds, "page"), figures(first, "page")),
    idleMemory: summarizeKnown(rounds.map(({ idleMemory }) => idleMemory))?.median,
    loadedMemory: summarizeKnown(rounds.map(({ loadedMemory }) => loadedMemory))?.median,
    bytesPerRecord: (await stat(database.file)).size / database.records,
  };
}

async function measureRound(file: string, records: number, options: RecordsOptions): Promise<Round> {
  const { loadGenerator, connections, seconds, warmUp, signal } = options;
  const program = serverProgram("ours");
  await using server = await startServer({ program, database: file, signal });
  const numbers = spread(records, 1000);
  const time = async (toTarget: (n: number) => string): Promise<number> => {
    const targets = numbers.map(toTarget);
    const load = { url: server.url, targets, headers: {}, connections, signal };
    if (warmUp > 0) await loadGenerator.run({ ...load, seconds: warmUp });
    return loadGenerator.run({ ...load, seconds });
  };
  const idleMemory = await server.residentMemory();
  const item = await time((n) => `/person/${n}`);
  const page = await time((n) => `/person?sort=familyName&limit=50&familyName[ge]=${madeUpFamilyName(n)}`);
  return { item, page, idleMemory, loadedMemory: await server.residentMemory() };
}
