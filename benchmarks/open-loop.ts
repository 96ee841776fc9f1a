import type { Contestant } from "./contestant.ts";
import { makeDatabase } from "./database.ts";
import type { MixedRequest, MixingLoadGenerator, Rounds } from "./load.ts";
import { withCopy } from "./measure.ts";
import { offer } from "./offer.ts";
import { scenariosWith } from "./scenario.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { summarize } from "./summary.ts";

export interface OpenLoopOptions extends Rounds {
  readonly loadGenerator: MixingLoadGenerator;
  readonly contestants: readonly Contestant[];
  /** The requests that are sent, as shares of the most that the slowest server can answer. */
  readonly loads: readonly number[];
  /** Where the databases are made. */
  readonly directory: string;
}

/** How long the users of a server wait, in milliseconds from when their requests were due; medians of the rounds. */
export interface OpenLoopResult {
  readonly contestant: string;
  readonly load: number;
  readonly perSecond: number;
  /** The times within which half of the requests, 99 of 100, and 999 of 1,000 were answered. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  /** The median of POST. */
  readonly post: number;
}

/**
 * Measures how long requests take that come by chance, as those of many people do, whether the earlier ones have been answered or
 * not. Each server is a fresh process on a file of its own.
 *
 * A request without an answer counts as one of 10 seconds.
 */
export async function measureOpenLoop(options: OpenLoopOptions): Promise<readonly OpenLoopResult[]> {
  const { contestants, loads, rounds, directory, signal, onProgress } = options;
  await using database = await makeDatabase(directory, undefined);
  const mix = mixed?.mix?.(database.records) ?? [];
  const withServer = <T>({ program }: Contestant, use: (server: ServerProcess) => Promise<T>): Promise<T> =>
    withCopy(database.file, async (file) => {
      await using server = await startServer({ program, database: file, signal });
      return await use(server);
    });
  const peaks: number[] = [];
  for (const contestant of contestants) {
    onProgress?.(`the most that ${contestant.name} can answer`);
    peaks.push(await withServer(contestant, (server) => peakOf(server, mix, options)));
  }
  const results: OpenLoopResult[] = [];
  for (const load of loads) {
    const perSecond = load * Math.min(...peaks);
    for (const contestant of contestants) {
      const times: Times[] = [];
      for (let round = 1; round <= rounds; round++) {
        onProgress?.(`${load} of it, ${contestant.name}: round ${round} of ${rounds}`);
        times.push(await withServer(contestant, (server) => timesOf(server, mix, perSecond, options)));
      }
      const median = (of: (times: Times) => number): number => summarize(times.map(of)).median;
      results.push({
        contestant: contestant.name,
        load,
        perSecond,
        p50: median(({ all }) => quantile(all, 0.5)),
        p99: median(({ all }) => quantile(all, 0.99)),
        p999: median(({ all }) => quantile(all, 0.999)),
        post: median(({ posts }) => quantile(posts, 0.5)),
      });
    }
  }
  return results;
}

const mixed = scenariosWith("browser").find(({ mix }) => mix !== undefined);
const headers = mixed?.headers ?? {};

async function peakOf(
  { url }: ServerProcess,
  mix: readonly MixedRequest[],
  { loadGenerator, connections, warmUp, seconds, signal }: OpenLoopOptions,
): Promise<number> {
  const load = { url, headers, connections, signal };
  if (warmUp > 0) await loadGenerator.runMixed({ ...load, seconds: warmUp }, mix);
  return (await loadGenerator.runMixed({ ...load, seconds }, mix)).requestsPerSecond;
}

/** How long a client waits, in milliseconds. */
const patience = 10_000;

/** In milliseconds, in rising order. */
interface Times {
  readonly all: readonly number[];
  readonly posts: readonly number[];
}

/** Several kinds of requests that come by chance are all of them together by chance, too. */
async function timesOf(
  { url }: ServerProcess,
  mix: readonly MixedRequest[],
  perSecond: number,
  { warmUp, seconds, signal }: OpenLoopOptions,
): Promise<Times> {
  const port = Number(new URL(url).port);
  const sum = mix.reduce((total, { count }) => total + count, 0);
  const send = (seconds: number): Promise<readonly (readonly number[])[]> =>
    Promise.all(
      mix.map(async (kind) => {
        const message = toMessage(kind);
        const rate = (perSecond * kind.count) / sum;
        const load = { port, message, perSecond: rate, seconds, patience, signal };
        const { sent, good } = await offer({ ...load, arrivals: "by chance" });
        return [...good, ...Array.from({ length: sent - good.length }, () => patience)];
      }),
    );
  if (warmUp > 0) await send(warmUp);
  const times = await send(seconds);
  return { all: sorted(times.flat()), posts: sorted(times.filter((_, i) => mix[i]?.json !== undefined).flat()) };
}

function toMessage({ target, json }: MixedRequest): string {
  const sent = json === undefined ? {} : { "Content-Type": "application/json", "Content-Length": `${json.length}` };
  const lines = Object.entries({ Host: "localhost", ...headers, ...sent }).map(([name, value]) => `${name}: ${value}`);
  return [`${json === undefined ? "GET" : "POST"} ${target} HTTP/1.1`, ...lines, "", json ?? ""].join("\r\n");
}

const sorted = (times: readonly number[]): readonly number[] => times.toSorted((one, other) => one - other);

const quantile = (times: readonly number[], share: number): number =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
