/** What holds bytes of responses for one client. */
export interface UnsentHolder {
  /** For how long its client has taken nothing, in milliseconds. */
  readonly still: number;
  /** Cuts the client off, and lets go of everything at once. */
  giveUp(): void;
}

/**
 * Counts the bytes of responses that wait for their clients, on all connections of a server. When there are too many, the
 * client that has taken nothing for the longest time is cut off: one that reads is the last to be.
 */
export class Unsent {
  readonly #most: number;
  #total = 0;
  readonly #shares = new Set<UnsentShare>();
  /** How often each array of bytes is held: one that is sent to many clients takes its room once. */
  readonly #arrays = new Map<ArrayBufferLike, number>();

  /** @param most bytes; 0 for any number */
  constructor(most: number) {
    this.#most = most;
  }

  hold(share: UnsentShare, part: string | Uint8Array): void {
    this.#shares.add(share);
    this.#total += this.#change(part, 1);
    while (this.#most > 0 && this.#total > this.#most && this.#shares.size > 0) this.#giveUpLongest();
  }

  release(share: UnsentShare, part: string | Uint8Array): void {
    if (share.bytes === 0) this.#shares.delete(share);
    this.#total -= this.#change(part, -1);
  }

  /** Returns how many bytes more, or fewer, are held. */
  #change(part: string | Uint8Array, by: 1 | -1): number {
    if (typeof part === "string") return part.length;
    const { buffer } = part;
    const before = this.#arrays.get(buffer) ?? 0;
    const after = before + by;
    if (after === 0) this.#arrays.delete(buffer);
    else this.#arrays.set(buffer, after);
    return before === 0 || after === 0 ? buffer.byteLength : 0;
  }

  #giveUpLongest(): void {
    let longest: UnsentShare | undefined;
    for (const share of this.#shares) {
      if (longest === undefined || share.holder.still > longest.holder.still) longest = share;
    }
    if (longest === undefined) return;
    longest.holder.giveUp();
    longest.releaseAll();
  }
}

/** The bytes that wait for one client. */
export class UnsentShare {
  readonly holder: UnsentHolder;
  readonly #all: Unsent;
  readonly #parts: (string | Uint8Array)[] = [];
  #bytes = 0;

  constructor(all: Unsent, holder: UnsentHolder) {
    this.#all = all;
    this.holder = holder;
  }

  get bytes(): number {
    return this.#bytes;
  }

  hold(part: string | Uint8Array): void {
    this.#parts.push(part);
    this.#bytes += part.length;
    this.#all.hold(this, part);
  }

  /** Lets go of a part that is held; of those that are, the first is as a rule the first to go. */
  release(part: string | Uint8Array): void {
    const at = this.#parts.indexOf(part);
    if (at < 0) return;
    this.#parts.splice(at, 1);
    this.#bytes -= part.length;
    this.#all.release(this, part);
  }

  releaseAll(): void {
    for (const part of this.#parts.splice(0)) {
      this.#bytes -= part.length;
      this.#all.release(this, part);
    }
  }
}
