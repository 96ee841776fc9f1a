/**
 * Joins bytes that arrive in pieces. The memory grows with the bytes and not with the number of pieces: a client may send one
 * byte at a time, and keeping each piece would take a hundred times as much.
 */
export class GatheredBytes {
  #bytes = none;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(part: Uint8Array): void {
    const length = this.#length + part.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#bytes.length, smallest));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(part, this.#length);
    this.#length = length;
  }

  /** Returns the bytes gathered so far followed by the last part, and forgets them. Copies nothing where there is only the last part. */
  take(last: Uint8Array): Uint8Array {
    if (this.#length === 0) return last;
    this.add(last);
    const whole = this.#bytes.subarray(0, this.#length);
    this.clear();
    return whole;
  }

  clear(): void {
    this.#bytes = none;
    this.#length = 0;
  }
}

const smallest = 1_024;
const none = new Uint8Array(0);
