/**
 * Gathers bytes that belong together from the pieces they come in. The memory grows with the bytes, and not with the number of
 * pieces: a client may send each byte as a piece of its own, and kept as such it would take a hundred times as much.
 */
export class GatheredBytes {
  #bytes = new Uint8Array(0);
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

  /** Returns what was gathered and then the last part, and begins with nothing again. The last part by itself is not copied. */
  take(last: Uint8Array): Uint8Array {
    if (this.#length === 0) return last;
    this.add(last);
    const whole = this.#bytes.slice(0, this.#length);
    this.clear();
    return whole;
  }

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > mostKept) this.#bytes = new Uint8Array(0);
  }
}

const smallest = 1_024;

/** In bytes, for what is gathered next: more is rare. */
const mostKept = 65_536;
