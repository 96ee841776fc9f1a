import { HttpError, type HttpRequest, problem } from "waymark";
import { CallerShares, callerKey } from "../caller-shares.ts";
import type { ListSettings } from "../limits.ts";
import { collectionProblemTypes } from "../problem-types.ts";
import type { ReadOptions, StoredRecord } from "../store.ts";

/** Bounds the memory that lists use while their clients receive them, so that slow clients cannot fill it. */
export class HeldLists {
  readonly #shares: CallerShares;

  constructor({ maxHeldBytesPerCaller, maxHeldBytes }: ListSettings) {
    this.#shares = new CallerShares({ ofCaller: maxHeldBytesPerCaller, ofAll: maxHeldBytes });
  }

  /** Begins a list, which holds nothing yet. */
  begin(request: HttpRequest<unknown>): HeldList {
    const held = new HeldList(this, request);
    // Also when the response is never sent. A request from `HttpRequest.of` has no end: its caller holds the whole answer.
    if (!request.onEnd(() => held.release())) held.release();
    return held;
  }

  /** @throws HttpError 503 when the lists of the caller, or all lists together, have reached their bound */
  assertRoom(caller: string): void {
    const exceeded = this.#shares.exceededBy(caller, 1);
    if (exceeded !== undefined) throw refusal(exceeded === "caller" ? "this client" : "clients");
  }

  /** @param bytes negative when they are freed */
  add(caller: string, bytes: number): void {
    this.#shares.add(caller, bytes);
  }
}

/** The memory of one list, and the options of its reads. */
export class HeldList implements ReadOptions {
  readonly caller: string;
  readonly #all: HeldLists;
  readonly #request: HttpRequest<unknown>;
  #bytes: number | undefined;
  #isOver = false;

  constructor(all: HeldLists, request: HttpRequest<unknown>) {
    this.#all = all;
    this.#request = request;
    this.caller = callerKey(request);
  }

  /** Aborted when the client goes away. Few reads ask for it, and a request makes it when it is asked for. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }

  /**
   * Counts a batch, in place of the one before it.
   *
   * @throws HttpError 503 as `assertRoom` of all, at the first batch of the list
   */
  count(batch: readonly StoredRecord[]): void {
    if (this.#bytes === undefined) this.#all.assertRoom(this.caller);
    this.#hold(bytesHeldBy(batch));
  }

  /** Yields the batches, and ends the list after the last one. */
  async *untilEnd(
    batches: AsyncIterable<readonly StoredRecord[]>,
  ): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    try {
      yield* batches;
    } finally {
      this.release();
    }
  }

  /** Ends the list; again it does nothing. */
  release(): void {
    this.#hold(0);
    this.#isOver = true;
  }

  #hold(bytes: number): void {
    if (this.#isOver) return;
    this.#all.add(this.caller, bytes - (this.#bytes ?? 0));
    this.#bytes = bytes;
  }
}

/** Estimates the bytes of the records and of their text in a response. */
function bytesHeldBy(batch: readonly StoredRecord[]): number {
  let characters = 0;
  for (const { json } of batch) characters += json.length;
  return 2 * characters;
}

function refusal(whose: string): HttpError {
  const detail = `The lists that ${whose} did not take yet fill the memory for them.`;
  return new HttpError(problem(collectionProblemTypes.listsBusy, { detail }).withHeader("Retry-After", "5"));
}
