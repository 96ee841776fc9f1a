import { HttpError, problem, problemTypes } from "waymark";
import { wording } from "waymark/internal";
import { type Readmission, RightsEnded } from "../../layers/readmission.ts";
import type { BulkSettings } from "../../limits.ts";
import { collectionProblemTypes } from "../../problem-types.ts";

/**
 * Paces the work of one bulk request: it runs for a few milliseconds at a time, so that other requests are served in between, and
 * ends when the client has disconnected or may do it no more, or the time limit is reached.
 */
export class BulkWork {
  readonly #limits: BulkSettings;
  readonly #signal: AbortSignal;
  readonly #readmission: Readmission;
  readonly #began = performance.now();
  /** The number of its latest turn, and when that began. */
  #turn = 0;
  #resumed = this.#began;
  #records = 0;

  constructor(limits: BulkSettings, signal: AbortSignal, readmission: Readmission) {
    this.#limits = limits;
    this.#signal = signal;
    this.#readmission = readmission;
  }

  /**
   * Must be called before each small piece of work, and awaited when it returns a promise.
   *
   * @throws HttpError (or rejects) when the client has disconnected; RightsEnded when it has lost its rights; BulkTimeExceeded (or rejects) when the time limit is reached
   */
  next(): Promise<void> | undefined {
    const now = performance.now();
    this.#assertWanted(now);
    const goesOn = this.#turn === turns && now - this.#resumed < longestPiece && !this.#readmission.isDue(now);
    return goesOn ? undefined : this.#pause();
  }

  /** @throws HttpError 413 when there are more records than `maxRecords` */
  countRecord(): void {
    const { maxRecords } = this.#limits;
    if (++this.#records <= maxRecords) return;
    const detail = `Nothing was stored: there are more than ${wording.withCommas(maxRecords)} records.`;
    throw new HttpError(problem(collectionProblemTypes.tooManyRecords, { detail, limit: maxRecords }));
  }

  /** Cuts content into pieces that take a decoder a few milliseconds at most, whatever their bytes. */
  async *piecesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const whole of content) {
      for (let start = 0; start < whole.length; start += pieceSize) {
        await this.next();
        yield whole.subarray(start, start + pieceSize);
      }
    }
  }

  /** Yields the values, each as one piece of work. */
  async *each<T>(values: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    for await (const value of values) {
      const pause = this.next();
      if (pause !== undefined) await pause;
      yield value;
    }
  }

  async #pause(): Promise<void> {
    this.#turn = await ownTurn();
    this.#resumed = performance.now();
    this.#assertWanted(this.#resumed);
    if (!this.#readmission.isDue(this.#resumed) || (await this.#readmission.isGranted())) return;
    throw new RightsEnded("Nothing was stored.");
  }

  #assertWanted(now: number): void {
    // Nobody is there to receive the answer.
    if (this.#signal.aborted) throw new HttpError(clientGone, { cause: this.#signal.reason });
    const { maxTime } = this.#limits;
    if (now - this.#began <= maxTime) return;
    throw new BulkTimeExceeded(maxTime);
  }
}

/** Thrown when a bulk request takes longer than its time limit. */
export class BulkTimeExceeded extends HttpError {
  /** @param maxTime in milliseconds */
  constructor(maxTime: number) {
    const detail = `Nothing was stored: it would take longer than ${maxTime} ms. Send fewer records at a time.`;
    super(problem(collectionProblemTypes.bulkTimeExceeded, { detail }));
    this.name = "BulkTimeExceeded";
  }
}

const clientGone = problem(problemTypes.malformedContent, { detail: "The client has gone." });

/** In milliseconds. */
const longestPiece = 5;

/** In bytes: blank lines of this length take 1 ms (Node 26). */
const pieceSize = 4_096;

/** The number of turns that bulk requests have had. */
let turns = 1;

const waiting: ((turn: number) => void)[] = [];

/**
 * Resolves in a later turn of the event loop, with the number of that turn. Each turn resumes one bulk request: other requests
 * wait for one piece of work, however many bulk requests there are.
 */
function ownTurn(): Promise<number> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeFirst);
  });
}

function resumeFirst(): void {
  const resume = waiting.shift();
  if (waiting.length > 0) setImmediate(resumeFirst);
  resume?.(++turns);
}
