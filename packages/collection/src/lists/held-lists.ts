import { HttpError, type HttpRequest, problem } from "waymark";
import type { ListSettings } from "../limits.ts";
import { collectionProblemTypes } from "../problem-types.ts";
import { CallerShares, callerKey } from "../shares/caller-shares.ts";
import type { ReadOptions, RecordBatch, StoredRecord } from "../stores/contract/store.ts";

/**
 * Bounds the memory that lists use while their clients receive them, so that slow clients cannot fill it. When it is full, a
 * caller gets room from the one that holds most, if that is twice as much, and whose stillest list ends: a few callers cannot keep
 * the others out.
 */
export class HeldLists {
  readonly #shares: CallerShares;
  /** The lists of each caller that hold something, the one first whose client has taken nothing for longest. */
  readonly #lists = new Map<string, Set<HeldList>>();

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

  /**
   * Makes room for a list that will hold this many bytes.
   *
   * @throws HttpError 503 when the lists of the caller have reached their bound; or when all lists together have, and no other caller
   *   holds twice as much as this one will
   */
  makeRoom(caller: string, bytes: number): void {
    for (;;) {
      const exceeded = this.#shares.exceededBy(caller, 1);
      if (exceeded === undefined) return;
      if (exceeded === "caller") throw refusal("this client");
      const { key, amount } = this.#shares.most();
      // Callers with as much as one another would end each other's lists in turn.
      if (amount < 2 * (this.#shares.of(caller) + bytes)) throw refusal("clients");
      const [stillest] = this.#lists.get(key) ?? [];
      stillest?.giveUp();
    }
  }

  /** Counts what a list holds, instead of what it held before. */
  hold(list: HeldList, bytes: number, before: number): void {
    const { caller } = list;
    this.#shares.add(caller, bytes - before);
    const lists = this.#lists.get(caller) ?? new Set();
    lists.delete(list);
    if (bytes > 0) lists.add(list);
    if (lists.size > 0) this.#lists.set(caller, lists);
    else this.#lists.delete(caller);
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
   * @throws HttpError 503 as `makeRoom` of all, at the first batch of the list
   */
  count({ records, keptBytes = 0 }: RecordBatch): void {
    const bytes = bytesHeldBy(records) + keptBytes;
    if (this.#bytes === undefined) this.#all.makeRoom(this.caller, bytes);
    this.#hold(bytes);
  }

  /** Returns the options of a read that shows no state before this one. */
  since(state: string): ReadOptions {
    return { caller: this.caller, signal: this.signal, notBefore: state };
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

  /** Ends the list, and cuts its client off. */
  giveUp(): void {
    this.release();
    this.#request.abandon();
  }

  #hold(bytes: number): void {
    if (this.#isOver) return;
    this.#all.hold(this, bytes, this.#bytes ?? 0);
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
