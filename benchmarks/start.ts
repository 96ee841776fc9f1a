import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { type Installed, installServers } from "./installed.ts";
import type { MeasureOptions } from "./measure.ts";
import { medianOf, type Table } from "./report.ts";
import { startServer } from "./server-process.ts";
import { summarize } from "./summary.ts";

/** How many connections are opened, each after one request on it. */
const idleConnections = 1_000;

/** What a server takes before it has much to do: milliseconds to the first answer, and bytes of memory. */
interface Sample {
  readonly start: number;
  readonly idle: number | undefined;
  readonly perConnection: number | undefined;
}

/** Measures how the servers start when they are installed as people do, each time in a fresh process. */
export async function measureStart(options: MeasureOptions): Promise<Table> {
  options.onProgress?.("start: installing the servers");
  await using installed = await installServers(tmpdir(), ["fastify", "hono", "bare"]);
  const samples = new Map(installed.servers.map((server): [Installed, Sample[]] => [server, []]));
  // The first round leaves compiled code, which a program keeps a second after its start, and is not counted.
  for (let round = 0; round <= options.rounds; round++) {
    for (const [server, of] of samples) {
      options.onProgress?.(`start: round ${round} of ${options.rounds}, ${server.name}`);
      const taken = await sample(server, options, round === 0 ? 2_000 : 0);
      if (round > 0) of.push(taken);
    }
  }
  const rows = Array.from(samples, ([{ name }, of]) => [
    name,
    medianOf(summarize(of.map(({ start }) => start)), "ms"),
    medianOf(summarize(of.map(({ idle }) => idle)), "MB", 1e6),
    medianOf(summarize(of.map(({ perConnection }) => perConnection)), "kB", 1e3),
  ]);
  return [["start to the first answer", "", "memory after it", "for an idle connection"], ...rows];
}

/** @param rest how long the server goes on, in milliseconds */
async function sample(
  { program, args }: Installed,
  { database, placement, signal }: MeasureOptions,
  rest: number,
): Promise<Sample> {
  const begun = performance.now();
  await using server = await startServer(program, args(database), { placement, signal, nodeOptions: [] });
  const sockets: Socket[] = [];
  try {
    await open(server.url, 1, sockets);
    const start = performance.now() - begun;
    const idle = await server.residentMemory();
    await open(server.url, idleConnections / 2, sockets); // so that the server is warm
    const few = await server.residentMemory();
    await open(server.url, idleConnections, sockets);
    const many = await server.residentMemory();
    await setTimeout(rest);
    return { start, idle, perConnection: few && many && (many - few) / idleConnections };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Opens connections one after the other, and has one request answered on each. */
async function open(url: string, count: number, sockets: Socket[]): Promise<void> {
  const { hostname, port, host } = new URL(url);
  for (let i = 0; i < count; i++) {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.write(`GET /person/1 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await once(socket, "data");
  }
}
