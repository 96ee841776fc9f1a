import type { HttpResponse } from "waymark";
import { answer, cancelBody } from "waymark/internal";
import type { ServeSettings } from "../options.ts";
import type { Output } from "../output.ts";
import type { Http1Exchange } from "./http1-exchange.ts";
import { interimResponse } from "./response-head.ts";

/**
 * The exchanges of one connection, each until it has ended. Requests are begun in their order, and together only while all of
 * them are safe (RFC 9112 §9.3.2); responses are sent in the order of the requests.
 */
export class ExchangeQueue {
  readonly #output: Output;
  readonly #maxUnsent: number;
  readonly #onAnswer: () => void;
  /** The exchanges whose responses are not written, in their order. The last may have to wait; none is taken behind it then. */
  readonly #open: Http1Exchange[] = [];
  /** The exchanges whose responses are written, and may not have left the process. */
  readonly #written: Pick<Http1Exchange, "end">[] = [];
  #awaitsSent = false;
  #isAbandoned = false;

  /** @param onAnswer called when the response to a request has been made */
  constructor(output: Output, { maxUnsentPerConnection }: ServeSettings, onAnswer: () => void) {
    this.#output = output;
    this.#maxUnsent = maxUnsentPerConnection;
    this.#onAnswer = onAnswer;
  }

  /** Whether all responses are written. */
  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** The exchange whose response is next. */
  get first(): Http1Exchange | undefined {
    return this.#open[0];
  }

  /** The exchange that was received last; undefined when no exchange is open. */
  get last(): Http1Exchange | undefined {
    return this.#open.at(-1);
  }

  /** Whether another exchange is taken now. */
  get hasRoom(): boolean {
    const { last } = this;
    return (
      last?.stage !== "waiting" &&
      !this.#output.isFull &&
      this.#output.unsent <= this.#maxUnsent &&
      this.#open.length < mostAtOnce &&
      // What comes behind it may be of another protocol.
      last?.head.asksForUpgrade !== true
    );
  }

  /** Puts the exchange behind the others. */
  add(exchange: Http1Exchange): void {
    this.#open.push(exchange);
  }

  /** Has the refusal of the last exchange answer in place of what is being made, or was. */
  restart(exchange: Http1Exchange): void {
    if (exchange.stage === "sending") exchange.stopSending?.();
    else if (exchange.answer !== undefined) {
      this.#hold(exchange, false);
      cancelBody(exchange, exchange.answer);
    }
    exchange.answer = undefined;
    exchange.stage = "waiting";
  }

  /** Begins the last exchange as soon as it may. Returns the first when its response is to be sent now, which it is from then on. */
  next(): Http1Exchange | undefined {
    const { first, last } = this;
    if (last?.stage === "waiting" && this.#mayStart(last)) this.#start(last);
    if (first?.stage !== "answered") return undefined;
    // What the handler of an upgrade writes must not overtake what has been written.
    if (first.takeover !== undefined && !this.#allHandedOn()) return undefined;
    first.stage = "sending";
    this.#hold(first, false);
    return first;
  }

  /** Whether those before it cannot change what it sees: it is the first, or it and they are safe (RFC 9112 §9.3.2). */
  #mayStart(exchange: Http1Exchange): boolean {
    const first = this.#open[0] as Http1Exchange; // it is in the queue itself
    return first === exchange || exchange.refusal !== undefined || (first.isSafe && exchange.isSafe);
  }

  #start(exchange: Http1Exchange): void {
    const { refusal } = exchange;
    exchange.stage = "open";
    // An answer that comes when the message has turned out to be malformed is not sent any more.
    answer(exchange, (response) => this.#settle(exchange, response, refusal), refusal);
  }

  #settle(exchange: Http1Exchange, response: HttpResponse, refusal: HttpResponse | undefined): void {
    if (exchange.isOver || exchange.refusal !== refusal) cancelBody(exchange, response);
    else {
      exchange.stage = "answered";
      exchange.answer = response;
      if (exchange !== this.first) this.#hold(exchange, true);
      this.#onAnswer();
    }
  }

  /** Whether Node has all that was written. */
  #allHandedOn(): boolean {
    this.#output.flush();
    return !this.#output.isFull;
  }

  /** Counts the content of an answer that waits for its turn, or no longer. */
  #hold({ answer }: Http1Exchange, isHeld: boolean): void {
    const body = answer?.body;
    if (typeof body !== "string" && !(body instanceof Uint8Array)) return;
    if (isHeld) this.#output.hold(body);
    else this.#output.release(body);
  }

  /** Has the client send the content that is waited for, when it is its turn (RFC 9110 §10.1.1). */
  letContinue(): void {
    const [first] = this.#open;
    if (first?.awaitsContinue !== true || first.incoming?.isAwaited !== true || first.headSent) return;
    first.awaitsContinue = false;
    this.#output.latin1(interimResponse);
  }

  /** Makes the next exchange the first: the response of this one has been written whole. */
  noteWritten(first: Http1Exchange): void {
    this.#open.shift();
    this.#written.push(first);
    first.stage = "written";
    // An exchange lives a little longer. With its content, each collection of young objects would copy 2 MB (64 clients, pages of 20).
    first.answer = undefined;
  }

  /** Notes that an answer from memory has been written, which has no other exchange. */
  noteRepeated(answer: Pick<Http1Exchange, "end">): void {
    this.#written.push(answer);
  }

  /** Ends the exchanges whose responses have left the process, now or when they have. */
  noteSent(): void {
    const count = this.#written.length;
    if (count === 0 || this.#isAbandoned) return;
    if (this.#output.isSent) this.endWritten(true);
    else if (!this.#awaitsSent) {
      this.#awaitsSent = true;
      this.#output.whenSent(() => {
        this.#awaitsSent = false;
        this.endWritten(true, count);
        this.noteSent();
      });
    }
  }

  /**
   * Ends the exchanges whose responses are written.
   *
   * @param isSent whether the responses have left the process; otherwise the client has gone
   * @param count how many; by default all
   */
  endWritten(isSent: boolean, count: number = this.#written.length): void {
    // One at a time, as a rule: nothing is copied for it.
    for (let left = count; left > 0; left--) this.#written.shift()?.end(isSent);
  }

  /** Ends the exchanges whose responses are not written, and never will be. */
  abandon(): void {
    this.#isAbandoned = true;
    for (const exchange of this.#open.splice(0)) exchange.end(false);
  }
}

/** How many safe requests of a connection are answered at a time: all of their answers may have to wait for the first. */
const mostAtOnce = 16;
