import type { HttpResponse } from "waymark";
import { Takeover } from "../connections/upgrade.ts";
import type { Output } from "../messages/output.ts";
import { interimResponse } from "./head/response-head.ts";
import type { Http1Exchange } from "./http1-exchange.ts";

/** The exchanges of one connection, each until it has ended: the one that is answered, and those before it. */
export class Exchanges {
  readonly #output: Output;
  readonly #onTakeover: () => void;
  /** The exchange whose response is not written; undefined between two requests. */
  current: Http1Exchange | undefined;
  /** What has the connection handed over in place of a response. */
  takeover: Takeover | undefined;
  /** The exchanges whose responses are written, and may not have left the process. */
  readonly #written: Pick<Http1Exchange, "end">[] = [];
  #awaitsSent = false;
  #isAbandoned = false;

  /** @param onTakeover called when the answer is to hand the connection over */
  constructor(output: Output, onTakeover: () => void) {
    this.#output = output;
    this.#onTakeover = onTakeover;
  }

  /** Has the app answer, or in its place the refusal of the exchange; what was being answered before is not sent. */
  begin(exchange: Http1Exchange): void {
    const { refusal } = exchange;
    exchange.stopSending?.();
    const settle = (response: HttpResponse): void => {
      if (exchange.isOver || exchange.refusal !== refusal) exchange.cancelBody(response);
      else if (exchange.head.asksForUpgrade && response?.body instanceof Takeover) {
        this.takeover = response.body;
        this.#onTakeover();
      } else exchange.send(response);
    };
    exchange.askApp(settle, refusal);
  }

  /** Has the client send the content that is waited for (RFC 9110 §10.1.1). */
  letContinue(): void {
    const { current } = this;
    if (current?.awaitsContinue !== true || current.incoming?.isAwaited !== true || current.headSent) return;
    current.awaitsContinue = false;
    this.#output.latin1(interimResponse);
  }

  /** Notes that the response of the exchange has been written whole. */
  noteWritten(exchange: Http1Exchange): void {
    this.current = undefined;
    this.#written.push(exchange);
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

  /** Ends the exchange whose response is not written, and never will be. */
  abandon(): void {
    this.#isAbandoned = true;
    const { current } = this;
    this.current = undefined;
    current?.end(false);
  }
}
