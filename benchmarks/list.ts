import { get } from "node:http";
import { performance } from "node:perf_hooks";
import type { Contestant } from "./contestant.ts";
import { makeDatabase } from "./database.ts";
import type { Placement } from "./placement.ts";
import { startServer } from "./server-process.ts";
import { type Summary, summarize, summarizeKnown } from "./summary.ts";

export interface ListOptions {
  readonly contestants: readonly Contestant[];
  readonly directory: string;
  readonly records: number;
  readonly rounds: number;
  readonly placement: Placement;
  readonly signal: AbortSignal;
  readonly onProgress?: (step: string) => void;
}

/** What sending all records as one JSON array came to. */
export interface ListResult {
  readonly name: string;
  /** Milliseconds to the first byte of the content. */
  readonly firstByte: Summary;
  readonly bytesPerSecond: Summary;
  /** How many resident bytes the server has at its peak above those before; undefined where the system does not say. */
  readonly memory: Summary | undefined;
}

/**
 * Measures how servers send `GET /person` without a limit: each time in a fresh process, one at a time, each round another one
 * first. Each list is read once before it counts.
 *
 * @throws Error when the servers do not send the same number of bytes
 */
export async function measureLists(options: ListOptions): Promise<readonly ListResult[]> {
  const { contestants, rounds, onProgress } = options;
  onProgress?.(`storing ${options.records} people`);
  await using database = await makeDatabase(options.directory, options.records);
  const found = new Map<string, Sample[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      onProgress?.(`round ${round + 1} of ${rounds}: ${contestant.name}`);
      found.get(contestant.name)?.push(await sample(contestant, database.file, options));
    }
  }
  const sizes = new Set([...found.values()].flat().map(({ bytes }) => bytes));
  if (sizes.size > 1) throw new Error(`The lists have different sizes: ${[...sizes].join(", ")} bytes`);
  return [...found].map(([name, samples]) => toResult(name, samples));
}

interface Sample {
  readonly bytes: number;
  readonly firstByte: number;
  readonly milliseconds: number;
  readonly memory: number | undefined;
}

async function sample({ program }: Contestant, database: string, options: ListOptions): Promise<Sample> {
  const { placement, signal } = options;
  await using server = await startServer({ program, database, placement, signal });
  const before = await server.residentMemory();
  await readList(server.url);
  const timed = await readList(server.url);
  const peak = await server.peakMemory();
  return { ...timed, memory: before === undefined || peak === undefined ? undefined : peak - before };
}

function readList(url: string): Promise<Omit<Sample, "memory">> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    let firstByte = 0;
    let bytes = 0;
    get(`${url}/person`, { agent: false, headers: { Accept: "application/json" } }, (response) => {
      response.on("data", (piece: Buffer) => {
        if (bytes === 0) firstByte = performance.now() - begun;
        bytes += piece.length;
      });
      response.on("error", reject);
      response.on("end", () => resolve({ bytes, firstByte, milliseconds: performance.now() - begun }));
    }).on("error", reject);
  });
}

function toResult(name: string, samples: readonly Sample[]): ListResult {
  return {
    name,
    firstByte: summarize(samples.map(({ firstByte }) => firstByte)),
    bytesPerSecond: summarize(samples.map(({ bytes, milliseconds }) => (bytes / milliseconds) * 1000)),
    memory: summarizeKnown(samples.map(({ memory }) => memory)),
  };
}
