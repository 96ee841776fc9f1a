import { mkdtempDisposable, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as elapse } from "node:timers/promises";
import { openDatabase } from "@waymark/collection";
import { personCollection } from "@waymark/person-service";
import { serverProgram } from "./contestant.ts";
import type { Load, Rounds } from "./load.ts";
import { addedPerson } from "./scenario.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { type Summary, summarize, summarizeKnown } from "./summary.ts";

export interface WritesOptions extends Rounds {
  /** Where the databases are made: what is measured is the disk too. */
  readonly directory: string;
  /** Kept alive, for writes and as many for reads. */
  readonly connections: number;
  /** How many records the bytes of the file are computed from. */
  readonly records: number;
  /** The folder of another checkout whose service is measured too. */
  readonly against?: string | undefined;
}

/** Requests are per second; memory and files are in bytes. */
export interface WritesResult {
  /** POST /person of ours. */
  readonly grouped: Summary;
  /** The same of the same service, but that each write has a commit of its own, made by the thread that serves. */
  readonly each: Summary;
  /** The ratio of the medians. */
  readonly gain: number;
  /** POST /person of the other checkout; undefined without one. */
  readonly against: Summary | undefined;
  /** GET /person/1 of ours. */
  readonly readsAlone: Summary;
  readonly readsUnderWrites: Summary;
  readonly writesUnderReads: Summary;
  /** The ratio of the medians. */
  readonly readsKept: number;
  /** The resident memory of ours, once started and after its writes; undefined where the system does not say. */
  readonly idleMemory: Summary | undefined;
  readonly loadedMemory: Summary | undefined;
  /** Of the file, for each person who was sent as 100 bytes. */
  readonly bytesPerRecord: number;
}

/**
 * Measures durable writes: ours, which share commits, beside the same service with a commit for each; and what reads lose
 * meanwhile. Each server is a fresh process on a new file, one at a time, each round another one first.
 *
 * @throws Error when a server does not start, or a request fails
 */
export async function measureWrites(options: WritesOptions): Promise<WritesResult> {
  const { rounds, directory: parent, records, against, onProgress } = options;
  await using made = await mkdtempDisposable(join(parent, "writes-benchmark-"));
  const directory = made.path;
  try {
    const grouped: GroupedRound[] = [];
    const each: number[] = [];
    const other: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const measurements = [
        async () => {
          onProgress?.(`round ${round + 1} of ${rounds}: commits that are shared`);
          grouped.push(await measureGrouped(join(directory, `grouped-${round}.db`), options));
        },
        async () => {
          onProgress?.(`round ${round + 1} of ${rounds}: a commit for each`);
          each.push(await timeWritesOf(serverProgram("commit-each"), join(directory, `each-${round}.db`), options));
        },
      ];
      if (against !== undefined) {
        measurements.push(async () => {
          onProgress?.(`round ${round + 1} of ${rounds}: ${against}`);
          const server = serverProgram("ours", against);
          other.push(await timeWritesOf(server, join(directory, `other-${round}.db`), options));
        });
      }
      for (const measurement of round % 2 === 0 ? measurements : measurements.toReversed()) await measurement();
    }
    onProgress?.(`the file of ${records} people`);
    return summarizeRounds(grouped, each, other, await measureFile(join(directory, "records.db"), records));
  } catch (error) {
    options.signal.throwIfAborted(); // what the interruption breaks fails in ways of its own
    throw error;
  }
}

interface GroupedRound {
  readonly writes: number;
  readonly readsAlone: number;
  readonly readsUnderWrites: number;
  readonly writesUnderReads: number;
  readonly idleMemory: number | undefined;
  readonly loadedMemory: number | undefined;
}

async function measureGrouped(database: string, options: WritesOptions): Promise<GroupedRound> {
  const { loadGenerator, seconds, warmUp, signal } = options;
  await using server = await startServer({ program: serverProgram("ours"), database, signal });
  const idleMemory = await server.residentMemory();
  const writes = await timeWrites(server, options);
  const loadedMemory = await server.residentMemory();
  const reads = loadOf(`${server.url}/person/1`, options);
  const readsAlone = await loadGenerator.run(reads);
  const writing = loadGenerator.run({ ...writesOf(server, options), seconds: warmUp + seconds });
  await elapse(warmUp * 1000);
  const [readsUnderWrites, writesUnderReads] = await Promise.all([loadGenerator.run(reads), writing]);
  return { writes, readsAlone, readsUnderWrites, writesUnderReads, idleMemory, loadedMemory };
}

async function timeWritesOf(program: URL, database: string, options: WritesOptions): Promise<number> {
  await using server = await startServer({ program, database, signal: options.signal });
  return await timeWrites(server, options);
}

async function timeWrites(server: ServerProcess, options: WritesOptions): Promise<number> {
  const load = writesOf(server, options);
  if (options.warmUp > 0) await options.loadGenerator.run({ ...load, seconds: options.warmUp });
  return options.loadGenerator.run(load);
}

const loadOf = (url: string, { connections, seconds, signal }: WritesOptions): Load => {
  return { url, headers: {}, connections, seconds, signal };
};

const writesOf = (server: ServerProcess, options: WritesOptions): Load => {
  return { ...loadOf(`${server.url}/person`, options), json: JSON.stringify(addedPerson) };
};

/** The bytes of a file with so many people, for each of them. */
async function measureFile(file: string, records: number): Promise<number> {
  const database = await openDatabase(file, { collections: [personCollection] });
  try {
    const document = { name: "x".repeat(100 - '{"name":""}'.length) };
    await database.store(personCollection.name).createAll(Array.from({ length: records }, () => document));
  } finally {
    await database.close();
  }
  const { size } = await stat(file);
  return size / records;
}

function summarizeRounds(
  rounds: readonly GroupedRound[],
  eachRounds: readonly number[],
  otherRounds: readonly number[],
  bytesPerRecord: number,
): WritesResult {
  const summaryOf = (of: (round: GroupedRound) => number): Summary => summarize(rounds.map(of));
  const grouped = summaryOf(({ writes }) => writes);
  const each = summarize(eachRounds);
  const readsAlone = summaryOf((round) => round.readsAlone);
  const readsUnderWrites = summaryOf((round) => round.readsUnderWrites);
  return {
    grouped,
    each,
    gain: grouped.median / each.median,
    against: summarizeKnown(otherRounds),
    readsAlone,
    readsUnderWrites,
    writesUnderReads: summaryOf((round) => round.writesUnderReads),
    readsKept: readsUnderWrites.median / readsAlone.median,
    idleMemory: summarizeKnown(rounds.map(({ idleMemory }) => idleMemory)),
    loadedMemory: summarizeKnown(rounds.map(({ loadedMemory }) => loadedMemory)),
    bytesPerRecord,
  };
}
