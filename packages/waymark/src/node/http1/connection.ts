import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Client } from "../../exchange.ts";
import { HttpError, problem } from "../../problem.ts";
import { problemTypes } from "../../problem-types.ts";
import type { HttpResponse } from "../../response.ts";
import { isPromise } from "../../routing/pipeline.ts";
import { handleReceived, refuseReceived } from "../../served-app.ts";
import { ByteQueue } from "./byte-queue.ts";
import { ChunkedDecoder, type ContentDecoder, SizedDecoder } from "./chunked.ts";
import { Http1Content } from "./content.ts";
import { Http1Exchange } from "./exchange.ts";
import { HalfClosed, interimResponse } from "./half-closed.ts";
import { type Head, HeadReader, noHead } from "./head.ts";
import { Output } from "./output.ts";
import { Peer } from "./peer.ts";
import { incomplete } from "./refusals.ts";
import { cancelBody, send } from "./send.ts";
import type { Http1Server } from "./server.ts";

/**
 * What a connection reads (RFC 9112 §9): the head of a request, its content, the rest of content that nobody wants, and, once
 * no request will be answered any more, nothing: what still arrives is thrown away.
 */
type Reading = "head" | "content" | "rest" | "nothing";

/** Content that is arriving. */
interface Arriving {
  readonly exchange: Http1Exchange;
  readonly content: Http1Content;
  readonly decoder: ContentDecoder;
}

/**
 * One connection of HTTP/1.1. Requests are begun in their order, and together only while all of them are safe; responses are
 * sent in the order of the requests. All that waits is bounded: the requests, the bytes behind them, and the responses that
 * the client has not taken.
 */
export class Http1Connection {
  readonly socket: Socket;
  readonly server: Http1Server;
  readonly output: Output;
  readonly peer: Peer;
  readonly #input = new ByteQueue();
  readonly #heads: HeadReader;
  #reading: Reading = "head";
  #arriving: Arriving | undefined;
  /** The requests whose responses are not written, in their order. */
  readonly #queue: Http1Exchange[] = [];
  /** The last of them, if it may not begin yet; no request behind it is read. */
  #waiting: Http1Exchange | undefined;
  /** Those whose responses are written, and may not have left the process. */
  readonly #written: Http1Exchange[] = [];
  #awaitsSent = false;
  #requests = 0;
  /** For how long the client has been waited for, in milliseconds. */
  #waited: number;
  /** How much content has been thrown away. */
  #wasted = 0;
  #isAdvancing = false;
  #isScheduled = false;
  #isSending = false;
  #isEnding = false;
  /** What the client had taken when it was last looked at, and since when it has been that, in milliseconds. */
  #taken = 0;
  #stalled = 0;
  #halfClosed: HalfClosed | undefined;

  constructor(socket: Socket, server: Http1Server) {
    this.socket = socket;
    this.server = server;
    this.output = new Output(socket, () => this.#drained());
    this.peer = new Peer(socket, server.context);
    this.#heads = new HeadReader(server.context);
    this.#waited = -server.interval;
    socket.allowHalfOpen = true;
    socket.on("data", (piece: Buffer) => this.#receive(piece));
    socket.on("end", () => this.#endInput());
    // A connection that breaks is closed, and that is heard.
    socket.on("error", () => undefined);
    socket.on("close", () => this.#abandon());
  }

  /** Whether no request is being answered. */
  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#arriving === undefined && !this.#isScheduled && !this.#isEnding;
  }

  /** Closes the connection, once what was written has left the process. */
  close(): void {
    if (this.output.isSent) this.socket.destroy();
    else this.#end();
  }

  clientOf(head: Head): Client {
    return this.peer.clientOf(head);
  }

  #receive(piece: Buffer): void {
    if (this.#reading === "nothing") return;
    if (this.#reading === "head" && this.#input.length === 0) this.#waitFromNow();
    this.#input.append(piece);
    this.#advance();
  }

  /** There is room again for responses. */
  #drained(): void {
    this.#queue[0]?.resumeSending?.();
    this.#advance();
  }

  /** Reads as far as what has arrived allows. */
  #advance(): void {
    if (this.#isAdvancing || this.#isEnding) return;
    this.#isAdvancing = true;
    this.output.gather();
    try {
      for (let steps = 0; this.#step(); steps++) {
        if (steps === mostSteps) {
          this.#advanceLater();
          break;
        }
      }
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      this.#refuse(error.response);
    }
    this.#isAdvancing = false;
    this.output.flush();
    this.#noteSent();
    if (this.#halfClosed !== undefined) this.#finishInput();
    this.#regulate();
  }

  /** Lets the event loop turn: others wait. */
  #advanceLater(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#advance();
    });
  }

  /** Reads one thing; returns whether there may be another to be read. */
  #step(): boolean {
    switch (this.#reading) {
      case "head":
        return this.#mayReadHead && this.#readHead();
      case "content":
        return this.#readContent();
      case "rest":
        return this.#readRest();
      case "nothing":
        this.#input.clear();
        return false;
    }
  }

  get #mayReadHead(): boolean {
    return this.#waiting === undefined && this.#queue.length < mostAtOnce && !this.output.isFull;
  }

  #readHead(): boolean {
    if (this.#input.length === 0) return false;
    const head = this.#heads.read(this.#input);
    if (head === undefined) return false;
    const exchange = this.#receiveHead(head);
    this.#queue.push(exchange);
    if (exchange.refusal !== undefined || this.#mayStart(exchange)) this.#start(exchange);
    else this.#waiting = exchange;
    return true;
  }

  #receiveHead(head: Head): Http1Exchange {
    const { contentLength } = head;
    const content = contentLength === 0 ? undefined : new Http1Content(contentLength, () => this.#contentChanged());
    const exchange = new Http1Exchange(this, head, content);
    if (++this.#requests === this.server.context.maxRequestsPerConnection) exchange.closes = true;
    if (content === undefined) this.#completeMessage(exchange);
    else {
      const { maxHeaderSize } = this.server.context;
      const decoder = contentLength === undefined ? new ChunkedDecoder(maxHeaderSize) : new SizedDecoder(contentLength);
      this.#arriving = { exchange, content, decoder };
      this.#reading = "content";
    }
    return exchange;
  }

  /** The message has come to its end; the next begins, if there is to be one. */
  #completeMessage({ closes }: Http1Exchange): void {
    this.#arriving = undefined;
    this.#reading = closes ? "nothing" : "head";
    this.#waitFromNow();
  }

  #readContent(): boolean {
    const { exchange, content, decoder } = this.#arriving as Arriving; // which this state has
    if (!content.hasRoom) return false;
    const piece = decoder.decode(this.#input);
    content.push(piece);
    if (decoder.done) {
      this.#completeMessage(exchange);
      content.complete();
    }
    return decoder.done || piece.length > 0;
  }

  #readRest(): boolean {
    const { exchange, decoder } = this.#arriving as Arriving; // which this state has
    const piece = decoder.decode(this.#input);
    this.#wasted += piece.length;
    if (this.#wasted > this.server.context.drainLimit) this.#end();
    else if (decoder.done) this.#completeMessage(exchange);
    return decoder.done;
  }

  /** Somebody wants content, or has given it up. */
  #contentChanged(): void {
    this.#letContinue();
    const arriving = this.#arriving;
    if (arriving !== undefined && !arriving.content.isRead && arriving.exchange.stage === "written")
      this.#drain(arriving);
    this.#advance();
  }

  /** Tells the client to send the content that is wanted, when it is its turn (RFC 9110 §10.1.1). */
  #letContinue(): void {
    const [first] = this.#queue;
    if (first?.awaitsContinue !== true || first.incoming?.isAwaited !== true || first.headSent) return;
    first.awaitsContinue = false;
    this.output.latin1(interimResponse);
  }

  /** Reads the rest of content that nobody wants, so that the next request can be found (RFC 9112 §9.3). */
  #drain({ content, exchange }: Arriving): void {
    const { drainLimit, drainTimeout } = this.server.context;
    content.break();
    if (drainTimeout === 0 || exchange.awaitsContinue || (content.length ?? 0) > drainLimit) this.#end();
    else {
      this.#reading = "rest";
      this.#wasted = 0;
      this.#waitFromNow();
    }
  }

  #mayStart(exchange: Http1Exchange): boolean {
    const first = this.#queue[0] as Http1Exchange; // it is in the queue itself
    return first === exchange || (first.isSafe && exchange.isSafe);
  }

  #start(exchange: Http1Exchange): void {
    const { app } = this.server.context;
    const { refusal } = exchange;
    // An answer that comes when the message has turned out to be malformed is not sent any more.
    const settle = (answer: HttpResponse): void => this.#settle(exchange, answer, refusal);
    const fail = (error: unknown): void => {
      exchange.fault(error);
      settle(internalError);
    };
    try {
      const answer = refusal === undefined ? handleReceived(app, exchange) : refuseReceived(app, exchange, refusal);
      if (isPromise(answer)) answer.then(settle, fail);
      else settle(answer);
    } catch (error) {
      fail(error);
    }
  }

  #settle(exchange: Http1Exchange, answer: HttpResponse, refusal: HttpResponse | undefined): void {
    if (exchange.isOver || exchange.refusal !== refusal) cancelBody(exchange, answer);
    else {
      exchange.stage = "answered";
      exchange.answer = answer;
      this.#sendNext();
    }
  }

  /** Sends the responses whose turn has come. */
  #sendNext(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    for (;;) {
      const [first] = this.#queue;
      if (first?.stage !== "answered") break;
      first.stage = "sending";
      send(first, first.answer as HttpResponse); // one that is none is refused there
    }
    this.#isSending = false;
    this.#letContinue();
  }

  /** Decides whether the connection ends with the response, before its head is made. */
  decideEnd(exchange: Http1Exchange, isFramed: boolean): void {
    const { closing, drainLimit } = this.server.context;
    const isLast = this.#queue.length === 1;
    const { incoming } = exchange;
    const isUnread = incoming !== undefined && this.#arriving?.content === incoming && !incoming.isRead;
    if (
      !isFramed ||
      (isLast && (closing || (this.#halfClosed !== undefined && this.#input.length === 0))) ||
      (isUnread && (exchange.awaitsContinue || (incoming.length ?? 0) > drainLimit))
    ) {
      exchange.closes = true;
    }
  }

  /** The response has been written whole. */
  answered(exchange: Http1Exchange): void {
    this.#queue.shift();
    this.#written.push(exchange);
    exchange.stage = "written";
    const arriving = this.#arriving;
    if (exchange.closes || (this.server.context.closing && this.#queue.length === 0)) this.#end();
    else {
      if (arriving?.exchange === exchange && !arriving.content.isRead) this.#drain(arriving);
      else if (this.#queue.length === 0 && this.#input.length === 0) this.#waitFromNow();
      this.#startWaiting();
    }
    if (this.#isAdvancing) return;
    this.#noteSent();
    this.#sendNext();
    this.#advance();
  }

  #startWaiting(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || !this.#mayStart(waiting)) return;
    this.#waiting = undefined;
    this.#start(waiting);
  }

  /** Answers a message that cannot be read on, in its turn, and ends the connection. */
  #refuse(refusal: HttpResponse): void {
    const arriving = this.#arriving;
    this.#arriving = undefined;
    this.#reading = "nothing";
    this.#input.clear();
    if (arriving === undefined) {
      const exchange = new Http1Exchange(this, noHead, undefined);
      exchange.refusal = refusal;
      this.#queue.push(exchange);
      this.#start(exchange);
      return;
    }
    const { exchange, content } = arriving;
    exchange.refusal = refusal;
    exchange.closes = true;
    content.break();
    if (exchange.stage === "written") this.#end();
    else if (exchange.headSent) this.cut(exchange);
    else this.#startAgain(exchange);
  }

  /** Answers with the refusal instead of what is being made, or was. */
  #startAgain(exchange: Http1Exchange): void {
    if (this.#waiting === exchange) this.#waiting = undefined;
    if (exchange.stage === "sending") exchange.stopSending?.();
    else if (exchange.answer !== undefined) cancelBody(exchange, exchange.answer);
    exchange.stage = "open";
    exchange.answer = undefined;
    this.#start(exchange);
  }

  /** Ends the connection in the midst of a response, so that the client cannot take what it has for the whole. */
  cut(exchange: Http1Exchange): void {
    exchange.end(false);
    if (exchange.head.minorVersion === 1) this.#end();
    else {
      // To HTTP/1.0, content that ends with the connection is whole unless the connection breaks (RFC 9112 §8).
      this.output.flush();
      if (this.socket instanceof TLSSocket) this.socket.destroy();
      else this.socket.resetAndDestroy();
    }
  }

  /**
   * Ends the sending side, and takes what the client still sends for a while: a connection that is closed on bytes not read is
   * reset, and the client may lose the answer (RFC 9112 §9.6).
   */
  #end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#reading = "nothing";
    this.#arriving = undefined;
    this.#waiting = undefined;
    this.#input.clear();
    for (const exchange of this.#queue.splice(0)) exchange.end(false);
    this.socket.once("finish", () => {
      this.#endWritten(this.#written.length, true);
      this.#waitFromNow();
    });
    this.output.end();
    this.#waitFromNow();
    this.#regulate();
  }

  /** The client sends nothing more: it waits for what is pending, or has gone. */
  #endInput(): void {
    this.#halfClosed = new HalfClosed(this.socket, this.server.context.writeTimeout);
    this.#advance();
  }

  /** What has arrived and cannot be completed any more is refused; without anything to answer, the connection ends. */
  #finishInput(): void {
    if (this.#isEnding || this.#isScheduled || !this.#canRead) return;
    if (this.#reading === "rest") this.#end();
    else if (this.#reading === "content" || this.#input.length > 0) this.#refuse(incomplete.ended);
    else if (this.#queue.length === 0) this.#end();
  }

  /** Whether what arrives now is read. */
  get #canRead(): boolean {
    if (this.#reading === "head") return this.#mayReadHead;
    return this.#reading !== "content" || this.#arriving?.content.hasRoom === true;
  }

  /** Ends the exchanges whose responses have left the process. */
  #noteSent(): void {
    const count = this.#written.length;
    if (count === 0 || this.#isEnding) return;
    if (this.output.isSent) this.#endWritten(count, true);
    else if (!this.#awaitsSent) {
      this.#awaitsSent = true;
      this.output.whenSent(() => {
        this.#awaitsSent = false;
        this.#endWritten(count, true);
        this.#noteSent();
      });
    }
  }

  #endWritten(count: number, isSent: boolean): void {
    for (const exchange of this.#written.splice(0, count)) exchange.end(isSent);
  }

  /** Ends all that is open: the connection is closed. */
  #abandon(): void {
    this.#isEnding = true;
    this.#reading = "nothing";
    for (const exchange of this.#queue.splice(0)) exchange.end(false);
    this.#endWritten(this.#written.length, false);
    this.#arriving?.content.break();
    this.#arriving = undefined;
    this.#waiting = undefined;
    this.#input.clear();
    this.server.forget(this);
  }

  #waitFromNow(): void {
    // The time that has passed is known to the interval: nothing may be cut off before its time.
    this.#waited = -this.server.interval;
  }

  /** Looks for what has taken too long; called in short intervals, with the milliseconds since the last call. */
  watch(elapsed: number): void {
    this.#watchOutput(elapsed);
    const [first] = this.#queue;
    if (first !== undefined) this.#halfClosed?.watch(elapsed, first);
    if (this.#isClientAwaited) {
      this.#waited += elapsed;
      this.#watchInput();
    }
  }

  /** Whether the next thing to come is the client's. */
  get #isClientAwaited(): boolean {
    if (this.#reading !== "head") return this.#canRead;
    return this.#mayReadHead && (this.#input.length > 0 || (this.#queue.length === 0 && this.output.isSent));
  }

  #watchInput(): void {
    const { headersTimeout, requestTimeout, keepAliveTimeout, drainTimeout } = this.server.context;
    const isLate = (timeout: number): boolean => timeout > 0 && this.#waited > timeout;
    switch (this.#reading) {
      case "head":
        if (this.#input.length === 0 && this.#requests > 0) {
          // Somewhat longer than the client is given.
          if (isLate(keepAliveTimeout === 0 ? 0 : keepAliveTimeout + 1_000)) this.close();
        } else if (isLate(headersTimeout) || isLate(requestTimeout)) this.#refuse(incomplete.late);
        break;
      case "content":
        if (isLate(requestTimeout)) this.#refuse(incomplete.late);
        break;
      case "rest":
        if (this.#waited > drainTimeout) this.#end();
        break;
      case "nothing":
        if (this.socket.writableFinished && this.#waited > drainTimeout) this.socket.destroy();
    }
  }

  /** Cuts off a client that takes nothing of what waits for it. */
  #watchOutput(elapsed: number): void {
    const { writeTimeout } = this.server.context;
    const { taken, isSent } = this.output;
    this.#stalled = isSent || taken !== this.#taken ? 0 : this.#stalled + elapsed;
    this.#taken = taken;
    if (writeTimeout > 0 && this.#stalled > writeTimeout) this.socket.destroy();
  }

  /** Lets the client send no more than can be read. */
  #regulate(): void {
    const isFull = this.#input.length >= mostUnread && !this.#canRead;
    if (isFull === this.socket.isPaused()) return;
    if (isFull) this.socket.pause();
    else this.socket.resume();
  }
}

const internalError = problem(problemTypes.internalError);

/** How many safe requests of a connection are answered at a time. */
const mostAtOnce = 100;
/** How many requests, or pieces of content, are read before the event loop turns. */
const mostSteps = 100;
/** Bytes that are kept while they cannot be read. */
const mostUnread = 65_536;
