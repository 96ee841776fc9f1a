import { databaseClosed, nobodyWaits, StoreReadTimeout, type StoreUnavailable } from "../../contract/errors.ts";
import type { ReadOptions } from "../../contract/store.ts";
import { FairQueue } from "../../fair-queue.ts";
import type { Channel } from "../connections/channel.ts";
import type { SqliteQueries } from "./queries.ts";

interface ReaderBounds {
  /** The maximum of unanswered reads; further ones are refused. */
  readonly maxWaiting: number;
  /** The maximum of waiting reads of one caller, without the read that is being made. */
  readonly maxWaitingPerCaller: number;
  /** In milliseconds, for each read, waiting included; none is given up while the other end starts. */
  readonly timeLimit: number;
}

/**
 * Makes the reads that may take long, one after another. Callers take turns: in a round, each has one read made. A read that its
 * caller has aborted, or that has taken too long, is dropped or stopped.
 */
export class SqliteReader {
  readonly #channel: ReaderChannel;
  readonly #bounds: ReaderBounds;
  readonly #stop: Int32Array;
  readonly #waiting = new FairQueue<WaitingRead>();
  #current: WaitingRead | undefined;
  /** Resolves when all reads have ended; undefined while no read runs. */
  #running: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** @param stop shared with the other end of the channel: not 0 when that must stop the current read */
  constructor(channel: ReaderChannel, bounds: ReaderBounds, stop: Int32Array) {
    this.#channel = channel;
    this.#bounds = bounds;
    this.#stop = stop;
  }

  /**
   * Makes a read, which sees everything that was committed before the call.
   *
   * @throws StoreReadTimeout (rejects) when the read takes too long
   * @throws StoreUnavailable (rejects) when the database cannot be read just now, too many reads wait, or the caller has aborted
   *   the read
   */
  async read<N extends keyof ReaderCalls>(
    { signal, caller = "" }: ReadOptions,
    call: N,
    ...args: Parameters<ReaderCalls[N]>
  ): Promise<ReturnType<ReaderCalls[N]>> {
    if (this.#closing !== undefined) throw databaseClosed();
    if (signal?.aborted === true) throw nobodyWaits({ cause: signal.reason });
    const { maxWaiting, maxWaitingPerCaller: ofCaller } = this.#bounds;
    this.#waiting.assertRoom(caller, { ofAll: maxWaiting - Number(this.#current !== undefined), ofCaller });
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
    const timer = setTimeout(() => {
      // On a busy machine a thread takes seconds to start, for which no query is to blame.
      if (this.#channel.isStarting === true) timer.refresh();
      else waiting.giveUp(new StoreReadTimeout(`It takes more than ${timeLimit} ms`));
    }, timeLimit);
    const onAbort = (): void => waiting.giveUp(nobodyWaits({ cause: signal?.reason }));
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

  /** The number of waiting reads, without the read that is being made. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Gives up all reads, and accepts no more. Closing again does nothing. */
  close(): Promise<void> {
    this.#closing ??= Promise.resolve(this.#running).then(() => this.#channel.close());
    this.#current?.giveUp(databaseClosed());
    for (const waiting of this.#waiting.takeAll()) waiting.giveUp(databaseClosed());
    return this.#closing;
  }

  async #run(): Promise<void> {
    for (const next of this.#waiting.takeAll()) {
      Atomics.store(this.#stop, 0, 0);
      this.#current = next;
      await next.make();
      this.#current = undefined;
    }
    this.#running = undefined;
  }
}

interface WaitingRead {
  /** Makes the read. Resolves when it has ended, also when it has failed. */
  readonly make: () => Promise<void>;
  readonly giveUp: (reason: StoreUnavailable) => void;
}

/** The calls that a reader can make. */
export type ReaderCalls = Pick<SqliteQueries, "find" | "count">;

interface ReaderChannel extends Channel<ReaderCalls> {
  /** Whether the calls wait for the start of the other end. Default: false. */
  readonly isStarting?: boolean;
}
