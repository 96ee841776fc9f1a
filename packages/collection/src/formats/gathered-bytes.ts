/**
 * Joins bytes that arrive in pieces, up to a length; of more bytes, only their number is kept. The memory grows with the bytes and
 * not with the number of pieces: a client may send one byte at a time, and keeping each piece would take a hundred times as much.
 */
export class GatheredBytes {
  readonly #longest: number;
  #bytes = none;
  #length = 0;

  /** @param longest in bytes */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The number of bytes so far, also when they are too many to keep. */
  get length(): number {
    return this.#length;
  }

  add(part: Uint8Array): void {
    const length = this.#length + part.length;
    if (length > this.#longest) this.#bytes = none;
    else this.#keep(part, length);
    this.#length = length;
  }

  /**
   * Returns the bytes gathered so far followed by the last part, and forgets them; undefined when they are too many. Copies nothing
   * where there is only the last part.
   */
  take(last: Uint8Array): Uint8Array | undefined {
    const isAlone = this.#length === 0;
    if (!isAlone) this.add(last);
    const whole = isAlone ? last : this.#bytes.subarray(0, this.#length);
    const isTooLong = Math.max(this.#length, last.length) > this.#longest;
    this.#bytes = none;
    this.#length = 0;
    return isTooLong ? undefined : whole;
  }

  #keep(part: Uint8Array, length: number): void {
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#bytes.length, smallest));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(part, this.#length);
  }
}

const smallest = 1_024;
const none = new Uint8Array(0);
