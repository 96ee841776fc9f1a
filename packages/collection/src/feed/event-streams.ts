import { CallerShares } from "../caller-shares.ts";
import type { ChangeBatch, Store } from "../store.ts";
import { TurnShare } from "../turn-share.ts";
import { EventStream, type FollowedFeed, type StreamGroup } from "./event-stream.ts";
import type { FeedWatch } from "./watch.ts";

/**
 * The event streams of a collection. Those at the end of the feed wait here together: when a change comes, followers at the same
 * place get one read and the same bytes. One that reads slowly asks for more when it has taken what it got, and catches up from
 * the store: nothing is buffered for it.
 */
export class EventStreams implements StreamGroup {
  readonly #watch: FeedWatch;
  readonly #store: Pick<Store, "state">;
  readonly #shares = new CallerShares({ ofCaller: mostOfCaller, ofAll: 10_000 });
  readonly #open = new Set<EventStream>();
  readonly #waiting = new Set<EventStream>();
  /** The last known state of the store; undefined while nobody follows. */
  #state: string | undefined;
  #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isTicking = false;

  constructor(store: Pick<Store, "state">, watch: FeedWatch) {
    this.#store = store;
    this.#watch = watch;
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }

  /** Returns whether this caller, or all together, have as many open as they may. */
  isFull(caller: string): boolean {
    return this.#shares.exceededBy(caller, 1) !== undefined;
  }

  /**
   * Reads the first changes behind a cursor, and returns the stream that begins with them and goes on as it is read.
   *
   * @throws what the feed throws
   */
  async begin(feed: FollowedFeed, after: string | undefined): Promise<EventStream> {
    const state = await this.state();
    const batch = await feed.read(after, state);
    return new EventStream(this, feed, { state, batch, events: await feed.events(batch) });
  }

  /** Returns a state of the store that is not newer than what is read next. */
  async state(): Promise<string> {
    return this.#state ?? this.#store.state();
  }

  /** Returns whether nothing is known to have changed since a state. */
  isPresent(state: string): boolean {
    return state === this.#state;
  }

  add(stream: EventStream): void {
    this.#open.add(stream);
    this.#shares.add(stream.feed.caller, 1);
    this.#state ??= stream.state;
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.#tick(), tick);
    this.#timer.unref();
    this.#stop = new AbortController();
    void this.#run(this.#stop.signal);
  }

  delete(stream: EventStream): void {
    this.#waiting.delete(stream);
    if (!this.#open.delete(stream)) return;
    this.#shares.add(stream.feed.caller, -1);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stop.abort();
    this.#state = undefined;
  }

  /** Takes a stream that waits for a change behind its cursor. */
  wait(stream: EventStream): void {
    this.#waiting.add(stream);
  }

  /** To be called when a stream waits no longer. */
  woken(stream: EventStream): void {
    this.#waiting.delete(stream);
  }

  async #run(stop: AbortSignal): Promise<void> {
    while (this.#state !== undefined) {
      const state = await this.#watch.changedFrom(this.#state, stop, () => this.#waiting.size * pauseForEach);
      if (state === undefined) return;
      this.#state = state;
      const groups = Map.groupBy(this.#waiting, ({ place }) => place);
      const share = new TurnShare();
      await Promise.all(groups.values().map((streams) => this.#wake(streams, state, share)));
    }
  }

  /** Hands streams that wait at one place what has changed behind it. */
  async #wake(streams: readonly EventStream[], state: string, share: TurnShare): Promise<void> {
    const { feed, cursor } = streams[0] as EventStream; // a group has members
    let batch: ChangeBatch;
    let events: Uint8Array;
    try {
      batch = await feed.read(cursor, state);
      events = await feed.events(batch);
    } catch (error) {
      for (const stream of streams) stream.fail(error);
      return;
    }
    for (const stream of streams) {
      if (share.isUsed) await share.next();
      stream.receive({ state, batch, events });
    }
  }

  async #tick(): Promise<void> {
    if (this.#isTicking) return;
    this.#isTicking = true;
    const share = new TurnShare();
    for (const stream of this.#open) {
      if (share.isUsed) await share.next();
      stream.tick();
    }
    this.#isTicking = false;
  }
}

/** In milliseconds: a second, which is what streams count by. */
const tick = 1000;

/** In milliseconds: while changes go on, followers leave most of the time to others. To give one something takes some 20 µs. */
const pauseForEach = 0.5;

/** How many streams a caller may have open. */
export const mostOfCaller = 1000;
