import type { Output } from "./output.ts";

/**
 * Counts the bytes of responses that wait for their clients, on all connections of a server. When there are too many, the
 * client that has taken nothing for the longest time is cut off: one that reads is the last to be.
 */
export class Unsent {
  readonly #most: number;
  #total = 0;
  /** The outputs for whose clients something waits. */
  readonly #outputs = new Set<Output>();
  /** How often each array of bytes is held: one that is sent to many clients takes its room once. */
  readonly #arrays = new Map<ArrayBufferLike, number>();

  /** @param most bytes; 0 for any number */
  constructor(most: number) {
    this.#most = most;
  }

  hold(output: Output, part: string | Uint8Array): void {
    this.#outputs.add(output);
    this.#total += this.#change(part, 1);
    while (this.#most > 0 && this.#total > this.#most && this.#outputs.size > 0) this.#giveUpLongest();
  }

  /** To be called when the output does not hold the part any more. */
  release(output: Output, part: string | Uint8Array): void {
    if (output.unsent === 0) this.#outputs.delete(output);
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
    const longest = [...this.#outputs].reduce((one, other) => (other.still > one.still ? other : one));
    longest.giveUp();
  }
}
