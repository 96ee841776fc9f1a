import type { Socket } from "node:net";
import { HttpError, type HttpResponse } from "waymark";
import type { Connection } from "../connections/connections.ts";
import type { ServeContext } from "../exchange/context.ts";
import { appOf, Peer } from "../exchange/served-exchange.ts";
import type { AnswerMemory } from "../memory/answer-memory.ts";
import { mostInRound } from "../memory/asked-sources.ts";
import { RepeatedAnswer } from "../memory/kept-answer.ts";
import { Output } from "../messages/output.ts";
import { incomplete } from "../refusals.ts";
import { Deadlines } from "./deadlines.ts";
import { Ending } from "./ending.ts";
import { Exchanges } from "./exchanges.ts";
import { noHead } from "./head/head.ts";
import type { SharedFields } from "./head/known-fields.ts";
import { type HeadText, interimResponse, type ResponseHeads, toText } from "./head/response-head.ts";
import { type ExchangeConnection, Http1Exchange } from "./http1-exchange.ts";
import { MessageReader } from "./message-reader.ts";

/** What all connections of a server have in common. */
export interface SharedByConnections {
  /** The fields that heads have had. */
  readonly fields: SharedFields;
  readonly heads: ResponseHeads;
  /** Answers of the app that may be sent again; undefined without. */
  readonly memory: AnswerMemory<HeadText> | undefined;
}

/**
 * One connection of HTTP/1.1 (RFC 9112 §9): reads requests and answers one after another, refuses what cannot be read, and decides
 * when it ends. All that waits is bounded: the bytes behind a request, and the response that the client has not taken.
 *
 * Whatever happens, be it that something arrives, an answer is made or the client takes one, `#advance` does what has become
 * possible by it. The way of one answer:
 *
 * 1. `#readHead` makes an exchange of a head, and has the app answer it.
 * 2. The exchange asks whether the connection ends with its response, makes the head, and writes to the output.
 * 3. `answered`: the connection ends, or the next head is read.
 * 4. The exchange ends when the output has left the process.
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
  readonly #exchanges: Exchanges;
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
      this.#exchanges.current?.resumeSending?.();
      this.#advance();
    };
    this.output = new Output(socket, context, drained, () => socket.destroy());
    this.peer = new Peer(socket, context);
    this.shared = shared;
    this.#memory = shared.memory;
    this.#deadlines = new Deadlines(context);
    this.#reader = new MessageReader(context, this.#deadlines, this.peer, shared.fields);
    this.#exchanges = new Exchanges(this.output, () => this.#advance());
    this.ending = new Ending(socket, context, this.output, this.#deadlines, this.#reader, this.#exchanges);
    socket.allowHalfOpen = true;
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener);
    context.connections.add(this);
  }

  readonly #listeners = {
    data: (piece: Buffer): void => this.#advance(this.#reader.receive(piece, this.#round)),
    drain: (): void => this.output.resume(),
    end: (): void => {
      this.#reader.hasEnded = true;
      if (this.#exchanges.current?.isEventStream) this.socket.destroy();
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
    this.#proceed();
    let steps = 0;
    while (steps < mostSteps && !this.ending.hasBegun && this.#read(isPrompt && steps === 0)) {
      this.#proceed();
      steps++;
    }
    this.#isAdvancing = false;
    this.output.flush();
    if (this.ending.hasBegun) return;
    if (steps === mostSteps) this.#advanceLater();
    this.#exchanges.noteSent();
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

  /** Hands the connection over, once all that was written is on its way, or has the client go on. */
  #proceed(): void {
    const { current, takeover } = this.#exchanges;
    if (current === undefined || takeover === undefined) {
      this.#exchanges.letContinue();
      return;
    }
    this.output.flush();
    if (this.output.isFull) return;
    for (const [event, listener] of Object.entries(this.#listeners)) this.socket.off(event, listener);
    this.context.connections.delete(this);
    this.ending.handOver(current, takeover);
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
    if (reading === "head") return this.#exchanges.current === undefined && !this.output.isFull;
    return reading !== "content" || content?.hasRoom === true;
  }

  #readHead(isPrompt: boolean): boolean {
    const head = this.#canRead ? this.#reader.readHead(this.#memoryOfNext, isPrompt) : undefined;
    if (head === undefined) return false;
    this.#isFresh = false;
    if (head instanceof RepeatedAnswer) {
      this.output.latin1(toText(head, this.shared.heads.lastLines(false)));
      if (head.isObserved) this.#exchanges.noteRepeated(head);
    } else {
      const content = this.#reader.beginContent(head, () => this.#advance());
      const exchange = new Http1Exchange(this, head, content);
      if (exchange.closes) this.#reader.expectNoMore();
      this.#exchanges.current = exchange;
      // What has come with the head is there when the app begins, and need not be waited for.
      if (content !== undefined) this.#readContent();
      this.#exchanges.begin(exchange);
    }
    return true;
  }

  /** Where the answer to the next request may be; undefined where the app has to make it. */
  get #memoryOfNext(): AnswerMemory<HeadText> | undefined {
    const { context } = this;
    const isLast = context.closing || this.#reader.hasEnded;
    return !isLast && appOf(context).isRepeatable !== undefined ? this.#memory : undefined;
  }

  /** The number of the round of reading (`AskedSources`); -1 where it is not known. */
  get #round(): number {
    const memory = this.#memory;
    // A piece of TLS may be all that has come, or one of several.
    const isKnown = memory !== undefined && this.context.connections.size <= mostInRound && !this.peer.isEncrypted;
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
    else if (this.#reader.reading !== "rest" && this.#exchanges.current !== undefined) return false;
    else this.ending.begin();
    return true;
  }

  answered(exchange: Http1Exchange): void {
    this.#exchanges.noteWritten(exchange);
    this.ending.consider(exchange);
    this.#advance();
  }

  /** Answers a message that cannot be read on, in its turn, and ends the connection. One that is answered is not answered again. */
  #refuse(refusal: HttpResponse): void {
    const isArriving = this.#reader.content !== undefined;
    const { current } = this.#exchanges;
    const received = isArriving && current?.incoming === this.#reader.content ? current : undefined;
    this.#reader.stop();
    if (received?.headSent) this.ending.cut(received);
    else if (isArriving && received === undefined) this.ending.begin();
    else {
      const exchange = received ?? new Http1Exchange(this, noHead, undefined);
      exchange.refusal = refusal;
      exchange.closes = true;
      this.#exchanges.current = exchange;
      this.#exchanges.begin(exchange);
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
    const waiting = this.#reader.hasEnded ? this.#exchanges.current : undefined;
    output.look(elapsed, waiting !== undefined);
    const lateness = this.#deadlines.look(elapsed, this.#reader, {
      canRead: this.#canRead,
      isFresh: this.#isFresh,
      isSettled: this.#exchanges.current === undefined && output.isSent,
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
