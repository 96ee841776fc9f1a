import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpResponse } from "waymark";
import type { HeaderList } from "waymark/fields";
import { headerLists, requestTarget, sentFields } from "waymark/internal";
import type { ServeContext } from "../exchange/context.ts";
import { NodeExchange, type NodeMessage } from "../exchange/node-exchange.ts";
import { isEncrypted, Peer } from "../exchange/served-exchange.ts";
import { decodeTarget, refuseFields, refuseFraming, refuseTarget, sizeOfLines } from "../messages/head-fields.ts";
import { type HeadRefusal, refusals } from "../refusals.ts";

/** A request that `node:http` has read, and its response. */
export class NodeHttpMessage implements NodeMessage {
  readonly native: IncomingMessage | Socket;
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderList;
  readonly message: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly contentTimeout = 0;
  readonly takeOver: NodeMessage["takeOver"];
  readonly #context: ServeContext;
  readonly #sent: HeaderList;
  /** Whether the client holds its content back until it receives `100 Continue`. */
  #awaitsContinue: boolean;

  constructor(
    message: IncomingMessage,
    response: ServerResponse,
    context: ServeContext,
    native: IncomingMessage | Socket,
    {
      awaitsContinue = false,
      takeOver,
    }: { readonly awaitsContinue?: boolean; takeOver?: NodeMessage["takeOver"] } = {},
  ) {
    this.message = message;
    this.outgoing = response;
    this.native = native;
    this.method = message.method ?? ""; // a server's request always has both
    this.target = decodeTarget(message.url ?? "");
    this.takeOver = takeOver;
    this.#context = context;
    this.#sent = headerLists.parsedHeaders(message.rawHeaders);
    this.headers = requestTarget.withTargetHost(this.target, this.#sent);
    this.#awaitsContinue = awaitsContinue;
  }

  get incoming(): IncomingMessage | undefined {
    const { "content-length": length, "transfer-encoding": coding } = this.message.headers;
    return coding === undefined && (length === undefined || length === "0") ? undefined : this.message;
  }

  get isUsedUp(): boolean {
    return this.incoming?.readableDidRead === true;
  }

  get isComplete(): boolean {
    return this.message.complete;
  }

  get headSent(): boolean {
    return this.outgoing.headersSent;
  }

  get isGone(): boolean {
    return this.outgoing.destroyed;
  }

  refuse(): HeadRefusal | undefined {
    const { message } = this;
    if (message.httpVersionMajor !== 1) return refusals.version;
    const isOld = message.httpVersionMinor === 0;
    const unframed = refuseFraming(this.#sent, isOld ? 0 : 1);
    return (
      refuseFields(this.#sent, sizeOfLines(this.#sent), this.#context, isOld, unframed) ??
      refuseTarget(this.method, this.target, this.#context)
    );
  }

  /** Whether the connection ends with the response. */
  get isLast(): boolean {
    return !this.outgoing.shouldKeepAlive;
  }

  close(): void {
    this.outgoing.shouldKeepAlive = false;
  }

  sendContinue(): void {
    if (this.#awaitsContinue) this.outgoing.writeContinue();
    this.#awaitsContinue = false;
  }

  sendHead(response: HttpResponse, length: number | undefined): void {
    const lengthField = length === undefined ? [] : ["Content-Length", String(length)];
    // A client that holds its content back may not send it any more: where the next message begins is in doubt.
    if (this.#context.closing || this.#awaitsContinue) this.close();
    this.outgoing.writeHead(response.status, [...sentFields.handlerFields(response), ...lengthField]);
  }

  flush(): void {
    this.outgoing.flushHeaders();
  }

  /**
   * Throws away what nobody has read of the content, as far as it is worth to keep the connection (RFC 9112 §9.3). Node would
   * throw away whatever comes, if it were left to it when the response is finished.
   */
  discardRest(): void {
    const { message } = this;
    if (message.complete || this.isLast) return;
    const { socket } = message;
    let left = this.#context.drainLimit;
    const late = setTimeout(() => socket.destroy(), this.#context.drainTimeout);
    const stop = (): void => {
      clearTimeout(late);
      socket.off("close", stop);
    };
    socket.once("close", stop);
    message.once("end", stop);
    message.on("data", (piece: Buffer) => {
      left -= piece.length;
      if (left < 0) socket.destroy();
    });
    message.resume();
  }

  cut(): void {
    const { socket, httpVersionMinor } = this.message;
    // In the next turn: Node holds back until then what it has just been given.
    setImmediate(() => {
      // To HTTP/1.0, content that ends with the connection is whole unless the connection breaks (RFC 9112 §8).
      if (httpVersionMinor === 0 && !isEncrypted(socket)) socket.resetAndDestroy();
      else this.outgoing.destroy();
    });
  }
}

/** Makes the exchange of a request that `node:http` has read. */
export function exchangeOfMessage(message: NodeHttpMessage, context: ServeContext): NodeExchange {
  const exchange = new NodeExchange(message, { context, peer: new Peer(message.message.socket, context) });
  message.outgoing.once("finish", () => exchange.closed(true));
  message.outgoing.once("close", () => exchange.closed(false));
  return exchange;
}
