import type { CollectionDefinition } from "../../database.ts";
import { StoreReadTimeout, StoreUnavailable } from "../../store.ts";
import type { SqliteQueries } from "./selection.ts";
import { type Channel, ThreadChannel } from "./thread.ts";

/** How much may be asked of a reader. */
interface ReaderBounds {
  /** How many reads may be without an answer; those beyond are refused. */
  readonly maxWaiting: number;
  /** How long each may be, from when it is asked for, in milliseconds. */
  readonly timeLimit: number;
}

/**
 * Has the reads made that may take long, one after the other, in the order in which it is asked for them. One that nobody waits for any
 * more, or that has taken too long, is left out or stopped.
 */
export class SqliteReader {
  readonly #channel: ReaderChannel;
  readonly #bounds: ReaderBounds;
  readonly #stop: Int32Array;
  /** In their order; that which is being made is the first, unless it was given up. */
  readonly #waiting = new Set<WaitingRead>();
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
   * @param signal aborted when nobody waits for the answer any more
   * @throws StoreReadTimeout (rejects) when it takes too long
   * @throws StoreUnavailable (rejects) when it cannot be read just now, too many others wait, or nobody waits for it
   */
  async read<N extends keyof ReaderCalls>(
    signal: AbortSignal | undefined,
    call: N,
    ...args: Parameters<ReaderCalls[N]>
  ): Promise<ReturnType<ReaderCalls[N]>> {
    if (this.#closing !== undefined) throw closed();
    if (signal?.aborted === true) throw abandoned(signal);
    const { maxWaiting, timeLimit } = this.#bounds;
    if (this.#waiting.size >= maxWaiting) throw new StoreUnavailable(`${this.#waiting.size} long reads wait already`);
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<ReaderCalls[N]>>();
    const waiting: WaitingRead = {
      make: () => this.#channel.ask(call, ...args).then(resolve, reject),
      giveUp: (reason) => {
        this.#waiting.delete(waiting);
        if (this.#current === waiting) Atomics.store(this.#stop, 0, 1);
        reject(reason);
      },
    };
    const timer = setTimeout(
      () => waiting.giveUp(new StoreReadTimeout(`It takes more than ${timeLimit} ms`)),
      timeLimit,
    );
    const onAbort = (): void => waiting.giveUp(abandoned(signal));
    signal?.addEventListener("abort", onAbort);
    this.#waiting.add(waiting);
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
    for (const waiting of this.#waiting) waiting.giveUp(closed());
    return this.#closing;
  }

  async #run(): Promise<void> {
    // What comes meanwhile is come to as well.
    for (const waiting of this.#waiting) {
      Atomics.store(this.#stop, 0, 0);
      this.#current = waiting;
      await waiting.make();
      this.#current = undefined;
      this.#waiting.delete(waiting);
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
