import { CallerShares } from "../shares/caller-shares.ts";
import { TurnShare } from "../shares/turn-share.ts";
import type { Store } from "../stores/contract/store.ts";
import { EventStream, type FollowedFeed, type ReadEvents, type StreamGroup } from "./event-stream.ts";
import type { ChangedFrom } from "./watch.ts";

/**
 * The event streams of a collection. Those at the end of the feed wait here together: when a change comes, followers at the same
 * place get one read and the same bytes. One that reads slowly asks for more when it has taken what it got, and catches up from
 * the store: nothing is buffered for it.
 */
export class EventStreams implements StreamGroup {
  readonly #changedFrom: ChangedFrom;
  readonly #store: Pick<Store, "state">;
  readonly #shares = new CallerShares({ ofCaller: mostOfCaller, ofAll: 10_000 });
  readonly #open = new Set<EventStream>();
  readonly #waiting = new Set<EventStream>();
  readonly #recent = new RecentReads();
  /** The last known state of the store; undefined while nobody follows. */
  #state: string | undefined;
  #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #seconds = 0;
  #isTicking = false;

  constructor(store: Pick<Store, "state">, changedFrom: ChangedFrom) {
    this.#store = store;
    this.#changedFrom = changedFrom;
  }

  get seconds(): number {
    return this.#seconds;
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }

  /** For how long the follower that is furthest behind has not had all changes, in seconds. */
  get secondsBehind(): number {
    return this.#open.values().reduce((most, { secondsBehind }) => Math.max(most, secondsBehind), 0);
  }

  /** The revision up to which all of them have the changes; undefined while no stream is open. */
  get revision(): number | undefined {
    const [first] = this.#open;
    return first && this.#open.values().reduce((least, { revision }) => Math.min(least, revision), first.revision);
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
    return new EventStream(this, feed, await this.read(feed, after));
  }

  read(feed: FollowedFeed, after: string | undefined): Promise<ReadEvents> {
    return this.#recent.read(placeOf(feed, after), () => this.#read(feed, after));
  }

  async #read(feed: FollowedFeed, after: string | undefined): Promise<ReadEvents> {
    const state = this.#state ?? (await this.#store.state());
    const batch = await feed.read(after);
    const events = batch.changes.length === 0 ? undefined : await feed.events(batch);
    const { cursor, hasMore, revision } = batch;
    return { state, cursor, hasMore, revision, events };
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
    this.#timer = setInterval(() => void this.#tick(), 1000);
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
    this.#recent.forget();
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
      const state = await this.#changedFrom(this.#state, stop, () => this.#waiting.size * pauseForEach);
      if (state === undefined) return;
      this.#state = state;
      const groups = Map.groupBy(this.#waiting, ({ feed, cursor }) => placeOf(feed, cursor));
      const share = new TurnShare();
      await Promise.all(groups.values().map((streams) => this.#wake(streams, share)));
    }
  }

  /** Hands streams that wait at one place what has changed behind it. */
  async #wake(streams: readonly EventStream[], share: TurnShare): Promise<void> {
    const { feed, cursor } = streams[0] as EventStream; // a group has members
    let read: ReadEvents;
    try {
      read = await this.read(feed, cursor);
    } catch (error) {
      for (const stream of streams) stream.fail(error);
      return;
    }
    for (const stream of streams) {
      if (share.isUsed) await share.next();
      stream.receive(read);
    }
  }

  async #tick(): Promise<void> {
    this.#seconds++;
    if (this.#isTicking) return;
    this.#isTicking = true;
    this.#recent.forget();
    const share = new TurnShare();
    for (const stream of this.#open) {
      if (share.isUsed) await share.next();
      stream.tick();
    }
    this.#isTicking = false;
  }
}

const placeOf = (feed: FollowedFeed, cursor: string | undefined): string => `${cursor} ${feed.key}`;

/**
 * Keeps what was read last, for a second at most: followers at the same place take it one after the other, as their clients have room.
 * It is as good as another read, which might only have left out what has changed again.
 */
class RecentReads {
  readonly #reads = new Map<string, { readonly read: Promise<ReadEvents>; size: number }>();
  #size = 0;

  read(place: string, read: () => Promise<ReadEvents>): Promise<ReadEvents> {
    const known = this.#reads.get(place);
    if (known !== undefined) return known.read;
    const entry = { read: read(), size: 0 };
    this.#reads.set(place, entry);
    entry.read.then(
      ({ events }) => this.#keep(place, entry, events?.length ?? 0),
      () => this.#keep(place, entry, 0),
    );
    return entry.read;
  }

  forget(): void {
    this.#reads.clear();
    this.#size = 0;
  }

  #keep(place: string, entry: { size: number }, size: number): void {
    if (this.#reads.get(place) !== entry) return;
    // Behind the last change, what follows later is of another state.
    if (size === 0) this.#reads.delete(place);
    entry.size = size;
    this.#size += size;
    for (const [oldest, each] of this.#reads) {
      if (this.#size <= mostKept || each === entry) return;
      this.#reads.delete(oldest);
      this.#size -= each.size;
    }
  }
}

/** In bytes. */
const mostKept = 2_097_152;

/** In milliseconds: while changes go on, followers leave most of the time to others. To give one something takes some 20 µs. */
const pauseForEach = 2;

/** How many streams a caller may have open. */
export const mostOfCaller = 1000;
