import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { askFor } from "./answer.ts";
import type { Contestant } from "./contestant.ts";
import type { Placement } from "./placement.ts";
import { startServer } from "./server-process.ts";
import { type Summary, summarize } from "./summary.ts";

/** What a server takes before it has much to do. */
export interface Footprint {
  readonly name: string;
  /** Milliseconds from the start of the process to its first answer. */
  readonly start: Summary;
  /** Resident bytes after the first answer; undefined where the system does not tell. */
  readonly idleMemory: Summary | undefined;
  /** Resident bytes that an idle connection adds, after one request on it; undefined where the system does not tell. */
  readonly perConnection: Summary | undefined;
}

export interface FootprintOptions {
  readonly contestants: readonly Contestant[];
  /** The database file that is served. */
  readonly database: string;
  /** A path of it that is answered 200. */
  readonly path: string;
  readonly rounds: number;
  /** How many idle connections are counted; half as many are opened before, so that the server is warm. */
  readonly idleConnections: number;
  readonly placement: Placement;
  readonly signal: AbortSignal;
}

/** Measures every server: each time in a fresh process, and one at a time. */
export async function measureFootprints(options: FootprintOptions): Promise<readonly Footprint[]> {
  const { contestants, rounds } = options;
  const found = new Map<string, Sample[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contestant of contestants) found.get(contestant.name)?.push(await sample(contestant, options));
  }
  return [...found].map(([name, samples]) => ({
    name,
    start: summarize(samples.map(({ start }) => start)),
    idleMemory: summaryOf(samples.map(({ idleMemory }) => idleMemory)),
    perConnection: summaryOf(samples.map(({ perConnection }) => perConnection)),
  }));
}

interface Sample {
  readonly start: number;
  readonly idleMemory: number | undefined;
  readonly perConnection: number | undefined;
}

async function sample({ program }: Contestant, options: FootprintOptions): Promise<Sample> {
  const { database, path, idleConnections, placement, signal } = options;
  const begun = performance.now();
  const server = await startServer({ program, database, placement, signal });
  const sockets: Socket[] = [];
  try {
    await askFor(server.url + path, {}, signal);
    const start = performance.now() - begun;
    const idleMemory = await server.residentMemory();
    await openIdle(server.url, path, idleConnections / 2, sockets);
    const few = await server.residentMemory();
    await openIdle(server.url, path, idleConnections, sockets);
    const many = await server.residentMemory();
    const added = few === undefined || many === undefined ? undefined : many - few;
    return { start, idleMemory, perConnection: added && added / idleConnections };
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
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

function summaryOf(values: readonly (number | undefined)[]): Summary | undefined {
  const told = values.filter((value) => value !== undefined);
  return told.length === 0 ? undefined : summarize(told);
}
