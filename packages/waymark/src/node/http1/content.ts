import { contentInterrupted, contentTooLarge } from "../../content/refusals.ts";
import type { ContentSource } from "../../content/request-content.ts";
import type { HttpError } from "../../problem.ts";
import type { ContentHolder, ContentShare } from "../held-content.ts";
import { ByteQueue } from "./byte-queue.ts";

/**
 * The content of a request as it arrives. A little is kept for a reader that is yet to come; beyond that it stays in the
 * connection, and at last in the client.
 */
export class Http1Content implements ContentSource, ContentHolder {
  readonly length: number | undefined;
  readonly #onChange: () => void;
  readonly #arrived = new ByteQueue();
  #state: "open" | "complete" | "broken" = "open";
  #isRead = false;
  #isStreamed = false;
  #most = mostUnread;
  /** Counts what is kept; there is one before anything arrives. */
  share: ContentShare | undefined;
  /** Called when the reader has given up, or come to the end. */
  whenLeft: (() => unknown) | undefined;
  #refusal: HttpError | undefined;
  /** Has the reader look at what has arrived, or at how it ended. */
  #wake: (() => void) | undefined;

  /** @param onChange called when a reader begins, goes on, or ends */
  constructor(length: number | undefined, onChange: () => void) {
    this.length = length;
    this.#onChange = onChange;
  }

  /** Whether more is taken now. One that could have more if others did not hold so much is resumed. */
  get hasRoom(): boolean {
    const { length } = this.#arrived;
    if (length >= this.#most) return false;
    // What is streamed passes through, and makes others wait for no longer than its reader takes.
    return (this.#isStreamed && length === 0) || this.share?.mayGrow() !== false;
  }

  /** Whether there is a reader that has neither come to the end nor given up. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Whether a reader waits for the client. */
  get isAwaited(): boolean {
    return this.#wake !== undefined;
  }

  /** Hands over what has arrived. */
  push(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#arrived.append(piece, Math.min(this.length ?? this.#most, this.#most));
    this.share?.resize(this.#arrived.capacity);
    this.#wake?.();
  }

  /** Says that everything has been handed over. */
  complete(): void {
    this.#state = "complete";
    this.#wake?.();
  }

  /** Says that no more will come. */
  break(): void {
    if (this.#state === "complete") return;
    this.#state = "broken";
    this.#wake?.();
  }

  bytes(limit: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const fail = (error: HttpError): void => {
        this.#arrived.clear();
        this.share?.resize(0);
        this.#stop(() => reject(error));
      };
      const look = (): void => {
        if (this.#refusal !== undefined) fail(this.#refusal);
        else if (this.#state === "broken") fail(contentInterrupted());
        else if (this.#arrived.length > limit) fail(contentTooLarge(limit));
        // It is still counted: it is there until the request is over.
        else if (this.#state === "complete") this.#stop(() => resolve(this.#arrived.take(this.#arrived.length)));
      };
      // One byte more, to see that it is too long.
      this.#most = limit + 1;
      if (this.#state === "open") this.share?.startReading(true);
      this.#await(look);
    });
  }

  keep(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return this.share?.keep(pieces) ?? pieces;
  }

  resume(): void {
    this.#onChange();
  }

  refuse(refusal: HttpError): void {
    this.#refusal = refusal;
    this.#wake?.();
  }

  async *stream(limit: number): AsyncGenerator<Uint8Array> {
    let left = limit;
    this.#isStreamed = true;
    try {
      for (;;) {
        const piece = await this.#next();
        if (piece === undefined) return;
        left -= piece.length;
        if (left < 0) throw contentTooLarge(limit);
        yield piece;
      }
    } finally {
      this.#stop(() => undefined);
    }
  }

  /** The next piece; undefined at the end. */
  #next(): Promise<Buffer | undefined> {
    return new Promise((resolve, reject) => {
      this.#await(() => {
        const { length } = this.#arrived;
        if (length === 0 && this.#state === "open") return;
        this.#wake = undefined;
        if (this.#state === "broken") reject(contentInterrupted());
        else {
          const piece = length === 0 ? undefined : this.#arrived.take(length);
          this.share?.resize(0);
          resolve(piece);
        }
      });
    });
  }

  #await(look: () => void): void {
    this.#isRead = true;
    this.#wake = look;
    look();
    this.#onChange();
  }

  #stop(settle: () => void): void {
    this.#wake = undefined;
    this.#isRead = false;
    this.#isStreamed = false;
    this.#most = mostUnread;
    this.share?.stopReading();
    settle();
    this.whenLeft?.();
    this.#onChange();
  }
}

/** Bytes that are kept for a reader that is yet to come. */
const mostUnread = 65_536;
