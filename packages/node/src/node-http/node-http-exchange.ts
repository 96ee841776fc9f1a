import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpResponse } from "waymark";
import type { HeaderList } from "waymark/fields";
import { handlerFields, type Piece, parsedHeaders, withTargetHost } from "waymark/internal";
import { type IncomingContent, readableContent } from "../content/incoming-content.ts";
import type { ServeContext } from "../context.ts";
import { refuseFields, sizeOfLines } from "../head-fields.ts";
import { refuseFraming } from "../http1/field-section.ts";
import { decodeTarget, refuseTarget } from "../http1/request-line.ts";
import { Output } from "../output.ts";
import { type HeadRefusal, refusals } from "../refusals.ts";
import { isEncrypted, Peer, SingleExchange } from "../served-exchange.ts";
import { Takeover } from "../upgrade.ts";

/** What Node has made of a request. */
export interface NodeHttpRequest {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** What handlers see as `request.native`. */
  readonly native: IncomingMessage | Socket;
  /** Whether the client holds its content back until it receives `100 Continue` (RFC 9110 §10.1.1). */
  readonly awaitsContinue?: boolean;
  /** Hands the connection over, where the request has asked for another protocol. */
  readonly takeOver?: (takeover: Takeover, exchange: NodeHttpExchange) => void;
}

/** A request that `node:http` has read, and its response. */
export class NodeHttpExchange extends SingleExchange {
  readonly native: IncomingMessage | Socket;
  readonly headers: HeaderList;
  readonly message: IncomingMessage;
  readonly number: number;
  readonly #response: ServerResponse;
  readonly #output: Output;
  readonly #sent: HeaderList;
  readonly #takeOver: NodeHttpRequest["takeOver"];
  #awaitsContinue: boolean;
  #content: IncomingContent | undefined;

  /** @param number of the request among those of its connection, from 1 */
  constructor(request: NodeHttpRequest, context: ServeContext, number = 1) {
    const { message, response, native, awaitsContinue = false, takeOver } = request;
    super({ context, peer: new Peer(message.socket, context) });
    this.message = message;
    this.number = number;
    this.native = native;
    this.#sent = parsedHeaders(message.rawHeaders);
    this.headers = withTargetHost(this.target, this.#sent);
    this.#response = response;
    this.#awaitsContinue = awaitsContinue;
    this.#takeOver = takeOver;
    this.#output = new Output(
      response,
      context,
      () => this.resumeSending?.(),
      () => response.destroy(),
    );
    response.on("drain", () => this.#output.resume());
    response.once("finish", () => this.end(true));
    response.once("close", () => {
      this.#output.discard();
      this.end(false);
    });
  }

  get head(): { readonly method: string; readonly target: string } {
    const { method = "", url = "" } = this.message; // a server's request always has both
    return { method, target: decodeTarget(url) };
  }

  protected openContent(): IncomingContent | undefined {
    const { message } = this;
    const { "content-length": length, "transfer-encoding": coding } = message.headers;
    if (coding === undefined && (length === undefined || length === "0")) return undefined;
    const declared = coding === undefined ? Number(length) : undefined;
    const begin = (): void => {
      if (this.#awaitsContinue) this.#response.writeContinue();
      this.#awaitsContinue = false;
    };
    this.#content = readableContent(message, declared, () => message.complete, begin);
    this.#content.share = this.countContent(this.#content);
    return this.#content;
  }

  /** Returns the refusal of a head that breaks HTTP or the limits, and that Node has let pass; undefined when it is sound. */
  refuseHead(): HeadRefusal | undefined {
    const { context, method, target, message } = this;
    if (message.httpVersionMajor !== 1) return refusals.version;
    const isOld = message.httpVersionMinor === 0;
    const unframed = refuseFraming(this.#sent, isOld ? 0 : 1);
    return (
      refuseFields(this.#sent, sizeOfLines(this.#sent), context, isOld, unframed) ??
      refuseTarget(method, target, context)
    );
  }

  protected override settle(response: HttpResponse): void {
    if (this.#takeOver === undefined || !(response?.body instanceof Takeover)) super.settle(response);
    else {
      this.end(true);
      this.#takeOver(response.body, this);
    }
  }

  /** Looks for what takes too long; `elapsed` are the milliseconds since the last call. */
  look(elapsed: number): void {
    this.#output.look(elapsed);
  }

  /** Has the connection end with the response, whose head is not yet sent. */
  closes(): void {
    this.#response.shouldKeepAlive = false;
  }

  /** Whether the connection ends with the response. */
  get isLast(): boolean {
    return !this.#response.shouldKeepAlive;
  }

  override get isOver(): boolean {
    return super.isOver || this.#response.destroyed;
  }

  get headSent(): boolean {
    return this.#response.headersSent;
  }

  sendWhole(response: HttpResponse, content: null | string | Uint8Array, length: number | undefined): void {
    this.sendHead(response, length);
    if (content !== null) this.sendPiece(content);
    this.finish();
  }

  sendHead(response: HttpResponse, length: number | undefined): void {
    const lengthField = length === undefined ? [] : ["Content-Length", String(length)];
    // A client that holds its content back may not send it any more: where the next message begins is in doubt.
    if (this.context.closing || this.#awaitsContinue) this.closes();
    this.#response.writeHead(response.status, [...handlerFields(response), ...lengthField]);
  }

  sendPiece(piece: Piece): boolean {
    if (piece.length === 0) this.#response.flushHeaders();
    // Of text, Node would send the fields in UTF-8 too.
    else this.#output.bytes("", typeof piece === "string" ? Buffer.from(piece) : piece);
    return !this.#output.isFull;
  }

  finish(): void {
    if (this.#content?.isRead) this.#content.whenLeft = () => this.#discardRest();
    else this.#discardRest();
    this.#output.end();
  }

  /**
   * Throws away what nobody has read of the content, as far as it is worth to keep the connection (RFC 9112 §9.3). Node would
   * throw away whatever comes, if it were left to it when the response is finished.
   */
  #discardRest(): void {
    const { message } = this;
    if (message.complete || this.isLast) return;
    const { socket } = message;
    const { drainLimit, drainTimeout } = this.context;
    let left = drainLimit;
    const late = setTimeout(() => socket.destroy(), drainTimeout);
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
      else this.#response.destroy();
    });
  }

  protected giveUp(): void {
    this.#output.giveUp();
  }
}
