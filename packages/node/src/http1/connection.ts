import type { Socket } from "node:net";
import type { HttpResponse } from "waymark";
import type { Connection } from "../connections.ts";
import type { ServeContext } from "../context.ts";
import { Output } from "../output.ts";
import { incomplete } from "../refusals.ts";
import { interimResponse } from "../response-head.ts";
import { appOf, isEncrypted, Peer } from "../served-exchange.ts";
import type { Takeover } from "../upgrade.ts";
import type { AnswerMemory, KeptAnswer } from "./answer-memory.ts";
import { mostInRound } from "./asked-sources.ts";
import { Deadlines } from "./deadlines.ts";
import { ExchangeQueue, type QueueConnection } from "./exchange-queue.ts";
import { noHead } from "./head.ts";
import { Http1Exchange } from "./http1-exchange.ts";
import { MessageReader, type ReaderConnection } from "./message-reader.ts";

/**
 * One connection of HTTP/1.1 (RFC 9112 §9): reads requests into its queue, refuses what cannot be read, and decides when it
 * ends. All that waits is bounded: the requests, the bytes behind them, and the responses that the client has not taken.
 *
 * The way of one answer:
 *
 * 1. The reader makes an exchange of a head, and `take` puts it into the queue.
 * 2. The queue has the app answer it, at once or when those before allow it.
 * 3. The queue sends the answer when it is the first. The exchange asks `decideEnd`, makes the head, and writes to the output.
 * 4. `answered`: the queue has its next first, and the connection ends or goes on.
 * 5. `#goOn`: the next answer is sent, and the reader reads on.
 * 6. The queue ends the exchange when the output has left the process.
 *
 * Where the reader finds the answer to a head in the memory, it is sent at once, and there is no exchange.
 */
export class Http1Connection implements Connection, ReaderConnection, QueueConnection {
  readonly socket: Socket;
  readonly context: ServeContext;
  readonly output: Output;
  readonly peer: Peer;
  readonly deadlines: Deadlines;
  readonly queue: ExchangeQueue;
  readonly #reader: MessageReader;
  readonly #memory: AnswerMemory | undefined;
  #requests = 0;
  isEnding = false;

  /**
   * Speaks HTTP/1.1 on this connection from now on.
   *
   * @param memory answers of the app that may be sent again. Default: none
   */
  constructor(socket: Socket, context: ServeContext, memory?: AnswerMemory) {
    this.socket = socket;
    this.context = context;
    const drained = (): void => this.#drained();
    this.output = new Output(socket, context, drained, () => socket.destroy());
    this.peer = new Peer(socket, context);
    this.deadlines = new Deadlines(context);
    // What a proxy says of its clients is for the app to judge.
    this.#memory = this.peer.isTrusted ? undefined : memory;
    this.#reader = new MessageReader(this, this.#memory?.fields);
    this.queue = new ExchangeQueue(this);
    socket.allowHalfOpen = true;
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener);
    context.connections.add(this);
  }

  readonly #listeners = {
    data: (piece: Buffer): void => {
      this.#reader.receive(piece);
    },
    drain: (): void => this.output.resume(),
    end: (): void => this.#reader.end(),
    // A broken connection also emits `close`, which does what is needed.
    error: (): void => undefined,
    close: (): void => this.#abandon(),
  };

  get mayTake(): boolean {
    return this.queue.hasRoom && !this.output.isFull;
  }

  get memory(): AnswerMemory | undefined {
    const { context, queue } = this;
    const isLast = context.closing || this.#reader.hasEnded || this.#requests + 1 === context.maxRequestsPerConnection;
    return queue.isEmpty && !isLast && appOf(context).repetition !== undefined ? this.#memory : undefined;
  }

  get round(): number {
    const memory = this.#memory;
    // A piece of TLS may be all that has come, or one of several.
    const isKnown = memory !== undefined && this.context.connections.size <= mostInRound && !isEncrypted(this.socket);
    return isKnown ? memory.sources.round : -1;
  }

  repeat(answer: KeptAnswer): void {
    this.#requests++;
    this.output.latin1(answer.toText(this.context.responseHeads.lastLines(false)));
  }

  take(exchange: Http1Exchange): void {
    if (++this.#requests === this.context.maxRequestsPerConnection) exchange.closes = true;
    this.queue.add(exchange);
  }

  contentChanged(): void {
    this.queue.letContinue();
    this.#reader.advance();
  }

  /** There is room again for responses. */
  #drained(): void {
    this.queue.first?.resumeSending?.();
    this.#goOn();
  }

  decideEnd(exchange: Http1Exchange, isFramed: boolean): void {
    const { incoming, awaitsContinue } = exchange;
    const { closing, drainLimit } = this.context;
    const isLast = this.queue.last === exchange && (closing || (this.#reader.hasEnded && this.#reader.isEmpty));
    const isUnread = exchange === this.#reader.exchange && incoming?.isRead === false;
    const isTooLong = (incoming?.length ?? 0) > drainLimit;
    if (!isFramed || isLast || (isUnread && (awaitsContinue || isTooLong))) exchange.closes = true;
  }

  answered(exchange: Http1Exchange): void {
    this.queue.noteWritten(exchange);
    // Its head may have promised to keep the connection, from before the shutdown.
    if (exchange.closes || (this.context.closing && this.queue.isEmpty)) this.end();
    else {
      this.#discardUnread(exchange);
      this.queue.startWaiting();
    }
    this.#goOn();
  }

  /** Does what has become possible. While the reader advances it does so itself: then an answer comes from within its step. */
  #goOn(): void {
    if (this.#reader.isAdvancing) return;
    this.queue.noteSent();
    this.queue.sendNext();
    this.#reader.advance();
  }

  #discardUnread(exchange: Http1Exchange): void {
    const { incoming, awaitsContinue } = exchange;
    if (this.queue.isEmpty && this.#reader.isEmpty) this.deadlines.restart();
    if (incoming === undefined || exchange !== this.#reader.exchange) return;
    if (incoming.isRead) incoming.whenLeft = () => exchange === this.#reader.exchange && this.#reader.discardContent();
    else if (awaitsContinue || this.context.drainTimeout === 0) this.end();
    else this.#reader.discardContent();
  }

  handOver(exchange: Http1Exchange, takeover: Takeover): void {
    const { socket, output } = this;
    const { method, target, headers } = exchange.head;
    this.isEnding = true;
    const rest = this.#reader.stop();
    output.flush();
    for (const [event, listener] of Object.entries(this.#listeners)) socket.off(event, listener);
    // So much may have come behind the request that the socket was paused, which a listener for data would not change.
    if (socket.isPaused()) socket.resume();
    this.context.connections.delete(this);
    if (output.unsent > 0) socket.once("close", () => output.discard());
    this.queue.endWritten(true);
    exchange.end(true);
    this.queue.abandon();
    try {
      takeover.handOver(method, target, headers, socket, rest);
    } catch (error) {
      exchange.fault(error);
      socket.destroy();
    }
  }

  refuse(refusal: HttpResponse): void {
    const received = this.#reader.exchange;
    if (received?.stage === "written") {
      this.end();
      return;
    }
    const exchange = received ?? new Http1Exchange(this, noHead, undefined);
    exchange.refusal = refusal;
    exchange.closes = true;
    this.#reader.stop();
    if (received === undefined) this.queue.add(exchange);
    else if (exchange.headSent) this.cut(exchange);
    else this.queue.restart(exchange);
  }

  cut(exchange: Http1Exchange): void {
    exchange.end(false);
    if (exchange.head.minorVersion === 1) this.end();
    else {
      // To HTTP/1.0, content that ends with the connection is whole unless the connection breaks (RFC 9112 §8).
      this.output.flush();
      if (isEncrypted(this.socket)) this.socket.destroy();
      else this.socket.resetAndDestroy();
    }
  }

  end(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.#reader.stop();
    this.queue.abandon();
    this.socket.once("finish", () => {
      this.queue.endWritten(true);
      this.deadlines.restart();
    });
    this.output.end();
    this.#reader.regulate();
  }

  /** Closes the connection, once what was written has left the process. */
  #close(): void {
    if (this.output.isSent) this.socket.destroy();
    else this.end();
  }

  /** Each response says that it is the last. */
  startClosing(): void {}

  closeIdle(): void {
    const { reading, isEmpty } = this.#reader;
    if (!this.queue.isEmpty || this.isEnding) return;
    if (reading === "rest") this.end();
    else if (reading === "head" && isEmpty) this.#close();
  }

  /** Ends all that is open: the connection is closed. */
  #abandon(): void {
    this.isEnding = true;
    this.#reader.stop();
    this.queue.abandon();
    this.queue.endWritten(false);
    this.output.discard();
    this.context.connections.delete(this);
  }

  look(elapsed: number): void {
    const { socket, output } = this;
    const waiting = this.#reader.hasEnded ? this.queue.first : undefined;
    output.look(elapsed, waiting !== undefined);
    const lateness = this.deadlines.look(elapsed, this.#reader, {
      isFresh: this.#requests === 0,
      isSettled: this.queue.isEmpty && output.isSent,
      isFinished: socket.writableFinished,
      isHalfClosed: waiting !== undefined,
    });
    if (lateness === "refuse") this.refuse(incomplete.late);
    else if (lateness === "close") this.#close();
    else if (lateness === "end") this.end();
    else if (lateness === "destroy") socket.destroy();
    else if (lateness === "probe" && waiting?.headSent === false && waiting.head.minorVersion === 1) {
      output.latin1(interimResponse);
    }
  }
}
