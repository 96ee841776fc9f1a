import { IncomingContent } from "../content.ts";
import type { ServeContext } from "../context.ts";
import { ByteQueue } from "./byte-queue.ts";
import { ChunkedDecoder, type ContentDecoder, SizedDecoder } from "./chunked.ts";
import { type Head, HeadReader } from "./head.ts";

/**
 * What is read next (RFC 9112 §9): the head of a request, its content, the rest of content that nobody wants, or, once no
 * request will be answered any more, nothing: what still arrives is thrown away.
 */
export type Reading = "head" | "content" | "rest" | "nothing";

/** What becomes of the requests that are read. */
export interface RequestTaker {
  /** Whether another request is taken now. */
  readonly mayTake: boolean;
  /** Takes a request whose content, if it has any, is still to come; returns whether another may follow on the connection. */
  take(head: Head, content: IncomingContent | undefined): boolean;
  /** Called when a reader of content begins, goes on, or ends. */
  contentChanged(): void;
  /** Called when there is more content than is thrown away. */
  restTooLong(): void;
}

/** Reads the requests of one connection, one after the other, as far as what has arrived allows and as they are taken. */
export class MessageReader {
  readonly #context: ServeContext;
  readonly #taker: RequestTaker;
  readonly #earliest: number;
  readonly #input = new ByteQueue();
  readonly #heads: HeadReader;
  #reading: Reading = "head";
  #content: IncomingContent | undefined;
  #decoder: ContentDecoder | undefined;
  /** Whether no request follows the one whose content is read. */
  #isLast = false;
  /** Bytes of content that have been thrown away. */
  #wasted = 0;
  #waited: number;

  constructor(context: ServeContext, taker: RequestTaker) {
    this.#context = context;
    this.#taker = taker;
    this.#heads = new HeadReader(context);
    // Nothing is late before its time, however soon after its beginning the first interval ends.
    this.#earliest = -context.connections.interval;
    this.#waited = this.#earliest;
  }

  get reading(): Reading {
    return this.#reading;
  }

  /** The content that has not yet arrived whole. */
  get content(): IncomingContent | undefined {
    return this.#content;
  }

  /** Whether everything that has arrived has been read. */
  get isEmpty(): boolean {
    return this.#input.length === 0;
  }

  /** Whether what arrives now is read at once. */
  get canRead(): boolean {
    if (this.#reading === "head") return this.#taker.mayTake;
    return this.#reading !== "content" || this.#content?.hasRoom === true;
  }

  /** Whether so much waits to be read that no more should arrive. */
  get isFull(): boolean {
    return this.#input.length >= (this.#reading === "content" ? 1 : mostUnread) && !this.canRead;
  }

  /** For how long the client has been waited for, in milliseconds; negative at first. */
  get waited(): number {
    return this.#waited;
  }

  wait(elapsed: number): void {
    this.#waited += elapsed;
  }

  waitFromNow(): void {
    this.#waited = this.#earliest;
  }

  append(piece: Buffer): void {
    if (this.#reading === "nothing") return;
    // Empty lines begin no head (RFC 9112 §2.2), and a client that sends only these does not keep its connection.
    if (this.#reading === "head" && this.isEmpty && !isBlank(piece)) this.waitFromNow();
    this.#input.append(piece);
  }

  /**
   * Reads as far as it can; returns whether others should be let in before it goes on.
   *
   * @throws HttpError when the bytes are malformed, or too many
   */
  read(): boolean {
    for (let steps = 0; this.#step(); steps++) if (steps === mostSteps) return true;
    return false;
  }

  /** Throws the rest of the content away, so that the next request can be found (RFC 9112 §9.3). */
  discardContent(): void {
    this.#content?.break();
    this.#reading = "rest";
    this.#wasted = 0;
    this.waitFromNow();
  }

  /** Reads no more requests. */
  stop(): void {
    const content = this.#content;
    this.#reading = "nothing";
    this.#content = undefined;
    content?.break();
    this.#input.clear();
    this.waitFromNow();
  }

  /** Reads no more, and returns what has arrived and not been read. */
  takeRest(): Buffer {
    const rest = this.#input.take(this.#input.length);
    this.stop();
    return rest;
  }

  /** Reads one thing; returns whether there may be another. */
  #step(): boolean {
    switch (this.#reading) {
      case "head":
        return !this.isEmpty && this.#taker.mayTake && this.#readHead();
      case "content":
        return this.#content?.hasRoom === true && this.#readContent(this.#content);
      case "rest":
        return this.#readRest();
      case "nothing":
        this.#input.clear();
        return false;
    }
  }

  #readHead(): boolean {
    const head = this.#heads.read(this.#input);
    if (head === undefined) return false;
    const { contentLength } = head;
    if (contentLength === 0) {
      this.#nextMessage();
      if (!this.#taker.take(head, undefined) && this.#reading === "head") this.#reading = "nothing";
      return true;
    }
    const content = new IncomingContent(contentLength, () => this.#taker.contentChanged());
    this.#content = content;
    this.#decoder =
      contentLength === undefined ? new ChunkedDecoder(this.#context.maxHeaderSize) : new SizedDecoder(contentLength);
    this.#reading = "content";
    this.#isLast = !this.#taker.take(head, content);
    return true;
  }

  #readContent(content: IncomingContent): boolean {
    const decoder = this.#decoder as ContentDecoder; // set with the content
    const piece = decoder.decode(this.#input);
    content.push(piece);
    if (!decoder.done) return piece.length > 0;
    this.#nextMessage();
    content.complete();
    return true;
  }

  #readRest(): boolean {
    const decoder = this.#decoder as ContentDecoder; // set with the content
    this.#wasted += decoder.decode(this.#input).length;
    if (this.#wasted > this.#context.drainLimit) this.#taker.restTooLong();
    else if (decoder.done) this.#nextMessage();
    return decoder.done;
  }

  #nextMessage(): void {
    this.#reading = this.#isLast ? "nothing" : "head";
    this.#content = undefined;
    this.waitFromNow();
  }
}

/** Whether there are only line ends in the piece. */
const isBlank = (piece: Buffer): boolean => isOfLineEnd(piece[0]) && piece.every(isOfLineEnd);
const isOfLineEnd = (byte: number | undefined): boolean => byte === 0x0d || byte === 0x0a;

/** How many heads, or pieces of content, are read before the event loop turns. */
const mostSteps = 100;
/** Bytes of requests that are kept while they cannot be read; of content, what comes at a time. */
const mostUnread = 65_536;
