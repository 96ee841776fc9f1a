import { contentInterrupted } from "../../content/coding.ts";
import { type ContentSource, contentTooLarge } from "../../content/request-content.ts";
import { ByteQueue } from "./byte-queue.ts";

/**
 * The content of a request as it arrives. A little is kept for a reader that is yet to come; beyond that it stays in the
 * connection, and at last in the client.
 */
export class Http1Content implements ContentSource {
  readonly length: number | undefined;
  readonly #onChange: () => void;
  readonly #arrived = new ByteQueue();
  #state: "open" | "complete" | "broken" = "open";
  #isRead = false;
  #most = mostUnread;
  /** Called when the reader has given up, or come to the end. */
  whenLeft: (() => unknown) | undefined;
  /** Has the reader look at what has arrived, or at how it ended. */
  #wake: (() => void) | undefined;

  /** @param onChange called when a reader begins, goes on, or ends */
  constructor(length: number | undefined, onChange: () => void) {
    this.length = length;
    this.#onChange = onChange;
  }

  /** Whether more is taken now. */
  get hasRoom(): boolean {
    return this.#arrived.length < this.#most;
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
    this.#arrived.append(piece);
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
      const look = (): void => {
        if (this.#state === "broken") this.#stop(() => reject(contentInterrupted()));
        else if (this.#arrived.length > limit) this.#stop(() => reject(contentTooLarge(limit)));
        else if (this.#state === "complete") this.#stop(() => resolve(this.#arrived.take(this.#arrived.length)));
      };
      // One byte more, to see that it is too long.
      this.#most = limit + 1;
      this.#await(look);
    });
  }

  async *stream(limit: number): AsyncGenerator<Uint8Array> {
    let left = limit;
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
        else resolve(length === 0 ? undefined : this.#arrived.take(length));
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
    this.#most = mostUnread;
    settle();
    this.whenLeft?.();
    this.#onChange();
  }
}

/** Bytes that are kept for a reader that is yet to come. */
const mostUnread = 65_536;
