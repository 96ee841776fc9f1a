import type { CollectionDefinition } from "../../database.ts";
import { type ReadOptions, StoreReadTimeout, StoreUnavailable } from "../../store.ts";
import { FairQueue } from "../fair-queue.ts";
import type { SqliteQueries } from "./selection.ts";
import { type Channel, ThreadChannel } from "./thread.ts";

/** How much may be asked of a reader. */
interface ReaderBounds {
  /** How many reads may be without an answer; those beyond are refused. */
  readonly maxWaiting: number;
  /** How many reads of one caller may wait behind that which is being made. */
  readonly maxWaitingPerCaller: number;
  /** How long each may be, from when it is asked for, in milliseconds. */
  readonly timeLimit: number;
}

/**
 * Makes the reads that may take long, one after another, and gives each caller a turn: the reads of one wait for those of
 * others once a round. A read that nobody waits for any more, or that has taken too long, is dropped or stopped.
 */
export class SqliteReader {
  readonly #channel: ReaderChannel;
  readonly #bounds: ReaderBounds;
  readonly #stop: Int32Array;
  readonly #waiting = new FairQueue<WaitingRead>();
  #current: WaitingRead | undefined;
  /** Resolves when there is nothing to do; undefined when there is nothing. */
  #running: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** @param stop what the other end of the channel looks at: not 0 when it is to stop the read that it is making */
  constructor(channel: ReaderChannel, bounds: ReaderBounds, stop: Int32Array) {
    this.#channel = channel;
    this.#bounds = bounds;
    this.#stop = stop;
  }

  /**
   * Reads, and sees all that was committed before it was asked.
   *
   * @throws StoreReadTimeout (rejects) when it takes too long
   * @throws StoreUnavailable (rejects) when it cannot be read just now, too many others wait, or nobody waits for it
   */
  async read<N extends keyof ReaderCalls>(
    { signal, caller = "" }: ReadOptions,
    call: N,
    ...args: Parameters<ReaderCalls[N]>
  ): Promise<ReturnType<ReaderCalls[N]>> {
    if (this.#closing !== undefined) throw closed();
    if (signal?.aborted === true) throw abandoned(signal);
    this.#assertRoom(caller);
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<ReaderCalls[N]>>();
    const waiting: WaitingRead = {
      make: () => this.#channel.ask(call, ...args).then(resolve, reject),
      giveUp: (reason) => {
        this.#waiting.delete(caller, waiting);
        if (this.#current === waiting) Atomics.store(this.#stop, 0, 1);
        reject(reason);
      },
    };
    const { timeLimit } = this.#bounds;
    const timer = setTimeout(
      () => waiting.giveUp(new StoreReadTimeout(`It takes more than ${timeLimit} ms`)),
      timeLimit,
    );
    const onAbort = (): void => waiting.giveUp(abandoned(signal));
    signal?.addEventListener("abort", onAbort);
    this.#waiting.add(caller, waiting);
    this.#running ??= this.#run();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** How many reads are without an answer. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Gives up what it was asked for, and takes no more. Closing it again does nothing. */
  close(): Promise<void> {
    this.#closing ??= Promise.resolve(this.#running).then(() => this.#channel.close());
    this.#current?.giveUp(closed());
    for (let waiting = this.#waiting.take(); waiting !== undefined; waiting = this.#waiting.take()) {
      waiting.giveUp(closed());
    }
    return this.#closing;
  }

  #assertRoom(caller: string): void {
    const { maxWaiting, maxWaitingPerCaller } = this.#bounds;
    const ofCaller = this.#waiting.sizeOf(caller);
    if (ofCaller >= maxWaitingPerCaller)
      throw new StoreUnavailable(`${ofCaller} long reads of the caller wait already`);
    const all = this.#waiting.size + Number(this.#current !== undefined);
    if (all >= maxWaiting) throw new StoreUnavailable(`${all} long reads wait already`);
  }

  async #run(): Promise<void> {
    // Those that come meanwhile are made as well.
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) {
      Atomics.store(this.#stop, 0, 0);
      this.#current = next;
      await next.make();
      this.#current = undefined;
    }
    this.#running = undefined;
  }
}

interface WaitingRead {
  /** Resolves when it is over, whatever came of it. */
  readonly make: () => Promise<void>;
  readonly giveUp: (reason: StoreUnavailable) => void;
}

const closed = (): StoreUnavailable => new StoreUnavailable("The database is closed");

const abandoned = (signal: AbortSignal | undefined): StoreUnavailable =>
  new StoreUnavailable("Nobody waits for the answer any more", { cause: signal?.reason });

/** What a reader can have read. */
export type ReaderCalls = Pick<SqliteQueries, "page" | "count">;

/** The way from a reader to the connection that it reads over. */
type ReaderChannel = Channel<ReaderCalls>;

/** What the thread is started with. */
export interface ReaderThreadData {
  /** Absolute. */
  readonly path: string;
  readonly collections: readonly CollectionDefinition[];
  /** Milliseconds. */
  readonly busyTimeout: number;
  /** Shared; not 0 once nobody waits any more for what the thread is doing. */
  readonly stop: Int32Array;
}

/** Reads in a thread of its own, so that nobody else waits meanwhile. */
export function threadedReader(data: ReaderThreadData): ReaderChannel {
  return new ThreadChannel({ file: "reader-thread", data, task: "reads", committing: [] });
}
