import { setTimeout as elapse } from "node:timers/promises";
import type { eventStream } from "waymark/content";
import { decisionHolds, type Readmission } from "../layers/readmission.ts";
import { CallerShares } from "../shares/caller-shares.ts";
import { StoreCursorGone, StoreUnavailable } from "../stores/contract/errors.ts";
import type { ChangeBatch, Store } from "../stores/contract/store.ts";
import { type SharedChanges, toSent } from "./shared-changes.ts";
import type { ChangedFrom } from "./watch.ts";

/** A feed as one client follows it. */
export interface FollowedFeed {
  /** The key of the caller, for bounds. */
  readonly caller: string;
  /** Has all that the reads depend on but the cursor: with the same key, followers at one place share a read. */
  readonly key: string;
  /** The members to send, with the id; undefined for all. */
  readonly fields: readonly string[] | undefined;
  /** Reads the changes behind a cursor. */
  read(after: string | undefined): Promise<ChangeBatch>;
  /** Says whether the client still may follow. */
  readonly readmission: Readmission;
  /** Aborts when the client has gone, or is to go. */
  readonly signal: AbortSignal;
}

/** A batch, and a state of the store that it shows, or an earlier one. */
interface Read {
  readonly state: string;
  readonly batch: ChangeBatch;
}

/** The event streams of a collection. */
export class Followers {
  readonly #store: Pick<Store, "state">;
  readonly #changedFrom: ChangedFrom;
  readonly #changes: SharedChanges;
  readonly #shares = new CallerShares({ ofCaller: mostOfCaller, ofAll: 10_000 });
  /** Of each, the revision up to which its client has the changes, or gets them now. */
  readonly #open = new Set<{ revision: number }>();

  constructor(store: Pick<Store, "state">, changedFrom: ChangedFrom, changes: SharedChanges) {
    this.#store = store;
    this.#changedFrom = changedFrom;
    this.#changes = changes;
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }

  /** The revision up to which all of them have the changes; undefined while none is open. */
  get revision(): number | undefined {
    return this.size === 0
      ? undefined
      : this.#open.values().reduce((least, one) => Math.min(least, one.revision), Infinity);
  }

  /** Returns whether this caller, or all together, have as many open as they may. */
  isFull(caller: string): boolean {
    return this.#shares.exceededBy(caller, 1) !== undefined;
  }

  /**
   * Reads the first changes behind a cursor, and returns the events that begin with them and go on with those that come. They end when
   * the client may not follow any more, and when the cursor is lost: the client then asks again, and learns why.
   *
   * @throws what the feed throws
   */
  async begin(feed: FollowedFeed, after: string | undefined): Promise<AsyncIterable<eventStream.Event>> {
    return this.#events(feed, await this.#read(feed, after, await this.#store.state()));
  }

  async *#events(feed: FollowedFeed, first: Read): AsyncGenerator<eventStream.Event, void, undefined> {
    const one = { revision: first.batch.revision };
    this.#open.add(one);
    this.#shares.add(feed.caller, 1);
    try {
      // Those who lose their connections together do not come back together.
      yield { retry: leastRetry + Math.floor(Math.random() * leastRetry) };
      let [sent, sentAt] = ["", Number.NEGATIVE_INFINITY];
      for (let read: Read | undefined = first; read !== undefined; read = await this.#next(feed, read)) {
        const { changes, cursor, revision } = read.batch;
        one.revision = revision;
        for (const [i, change] of changes.entries()) {
          if (!(await mayGoOn(feed))) return;
          // With the last event the client is behind all of them: one that loses the connection before gets them again.
          yield { data: toSent(change, feed.fields).json, ...(i === changes.length - 1 && { id: cursor }) };
        }
        if (changes.length > 0) [sent, sentAt] = [cursor, performance.now()];
        // What moves the cursor only, such as changes of other owners, is told from time to time.
        else if (cursor !== sent && performance.now() - sentAt >= betweenIds) {
          [sent, sentAt] = [cursor, performance.now()];
          yield { id: cursor };
        }
      }
    } finally {
      this.#open.delete(one);
      this.#shares.add(feed.caller, -1);
    }
  }

  /** Returns what follows a read, once there is something; undefined when the events end. */
  async #next(feed: FollowedFeed, { state, batch }: Read): Promise<Read | undefined> {
    let present: string | undefined = state;
    if (!batch.hasMore) present = await this.#changedFrom(state, feed.signal, decisionHolds);
    for (;;) {
      if (feed.signal.aborted || !(await mayGoOn(feed))) return undefined;
      try {
        return present === undefined
          ? { state, batch: { ...batch, changes: [] } }
          : await this.#read(feed, batch.cursor, present);
      } catch (error) {
        if (error instanceof StoreCursorGone) return undefined;
        if (!(error instanceof StoreUnavailable)) throw error;
        await elapse(betweenAttempts, undefined, { signal: feed.signal }).catch(() => undefined); // it has gone
      }
    }
  }

  async #read(feed: FollowedFeed, after: string | undefined, state: string): Promise<Read> {
    const batch = await this.#changes.read(`${state} ${after} ${feed.key}`, () => feed.read(after));
    return { state, batch };
  }
}

const mayGoOn = async ({ readmission }: FollowedFeed): Promise<boolean> =>
  !readmission.isDue() || (await readmission.isGranted());

/** In milliseconds: how soon a client asks again that lost its stream; at most twice as long. */
const leastRetry = 1000;
/** In milliseconds. */
const betweenIds = 15_000;
/** In milliseconds, while the database is away. */
const betweenAttempts = 250;

/** How many streams a caller may have open. */
export const mostOfCaller = 1000;
