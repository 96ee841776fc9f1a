import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { askFor } from "./answer.ts";
import type { Contestant } from "./contestant.ts";
import { makeDatabase, type TemporaryDatabase } from "./database.ts";
import type { Placement } from "./placement.ts";
import { type ServerProcess, type ServerStart, startServer } from "./server-process.ts";
import { type Summary, summarize, summarizeKnown } from "./summary.ts";

/** What a server takes before it has much to do. */
export interface Footprint {
  readonly name: string;
  /** Milliseconds from the start of the process to its first answer. */
  readonly start: Summary;
  /** The same, of a start that finds nothing compiled; undefined where an earlier start leaves nothing. */
  readonly firstStart: Summary | undefined;
  /** The processor time until the first answer, in milliseconds; undefined where the system does not say. */
  readonly processorTime: Summary | undefined;
  /** Resident bytes after the first answer; undefined where the system does not say. */
  readonly idleMemory: Summary | undefined;
  /** Resident bytes that an idle connection adds, after one request on it; undefined where the system does not say. */
  readonly perConnection: Summary | undefined;
}

export interface FootprintOptions {
  readonly contestants: readonly Contestant[];
  /** Where the directory with the database is made. */
  readonly directory: string;
  /** So many made-up people; unless given, those of the demo. */
  readonly records: number | undefined;
  readonly rounds: number;
  /** How many idle connections are counted; half as many are opened before, so that the server is warm. */
  readonly idleConnections: number;
  readonly placement: Placement;
  readonly signal: AbortSignal;
}

/** Measures every server: each time in a fresh process, and one at a time. */
export async function measureFootprints(options: FootprintOptions): Promise<readonly Footprint[]> {
  const { contestants, rounds } = options;
  await using database = await makeDatabase(options.directory, options.records);
  const samples = new Map(contestants.map(({ name }): [string, Sample[]] => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contestant of contestants) {
      samples.get(contestant.name)?.push(await sample(contestant, database, options));
    }
  }
  return Array.from(samples, ([name, of]) => toFootprint(name, of));
}

function toFootprint(name: string, samples: readonly Sample[]): Footprint {
  const summaryOf = (figure: keyof Sample): Summary | undefined => summarizeKnown(samples.map((each) => each[figure]));
  return {
    name,
    start: summarize(samples.map(({ start }) => start)),
    firstStart: summaryOf("firstStart"),
    processorTime: summaryOf("processorTime"),
    idleMemory: summaryOf("idleMemory"),
    perConnection: summaryOf("perConnection"),
  };
}

interface Sample {
  readonly start: number;
  readonly firstStart: number | undefined;
  readonly processorTime: number | undefined;
  readonly idleMemory: number | undefined;
  readonly perConnection: number | undefined;
}

async function sample(
  contestant: Contestant,
  { file, records }: TemporaryDatabase,
  { idleConnections, placement, signal }: FootprintOptions,
): Promise<Sample> {
  const begin = (): Promise<Started> =>
    startAndAsk({ ...contestant, database: file, placement, signal }, `/person/${records}`);
  const firstStart = contestant.compileCache && (await startWithout(contestant.compileCache, begin));
  const { server: started, path, milliseconds: start } = await begin();
  await using server = started;
  const sockets: Socket[] = [];
  try {
    const seconds = await server.processorTime();
    const idleMemory = await server.residentMemory();
    await openIdle(server.url, path, idleConnections / 2, sockets);
    const few = await server.residentMemory();
    await openIdle(server.url, path, idleConnections, sockets);
    const many = await server.residentMemory();
    const added = few === undefined || many === undefined ? undefined : many - few;
    return {
      start,
      firstStart,
      processorTime: seconds && seconds * 1000,
      idleMemory,
      perConnection: added && added / idleConnections,
    };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** A server that has given its first answer. */
interface Started {
  readonly server: ServerProcess;
  readonly path: string;
  /** From the start of the process. */
  readonly milliseconds: number;
}

async function startAndAsk(start: ServerStart, path: string): Promise<Started> {
  const begun = performance.now();
  const server = await startServer(start);
  try {
    await askFor(server.url + path, {}, start.signal);
    return { server, path, milliseconds: performance.now() - begun };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

/** Returns how long a start takes that finds nothing compiled. The server leaves that when it ends. */
async function startWithout(compileCache: URL, begin: () => Promise<Started>): Promise<number> {
  await rm(compileCache, { recursive: true, force: true });
  const { server, milliseconds } = await begin();
  await server.end();
  return milliseconds;
}

/** Opens connections one after the other, and has one request answered on each. */
async function openIdle(url: string, path: string, count: number, sockets: Socket[]): Promise<void> {
  const { hostname, port, host } = new URL(url);
  for (let i = 0; i < count; i++) {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await once(socket, "data");
  }
}
