import type { Readable } from "node:stream";
import { contentInterrupted } from "../content/coding.ts";
import { type ContentSource, contentTooLarge } from "../content/request-content.ts";
import { HttpError } from "../problem.ts";

/** What a source of content knows of its message. */
interface ContentEvents {
  /** Called each time that content is about to be read. */
  readonly begin: () => void;
  /** Whether a message that has ended is complete. */
  readonly isComplete: () => boolean;
}

/** The content of a Node request, or of a stream of HTTP/2. */
export class NodeContent implements ContentSource {
  readonly length: number | undefined;
  readonly #message: Readable;
  readonly #events: ContentEvents;
  #reading = false;

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
      const pieces: Buffer[] = [];
      let size = 0;
      const onData = (piece: Buffer): void => {
        size += piece.length;
        if (size <= limit) {
          pieces.push(piece);
          return;
        }
        message.pause();
        stop(() => reject(contentTooLarge(limit)));
      };
      const onEnd = (): void => {
        if (!this.#events.isComplete()) onBroken();
        else stop(() => resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)));
      };
      const onBroken = (cause?: unknown): void => stop(() => reject(contentInterrupted(cause)));
      const stop = (settle: () => void): void => {
        message.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken);
        this.#reading = false;
        settle();
      };
      message.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
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

  /** False when the client has gone already, and nothing more would ever come. */
  #start(): boolean {
    if (this.#message.destroyed || this.#message.readableEnded) return false;
    this.#events.begin();
    this.#reading = true;
    return true;
  }
}
