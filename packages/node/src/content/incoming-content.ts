import type { Readable } from "node:stream";
import type { HttpError } from "waymark";
import { type ContentSource, contentInterrupted, contentTooLarge } from "waymark/internal";
import { ByteQueue } from "./byte-queue.ts";
import type { ContentHolder, ContentShare } from "./held-content.ts";

/**
 * The content of a request as it arrives. A little is kept for a reader that is yet to come; beyond that it stays in the
 * connection, and at last in the client.
 */
export class IncomingContent implements ContentSource, ContentHolder {
  readonly length: number | undefined;
  readonly #onChange: () => void;
  readonly #arrived = new ByteQueue();
  #state: "open" | "complete" | "broken" = "open";
  #isRead = false;
  #isStreamed = false;
  #most = mostUnread;
  /** Counts what is kept; there is one before anything arrives, except where the server is another's. */
  share: ContentShare | undefined;
  /** Called when the reader has given up, or come to the end. */
  whenLeft: (() => unknown) | undefined;
  /** Why the reader gets no more. */
  #failure: HttpError | undefined;
  /** Has the reader look at what has arrived, or at how it ended. */
  #wake: (() => void) | undefined;

  /** @param onChange called when a reader begins to wait for more, or ends */
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
    this.#wakeReader();
  }

  /** Says that everything has been handed over. */
  complete(): void {
    if (this.#state === "open") this.#state = "complete";
    this.#wakeReader();
  }

  /** Says that no more will come. */
  break(cause?: unknown): void {
    if (this.#state !== "open") return;
    this.#state = "broken";
    this.refuse(contentInterrupted(cause));
  }

  refuse(refusal: HttpError): void {
    this.#failure ??= refusal;
    this.#wakeReader();
  }

  resume(): void {
    this.#onChange();
  }

  async bytes(limit: number): Promise<Uint8Array> {
    // One byte more, to see that it is too long.
    this.#most = limit + 1;
    this.#isRead = true;
    if (this.#state === "open") this.share?.startReading(true);
    try {
      while (this.#mayArrive() && this.#arrived.length <= limit) await this.#change();
      if (this.#arrived.length > limit) throw contentTooLarge(limit);
      // It is still counted: it is there until the request is over.
      return this.#arrived.take(this.#arrived.length);
    } catch (error) {
      this.#arrived.clear();
      this.share?.resize(0);
      throw error;
    } finally {
      this.#leave();
    }
  }

  async *stream(limit: number): AsyncGenerator<Uint8Array> {
    let left = limit;
    this.#isRead = true;
    this.#isStreamed = true;
    try {
      for (;;) {
        while (this.#mayArrive() && this.#arrived.length === 0) await this.#change();
        const piece = this.#arrived.take(this.#arrived.length);
        this.share?.resize(0);
        if (piece.length === 0) return;
        left -= piece.length;
        if (left < 0) throw contentTooLarge(limit);
        yield piece;
      }
    } finally {
      this.#leave();
    }
  }

  keep(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return this.share?.keep(pieces) ?? pieces;
  }

  /** @throws HttpError when the rest will not arrive */
  #mayArrive(): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#state === "open";
  }

  /** Resolves when something has arrived, or nothing more will. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#onChange();
    });
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #leave(): void {
    this.#isRead = false;
    this.#isStreamed = false;
    this.#most = mostUnread;
    this.share?.stopReading();
    this.whenLeft?.();
    this.#onChange();
  }
}

/**
 * Returns the content of a message that Node reads: of one of its requests, or of a stream of HTTP/2. Until it is read it stays in
 * Node's buffer.
 *
 * @param isComplete returns whether a message that has ended is complete
 * @param begin called before it is read
 */
export function readableContent(
  message: Readable,
  length: number | undefined,
  isComplete: () => boolean,
  begin: () => void = () => undefined,
): IncomingContent {
  let hasBegun = false;
  const listen = (): void => {
    hasBegun = true;
    // The client may have gone already, and nothing more would ever come.
    if (message.destroyed || message.readableEnded) content.break();
    else begin();
    message
      .on("data", (piece: Buffer) => {
        // What comes when nobody reads any more is thrown away.
        if (!content.isRead) return;
        content.push(piece);
        if (!content.hasRoom) message.pause();
      })
      .on("end", () => (isComplete() ? content.complete() : content.break()))
      .on("error", (cause) => content.break(cause))
      .on("close", () => content.break());
  };
  const content = new IncomingContent(length, () => {
    if (!hasBegun) listen();
    if (content.isRead && content.hasRoom) message.resume();
    else message.pause();
  });
  return content;
}

/** Bytes that are kept for a reader that is yet to come. */
const mostUnread = 65_536;
