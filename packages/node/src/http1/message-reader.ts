import type { Socket } from "node:net";
import { HttpError, type HttpResponse } from "waymark";
import { ByteQueue } from "../byte-queue.ts";
import type { Connection } from "../connections.ts";
import { IncomingContent } from "../content.ts";
import { incomplete } from "../refusals.ts";
import { type AnswerMemory, KeptAnswer } from "./answer-memory.ts";
import { ChunkedDecoder, type ContentDecoder, SizedDecoder } from "./chunked.ts";
import type { Deadlines, Reading, ReadingProgress } from "./deadlines.ts";
import type { ExchangeQueue } from "./exchange-queue.ts";
import { type Head, HeadReader } from "./head.ts";
import { type ExchangeConnection, Http1Exchange } from "./http1-exchange.ts";
import type { SharedFields } from "./known-fields.ts";

/** The connection of a reader, as far as the reader needs it. */
export interface ReaderConnection extends ExchangeConnection, Pick<Connection, "closeIdle"> {
  readonly deadlines: Deadlines;
  readonly queue: ExchangeQueue;
  /** Whether another request is taken now. */
  readonly mayTake: boolean;
  /** Whether the last response is on its way, or there is nobody to send one to. */
  readonly isEnding: boolean;
  /** Where the answer to the next request may be; undefined where the app has to make it. */
  readonly memory: AnswerMemory | undefined;
  /** The number of the round of reading (`AskedSources`); -1 where it is not known. */
  readonly round: number;
  /** Sends an answer that is kept. */
  repeat(answer: KeptAnswer): void;
  /** Takes a request whose content, if it has any, is still to come. */
  take(exchange: Http1Exchange): void;
  /** To be called when a reader of content begins to wait for more, or ends. */
  contentChanged(): void;
  /** Answers a message that cannot be read on, in its turn, and ends the connection. */
  refuse(refusal: HttpResponse): void;
  /**
   * Ends the sending side, and takes what the client still sends for a while: a connection that is closed on bytes not read is
   * reset, and the client may lose the answer (RFC 9112 §9.6).
   */
  end(): void;
}

/**
 * The receiving side of a connection: reads its requests, one after the other, as far as what has arrived allows and as they
 * are taken, and lets others have their turn in between.
 */
export class MessageReader implements ReadingProgress {
  readonly #connection: ReaderConnection;
  readonly #socket: Socket;
  readonly #input = new ByteQueue();
  readonly #heads: HeadReader;
  #reading: Reading = "head";
  #exchange: Http1Exchange | undefined;
  #decoder: ContentDecoder | undefined;
  /** Whether no request follows the one whose content is read. */
  #isLast = false;
  /** Bytes of content that have been thrown away. */
  #wasted = 0;
  /** Whether the client has ended its side. */
  #hasEnded = false;
  /** The round of reading in which something came last, and whether the next head is prompt (`AskedSources`). */
  #round = -1;
  #isPrompt = false;
  #hasPaused = false;
  #isAdvancing = false;
  #isScheduled = false;

  /** @param shared fields that other connections have had. Default: none */
  constructor(connection: ReaderConnection, shared?: SharedFields) {
    this.#connection = connection;
    this.#socket = connection.socket;
    this.#heads = new HeadReader(connection.context, shared);
  }

  get reading(): Reading {
    return this.#reading;
  }

  /** The exchange whose content has not yet arrived whole. */
  get exchange(): Http1Exchange | undefined {
    return this.#exchange;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether something is being read now. */
  get isAdvancing(): boolean {
    return this.#isAdvancing;
  }

  get isEmpty(): boolean {
    return this.#input.length === 0;
  }

  get canRead(): boolean {
    if (this.#reading === "head") return this.#connection.mayTake;
    return this.#reading !== "content" || this.#exchange?.incoming?.hasRoom === true;
  }

  /** Takes what has just been read of the socket, and goes on. */
  receive(piece: Buffer): void {
    const { round } = this.#connection;
    this.#isPrompt = this.isEmpty && round !== this.#round && !this.#hasPaused;
    this.#round = round;
    this.#append(piece);
    this.advance();
    this.#isPrompt = false;
  }

  #append(piece: Buffer): void {
    if (this.#reading === "nothing") return;
    // Empty lines begin no head (RFC 9112 §2.2), and a client that sends only these does not keep its connection.
    if (this.#reading === "head" && this.isEmpty && !isBlank(piece)) this.#connection.deadlines.restart();
    this.#input.append(piece);
  }

  /** Notes that nothing more will arrive. */
  end(): void {
    this.#hasEnded = true;
    this.advance();
  }

  /** Reads as far as what has arrived allows; the answers that are made meanwhile are one write. */
  advance(): void {
    const connection = this.#connection;
    if (this.#isAdvancing || connection.isEnding) return;
    this.#isAdvancing = true;
    connection.output.gather();
    try {
      for (let steps = 0; this.#step(); steps++) {
        if (steps < mostSteps) continue;
        this.#advanceLater();
        break;
      }
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      connection.refuse(error.response);
    }
    this.#isAdvancing = false;
    connection.output.flush();
    if (connection.isEnding) return;
    connection.queue.noteSent();
    if (this.#hasEnded && !this.#isScheduled && this.canRead) this.#finish();
    this.regulate();
  }

  /** What has arrived and cannot be completed any more is refused; without anything to answer, the connection ends. */
  #finish(): void {
    const isWhole = this.#reading === "head" ? this.isEmpty : this.#reading !== "content";
    if (!isWhole) this.#connection.refuse(incomplete.ended);
    else if (this.#reading === "rest" || this.#connection.queue.isEmpty) this.#connection.end();
  }

  /** Lets the event loop turn: others wait. */
  #advanceLater(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.advance();
    });
  }

  /** Lets the client send no more than can be read. */
  regulate(): void {
    const isFull = this.#input.length >= (this.#reading === "content" ? 1 : mostUnread) && !this.canRead;
    if (isFull === this.#socket.isPaused()) return;
    // What is read while it is paused comes later.
    this.#hasPaused = true;
    if (isFull) this.#socket.pause();
    else this.#socket.resume();
  }

  /** Throws the rest of the content away, so that the next request can be found (RFC 9112 §9.3). */
  discardContent(): void {
    this.#exchange?.incoming?.break();
    this.#reading = "rest";
    this.#wasted = 0;
    this.#connection.deadlines.restart();
  }

  /** Reads no more requests, and returns what has arrived and not been read. */
  stop(): Buffer {
    const rest = this.#input.take(this.#input.length);
    const exchange = this.#exchange;
    this.#reading = "nothing";
    this.#exchange = undefined;
    exchange?.incoming?.break();
    this.#connection.deadlines.restart();
    return rest;
  }

  /** Reads one thing; returns whether there may be another. */
  #step(): boolean {
    switch (this.#reading) {
      case "head":
        return !this.isEmpty && this.#connection.mayTake && this.#readHead();
      case "content":
        return this.canRead && this.#readContent();
      case "rest":
        return this.#readRest();
      case "nothing":
        this.#input.clear();
        return false;
    }
  }

  #readHead(): boolean {
    const connection = this.#connection;
    const isPrompt = this.#isPrompt;
    this.#isPrompt = false;
    const head = this.#heads.read(this.#input, connection.memory, isPrompt);
    if (head === undefined) return false;
    if (head instanceof KeptAnswer) {
      connection.deadlines.restart();
      connection.repeat(head);
      return true;
    }
    const content = head.contentLength === 0 ? undefined : this.#beginContent(head);
    const exchange = new Http1Exchange(connection, head, content);
    if (content === undefined) connection.deadlines.restart();
    else this.#exchange = exchange;
    connection.take(exchange);
    this.#isLast = exchange.closes;
    if (this.#isLast && this.#reading === "head") this.#reading = "nothing";
    return true;
  }

  #beginContent({ contentLength }: Head): IncomingContent {
    const { maxHeaderSize } = this.#connection.context;
    this.#decoder = contentLength === undefined ? new ChunkedDecoder(maxHeaderSize) : new SizedDecoder(contentLength);
    this.#reading = "content";
    return new IncomingContent(contentLength, () => this.#connection.contentChanged());
  }

  #readContent(): boolean {
    const content = this.#exchange?.incoming as IncomingContent; // set with the content
    const decoder = this.#decoder as ContentDecoder;
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
    if (this.#wasted > this.#connection.context.drainLimit) this.#connection.end();
    else if (decoder.done) this.#nextMessage();
    return decoder.done;
  }

  #nextMessage(): void {
    this.#reading = this.#isLast ? "nothing" : "head";
    this.#exchange = undefined;
    this.#connection.deadlines.restart();
    if (this.#connection.context.closing) this.#connection.closeIdle();
  }
}

/** Whether there are only line ends in the piece. */
const isBlank = (piece: Buffer): boolean => isOfLineEnd(piece[0]) && piece.every(isOfLineEnd);
const isOfLineEnd = (byte: number | undefined): boolean => byte === 0x0d || byte === 0x0a;

/** How many heads, or pieces of content, are read before the event loop turns. */
const mostSteps = 100;
/** Bytes of requests that are kept while they cannot be read; of content, what comes at a time. */
const mostUnread = 65_536;
