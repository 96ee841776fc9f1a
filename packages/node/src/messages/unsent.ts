/** Holds what waits for one client. */
export interface UnsentHolder {
  /** How many characters and bytes wait for the client. */
  readonly unsent: number;
  /** For how long the client has taken nothing, in milliseconds, although it should have. */
  readonly still: number;
  /** Lets go of everything, and cuts the client off. */
  giveUp(): void;
}

/** What waits: content, or how many bytes Node has of it. */
type UnsentPart = string | Uint8Array | number;

/**
 * Counts the bytes of responses that wait for their clients, on all connections of a server. When there are too many, the
 * client that has taken nothing for the longest time is cut off: one that reads is the last to be.
 */
export class Unsent {
  readonly #most: number;
  #total = 0;
  /** Those for whose clients something waits. */
  readonly #holders = new Set<UnsentHolder>();
  /** How often each piece of an array is held, by its place: one that is sent to many clients takes its room once. */
  readonly #pieces = new Map<ArrayBufferLike, Map<string, number>>();

  /** @param most bytes; 0 for any number */
  constructor(most: number) {
    this.#most = most;
  }

  hold(holder: UnsentHolder, part: UnsentPart): void {
    this.#holders.add(holder);
    this.#total += this.#change(part, 1);
    while (this.#most > 0 && this.#total > this.#most && this.#holders.size > 0) this.#giveUpLongest();
  }

  /** To be called when the holder does not hold the part any more. */
  release(holder: UnsentHolder, part: UnsentPart): void {
    if (holder.unsent === 0) this.#holders.delete(holder);
    this.#total -= this.#change(part, -1);
  }

  /** Returns how many bytes more, or fewer, are held. */
  #change(part: UnsentPart, by: 1 | -1): number {
    if (typeof part === "number") return part;
    if (typeof part === "string") return part.length;
    const { buffer, byteOffset, byteLength } = part;
    const pieces = this.#pieces.get(buffer) ?? new Map<string, number>();
    const place = `${byteOffset}+${byteLength}`;
    const before = pieces.get(place) ?? 0;
    const after = before + by;
    if (after === 0) pieces.delete(place);
    else pieces.set(place, after);
    if (pieces.size === 0) this.#pieces.delete(buffer);
    else this.#pieces.set(buffer, pieces);
    return before === 0 || after === 0 ? byteLength : 0;
  }

  #giveUpLongest(): void {
    const longest = [...this.#holders].reduce((one, other) => (other.still > one.still ? other : one));
    longest.giveUp();
  }
}
