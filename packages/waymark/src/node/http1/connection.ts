import type { Socket } from "node:net";
import type { HttpResponse } from "../../response.ts";
import { isEncrypted, Peer } from "../client.ts";
import type { Connection } from "../connections.ts";
import type { IncomingContent } from "../content.ts";
import type { ServeContext } from "../context.ts";
import { Output } from "../output.ts";
import type { Takeover } from "../upgrade.ts";
import { ClientWatch } from "./client-watch.ts";
import { judgeWait } from "./deadlines.ts";
import { type ExchangeConnection, Http1Exchange } from "./exchange.ts";
import { ExchangeQueue } from "./exchange-queue.ts";
import { type Head, noHead } from "./head.ts";
import { Intake, type IntakeOwner } from "./intake.ts";
import { MessageReader, type RequestTaker } from "./message-reader.ts";
import { incomplete } from "./refusals.ts";

/**
 * One connection of HTTP/1.1 (RFC 9112 §9): reads requests into its queue, refuses what cannot be read, and decides when it
 * ends. All that waits is bounded: the requests, the bytes behind them, and the responses that the client has not taken.
 */
export class Http1Connection implements Connection, RequestTaker, IntakeOwner, ExchangeConnection {
  readonly socket: Socket;
  readonly context: ServeContext;
  readonly output: Output;
  readonly peer: Peer;
  readonly #reader: MessageReader;
  readonly #intake: Intake;
  readonly #watch: ClientWatch;
  readonly #queue: ExchangeQueue;
  #requests = 0;
  /** Whether the client has ended its side. */
  #isHalfClosed = false;
  /** Whether the last response is on its way, or there is nobody to send one to. */
  isEnding = false;

  /** Speaks HTTP/1.1 on this connection from now on. */
  constructor(socket: Socket, context: ServeContext) {
    this.socket = socket;
    this.context = context;
    this.output = new Output(
      socket,
      context,
      () => this.#drained(),
      () => socket.destroy(),
    );
    this.peer = new Peer(socket, context);
    this.#reader = new MessageReader(context, this);
    this.#intake = new Intake(socket, this.#reader, this.output, this);
    this.#queue = new ExchangeQueue(this);
    this.#watch = new ClientWatch(this.output);
    socket.allowHalfOpen = true;
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener);
    context.connections.add(this);
  }

  readonly #listeners = {
    data: (piece: Buffer): void => {
      this.#reader.append(piece);
      this.#intake.advance();
    },
    drain: (): void => this.output.resume(),
    end: (): void => {
      this.#isHalfClosed = true;
      this.#intake.advance();
    },
    // A broken connection also emits `close`, which does what is needed.
    error: (): void => undefined,
    close: (): void => this.#abandon(),
  };

  /** Each response says that it is the last. */
  startClosing(): void {}

  closeIdle(): void {
    const { isEmpty, content } = this.#reader;
    if (this.#queue.length === 0 && isEmpty && content === undefined && !this.isEnding) this.close();
  }

  /** Closes the connection, once what was written has left the process and nothing is on its way. */
  close(): void {
    if (this.output.isSent && this.#reader.reading !== "rest") this.socket.destroy();
    else this.#end();
  }

  /** There is room again for responses. */
  #drained(): void {
    this.#queue.first?.resumeSending?.();
    this.#queue.sendNext();
    this.#intake.advance();
  }

  get mayTake(): boolean {
    return this.#queue.hasRoom && !this.output.isFull;
  }

  take(head: Head, content: IncomingContent | undefined): boolean {
    const exchange = new Http1Exchange(this, head, content);
    if (++this.#requests === this.context.maxRequestsPerConnection) exchange.closes = true;
    const { closes } = exchange;
    this.#queue.add(exchange);
    return !closes;
  }

  contentChanged(): void {
    this.#queue.letContinue();
    this.#intake.advance();
  }

  restTooLong(): void {
    this.#end();
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
    this.#queue.noteWritten(exchange);
    // Its head may have promised to keep the connection, from before the shutdown.
    if (exchange.closes || (this.context.closing && this.#queue.length === 0)) this.#end();
    else {
      this.#discardUnread(exchange);
      this.#queue.startWaiting();
    }
    if (this.#intake.isReading) return;
    this.#queue.noteSent();
    this.#queue.sendNext();
    this.#intake.advance();
  }

  #discardUnread({ incoming, awaitsContinue }: Http1Exchange): void {
    if (this.#queue.length === 0 && this.#reader.isEmpty) this.#reader.waitFromNow();
    if (incoming === undefined || incoming !== this.#reader.content) return;
    if (incoming.isRead) incoming.whenLeft = () => incoming === this.#reader.content && this.#reader.discardContent();
    else if (awaitsContinue || this.context.drainTimeout === 0) this.#end();
    else this.#reader.discardContent();
  }

  handOver(exchange: Http1Exchange, takeover: Takeover): void {
    const { socket } = this;
    const { method, target, headers } = exchange.head;
    this.isEnding = true;
    const rest = this.#reader.takeRest();
    this.output.flush();
    for (const [event, listener] of Object.entries(this.#listeners)) socket.off(event, listener);
    // So much may have come behind the request that the socket was paused, which a listener for data would not change.
    if (socket.isPaused()) socket.resume();
    this.context.connections.delete(this);
    if (this.output.unsent > 0) socket.once("close", () => this.output.discard());
    this.#queue.endWritten(true);
    exchange.end(true);
    this.#queue.abandon();
    try {
      takeover.handOver(method, target, headers, socket, rest);
    } catch (error) {
      exchange.fault(error);
      socket.destroy();
    }
  }

  /** Answers a message that cannot be read on, in its turn, and ends the connection. */
  refuse(refusal: HttpResponse): void {
    const { content } = this.#reader;
    const exchange = content === undefined ? new Http1Exchange(this, noHead, undefined) : this.#queue.find(content);
    if (exchange === undefined) {
      // Its response has been written.
      this.#end();
      return;
    }
    exchange.refusal = refusal;
    exchange.closes = true;
    this.#reader.stop();
    if (content === undefined) this.#queue.add(exchange);
    else if (exchange.headSent) this.cut(exchange);
    else this.#queue.restart(exchange);
  }

  cut(exchange: Http1Exchange): void {
    exchange.end(false);
    if (exchange.head.minorVersion === 1) this.#end();
    else {
      // To HTTP/1.0, content that ends with the connection is whole unless the connection breaks (RFC 9112 §8).
      this.output.flush();
      if (isEncrypted(this.socket)) this.socket.destroy();
      else this.socket.resetAndDestroy();
    }
  }

  /**
   * Ends the sending side, and takes what the client still sends for a while: a connection that is closed on bytes not read is
   * reset, and the client may lose the answer (RFC 9112 §9.6).
   */
  #end(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.#reader.stop();
    this.#queue.abandon();
    this.socket.once("finish", () => {
      this.#queue.endWritten(true);
      this.#reader.waitFromNow();
    });
    this.output.end();
    this.#intake.regulate();
  }

  caughtUp(): void {
    this.#queue.noteSent();
    if (this.#isHalfClosed) this.#finishInput();
  }

  /** What has arrived and cannot be completed any more is refused; without anything to answer, the connection ends. */
  #finishInput(): void {
    const { reading, isEmpty, canRead } = this.#reader;
    if (this.isEnding || this.#intake.isScheduled || !canRead) return;
    if (reading === "rest") this.#end();
    else if (reading === "content" || !isEmpty) this.refuse(incomplete.ended);
    else if (this.#queue.length === 0) this.#end();
  }

  /** Ends all that is open: the connection is closed. */
  #abandon(): void {
    this.isEnding = true;
    this.#reader.stop();
    this.#queue.abandon();
    this.#queue.endWritten(false);
    this.output.discard();
    this.context.connections.delete(this);
  }

  /** Looks for what takes too long; to be called in short intervals, with the milliseconds since the last call. */
  look(elapsed: number): void {
    const { socket, output } = this;
    this.#watch.look(elapsed, this.#isHalfClosed ? this.#queue.first : undefined);
    const lateness = judgeWait(this.#reader, this.context, elapsed, {
      isFresh: this.#requests === 0,
      isSettled: this.#queue.length === 0 && output.isSent,
      isFinished: socket.writableFinished,
    });
    if (lateness === "refuse") this.refuse(incomplete.late);
    else if (lateness === "close") this.close();
    else if (lateness === "end") this.#end();
    else if (lateness === "destroy") socket.destroy();
  }
}
