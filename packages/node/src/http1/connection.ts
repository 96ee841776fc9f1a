import type { Socket } from "node:net";
import { HttpError, type HttpResponse } from "waymark";
import { send } from "waymark/internal";
import type { Connection } from "../connections.ts";
import type { ServeContext } from "../context.ts";
import type { AnswerMemory } from "../memory/answer-memory.ts";
import { mostInRound } from "../memory/asked-sources.ts";
import { RepeatedAnswer } from "../memory/repeated-answer.ts";
import { Output } from "../output.ts";
import { incomplete } from "../refusals.ts";
import { appOf, isEncrypted, Peer } from "../served-exchange.ts";
import { Deadlines } from "./deadlines.ts";
import { Ending } from "./ending.ts";
import { ExchangeQueue } from "./exchange-queue.ts";
import { noHead } from "./head.ts";
import { type ExchangeConnection, Http1Exchange } from "./http1-exchange.ts";
import { type HeadText, toText } from "./kept-head.ts";
import type { SharedFields } from "./known-fields.ts";
import { MessageReader } from "./message-reader.ts";
import { interimResponse, type ResponseHeads } from "./response-head.ts";

/** What all connections of a server have in common. */
export interface SharedByConnections {
  /** The fields that heads have had. */
  readonly fields: SharedFields;
  readonly heads: ResponseHeads;
  /** Answers of the app that may be sent again; undefined without. */
  readonly memory: AnswerMemory<HeadText> | undefined;
}

/**
 * One connection of HTTP/1.1 (RFC 9112 §9): reads requests into its queue, refuses what cannot be read, and decides when it
 * ends. All that waits is bounded: the requests, the bytes behind them, and the responses that the client has not taken.
 *
 * Whatever happens, be it that something arrives, an answer is made or the client takes one, `#advance` does what has become
 * possible by it. The way of one answer:
 *
 * 1. `#readHead` makes an exchange of a head, and puts it into the queue.
 * 2. `queue.next` has the app answer it, at once or when those before allow it, and returns it when it is its turn.
 * 3. `#sendNext` sends it: the exchange asks whether the connection ends with it, makes the head, and writes to the output.
 * 4. `answered`: the queue has its next first, and the connection ends or goes on.
 * 5. The queue ends the exchange when the output has left the process.
 *
 * Where the answer to a head is found in the memory, it is sent at once, and there is no exchange.
 */
export class Http1Connection implements Connection, ExchangeConnection {
  readonly socket: Socket;
  readonly context: ServeContext;
  readonly shared: SharedByConnections;
  readonly output: Output;
  readonly peer: Peer;
  readonly ending: Ending;
  readonly #deadlines: Deadlines;
  readonly #queue: ExchangeQueue;
  readonly #reader: MessageReader;
  readonly #memory: AnswerMemory<HeadText> | undefined;
  /** Whether no request has come on it. */
  #isFresh = true;
  #isAdvancing = false;
  #isScheduled = false;

  /**
   * Speaks HTTP/1.1 on this connection from now on.
   *
   * @param shared what it has in common with the other connections of its server
   */
  constructor(socket: Socket, context: ServeContext, shared: SharedByConnections) {
    this.socket = socket;
    this.context = context;
    const drained = (): void => {
      this.#queue.first?.resumeSending?.();
      this.#advance();
    };
    this.output = new Output(socket, context, drained, () => socket.destroy());
    this.peer = new Peer(socket, context);
    this.shared = shared;
    this.#memory = shared.memory;
    this.#deadlines = new Deadlines(context);
    this.#reader = new MessageReader(context, this.#deadlines, this.peer, shared.fields);
    this.#queue = new ExchangeQueue(this.output, context, () => this.#advance());
    this.ending = new Ending(socket, context, this.output, this.#deadlines, this.#reader, this.#queue);
    socket.allowHalfOpen = true;
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener);
    context.connections.add(this);
  }

  readonly #listeners = {
    data: (piece: Buffer): void => this.#advance(this.#reader.receive(piece, this.#round)),
    drain: (): void => this.output.resume(),
    end: (): void => {
      this.#reader.end();
      if (this.#queue.first?.isEventStream) this.socket.destroy();
      this.#advance();
    },
    // A broken connection also emits `close`, which does what is needed.
    error: (): void => undefined,
    close: (): void => {
      this.context.connections.delete(this);
      this.ending.abandon();
    },
  };

  /**
   * Does all that has become possible: begins and sends what is next, and reads on. The answers that are made meanwhile are one
   * write. What happens within is seen by the next step.
   *
   * @param isPrompt whether a head that comes first is prompt (`AskedSources`)
   */
  #advance(isPrompt = false): void {
    if (this.#isAdvancing || this.ending.hasBegun) return;
    this.#isAdvancing = true;
    this.output.gather();
    this.#sendNext();
    let steps = 0;
    while (steps < mostSteps && !this.ending.hasBegun && this.#read(isPrompt && steps === 0)) {
      this.#sendNext();
      steps++;
    }
    this.#isAdvancing = false;
    this.output.flush();
    if (this.ending.hasBegun) return;
    if (steps === mostSteps) this.#advanceLater();
    this.#queue.noteSent();
    this.#reader.regulate(this.socket, this.#canRead);
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

  #sendNext(): void {
    for (let next = this.#queue.next(); next !== undefined; next = this.#queue.next()) {
      const { takeover } = next;
      if (takeover === undefined) {
        send(next, next.answer as HttpResponse); // what is next has been answered
      } else {
        for (const [event, listener] of Object.entries(this.#listeners)) this.socket.off(event, listener);
        this.context.connections.delete(this);
        this.ending.handOver(next, takeover);
      }
    }
    this.#queue.letContinue();
  }

  /** Reads one thing; returns whether there may be another, or something to send. */
  #read(isPrompt: boolean): boolean {
    const { reading } = this.#reader;
    try {
      if (reading === "head" ? this.#readHead(isPrompt) : reading !== "nothing" && this.#readContent()) return true;
      return this.#reader.hasEnded && this.#canRead && this.#finish();
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      this.#refuse(error.response);
      return true;
    }
  }

  get #canRead(): boolean {
    const { reading, content } = this.#reader;
    if (reading === "head") return this.#queue.hasRoom;
    return reading !== "content" || content?.hasRoom === true;
  }

  #readHead(isPrompt: boolean): boolean {
    const head = this.#canRead ? this.#reader.readHead(this.#memoryOfNext, isPrompt) : undefined;
    if (head === undefined) return false;
    this.#isFresh = false;
    if (head instanceof RepeatedAnswer) {
      this.output.latin1(toText(head, this.shared.heads.lastLines(false)));
      if (head.isObserved) this.#queue.noteRepeated(head);
    } else {
      const content = this.#reader.beginContent(head, () => this.#advance());
      const exchange = new Http1Exchange(this, head, content);
      if (exchange.closes) this.#reader.expectNoMore();
      this.#queue.add(exchange);
      // What has come with the head is there when the app begins, and need not be waited for.
      if (content !== undefined) this.#readContent();
    }
    return true;
  }

  /** Where the answer to the next request may be; undefined where the app has to make it. */
  get #memoryOfNext(): AnswerMemory<HeadText> | undefined {
    const { context } = this;
    const isLast = context.closing || this.#reader.hasEnded;
    return this.#queue.isEmpty && !isLast && appOf(context).isRepeatable !== undefined ? this.#memory : undefined;
  }

  /** The number of the round of reading (`AskedSources`); -1 where it is not known. */
  get #round(): number {
    const memory = this.#memory;
    // A piece of TLS may be all that has come, or one of several.
    const isKnown = memory !== undefined && this.context.connections.size <= mostInRound && !isEncrypted(this.socket);
    return isKnown ? memory.sources.round : -1;
  }

  #readContent(): boolean {
    const mayFollow = this.#canRead && this.#reader.readContent();
    if (this.#reader.isTooLong) this.ending.begin();
    else if (this.context.closing) this.ending.closeIdle();
    return mayFollow;
  }

  /** What has arrived and cannot be completed any more is refused; without anything to answer, the connection ends. */
  #finish(): boolean {
    if (this.#reader.isCutShort) this.#refuse(incomplete.ended);
    else if (this.#reader.reading !== "rest" && !this.#queue.isEmpty) return false;
    else this.ending.begin();
    return true;
  }

  answered(exchange: Http1Exchange): void {
    this.#queue.noteWritten(exchange);
    this.ending.consider(exchange);
    this.#advance();
  }

  /** Answers a message that cannot be read on, in its turn, and ends the connection. One that is answered is not answered again. */
  #refuse(refusal: HttpResponse): void {
    const isArriving = this.#reader.content !== undefined;
    const { last } = this.#queue;
    const received = isArriving && last?.incoming === this.#reader.content ? last : undefined;
    this.#reader.stop();
    if (received?.headSent) this.ending.cut(received);
    else if (isArriving && received === undefined) this.ending.begin();
    else {
      const exchange = received ?? new Http1Exchange(this, noHead, undefined);
      exchange.refusal = refusal;
      exchange.closes = true;
      if (received === undefined) this.#queue.add(exchange);
      else this.#queue.restart(exchange);
      this.#advance();
    }
  }

  /** Each response says that it is the last. */
  startClosing(): void {}

  closeIdle(unused: boolean): void {
    if (unused || !this.#isFresh) this.ending.closeIdle();
  }

  look(elapsed: number): void {
    const { socket, output } = this;
    const waiting = this.#reader.hasEnded ? this.#queue.first : undefined;
    output.look(elapsed, waiting !== undefined);
    const lateness = this.#deadlines.look(elapsed, this.#reader, {
      canRead: this.#canRead,
      isFresh: this.#isFresh,
      isSettled: this.#queue.isEmpty && output.isSent,
      isFinished: socket.writableFinished,
      isHalfClosed: waiting !== undefined,
    });
    if (lateness === "refuse") this.#refuse(incomplete.late);
    else if (lateness === "close") this.ending.close();
    else if (lateness === "end") this.ending.begin();
    else if (lateness === "destroy") socket.destroy();
    else if (lateness === "probe" && waiting?.headSent === false && waiting.head.minorVersion === 1) {
      output.latin1(interimResponse);
    }
  }
}

/** How many heads, or pieces of content, are read before the event loop turns. */
const mostSteps = 100;
