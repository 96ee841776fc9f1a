import type { Readable } from "node:stream";
import type { HttpError } from "waymark";
import { contentRefusals } from "waymark/internal";
import { ByteQueue } from "./byte-queue.ts";
import type { Permit, PermitHolder } from "./permits.ts";

/**
 * The content of a request as it arrives. A little is kept for a reader that is yet to come; beyond that it stays in the
 * connection, and at last in the client.
 */
export class IncomingContent implements PermitHolder {
  readonly length: number | undefined;
  readonly #onChange: () => void;
  readonly #arrived = new ByteQueue();
  #state: "open" | "complete" | "broken" = "open";
  /** Whether there is a reader that has neither come to the end nor given up. */
  isRead = false;
  #most = mostUnread;
  received = 0;
  /** Takes a permit for this many bytes, which may become others, up to the limit. Default: none is needed. */
  takePermit: ((bytes: number, limit: number) => Permit) | undefined;
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

  /** Whether more is taken now. */
  get hasRoom(): boolean {
    return this.#arrived.length < this.#most;
  }

  /** Whether a reader waits for the client. */
  get isAwaited(): boolean {
    return this.#wake !== undefined;
  }

  /** Hands over what has arrived. */
  push(piece: Buffer): void {
    if (piece.length === 0) return;
    this.received += piece.length;
    this.#arrived.append(piece, Math.min(this.length ?? this.#most, this.#most));
    this.resume();
  }

  /** Says that everything has been handed over. */
  complete(): void {
    if (this.#state === "open") this.#state = "complete";
    this.resume();
  }

  /** Says that no more will come. */
  break(cause?: unknown): void {
    if (this.#state !== "open") return;
    this.#state = "broken";
    this.refuse(contentRefusals.contentInterrupted(cause));
  }

  refuse(refusal: HttpError): void {
    this.#failure ??= refusal;
    this.resume();
  }

  async bytes(limit: number): Promise<Uint8Array> {
    this.isRead = true;
    const most = Math.min(this.length ?? limit, limit);
    const permit = this.takePermit?.(most, limit);
    try {
      while (permit?.isGranted === false) {
        await this.#change();
        if (this.#failure !== undefined) throw this.#failure;
      }
      // One byte more, to see that it is too long.
      this.#most = limit + 1;
      while (this.#mayArrive() && this.#arrived.length <= limit) await this.#change();
      if (this.#arrived.length > limit) throw contentRefusals.contentTooLarge(limit);
      permit?.shrink(permit.bytes - most + this.#arrived.length);
      return this.#arrived.take(this.#arrived.length);
    } catch (error) {
      this.#arrived.clear();
      permit?.release();
      throw error;
    } finally {
      this.#leave();
    }
  }

  async *stream(limit: number): AsyncGenerator<Uint8Array> {
    let left = limit;
    this.isRead = true;
    try {
      for (;;) {
        while (this.#mayArrive() && this.#arrived.length === 0) await this.#change();
        const piece = this.#arrived.take(this.#arrived.length);
        if (piece.length === 0) return;
        left -= piece.length;
        if (left < 0) throw contentRefusals.contentTooLarge(limit);
        yield piece;
      }
    } finally {
      this.#leave();
    }
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

  /** Has the reader look again. */
  resume(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #leave(): void {
    this.isRead = false;
    this.#most = mostUnread;
    this.whenLeft?.();
    this.#onChange();
  }
}

/** Returns the content that comes with a message which Node reads. Until it is read it stays in Node's buffer. */
export function readableContent(
  message: { readonly isComplete: boolean; sendContinue(): void },
  incoming: Readable,
  length: number | undefined,
): IncomingContent {
  let hasBegun = false;
  const listen = (): void => {
    hasBegun = true;
    // The client may have gone already, and nothing more would ever come.
    if (incoming.destroyed || incoming.readableEnded) content.break();
    else message.sendContinue();
    incoming
      .on("data", (piece: Buffer) => {
        // What comes when nobody reads any more is thrown away.
        if (!content.isRead) return;
        content.push(piece);
        if (!content.hasRoom) incoming.pause();
      })
      .on("end", () => (message.isComplete ? content.complete() : content.break()))
      .on("error", (cause) => content.break(cause))
      .on("close", () => content.break());
  };
  const content = new IncomingContent(length, () => {
    if (!hasBegun) listen();
    if (content.isRead && content.hasRoom) incoming.resume();
    else incoming.pause();
  });
  return content;
}

/** Bytes that are kept for a reader that is yet to come. */
const mostUnread = 65_536;
