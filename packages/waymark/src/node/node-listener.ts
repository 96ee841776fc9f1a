import type { IncomingMessage, ServerResponse } from "node:http";
import { AdapterExchange, answer, send } from "../adapter/exchange.ts";
import type { Client } from "../exchange.ts";
import { type HeaderList, parsedHeaders } from "../fields/header-list.ts";
import { withTargetHost } from "../path/target.ts";
import { type HttpResponse, handlerFields } from "../response.ts";
import type { Piece } from "../response-body.ts";
import { type Servable, type ServedApp, served } from "../served-app.ts";
import { canonicalAddress } from "./client.ts";
import { type IncomingContent, readableContent } from "./content.ts";
import { appOf, isEncrypted, node } from "./exchange.ts";
import { withPublished } from "./request-events.ts";

/**
 * Makes a listener of an app for an `http.Server` that is there already, or for what is mounted in one. Limits, timeouts and
 * the shutdown are that server's.
 *
 * ```ts
 * http.createServer(toNodeListener(app));
 * express().use("/people", toNodeListener(app));   // before whatever reads the content of requests
 * ```
 */
export function toNodeListener(app: Servable): (message: IncomingMessage, response: ServerResponse) => void {
  const apps = withPublished(app[served]);
  return (message, response) => {
    const exchange = new ListenerExchange(appOf(apps), message, response);
    answer(exchange, (settled) => send(exchange, settled));
  };
}

/** A request of a Node server and its response. */
class ListenerExchange extends AdapterExchange {
  readonly native: IncomingMessage;
  readonly headers: HeaderList;
  readonly #response: ServerResponse;

  constructor(app: ServedApp, message: IncomingMessage, response: ServerResponse) {
    super(app, node);
    this.native = message;
    this.headers = withTargetHost(this.target, parsedHeaders(message.rawHeaders));
    this.#response = response;
    response.on("drain", () => this.resumeSending?.());
    response.once("close", () => this.end(response.writableFinished));
    // What a handler has begun to read, Node does not throw away.
    response.once("finish", () => message.resume());
  }

  get method(): string {
    return this.native.method as string; // a server's request always has a method and a target
  }

  get target(): string {
    return this.native.url as string;
  }

  /** The peer of the connection: a proxy in front is the other server's business. */
  protected findClient(): Client {
    const { socket } = this.native;
    const address = canonicalAddress(socket.remoteAddress ?? "");
    return { address, scheme: isEncrypted(socket) ? "https" : "http", host: this.headers.get("Host") };
  }

  protected openContent(): IncomingContent | undefined {
    const { native } = this;
    const { "content-length": length, "transfer-encoding": coding } = native.headers;
    if (coding === undefined && (length === undefined || length === "0")) return undefined;
    const declared = coding === undefined ? Number(length) : undefined;
    return readableContent(native, declared, () => native.complete);
  }

  override get isOver(): boolean {
    return super.isOver || this.#response.destroyed;
  }

  get headSent(): boolean {
    return this.#response.headersSent;
  }

  sendWhole(response: HttpResponse, content: null | string | Uint8Array, length: number | undefined): void {
    this.sendHead(response, length);
    // Of text, Node would send the fields in UTF-8 too.
    this.#response.end(typeof content === "string" ? Buffer.from(content) : (content ?? undefined));
  }

  sendHead(response: HttpResponse, length: number | undefined): void {
    const lengthField = length === undefined ? [] : ["Content-Length", String(length)];
    this.#response.writeHead(response.status, [...handlerFields(response), ...lengthField]);
  }

  sendPiece(piece: Piece): boolean {
    return this.#response.write(typeof piece === "string" ? Buffer.from(piece) : piece);
  }

  finish(): void {
    this.#response.end();
  }

  cut(): void {
    // In the next turn: Node holds back until then what it has just been given.
    setImmediate(() => this.#response.destroy());
  }

  protected giveUp(): void {
    this.#response.destroy();
  }
}
