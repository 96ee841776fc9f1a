/**
 * Bytes that have arrived and are still to be read, first in, first out. Appending pieces takes time linear in their bytes,
 * however small they are, and a piece that is read before the next one arrives is never copied.
 */
export class ByteQueue {
  /** The buffer that holds the bytes, from `start` to `end`; valid until bytes are appended. Nobody else sets the three. */
  bytes: Buffer = none;
  start = 0;
  end = 0;
  /** Whether the buffer is the queue's own, so that there is room behind the end. */
  #isOwn = false;
  /** Up to where the next line end has been looked for. */
  #searched = 0;

  get length(): number {
    return this.end - this.start;
  }

  /** How many bytes of memory it holds. */
  get capacity(): number {
    return this.length === 0 ? 0 : this.bytes.buffer.byteLength;
  }

  /** @param most how many bytes there will be at most; no more room is made than for these */
  append(piece: Buffer, most: number = Number.POSITIVE_INFINITY): void {
    const { length } = this;
    if (length === 0) {
      this.#set(piece, piece.length, false);
    } else if (this.#isOwn && this.bytes.length - this.end >= piece.length) {
      piece.copy(this.bytes, this.end);
      this.end += piece.length;
    } else {
      const searched = this.#searched - this.start;
      // Twice the room, which keeps the time linear. What has been read stays where it is, since it may be in use.
      const larger = Buffer.allocUnsafeSlow(Math.max(Math.min(2 * length, most), length + piece.length));
      this.bytes.copy(larger, 0, this.start, this.end);
      piece.copy(larger, length);
      this.#set(larger, length + piece.length, true);
      this.#searched = Math.max(0, searched);
    }
  }

  /** Removes bytes from the front. */
  skip(count: number): void {
    this.start += count;
    if (this.start === this.end) this.#set(none, 0, false);
  }

  /** Removes up to this many bytes from the front and returns them, in place. */
  take(most: number): Buffer {
    const count = Math.min(most, this.length);
    const taken = this.bytes.subarray(this.start, this.start + count);
    this.skip(count);
    return taken;
  }

  clear(): void {
    this.#set(none, 0, false);
  }

  /** Removes the first line and returns it with its line feed, as Latin-1; undefined while the line feed has not arrived. */
  takeLine(): string | undefined {
    const feed = this.bytes.indexOf(0x0a, Math.max(this.#searched, this.start));
    if (feed < 0 || feed >= this.end) {
      this.#searched = this.end;
      return undefined;
    }
    const line = this.bytes.toString("latin1", this.start, feed + 1);
    this.skip(line.length);
    return line;
  }

  #set(bytes: Buffer, end: number, isOwn: boolean): void {
    this.bytes = bytes;
    this.start = 0;
    this.end = end;
    this.#isOwn = isOwn;
    this.#searched = 0;
  }
}

const none = Buffer.alloc(0);
