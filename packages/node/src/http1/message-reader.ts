import type { Socket } from "node:net";
import { ByteQueue } from "../content/byte-queue.ts";
import { IncomingContent } from "../content/incoming-content.ts";
import type { ServeContext } from "../exchange/context.ts";
import type { Peer } from "../exchange/served-exchange.ts";
import type { AnswerMemory } from "../memory/answer-memory.ts";
import { RepeatedAnswer } from "../memory/kept-answer.ts";
import { ChunkedDecoder } from "./chunked.ts";
import type { Deadlines, Reading, ReadingProgress } from "./deadlines.ts";
import { type Head, HeadReader } from "./head/head.ts";
import type { SharedFields } from "./head/known-fields.ts";
import type { HeadText } from "./head/response-head.ts";

/** What has arrived on a connection, and how far it has been read: heads, and the content behind each, step by step. */
export class MessageReader implements ReadingProgress {
  readonly #context: ServeContext;
  readonly #deadlines: Deadlines;
  readonly #input = new ByteQueue();
  readonly #heads: HeadReader;
  reading: Reading = "head";
  /** The content that has not yet arrived whole. */
  content: IncomingContent | undefined;
  /** Whether the client has ended its side. */
  hasEnded = false;
  /** Of content that comes in chunks. */
  #chunks: ChunkedDecoder | undefined;
  /** How many bytes are left of content whose length is known. */
  #left = 0;
  /** Whether no request follows the one whose content is read. */
  #isLast = false;
  /** Bytes of content that have been thrown away. */
  #wasted = 0;
  /** The round of reading in which something came last (`AskedSources`). */
  #round = -1;
  #hasPaused = false;

  /** @param shared the fields that heads on any connection have had */
  constructor(context: ServeContext, deadlines: Deadlines, peer: Peer, shared: SharedFields) {
    this.#context = context;
    this.#deadlines = deadlines;
    this.#heads = new HeadReader(context, shared, peer);
  }

  get isEmpty(): boolean {
    return this.#input.length === 0;
  }

  /** Whether another request has begun to arrive, as far as that is seen. */
  get hasNext(): boolean {
    return this.reading === "head" && !this.isEmpty;
  }

  /** Whether the client has ended its side in the midst of a message. */
  get isCutShort(): boolean {
    return this.hasEnded && (this.hasNext || this.reading === "content");
  }

  /** Whether more content has come than is thrown away. */
  get isTooLong(): boolean {
    return this.#wasted > this.#context.drainLimit;
  }

  /**
   * Takes what has just been read of the socket.
   *
   * @param round the number of the round of reading; -1 where it is not known
   * @returns whether a head that begins with it is prompt (`AskedSources`)
   */
  receive(piece: Buffer, round: number): boolean {
    const isPrompt = this.isEmpty && round !== this.#round && !this.#hasPaused;
    this.#round = round;
    if (this.reading === "nothing") return false;
    // Empty lines begin no head (RFC 9112 §2.2), and a client that sends only these does not keep its connection.
    if (this.reading === "head" && this.isEmpty && !(isOfLineEnd(piece[0]) && piece.every(isOfLineEnd)))
      this.#deadlines.restart();
    this.#input.append(piece);
    return isPrompt;
  }

  /**
   * Reads the next head; undefined while it has not arrived whole.
   *
   * @param memory where the answer may be kept
   * @returns the head, or the answer to it
   * @throws HttpError when what has arrived cannot become a head
   */
  readHead(memory: AnswerMemory<HeadText> | undefined, isPrompt: boolean): Head | RepeatedAnswer<HeadText> | undefined {
    const head = this.isEmpty ? undefined : this.#heads.read(this.#input, memory, isPrompt);
    if (head instanceof RepeatedAnswer || head?.contentLength === 0) this.#deadlines.restart();
    return head;
  }

  /**
   * Begins to read the content behind a head; undefined without content.
   *
   * @param onChange called when a reader of the content begins to wait for more, or ends
   */
  beginContent({ contentLength }: Head, onChange: () => void): IncomingContent | undefined {
    if (contentLength === 0) return undefined;
    const { maxHeaderSize } = this.#context;
    this.#chunks = contentLength === undefined ? new ChunkedDecoder(maxHeaderSize) : undefined;
    this.#left = contentLength ?? 0;
    this.reading = "content";
    this.content = new IncomingContent(contentLength, onChange);
    return this.content;
  }

  /**
   * Reads content as far as it has arrived, or throws it away.
   *
   * @returns whether there may be something behind it
   * @throws HttpError when the content is malformed
   */
  readContent(): boolean {
    const { content } = this;
    const chunks = this.#chunks;
    const piece = chunks === undefined ? this.#input.take(this.#left) : chunks.decode(this.#input);
    if (chunks === undefined) this.#left -= piece.length;
    if (this.reading === "rest") this.#wasted += piece.length;
    else content?.push(piece);
    if (chunks === undefined ? this.#left > 0 : !chunks.isDone) return this.reading === "content" && piece.length > 0;
    this.reading = "head";
    if (this.#isLast) this.#readNoMore();
    this.content = undefined;
    this.#deadlines.restart();
    content?.complete();
    return true;
  }

  /** Throws the rest of the content away, so that the next request can be found (RFC 9112 §9.3). */
  discardContent(): void {
    this.content?.break();
    this.reading = "rest";
    this.#wasted = 0;
    this.#deadlines.restart();
  }

  /** Notes that no request follows the last one. What still arrives is thrown away behind its content. */
  expectNoMore(): void {
    this.#isLast = true;
    if (this.reading === "head") this.#readNoMore();
  }

  #readNoMore(): void {
    this.reading = "nothing";
    this.#input.clear();
  }

  /** Reads no more, and returns what has arrived and not been read. */
  stop(): Buffer {
    const rest = this.#input.take(this.#input.length);
    const { content } = this;
    this.reading = "nothing";
    this.content = undefined;
    content?.break();
    this.#deadlines.restart();
    return rest;
  }

  /** Lets the client send no more than can be read. */
  regulate(socket: Socket, canRead: boolean): void {
    const isFull = this.#input.length >= (this.reading === "content" ? 1 : mostUnread) && !canRead;
    if (isFull === socket.isPaused()) return;
    // What is read while it is paused comes later.
    this.#hasPaused = true;
    if (isFull) socket.pause();
    else socket.resume();
  }
}

const isOfLineEnd = (byte: number | undefined): boolean => byte === 0x0d || byte === 0x0a;

/** Bytes of requests that are kept while they cannot be read; of content, what comes at a time. */
const mostUnread = 65_536;
