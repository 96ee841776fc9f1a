import type { ServerHttp2Stream } from "node:http2";

/**
 * Bounds what has come on the streams of HTTP/2 and waits in Node's buffers, because nobody reads it. A client may send as much as
 * the window of each stream has room for, in frames of a byte, and the connection has to be read for its other streams. When there
 * is too much, what has waited for the longest time is refused.
 */
export class UnreadContents {
  readonly #most: number;
  readonly #waiting = new Map<ServerHttp2Stream, { readonly bytes: number; readonly refuse: () => void }>();
  #bytes = 0;

  /** @param most in bytes; 0 for any number */
  constructor(most: number) {
    this.#most = most;
  }

  /** Counts what waits on a stream from now on. */
  watch(stream: ServerHttp2Stream, refuse: () => void): void {
    let frames = 0;
    // Node hands over each frame by this method, and there is no event for a frame that nobody reads.
    const push = stream.push.bind(stream);
    stream.push = (piece, encoding) => {
      const isFirst = stream.readableLength === 0;
      const hasRoom = push(piece, encoding);
      frames = isFirst ? 1 : frames + 1;
      this.#count(stream, frames, refuse);
      return hasRoom;
    };
    stream.once("close", () => this.#count(stream, 0, refuse));
  }

  #count(stream: ServerHttp2Stream, frames: number, refuse: () => void): void {
    this.#bytes -= this.#waiting.get(stream)?.bytes ?? 0;
    const bytes = frames === 0 || stream.readableLength === 0 ? 0 : stream.readableLength + frames * frameCost;
    this.#bytes += bytes;
    if (bytes === 0) this.#waiting.delete(stream);
    else this.#waiting.set(stream, { bytes, refuse });
    while (this.#most > 0 && this.#bytes > this.#most) this.#refuseLongest();
  }

  #refuseLongest(): void {
    for (const [stream, { bytes, refuse }] of this.#waiting) {
      this.#waiting.delete(stream);
      this.#bytes -= bytes;
      // It may have been read meanwhile.
      if (stream.readableLength === 0) return;
      refuse();
      // The answer may wait for its client, and the content would wait with it.
      stream.resume();
      return;
    }
  }
}

/** What Node needs for a frame beside its bytes: 120 bytes (Node 26). */
const frameCost = 128;
