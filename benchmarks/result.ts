import { type Summary, summarize, summarizeKnown } from "./summary.ts";

/** One server under load, once. */
export interface Timing {
  readonly requestsPerSecond: number;
  /**
   * The share of the time for which the server had a processor; undefined where the system does not say. Below 1, the load
   * generator was slower, or another program took the core: then it is not the server alone that was measured.
   */
  readonly busy: number | undefined;
  /** The milliseconds within which 99 of 100 requests of a mixed load were answered; undefined for another load. */
  readonly p99?: number | undefined;
}

/** What a scenario came to. */
export interface ScenarioResult {
  readonly scenario: string;
  /** `GET /person/269` */
  readonly request: string;
  readonly records: number;
  /** What every server answers. */
  readonly answer: { readonly status: number; readonly contentType: string | undefined; readonly bytes: number };
  /** The last one is the floor. */
  readonly contestants: readonly ContestantResult[];
}

export interface ContestantResult {
  readonly name: string;
  /** In the order in which they were made. */
  readonly rounds: readonly Timing[];
  readonly requestsPerSecond: Compared;
  /** The median. */
  readonly busy: number | undefined;
  /** Requests in a second of the server's own processor time: on a busy machine the fairer comparison. */
  readonly requestsPerProcessorSecond: Compared | undefined;
  /** For a mixed load: the milliseconds within which 99 of 100 requests were answered. */
  readonly p99: Summary | undefined;
}

export interface Compared extends Summary {
  /** The median as a share of the floor's: 1 is as fast. */
  readonly ofFloor: number;
}

/**
 * The rounds of each server, summarized and compared to those of the last.
 *
 * @throws RangeError when there is a server without a round
 */
export function compare(timings: ReadonlyMap<string, readonly Timing[]>): readonly ContestantResult[] {
  const summaries = [...timings].map(([name, rounds]) => {
    const perProcessorSecond = ({ requestsPerSecond, busy }: Timing): number | undefined =>
      busy ? requestsPerSecond / busy : undefined;
    return {
      name,
      rounds,
      requestsPerSecond: summarize(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
      busy: summarizeKnown(rounds.map(({ busy }) => busy))?.median,
      requestsPerProcessorSecond: summarizeKnown(rounds.map(perProcessorSecond)),
      p99: summarizeKnown(rounds.map(({ p99 }) => p99)),
    };
  });
  const floor = summaries.at(-1);
  return summaries.map((summary) => {
    const { requestsPerSecond, requestsPerProcessorSecond } = summary;
    return {
      ...summary,
      requestsPerSecond: toCompared(requestsPerSecond, floor?.requestsPerSecond),
      requestsPerProcessorSecond:
        requestsPerProcessorSecond && toCompared(requestsPerProcessorSecond, floor?.requestsPerProcessorSecond),
    };
  });
}

/** The requests that a server answers, as a share of the floor's: in a second of processor time, where the system measures that. */
export const shareOf = (result: Pick<ContestantResult, "requestsPerProcessorSecond" | "requestsPerSecond">): number =>
  (result.requestsPerProcessorSecond ?? result.requestsPerSecond).ofFloor;

const toCompared = (summary: Summary, floor: Summary | undefined): Compared => ({
  ...summary,
  ofFloor: summary.median / (floor?.median ?? Number.NaN),
});
