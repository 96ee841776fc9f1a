import { serverProgram } from "./contestant.ts";
import { offer } from "./offer.ts";
import type { Placement } from "./placement.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { type Summary, summarize, summarizeKnown } from "./summary.ts";

export interface OverloadOptions {
  /** The requests that are offered, as multiples of the most that the server can answer. */
  readonly loads: readonly number[];
  /** At least 1. */
  readonly rounds: number;
  /** How long each load lasts, after a warm-up of a second under it. */
  readonly seconds: number;
  /** How long that warm-up is, in seconds. */
  readonly warmUp: number;
  readonly placement: Placement;
  readonly signal: AbortSignal;
  /** Told what is about to be done. */
  readonly onProgress?: (step: string) => void;
}

/** What a server makes of a load. */
export interface OverloadResult {
  readonly bottleneck: Bottleneck;
  /** Whether it has the filter `overload`. */
  readonly bounded: boolean;
  /** The requests offered, as a multiple of the most that the server can answer. */
  readonly load: number;
  /** Requests a second that were answered 200 while their clients were still there. */
  readonly goodput: Summary;
  /** The median as a share of the most that the server can answer. */
  readonly ofPeak: number;
  /** The median of how long 99 % of them took at most, in milliseconds; undefined if no request was answered. */
  readonly slowest: number | undefined;
  /** The median share of the requests that were refused with 503; the rest had no answer in time. */
  readonly refused: number;
}

/** What a request takes 2 ms of: something else that does one thing at a time, or the processor. */
export type Bottleneck = "waiting" | "computing";

/**
 * What a server still does under more load than it can bear, with the filter `overload` and without. The most that it can do is
 * measured in each round, without the filter.
 */
export async function measureOverload(options: OverloadOptions): Promise<readonly OverloadResult[]> {
  const cases = bottlenecks.flatMap((bottleneck) =>
    options.loads.flatMap((load) =>
      [true, false].map((bounded) => ({ server: { bottleneck, bounded }, load, rounds: [] as Round[] })),
    ),
  );
  for (let round = 1; round <= options.rounds; round++) {
    for (const bottleneck of bottlenecks) {
      options.onProgress?.(`overload, ${bottleneck}: round ${round} of ${options.rounds}`);
      const peak = await withServer({ bottleneck, bounded: false }, options, (server) => peakOf(server, options));
      const ofOne = cases.filter(({ server }) => server.bottleneck === bottleneck);
      for (const { load, server, rounds } of round % 2 === 0 ? ofOne.toReversed() : ofOne) {
        rounds.push(await withServer(server, options, (started) => press(started, load * peak, peak, options)));
      }
    }
  }
  return cases.map(({ server, load, rounds }) => ({
    ...server,
    load,
    goodput: summarize(rounds.map(({ goodput }) => goodput)),
    ofPeak: summarize(rounds.map(({ goodput, peak }) => goodput / peak)).median,
    slowest: summarizeKnown(rounds.map(({ slowest }) => slowest))?.median,
    refused: summarize(rounds.map(({ refused }) => refused)).median,
  }));
}

const bottlenecks: readonly Bottleneck[] = ["waiting", "computing"];

interface Round {
  readonly goodput: number;
  readonly peak: number;
  readonly slowest: number | undefined;
  readonly refused: number;
}

/** Requests a second when there is always another one waiting, but never many. */
async function peakOf({ url }: ServerProcess, { seconds, signal }: OverloadOptions): Promise<number> {
  let answered = 0;
  const begun = performance.now();
  const client = async (): Promise<void> => {
    while (performance.now() - begun < seconds * 1000) {
      await (await fetch(`${url}/work`, { signal })).text();
      answered++;
    }
  };
  await Promise.all([client(), client(), client(), client()]);
  return (answered / (performance.now() - begun)) * 1000;
}

async function press(
  { url }: ServerProcess,
  perSecond: number,
  peak: number,
  { seconds, warmUp, signal }: OverloadOptions,
): Promise<Round> {
  const port = Number(new URL(url).port);
  const load = { port, message: "GET /work HTTP/1.1\r\nHost: localhost\r\n\r\n", perSecond, patience: 1000, signal };
  await offer({ ...load, seconds: warmUp });
  const { sent, good, refused } = await offer({ ...load, seconds });
  const slowest = good.toSorted((one, other) => one - other)[Math.floor(good.length * 0.99)];
  return { goodput: good.length / seconds, peak, slowest, refused: refused.length / sent };
}

async function withServer<T>(
  { bottleneck, bounded }: Pick<OverloadResult, "bottleneck" | "bounded">,
  { placement, signal }: OverloadOptions,
  use: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const program = serverProgram(`${bottleneck}${bounded ? "-bounded" : ""}`);
  await using server = await startServer({ program, database: "none", placement, signal });
  return await use(server);
}
