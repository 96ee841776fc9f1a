import { heartbeatComment } from "waymark/internal";
import { idOf } from "../formats/event-stream.ts";
import type { Readmission } from "../readmission.ts";
import { StoreCursorGone, StoreUnavailable } from "../stores/contract/errors.ts";
import type { ChangeBatch } from "../stores/contract/store.ts";

/** A feed as one client follows it. */
export interface FollowedFeed {
  /** The key of the caller, for bounds. */
  readonly caller: string;
  /** Has all that the answers depend on but the cursor: with the same key, followers at one place get the same. */
  readonly key: string;
  /** Reads the changes behind a cursor. */
  read(after: string | undefined): Promise<ChangeBatch>;
  /** Makes the events of a batch. */
  events(batch: ChangeBatch): Promise<Uint8Array>;
  /** Says whether the client still may follow. */
  readonly readmission: Readmission;
  /** Cuts the client off. */
  abandon(): void;
}

/** The streams of a collection, as far as one of them needs them. */
export interface StreamGroup {
  /** For how long there have been streams without a break. */
  readonly seconds: number;
  add(stream: EventStream): void;
  delete(stream: EventStream): void;
  /** Reads the events behind a cursor. */
  read(feed: FollowedFeed, after: string): Promise<ReadEvents>;
  /** Returns whether nothing is known to have changed since a state. */
  isPresent(state: string): boolean;
  /** Takes a stream that waits for a change behind its cursor. */
  wait(stream: EventStream): void;
  woken(stream: EventStream): void;
}

/** What was read of a feed. */
export interface ReadEvents extends Pick<ChangeBatch, "cursor" | "hasMore" | "revision"> {
  /** A state of the store that it shows, or an earlier one. */
  readonly state: string;
  /** Undefined without changes. */
  readonly events: Uint8Array | undefined;
}

/**
 * The body of an event stream: the changes of a feed, and a heartbeat while nothing changes. What it sends is read when the
 * client has taken what was sent before. It ends when the client may not follow any more, when the cursor is lost, and when the
 * server drains; the client then has the last cursor, and asks again.
 */
export class EventStream implements AsyncIterableIterator<string | Uint8Array, undefined> {
  readonly feed: FollowedFeed;
  readonly #group: StreamGroup;
  /** Where it is in the feed, with what it reads next. */
  #place: Omit<ReadEvents, "events"> = { state: "", cursor: "", hasMore: false, revision: 0 };
  /** Seconds of the group: when it last had all changes, when something was sent, and when the client was found to be allowed. */
  #upToDateAt: number;
  #sentAt: number;
  #checkedAt: number;
  /** The cursor that the client has. */
  #sentCursor = "";
  #first: string | Uint8Array | undefined;
  #resolve: ((piece: string | Uint8Array | undefined) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;
  /** When it was to end; undefined until then. */
  #ending: number | undefined;
  #isStalled = false;
  #isOver = false;

  constructor(group: StreamGroup, feed: FollowedFeed, first: ReadEvents) {
    this.#group = group;
    this.feed = feed;
    this.#upToDateAt = group.seconds;
    this.#sentAt = group.seconds;
    this.#checkedAt = group.seconds;
    this.#moveTo(first);
    // Those who lose their connections together do not come back together.
    const retry = leastRetry + Math.floor(Math.random() * leastRetry);
    this.#first = Buffer.concat([Buffer.from(`retry: ${retry}\n`), first.events ?? Buffer.from(this.#id())]);
  }

  get state(): string {
    return this.#place.state;
  }

  get cursor(): string {
    return this.#place.cursor;
  }

  /** The revision up to which the client has the changes, or gets them now. */
  get revision(): number {
    return this.#place.revision;
  }

  /** For how long there have been changes that it does not have. */
  get secondsBehind(): number {
    return this.#group.seconds - this.#upToDateAt;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string | Uint8Array, undefined>> {
    if (this.#isOver) return over;
    const first = this.#first;
    if (first !== undefined) {
      this.#first = undefined;
      this.#group.add(this);
      return { done: false, value: first };
    }
    for (;;) {
      if (this.#ending !== undefined) {
        await this.return();
        return this.#sentCursor === this.cursor ? over : { done: false, value: this.#id() };
      }
      const piece = this.#isStalled || this.#isAtEnd ? await this.#wait() : await this.#read();
      if (this.#isOver) return over;
      if (piece === undefined) continue;
      this.#sentAt = this.#group.seconds;
      return { done: false, value: piece };
    }
  }

  async return(): Promise<IteratorResult<string | Uint8Array, undefined>> {
    this.#isOver = true;
    this.#group.delete(this);
    this.#wake(undefined);
    return over;
  }

  /** Takes what was read behind its cursor, while it waits. */
  receive(read: ReadEvents): void {
    this.#moveTo(read);
    // Without an event it goes on to wait, at its new place.
    if (read.events !== undefined || this.#place.hasMore) this.#wake(read.events);
  }

  /** Takes the error of a read behind its cursor, while it waits. */
  fail(error: unknown): void {
    if (error instanceof StoreUnavailable) this.#isStalled = true;
    else if (error instanceof StoreCursorGone) this.end();
    else this.#reject?.(error);
  }

  /** Ends the stream, with the last cursor. */
  end(): void {
    this.#ending ??= this.#group.seconds;
    this.#wake(undefined);
  }

  /** Looks for what is due, once a second: a heartbeat, another attempt to read, and whether the client still may follow. */
  tick(): void {
    const { seconds } = this.#group;
    if (this.#ending !== undefined) {
      if (seconds - this.#ending > patience) this.feed.abandon();
      return;
    }
    if (this.#isAtEnd && !this.#isStalled) this.#upToDateAt = seconds;
    if (seconds - this.#checkedAt >= betweenChecks) {
      this.#checkedAt = seconds;
      void this.#check();
    }
    if (this.#isStalled) {
      this.#isStalled = false;
      this.#place = { ...this.#place, state: "" };
      this.#wake(undefined);
    } else if (seconds - this.#sentAt >= betweenHeartbeats && this.#resolve !== undefined) {
      this.#wake(this.#sentCursor === this.cursor ? heartbeatComment : this.#id());
    }
  }

  get #isAtEnd(): boolean {
    return !this.#place.hasMore && this.#group.isPresent(this.state);
  }

  async #check(): Promise<void> {
    if (!(await this.feed.readmission.isGranted())) this.end();
  }

  /** Reads behind the cursor; returns undefined where it has to look again. */
  async #read(): Promise<Uint8Array | undefined> {
    try {
      const read = await this.#group.read(this.feed, this.cursor);
      this.#moveTo(read);
      return read.events;
    } catch (error) {
      this.fail(error);
      if (!this.#isStalled && this.#ending === undefined) throw error;
      return undefined;
    }
  }

  /** Waits for events, for a heartbeat, or for something to be looked at. */
  #wait(): Promise<string | Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      [this.#resolve, this.#reject] = [resolve, reject];
      this.#group.wait(this);
    });
  }

  #wake(piece: string | Uint8Array | undefined): void {
    this.#group.woken(this);
    this.#resolve?.(piece);
    [this.#resolve, this.#reject] = [undefined, undefined];
  }

  #moveTo({ events, ...place }: ReadEvents): void {
    this.#place = place;
    this.#isStalled = false;
    if (events !== undefined) this.#sentCursor = place.cursor;
  }

  /** Returns what gives the client the present cursor. */
  #id(): string {
    this.#sentCursor = this.cursor;
    return idOf(this.cursor);
  }
}

const over = { done: true, value: undefined } as const;

/** In milliseconds: how soon a client asks again that lost its stream; at most twice as long. */
const leastRetry = 1000;
/** In seconds: proxies end connections that are silent, often after 60. */
const betweenHeartbeats = 15;
/** In seconds. */
const betweenChecks = 5;
/** In seconds: a client that has not taken the end by then is cut off. */
const patience = 3;
