import { type Offer, offer } from "./offer.ts";
import type { Placement } from "./placement.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { type Summary, summarize } from "./summary.ts";

export interface OverloadOptions {
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
  /** Whether it has the filter `overload`. */
  readonly bounded: boolean;
  /** The requests offered, as a multiple of the most that the server can answer. */
  readonly load: number;
  /** Requests a second that were answered 200 while their clients were still there. */
  readonly goodput: Summary;
  /** The median as a share of the most that the server can answer. */
  readonly ofPeak: number;
  /** The median share of the requests that were refused with 503; the rest had no answer in time. */
  readonly refused: number;
}

/**
 * What a server that can do one thing at a time still does under more load than it can bear, with the filter `overload` and
 * without. The most that it can do is measured in each round, without the filter.
 */
export async function measureOverload(options: OverloadOptions): Promise<readonly OverloadResult[]> {
  const cases = loads.flatMap((load) => [true, false].map((bounded) => ({ load, bounded, rounds: [] as Round[] })));
  for (let round = 1; round <= options.rounds; round++) {
    options.onProgress?.(`overload: round ${round} of ${options.rounds}`);
    const peak = await withServer(false, options, (server) => peakOf(server, options));
    for (const { load, bounded, rounds } of round % 2 === 0 ? cases.toReversed() : cases) {
      rounds.push(await withServer(bounded, options, (server) => press(server, load * peak, peak, options)));
    }
  }
  return cases.map(({ load, bounded, rounds }) => ({
    bounded,
    load,
    goodput: summarize(rounds.map(({ goodput }) => goodput)),
    ofPeak: summarize(rounds.map(({ goodput, peak }) => goodput / peak)).median,
    refused: summarize(rounds.map(({ refused }) => refused)).median,
  }));
}

const loads = [1, 10];

interface Round {
  readonly goodput: number;
  readonly peak: number;
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
  const load: Omit<Offer, "seconds"> = { url: `${url}/work`, perSecond, patience: 1000, signal };
  await offer({ ...load, seconds: warmUp });
  const { sent, good, refused } = await offer({ ...load, seconds });
  return { goodput: good / seconds, peak, refused: refused / sent };
}

async function withServer<T>(
  bounded: boolean,
  { placement, signal }: OverloadOptions,
  use: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const program = new URL(`servers/work-${bounded ? "bounded" : "unbounded"}.ts`, import.meta.url);
  const server = await startServer({ program, database: "none", placement, signal });
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}
