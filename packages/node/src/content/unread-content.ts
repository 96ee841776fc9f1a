import type { ServerHttp2Stream } from "node:http2";
import type { HttpError } from "waymark";
import { contentBusy } from "../refusals.ts";
import type { ContentHolder } from "./held-content.ts";

/** Bounds the content of all streams that waits to be read. When there is too much, what has waited for the longest time goes. */
export class UnreadContents {
  readonly #most: number;
  /** Those that have some, the longest first. */
  readonly #waiting = new Set<UnreadContent>();
  #bytes = 0;

  /** @param most in bytes; 0 for any number */
  constructor(most: number) {
    this.#most = most;
  }

  /** Counts the bytes of a content in place of those that it had. */
  change(content: UnreadContent, had: number, has: number): void {
    this.#bytes += has - had;
    if (has === 0) this.#waiting.delete(content);
    else this.#waiting.add(content);
    if (this.#most === 0) return;
    for (const longest of this.#waiting) {
      if (this.#bytes <= this.#most) return;
      longest.giveWay();
    }
  }
}

/**
 * Counts the content that has come on a stream and waits in Node's buffer, because nobody reads it or its reader has paused. The
 * client may send as much as the window of the stream has room for, in frames of a byte; and the connection has to be read for its
 * other streams.
 */
export class UnreadContent {
  readonly #stream: ServerHttp2Stream;
  readonly #all: UnreadContents;
  readonly #answer: (refusal: HttpError) => void;
  #reader: ContentHolder | undefined;
  #frames = 0;
  #bytes = 0;
  #isOver = false;

  /** @param answer answers the request in place of the app */
  constructor(stream: ServerHttp2Stream, all: UnreadContents, answer: (refusal: HttpError) => void) {
    this.#stream = stream;
    this.#all = all;
    this.#answer = answer;
    // Node hands over each frame by this method, and there is no event for a frame that nobody reads.
    const push = stream.push.bind(stream);
    stream.push = (piece, encoding) => {
      if (this.#isOver) return piece === null && push(piece);
      const isFirst = stream.readableLength === 0;
      const hasRoom = push(piece, encoding);
      this.#frames = isFirst ? 1 : this.#frames + 1;
      this.#count();
      return hasRoom;
    };
    stream.once("end", () => this.#end());
    stream.once("close", () => this.#end());
  }

  /** Has this reader be refused, if the content has to go. */
  readBy(reader: ContentHolder): void {
    this.#reader = reader;
  }

  /** Lets go of it, and refuses the request, unless it has been read meanwhile. */
  giveWay(): void {
    this.#count();
    if (this.#bytes === 0) return;
    this.#end();
    const refusal = contentBusy();
    if (this.#reader === undefined) this.#answer(refusal);
    else this.#reader.refuse(refusal);
    // The answer may wait for its client, and the content would wait with it.
    while (this.#stream.read() !== null);
  }

  /** Counts nothing any more. */
  #end(): void {
    this.#isOver = true;
    this.#count();
  }

  #count(): void {
    const { readableLength } = this.#stream;
    const bytes = this.#isOver || readableLength === 0 ? 0 : readableLength + this.#frames * frameCost;
    if (bytes === this.#bytes) return;
    const had = this.#bytes;
    this.#bytes = bytes;
    this.#all.change(this, had, bytes);
  }
}

/** What Node needs for a frame beside its bytes: 120 bytes (Node 26). */
const frameCost = 128;
