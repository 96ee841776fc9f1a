import type { HttpError } from "waymark";
import type { AddressBound } from "../address-limit.ts";
import { contentBusy } from "../refusals.ts";

/** Collects the content of a request in memory. */
export interface ContentHolder {
  /** Reads on: there is room again. */
  resume(): void;
  /** Drops what it has collected, and answers with this refusal. */
  refuse(refusal: HttpError): void;
}

/**
 * Counts the bytes of content that requests hold in memory, on all connections of a server, from their arrival until the
 * response is sent. When there are too many, contents wait: their connections are not read. Room comes from requests that end,
 * and, while any content waits, from clients that do not go on sending theirs. The content that has been read for the longest
 * time never waits, so that one always comes to its end.
 */
export class HeldContent {
  readonly #all: Holding;
  readonly #bound: AddressBound;
  readonly #addresses = new Map<string, Holding>();
  /** The contents that are to be resumed when they may grow. */
  readonly waiting: Set<ContentShare> = new Set();
  #isWakeScheduled = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param most the bound for all requests together, in bytes; 0 is no bound */
  constructor(most: number, ofAddress: AddressBound) {
    this.#all = new Holding(most);
    this.#bound = ofAddress;
  }

  /** Begins to count the content of a request from this address. */
  open(address: string | undefined, holder: ContentHolder): ContentShare {
    const { most, keyOf } = this.#bound;
    const key = most === 0 || address === undefined ? undefined : keyOf(address);
    if (key === undefined) return new ContentShare(this, [this.#all], holder);
    const holding = this.#addresses.get(key) ?? new Holding(most, () => this.#addresses.delete(key));
    this.#addresses.set(key, holding);
    return new ContentShare(this, [this.#all, holding], holder);
  }

  /** Has the content resumed when it may grow. */
  wait(share: ContentShare): void {
    if (this.waiting.has(share)) return;
    share.waited = 0;
    this.waiting.add(share);
    this.#timer ??= setInterval(() => this.#look(), interval).unref();
  }

  /** Resumes in the next turn of the event loop what has room then, for everything that has made room in this one. */
  wakeSoon(): void {
    if (this.waiting.size === 0 || this.#isWakeScheduled) return;
    this.#isWakeScheduled = true;
    setImmediate(() => {
      this.#isWakeScheduled = false;
      this.#wake();
    });
  }

  #wake(): void {
    const { first } = this.#all;
    if (first !== undefined) this.#resume(first);
    // A snapshot: one that has taken what it could waits again.
    for (const share of [...this.waiting]) {
      if (this.#all.isFull()) return;
      this.#resume(share);
    }
  }

  #resume(share: ContentShare): void {
    if (!share.hasRoom || !this.waiting.delete(share)) return;
    share.still = 0;
    share.resume();
  }

  /** Refuses what has waited for too long, and those for whose clients the others wait. */
  #look(): void {
    if (this.waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const stalled: ContentShare[] = [];
    for (const share of this.#all.read) {
      if (this.waiting.has(share)) {
        share.waited += interval;
        if (share.waited > longestWait) share.refuse();
      } else if (share.awaitsClient) {
        share.still += interval;
        if (share.still > patience) stalled.push(share);
      }
    }
    stalled.sort((a, b) => b.still - a.still);
    for (const share of stalled) if (share.isShort) share.refuse();
  }
}

/** How much content is in memory, of all requests or of those from one address. */
class Holding {
  readonly #most: number;
  readonly #onEmpty: () => void;
  #shares = 0;
  bytes = 0;
  /** The contents that are being read, in the order in which that began. */
  readonly read: Set<ContentShare> = new Set();

  constructor(most: number, onEmpty: () => void = () => undefined) {
    this.#most = most;
    this.#onEmpty = onEmpty;
  }

  open(): void {
    this.#shares++;
  }

  close(): void {
    if (--this.#shares === 0) this.#onEmpty();
  }

  get first(): ContentShare | undefined {
    return this.read.values().next().value;
  }

  isFull(part = 1): boolean {
    return this.#most > 0 && this.bytes >= part * this.#most;
  }
}

/** How much of the content in memory is that of one request. */
export class ContentShare {
  readonly #all: HeldContent;
  readonly #holdings: readonly Holding[];
  readonly #holder: ContentHolder;
  #bytes = 0;
  #counted = 0;
  #isClosed = false;
  /** Continues or ends `keep`, while that waits for room. */
  #paused: ContentHolder | undefined;
  /** Whether it waits for the client to send more. */
  awaitsClient = false;
  /** For how long it has waited for room, in milliseconds. */
  waited = 0;
  /** For how long its client has sent less than `progress` bytes, in milliseconds. */
  still = 0;

  constructor(all: HeldContent, holdings: readonly Holding[], holder: ContentHolder) {
    this.#all = all;
    this.#holdings = holdings;
    this.#holder = holder;
    for (const holding of holdings) holding.open();
  }

  get hasRoom(): boolean {
    return this.#holdings.every((holding) => !holding.isFull() || holding.first === this);
  }

  /** Whether there is so little room that contents had to wait for this one, or soon would. */
  get isShort(): boolean {
    return this.#holdings.some((holding) => holding.isFull(enough));
  }

  /** Returns whether it may grow; if not, its holder is resumed when it may. */
  mayGrow(): boolean {
    const mayGrow = this.#isClosed || this.hasRoom;
    if (mayGrow) this.#all.waiting.delete(this);
    else this.#all.wait(this);
    return mayGrow;
  }

  /** Counts this many bytes, in place of those before. */
  resize(bytes: number): void {
    const more = bytes - this.#bytes;
    if (more === 0 || this.#isClosed) return;
    for (const holding of this.#holdings) holding.bytes += more;
    this.#bytes = bytes;
    if (more < 0) this.#all.wakeSoon();
    if (bytes - this.#counted < progress) return;
    this.#counted = bytes;
    this.still = 0;
  }

  /** Notes that the content is being collected; from now on it may be refused while others wait for room. */
  startReading(awaitsClient: boolean): void {
    if (this.#isClosed) return;
    this.awaitsClient = awaitsClient;
    for (const { read } of this.#holdings) read.add(this);
  }

  stopReading(): void {
    this.awaitsClient = false;
    this.#all.waiting.delete(this);
    for (const { read } of this.#holdings) read.delete(this);
    this.#all.wakeSoon();
  }

  /** Passes the pieces on as fast as there is room for them. Until the request is over they count beside its content. */
  async *keep(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    this.startReading(false);
    try {
      for await (const piece of pieces) {
        this.resize(this.#bytes + piece.byteLength);
        if (!this.mayGrow()) await new Promise<void>((resume, refuse) => (this.#paused = { resume, refuse }));
        yield piece;
      }
    } finally {
      this.stopReading();
    }
  }

  resume(): void {
    this.#takePaused().resume();
  }

  refuse(): void {
    const paused = this.#takePaused();
    this.stopReading();
    this.resize(0);
    paused.refuse(contentBusy());
  }

  /** What waits for room: `keep`, or else the holder. */
  #takePaused(): ContentHolder {
    const paused = this.#paused ?? this.#holder;
    this.#paused = undefined;
    return paused;
  }

  /** Ends the counting: the request is over. */
  close(): void {
    if (this.#isClosed) return;
    this.resize(0);
    this.#isClosed = true;
    this.stopReading();
    for (const holding of this.#holdings) holding.close();
    this.#paused?.resume();
  }
}

/** How often the contents are looked at while one waits, in milliseconds. */
const interval = 250;
/** How long content waits for room, in milliseconds. */
const longestWait = 10_000;
/** How long a client may take to send `progress` bytes of its content while others wait, in milliseconds. */
const patience = 1_000;
const progress = 16_384;
/** The part of the bound that may be taken without anybody being refused. */
const enough = 3 / 4;
