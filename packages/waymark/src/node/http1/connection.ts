import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { andThen } from "../../and-then.ts";
import { HttpError, problem } from "../../problem.ts";
import { problemTypes } from "../../problem-types.ts";
import type { HttpResponse } from "../../response.ts";
import { handleReceived, refuseReceived } from "../../served-app.ts";
import type { ServeContext } from "../options.ts";
import type { Takeover } from "../upgrade.ts";
import { ClientWatch, interimResponse } from "./client-watch.ts";
import type { Http1Content } from "./content.ts";
import { type ExchangeConnection, Http1Exchange } from "./exchange.ts";
import { type Head, noHead } from "./head.ts";
import { MessageReader, type RequestTaker } from "./message-reader.ts";
import { Output } from "./output.ts";
import { Peer } from "./peer.ts";
import { incomplete } from "./refusals.ts";
import type { ResponseHeads } from "./response-head.ts";
import { cancelBody, type SendingConnection, send } from "./send.ts";

/** What a connection needs of the server that has accepted it. */
export interface ConnectionOwner {
  readonly context: ServeContext;
  readonly heads: ResponseHeads;
  /** The time between two calls of `look`, in milliseconds. */
  readonly interval: number;
  /** Called when the connection is closed, or has been handed over. */
  forget(connection: Http1Connection): void;
}

/**
 * One connection of HTTP/1.1 (RFC 9112 §9). Requests are begun in their order, and together only while all of them are safe;
 * responses are sent in the order of the requests. All that waits is bounded: the requests, the bytes behind them, and the
 * responses that the client has not taken.
 */
export class Http1Connection implements RequestTaker, ExchangeConnection, SendingConnection {
  readonly socket: Socket;
  readonly context: ServeContext;
  readonly heads: ResponseHeads;
  readonly output: Output;
  readonly peer: Peer;
  readonly #owner: ConnectionOwner;
  readonly #reader: MessageReader;
  readonly #watch: ClientWatch;
  /** The requests whose responses are not written, in their order. */
  readonly #queue: Http1Exchange[] = [];
  /** The last of them, if it may not begin yet; no request behind it is taken. */
  #waiting: Http1Exchange | undefined;
  /** Those whose responses are written, and may not have left the process. */
  readonly #written: Http1Exchange[] = [];
  #awaitsSent = false;
  #requests = 0;
  #isAdvancing = false;
  #isScheduled = false;
  #isSending = false;
  /** Whether the client has ended its side. */
  #isHalfClosed = false;
  /** Whether the last response is on its way, or there is nobody to send one to. */
  #isEnding = false;

  constructor(socket: Socket, owner: ConnectionOwner) {
    const { context, heads, interval } = owner;
    this.socket = socket;
    this.context = context;
    this.heads = heads;
    this.output = new Output(socket, () => this.#drained());
    this.peer = new Peer(socket, context);
    this.#owner = owner;
    this.#reader = new MessageReader(context, this, interval);
    this.#watch = new ClientWatch(socket, this.output, context.writeTimeout);
    socket.allowHalfOpen = true;
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener);
  }

  readonly #listeners = {
    data: (piece: Buffer): void => {
      this.#reader.append(piece);
      this.#advance();
    },
    drain: (): void => this.output.resume(),
    end: (): void => {
      this.#isHalfClosed = true;
      this.#advance();
    },
    // A connection that breaks is closed, and that is heard.
    error: (): void => undefined,
    close: (): void => this.#abandon(),
  };

  /** Whether no request is being answered. */
  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#reader.content === undefined && !this.#isScheduled && !this.#isEnding;
  }

  /** Closes the connection, once what was written has left the process. */
  close(): void {
    if (this.output.isSent) this.socket.destroy();
    else this.#end();
  }

  /** Reads as far as what has arrived allows; the answers that are made meanwhile are one write. */
  #advance(): void {
    if (this.#isAdvancing || this.#isEnding) return;
    this.#isAdvancing = true;
    this.output.gather();
    try {
      if (this.#reader.read()) this.#advanceLater();
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      this.#refuse(error.response);
    }
    this.#isAdvancing = false;
    this.output.flush();
    if (this.#isEnding) return;
    this.#noteSent();
    if (this.#isHalfClosed) this.#finishInput();
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

  /** Lets the client send no more than can be read. */
  #regulate(): void {
    const { isFull } = this.#reader;
    if (isFull === this.socket.isPaused()) return;
    if (isFull) this.socket.pause();
    else this.socket.resume();
  }

  /** There is room again for responses. */
  #drained(): void {
    this.#queue[0]?.resumeSending?.();
    this.#advance();
  }

  get mayTake(): boolean {
    return (
      this.#waiting === undefined &&
      this.#queue.length < mostAtOnce &&
      !this.output.isFull &&
      // What comes behind it may be of another protocol.
      this.#queue.at(-1)?.head.asksForUpgrade !== true
    );
  }

  take(head: Head, content: Http1Content | undefined): boolean {
    const exchange = new Http1Exchange(this, head, content);
    if (++this.#requests === this.context.maxRequestsPerConnection) exchange.closes = true;
    const { closes } = exchange;
    this.#queue.push(exchange);
    if (exchange.refusal !== undefined || this.#mayStart(exchange)) this.#start(exchange);
    else this.#waiting = exchange;
    return !closes;
  }

  contentChanged(): void {
    this.#letContinue();
    this.#advance();
  }

  restTooLong(): void {
    this.#end();
  }

  /** Whether those before it cannot change what it sees: it is the first, or it and they are safe (RFC 9112 §9.3.2). */
  #mayStart(exchange: Http1Exchange): boolean {
    const first = this.#queue[0] as Http1Exchange; // it is in the queue itself
    return first === exchange || (first.isSafe && exchange.isSafe);
  }

  #start(exchange: Http1Exchange): void {
    const { app } = this.context;
    const { refusal } = exchange;
    // An answer that comes when the message has turned out to be malformed is not sent any more.
    const settle = (answer: HttpResponse): void => this.#settle(exchange, answer, refusal);
    const fail = (error: unknown): void => {
      exchange.fault(error);
      settle(internalError);
    };
    try {
      const answer = refusal === undefined ? handleReceived(app, exchange) : refuseReceived(app, exchange, refusal);
      // A synchronous answer goes out without a promise, which would cost 5 % of the requests a second.
      andThen(answer, settle, fail);
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
      send(this, first, first.answer as HttpResponse); // what is none fails there
    }
    this.#isSending = false;
    this.#letContinue();
  }

  /** Tells the client to send the content that is waited for, when it is its turn (RFC 9110 §10.1.1). */
  #letContinue(): void {
    const [first] = this.#queue;
    if (first?.awaitsContinue !== true || first.incoming?.isAwaited !== true || first.headSent) return;
    first.awaitsContinue = false;
    this.output.latin1(interimResponse);
  }

  decideEnd(exchange: Http1Exchange, isFramed: boolean): void {
    const { incoming, awaitsContinue } = exchange;
    const { closing, drainLimit } = this.context;
    const isLast = this.#queue.length === 1 && (closing || (this.#isHalfClosed && this.#reader.isEmpty));
    const isUnread = incoming !== undefined && incoming === this.#reader.content && !incoming.isRead;
    const isTooLong = (incoming?.length ?? 0) > drainLimit;
    if (!isFramed || isLast || (isUnread && (awaitsContinue || isTooLong))) exchange.closes = true;
  }

  answered(exchange: Http1Exchange): void {
    this.#queue.shift();
    this.#written.push(exchange);
    exchange.stage = "written";
    // Its head may have promised to keep the connection, from before the shutdown.
    if (exchange.closes || (this.context.closing && this.#queue.length === 0)) this.#end();
    else {
      this.#discardUnread(exchange);
      this.#startWaiting();
    }
    if (this.#isAdvancing) return;
    this.#noteSent();
    this.#sendNext();
    this.#advance();
  }

  #discardUnread({ incoming, awaitsContinue }: Http1Exchange): void {
    if (this.#queue.length === 0 && this.#reader.isEmpty) this.#reader.waitFromNow();
    if (incoming === undefined || incoming !== this.#reader.content) return;
    if (incoming.isRead) incoming.whenLeft = () => incoming === this.#reader.content && this.#reader.discardContent();
    else if (awaitsContinue || this.context.drainTimeout === 0) this.#end();
    else this.#reader.discardContent();
  }

  #startWaiting(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || !this.#mayStart(waiting)) return;
    this.#waiting = undefined;
    this.#start(waiting);
  }

  handOver(exchange: Http1Exchange, takeover: Takeover): void {
    const { socket } = this;
    const { method, target, headers } = exchange.head;
    this.#isEnding = true;
    const rest = this.#reader.takeRest();
    this.output.flush();
    for (const [event, listener] of Object.entries(this.#listeners)) socket.off(event, listener);
    this.#owner.forget(this);
    this.#endWritten(this.#written.length, true);
    this.#queue.length = 0;
    exchange.end(true);
    try {
      takeover.handOver(method, target, headers, socket, rest);
    } catch (error) {
      exchange.fault(error);
      socket.destroy();
    }
  }

  /** Answers a message that cannot be read on, in its turn, and ends the connection. */
  #refuse(refusal: HttpResponse): void {
    const { content } = this.#reader;
    const exchange = this.#queue.find(({ incoming }) => content !== undefined && incoming === content);
    if (exchange === undefined && content !== undefined) {
      // Its response has been written.
      this.#end();
      return;
    }
    if (exchange === undefined) {
      const unreadable = new Http1Exchange(this, noHead, undefined);
      unreadable.refusal = refusal;
      this.#queue.push(unreadable);
      this.#reader.stop();
      this.#start(unreadable);
      return;
    }
    exchange.refusal = refusal;
    exchange.closes = true;
    this.#reader.stop();
    if (exchange.headSent) this.cut(exchange);
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
    this.#waiting = undefined;
    this.#reader.stop();
    for (const exchange of this.#queue.splice(0)) exchange.end(false);
    this.socket.once("finish", () => {
      this.#endWritten(this.#written.length, true);
      this.#reader.waitFromNow();
    });
    this.output.end();
    this.#regulate();
  }

  /** What has arrived and cannot be completed any more is refused; without anything to answer, the connection ends. */
  #finishInput(): void {
    const { reading, isEmpty, canRead } = this.#reader;
    if (this.#isEnding || this.#isScheduled || !canRead) return;
    if (reading === "rest") this.#end();
    else if (reading === "content" || !isEmpty) this.#refuse(incomplete.ended);
    else if (this.#queue.length === 0) this.#end();
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
    this.#waiting = undefined;
    this.#reader.stop();
    for (const exchange of this.#queue.splice(0)) exchange.end(false);
    this.#endWritten(this.#written.length, false);
    this.#owner.forget(this);
  }

  /** Looks for what takes too long; to be called in short intervals, with the milliseconds since the last call. */
  look(elapsed: number): void {
    this.#watch.look(elapsed, this.#isHalfClosed ? this.#queue[0] : undefined);
    if (!this.#isClientAwaited) return;
    this.#reader.wait(elapsed);
    this.#endLate();
  }

  /** Whether the next thing to come is the client's. */
  get #isClientAwaited(): boolean {
    const { reading, isEmpty, canRead } = this.#reader;
    return canRead && (reading !== "head" || !isEmpty || (this.#queue.length === 0 && this.output.isSent));
  }

  #endLate(): void {
    const { reading, isEmpty, waited } = this.#reader;
    const { headersTimeout, requestTimeout, keepAliveTimeout, drainTimeout } = this.context;
    const isLate = (timeout: number): boolean => timeout > 0 && waited > timeout;
    if (reading === "nothing") {
      if (this.socket.writableFinished && waited > drainTimeout) this.socket.destroy();
    } else if (reading === "rest") {
      if (waited > drainTimeout) this.#end();
    } else if (reading === "head" && isEmpty && this.#requests > 0) {
      // Somewhat longer than the client is given.
      if (isLate(keepAliveTimeout === 0 ? 0 : keepAliveTimeout + 1_000)) this.close();
    } else if (isLate(requestTimeout) || (reading === "head" && isLate(headersTimeout))) {
      this.#refuse(incomplete.late);
    }
  }
}

const internalError = problem(problemTypes.internalError);

/** How many safe requests of a connection are answered at a time. */
const mostAtOnce = 100;
