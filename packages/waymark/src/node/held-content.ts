import { toClientKey } from "../filters/rate-limit.ts";
import { HttpError, problem } from "../problem.ts";
import { connectionProblemTypes } from "./problem-types.ts";

/** Collects the content of a request in memory. */
export interface ContentHolder {
  /** Reads on: there is room again. */
  resume(): void;
  /** Drops what it has collected, and answers with this refusal. */
  refuse(refusal: HttpError): void;
}

/** Bounds the content in memory, in bytes; 0 is no bound. */
export interface HeldContentBounds {
  /** The bound for all requests together. */
  readonly maxHeldContent: number;
  /** The bound for the requests of one address. */
  readonly maxHeldContentPerAddress: number;
  /** Returns whether the address may hold more than that. */
  readonly isExempt: (address: string) => boolean;
}

/**
 * Counts the bytes of content that requests hold in memory, on all connections of a server, from their arrival until the
 * response is sent. When there are too many, contents wait: their connections are not read. Room comes from requests that end,
 * and, while any content waits, from clients that do not go on sending theirs. The content that has been read for the longest
 * time never waits, so that one always comes to its end.
 */
export class HeldContent {
  readonly #bounds: HeldContentBounds;
  readonly #all = new Holding("");
  readonly #addresses = new Map<string, Holding>();
  readonly #waiting = new Set<ContentShare>();
  #isWakeScheduled = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(bounds: HeldContentBounds) {
    this.#bounds = bounds;
  }

  /** Begins to count the content of a request from this address. */
  open(address: string | undefined, holder: ContentHolder): ContentShare {
    return new ContentShare(this, this.#holdingOf(address), holder);
  }

  #holdingOf(address: string | undefined): Holding | undefined {
    const { maxHeldContentPerAddress, isExempt } = this.#bounds;
    if (maxHeldContentPerAddress === 0 || address === undefined || isExempt(address)) return undefined;
    const key = toClientKey(address);
    const holding = this.#addresses.get(key) ?? new Holding(key);
    if (holding.shares++ === 0) this.#addresses.set(key, holding);
    return holding;
  }

  /** Returns whether the content may grow; one that may not is resumed when it may. */
  admits(share: ContentShare): boolean {
    const hasRoom = this.#hasRoom(share);
    if (hasRoom) this.#waiting.delete(share);
    else {
      if (!this.#waiting.has(share)) share.waited = 0;
      this.#waiting.add(share);
      this.#timer ??= setInterval(() => this.#look(), interval).unref();
    }
    return hasRoom;
  }

  #hasRoom(share: ContentShare): boolean {
    const { maxHeldContent, maxHeldContentPerAddress } = this.#bounds;
    if (!this.#all.isBelow(maxHeldContent)) return this.#all.first === share;
    const { ofAddress } = share;
    return ofAddress === undefined || ofAddress.isBelow(maxHeldContentPerAddress) || ofAddress.first === share;
  }

  change(share: ContentShare, bytes: number): void {
    this.#all.bytes += bytes;
    if (share.ofAddress !== undefined) share.ofAddress.bytes += bytes;
    if (bytes < 0) this.#wakeSoon();
  }

  startReading(share: ContentShare): void {
    this.#all.read.add(share);
    share.ofAddress?.read.add(share);
  }

  stopReading(share: ContentShare): void {
    this.#waiting.delete(share);
    if (!this.#all.read.delete(share)) return;
    share.ofAddress?.read.delete(share);
    this.#wakeSoon();
  }

  forget(share: ContentShare): void {
    this.stopReading(share);
    const { ofAddress } = share;
    if (ofAddress !== undefined && --ofAddress.shares === 0) this.#addresses.delete(ofAddress.key);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** In the next turn of the event loop, for everything that has made room in this one. */
  #wakeSoon(): void {
    if (this.#waiting.size === 0 || this.#isWakeScheduled) return;
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
    for (const share of [...this.#waiting]) {
      if (!this.#all.isBelow(this.#bounds.maxHeldContent)) return;
      this.#resume(share);
    }
  }

  #resume(share: ContentShare): void {
    if (!this.#hasRoom(share) || !this.#waiting.delete(share)) return;
    share.still = 0;
    share.resume();
  }

  /** Refuses what has waited for too long, and those for whose clients the others wait. */
  #look(): void {
    const stalled: ContentShare[] = [];
    for (const share of this.#all.read) {
      if (this.#waiting.has(share)) {
        share.waited += interval;
        if (share.waited > longestWait) share.refuse();
      } else if (share.awaitsClient) {
        share.still += interval;
        if (share.still > patience) stalled.push(share);
      }
    }
    stalled.sort((a, b) => b.still - a.still);
    for (const share of stalled) if (this.#isShort(share)) share.refuse();
  }

  /** Whether there is so little room that contents had to wait for this one, or soon would. */
  #isShort({ ofAddress }: ContentShare): boolean {
    const { maxHeldContent, maxHeldContentPerAddress } = this.#bounds;
    if (!this.#all.isBelow(enough * maxHeldContent)) return true;
    return ofAddress !== undefined && !ofAddress.isBelow(enough * maxHeldContentPerAddress);
  }
}

/** How much content is in memory, of all requests or of those from one address. */
class Holding {
  readonly key: string;
  /** How many requests of the address have content. Not counted for all addresses together. */
  shares = 0;
  bytes = 0;
  /** The contents that are being read, in the order in which that began. */
  readonly read: Set<ContentShare> = new Set();

  constructor(key: string) {
    this.key = key;
  }

  get first(): ContentShare | undefined {
    return this.read.values().next().value;
  }

  isBelow(most: number): boolean {
    return most === 0 || this.bytes < most;
  }
}

/** How much of the content in memory is that of one request. */
export class ContentShare {
  readonly ofAddress: Holding | undefined;
  readonly #holder: ContentHolder;
  readonly #all: HeldContent;
  #bytes = 0;
  #counted = 0;
  #isClosed = false;
  /** Continues or ends `keep`, while that waits for room. */
  #paused: { readonly go: () => void; readonly refuse: (refusal: HttpError) => void } | undefined;
  /** Whether it waits for the client to send more. */
  awaitsClient = false;
  /** For how long it has waited for room, in milliseconds. */
  waited = 0;
  /** For how long its client has sent less than `progress` bytes, in milliseconds. */
  still = 0;

  constructor(all: HeldContent, ofAddress: Holding | undefined, holder: ContentHolder) {
    this.#all = all;
    this.ofAddress = ofAddress;
    this.#holder = holder;
  }

  /** Returns whether it may grow; if not, its holder is resumed when it may. */
  mayGrow(): boolean {
    return this.#isClosed || this.#all.admits(this);
  }

  /** Counts this many bytes, in place of those before. */
  resize(bytes: number): void {
    if (bytes === this.#bytes || this.#isClosed) return;
    this.#all.change(this, bytes - this.#bytes);
    this.#bytes = bytes;
    if (bytes - this.#counted < progress) return;
    this.#counted = bytes;
    this.still = 0;
  }

  /** Notes that the content is being collected; from now on it may be refused while others wait for room. */
  startReading(awaitsClient: boolean): void {
    if (this.#isClosed) return;
    this.awaitsClient = awaitsClient;
    this.#all.startReading(this);
  }

  stopReading(): void {
    this.awaitsClient = false;
    this.#all.stopReading(this);
  }

  /** Passes the pieces on as fast as there is room for them. Until the request is over they count beside its content. */
  async *keep(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    this.startReading(false);
    try {
      for await (const piece of pieces) {
        this.resize(this.#bytes + piece.byteLength);
        if (!this.mayGrow()) await new Promise<void>((go, refuse) => (this.#paused = { go, refuse }));
        yield piece;
      }
    } finally {
      this.stopReading();
    }
  }

  resume(): void {
    const paused = this.#paused;
    this.#paused = undefined;
    if (paused === undefined) this.#holder.resume();
    else paused.go();
  }

  refuse(): void {
    const paused = this.#paused;
    this.#paused = undefined;
    this.stopReading();
    this.resize(0);
    if (paused === undefined) this.#holder.refuse(contentBusy());
    else paused.refuse(contentBusy());
  }

  /** Ends the counting: the request is over. */
  close(): void {
    if (this.#isClosed) return;
    this.resize(0);
    this.#isClosed = true;
    this.#all.forget(this);
    this.#paused?.go();
  }
}

/** Makes the refusal of content for which there is no memory. */
export function contentBusy(): HttpError {
  const detail = `There is no memory left for the content of more requests. Try again in ${retryAfter} s.`;
  return new HttpError(
    problem(connectionProblemTypes.contentBusy, { detail }).withHeader("Retry-After", String(retryAfter)),
  );
}

const retryAfter = 1;
/** How often the contents are looked at while one waits, in milliseconds. */
const interval = 250;
/** How long content waits for room, in milliseconds. */
const longestWait = 10_000;
/** How long a client may take to send `progress` bytes of its content while others wait, in milliseconds. */
const patience = 1_000;
const progress = 16_384;
/** The part of the bound that may be taken without anybody being refused. */
const enough = 3 / 4;
