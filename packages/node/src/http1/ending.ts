import type { Socket } from "node:net";
import type { Takeover } from "../connections/upgrade.ts";
import type { IncomingContent } from "../content/incoming-content.ts";
import type { ServeContext } from "../exchange/context.ts";
import { isEncrypted } from "../exchange/served-exchange.ts";
import type { Output } from "../messages/output.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Exchanges } from "./exchanges.ts";
import type { Http1Exchange } from "./http1-exchange.ts";
import type { MessageReader } from "./message-reader.ts";

/** The end of a connection of HTTP/1.1: behind its last answer, while it is idle, in the midst of an answer, or by a handover. */
export class Ending {
  readonly #socket: Socket;
  readonly #context: ServeContext;
  readonly #output: Output;
  readonly #deadlines: Deadlines;
  readonly #reader: MessageReader;
  readonly #exchanges: Exchanges;
  /** Whether the last response is on its way, or there is nobody to send one to. */
  hasBegun = false;

  constructor(
    socket: Socket,
    context: ServeContext,
    output: Output,
    deadlines: Deadlines,
    reader: MessageReader,
    exchanges: Exchanges,
  ) {
    this.#socket = socket;
    this.#context = context;
    this.#output = output;
    this.#deadlines = deadlines;
    this.#reader = reader;
    this.#exchanges = exchanges;
  }

  /**
   * Ends the sending side, and takes what the client still sends for a while: a connection that is closed on bytes not read is
   * reset, and the client may lose the answer (RFC 9112 §9.6).
   */
  begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.#reader.stop();
    this.#exchanges.abandon();
    this.#socket.once("finish", () => {
      this.#exchanges.endWritten(true);
      this.#deadlines.restart();
    });
    this.#output.end();
    this.#reader.regulate(this.#socket, true);
  }

  /** Closes the connection, once what was written has left the process. */
  close(): void {
    if (this.#output.isSent) this.#socket.destroy();
    else this.begin();
  }

  /** Closes the connection if no request has begun to arrive. */
  closeIdle(): void {
    if (this.#exchanges.current !== undefined || this.hasBegun) return;
    if (this.#reader.reading === "rest") this.begin();
    else if (this.#reader.reading === "head" && this.#reader.isEmpty) this.close();
  }

  /**
   * Decides whether the connection ends with the response (RFC 9112 §9.3), before its head is made.
   *
   * @param isFramed whether the client can find the end of the response
   */
  decide(exchange: Http1Exchange, isFramed: boolean): void {
    const { incoming, awaitsContinue } = exchange;
    const { closing, drainLimit } = this.#context;
    const isLast = (closing && !this.#reader.hasNext) || (this.#reader.hasEnded && this.#reader.isEmpty);
    const isUnread = this.#isArriving(incoming) && !incoming.isRead;
    const isTooLong = (incoming?.length ?? 0) > drainLimit;
    if (!isFramed || isLast || (isUnread && (awaitsContinue || isTooLong))) exchange.closes = true;
  }

  /** Begins the end behind a response that has been written whole, or has what is left of the request thrown away. */
  consider({ closes, incoming, awaitsContinue }: Http1Exchange): void {
    // Its head may have promised to keep the connection, from before the shutdown.
    if (closes || (this.#context.closing && !this.#reader.hasNext)) {
      this.begin();
      return;
    }
    if (this.#reader.isEmpty) this.#deadlines.restart();
    if (!this.#isArriving(incoming)) return;
    if (incoming.isRead) incoming.whenLeft = () => this.#isArriving(incoming) && this.#reader.discardContent();
    else if (awaitsContinue || this.#context.drainTimeout === 0) this.begin();
    else this.#reader.discardContent();
  }

  #isArriving(content: IncomingContent | undefined): content is IncomingContent {
    return content !== undefined && content === this.#reader.content;
  }

  /** Ends the connection in the midst of a response, so that the client cannot take what it has for the whole. */
  cut(exchange: Http1Exchange): void {
    exchange.end(false);
    if (exchange.head.minorVersion === 1) this.begin();
    else {
      // To HTTP/1.0, content that ends with the connection is whole unless the connection breaks (RFC 9112 §8).
      this.#output.flush();
      if (isEncrypted(this.#socket)) this.#socket.destroy();
      else this.#socket.resetAndDestroy();
    }
  }

  /** Hands the connection over in place of a response. The listeners for what arrives are no longer there. */
  handOver(exchange: Http1Exchange, takeover: Takeover): void {
    const { method, target, headers } = exchange.head;
    this.hasBegun = true;
    const rest = this.#reader.stop();
    this.#output.flush();
    // So much may have come behind the request that the socket was paused, which a listener for data would not change.
    if (this.#socket.isPaused()) this.#socket.resume();
    if (this.#output.unsent > 0) this.#socket.once("close", () => this.#output.discard());
    this.#exchanges.endWritten(true);
    exchange.end(true);
    this.#exchanges.abandon();
    try {
      takeover.handOver(method, target, headers, this.#socket, rest);
    } catch (error) {
      exchange.fault(error);
      this.#socket.destroy();
    }
  }

  /** Ends all that is open: the connection is closed. */
  abandon(): void {
    this.hasBegun = true;
    this.#reader.stop();
    this.#exchanges.abandon();
    this.#exchanges.endWritten(false);
    this.#output.discard();
  }
}
