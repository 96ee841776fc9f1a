import { get } from "node:http";
import { performance } from "node:perf_hooks";
import { type MeasureOptions, rotate } from "./measure.ts";
import { medianOf, type Table } from "./report.ts";
import { serverProgram, startServer } from "./server-process.ts";
import { summarize } from "./summary.ts";

/** One list of everybody: bytes and milliseconds, and the memory that the server had at its peak above that before. */
interface Sample {
  readonly bytes: number;
  readonly firstByte: number;
  readonly all: number;
  readonly memory: number | undefined;
}

/**
 * Measures how ours and Fastify send everybody as one JSON array: each time in a fresh process, after one list that does not count.
 *
 * @throws Error when they do not send the same number of bytes
 */
export async function measureList(options: MeasureOptions): Promise<Table> {
  const names = ["ours", "fastify"] as const;
  const samples = { ours: [] as Sample[], fastify: [] as Sample[] };
  for (let round = 0; round < options.rounds; round++) {
    for (const name of rotate(names, round)) {
      options.onProgress?.(`list: round ${round + 1} of ${options.rounds}, ${name}`);
      await using server = await startServer(serverProgram(name), [options.database], options);
      const before = await server.residentMemory();
      await readList(server.url);
      const timed = await readList(server.url);
      const peak = await server.peakMemory();
      samples[name].push({ ...timed, memory: before && peak && peak - before });
    }
  }
  const sizes = new Set(names.flatMap((name) => samples[name].map(({ bytes }) => bytes)));
  if (sizes.size > 1) throw new Error(`The lists have different sizes: ${[...sizes].join(", ")} bytes`);
  const rows = names.map((name) => {
    const of = samples[name];
    const rates = summarize(of.map(({ bytes, all }) => bytes / all));
    const memory = summarize(of.map((sample) => sample.memory));
    const first = summarize(of.map(({ firstByte }) => firstByte));
    return [name, medianOf(first, "ms"), medianOf(rates, "MB/s", 1000), medianOf(memory, "MiB", 2 ** 20)];
  });
  return [["everybody as one array", "first byte", "rate", "memory at its peak"], ...rows];
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
      response.on("end", () => resolve({ bytes, firstByte, all: performance.now() - begun }));
    }).on("error", reject);
  });
}
