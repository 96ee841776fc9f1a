import type { Readable } from "node:stream";
import { contentInterrupted, contentTooLarge } from "../content/refusals.ts";
import type { ContentSource } from "../content/request-content.ts";
import { HttpError } from "../problem.ts";
import type { ContentHolder, ContentShare } from "./held-content.ts";
import { ByteQueue } from "./http1/byte-queue.ts";

/** What a source of content knows of its message. */
interface ContentEvents {
  /** Called each time that content is about to be read. */
  readonly begin: () => void;
  /** Whether a message that has ended is complete. */
  readonly isComplete: () => boolean;
  /** Begins to count what is put together; undefined where the server is another's. */
  readonly count?: (holder: ContentHolder) => ContentShare;
}

/** The content of a Node request, or of a stream of HTTP/2. */
export class NodeContent implements ContentSource {
  readonly length: number | undefined;
  readonly #message: Readable;
  readonly #events: ContentEvents;
  #reading = false;
  #share: ContentShare | undefined;

  constructor(message: Readable, length: number | undefined, events: ContentEvents) {
    this.#message = message;
    this.length = length;
    this.#events = events;
  }

  /** Whether there is a reader that has neither come to the end nor given up. */
  get reading(): boolean {
    return this.#reading;
  }

  bytes(limit: number): Promise<Uint8Array> {
    const message = this.#message;
    return new Promise((resolve, reject) => {
      if (!this.#start()) {
        reject(contentInterrupted());
        return;
      }
      const arrived = new ByteQueue();
      const most = Math.min(this.length ?? limit + 1, limit + 1);
      const onData = (piece: Buffer): void => {
        // Pieces may be tiny, and each a part of a large buffer.
        arrived.append(piece, most);
        share?.resize(arrived.capacity);
        if (arrived.length > limit) fail(contentTooLarge(limit));
        else if (share?.mayGrow() === false) message.pause();
      };
      const onEnd = (): void => {
        if (!this.#events.isComplete()) onBroken();
        // It is still counted: it is there until the request is over.
        else stop(() => resolve(arrived.take(arrived.length)));
      };
      const onBroken = (cause?: unknown): void => fail(contentInterrupted(cause));
      const fail = (error: HttpError): void => {
        message.pause();
        arrived.clear();
        share?.resize(0);
        stop(() => reject(error));
      };
      const stop = (settle: () => void): void => {
        message.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken);
        share?.stopReading();
        this.#reading = false;
        settle();
      };
      const share = this.#events.count?.({ resume: () => message.resume(), refuse: fail });
      this.#share = share;
      share?.startReading(true);
      message.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
      if (share?.mayGrow() === false) message.pause();
    });
  }

  async *stream(limit: number): AsyncGenerator<Uint8Array> {
    if (!this.#start()) throw contentInterrupted();
    let left = limit;
    try {
      // The request is not destroyed when the reader gives up: its connection still has to carry the response.
      for await (const piece of this.#message.iterator({ destroyOnReturn: false })) {
        left -= (piece as Buffer).length;
        if (left < 0) throw contentTooLarge(limit);
        yield piece as Buffer;
      }
      if (!this.#events.isComplete()) throw contentInterrupted();
    } catch (cause) {
      throw cause instanceof HttpError ? cause : contentInterrupted(cause);
    } finally {
      this.#reading = false;
    }
  }

  keep(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return this.#share?.keep(pieces) ?? pieces;
  }

  /** False when the client has gone already, and nothing more would ever come. */
  #start(): boolean {
    if (this.#message.destroyed || this.#message.readableEnded) return false;
    this.#events.begin();
    this.#reading = true;
    return true;
  }
}
