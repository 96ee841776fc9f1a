import { openBody, type Piece } from "../body/response-body.ts";
import { hasNoContent, unsentLength } from "../body/sent-fields.ts";
import { type Awaitable, andThen } from "../common/and-then.ts";
import { bufferedSource, type ContentSource } from "../content/content-source.ts";
import { RequestContent } from "../content/request-content.ts";
import type { Client, EndListener, Exchange, KeptAttribute, MatchedRoute } from "../exchange/exchange.ts";
import type { HeaderList } from "../fields/header-list.ts";
import { noVariables } from "../path/pattern.ts";
import { parseTarget, type RequestTarget } from "../path/target.ts";
import { HttpError, internalError } from "../problem.ts";
import { HttpRequest } from "../request.ts";
import { type HttpResponse, isStreamed } from "../response.ts";
import { base } from "../serving/base.ts";
import type { ServedApp } from "../serving/served-app.ts";
import { cancelBody, type StreamSender, sendPieces } from "./stream.ts";

/** What differs between the runtimes that adapters are for. */
export interface Platform {
  /** Returns the length of the text in UTF-8. */
  byteLength(text: string): number;
  /** Lets what else has arrived have its turn. */
  pause(): Promise<void>;
}

/**
 * A request and its response on their transport. The abstract members are what an adapter provides: where the request comes
 * from, and where the response goes. The rules that all transports share are here.
 *
 * Every field is there from the start, and what costs something is made when it is first asked for: most requests have no
 * content and never look at the signal.
 */
export abstract class AdapterExchange implements Exchange, StreamSender {
  readonly app: ServedApp;
  readonly platform: Platform;
  request: HttpRequest | undefined;
  route: MatchedRoute | undefined;
  shared: KeptAttribute | undefined;
  resumeSending: (() => void) | undefined;
  stopSending: (() => void) | undefined;
  #state: "open" | "sent" | "abandoned" = "open";
  #content: RequestContent | undefined;
  #abort: AbortController | undefined;
  #client: Client | undefined;
  #listeners: EndListener[] | undefined;

  constructor(app: ServedApp, platform: Platform) {
    this.app = app;
    this.platform = platform;
  }

  abstract readonly native: unknown;
  abstract readonly method: string;
  abstract readonly target: string;
  abstract readonly headers: HeaderList;
  protected abstract findClient(): Client;
  /** Returns where the content comes from; undefined when there is no content. */
  protected abstract openContent(): ContentSource | undefined;

  /** Whether the head of the response has been sent. */
  abstract readonly headSent: boolean;
  abstract sendWhole(response: HttpResponse, content: null | string | Uint8Array, length: number | undefined): void;
  abstract sendHead(response: HttpResponse, length: number | undefined): void;
  abstract sendPiece(piece: Piece): boolean;
  abstract finish(): void;
  /** Breaks the response off, so that the client cannot take what it has for the whole. */
  abstract cut(): void;
  /** Lets go of the response and of the client, which ends the exchange. */
  protected abstract giveUp(): void;

  /** Has links of the app lead below this path, which a server around it has taken from the target. */
  mountAt(url: string): void {
    this.shared = { key: base, value: { url, depth: 0 }, outer: this.shared };
  }

  get client(): Client {
    this.#client ??= this.findClient();
    return this.#client;
  }

  get content(): RequestContent {
    this.#content ??= new RequestContent(this.openContent() ?? bufferedSource(undefined), this.app.content);
    return this.#content;
  }

  get receivedBytes(): number {
    return this.#content?.receivedBytes ?? 0;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#state === "abandoned") this.#abort.abort(clientGone());
    }
    return this.#abort.signal;
  }

  onEnd(listener: EndListener): void {
    if (this.#state !== "open") this.#call(listener, this.#state === "sent");
    else if (this.#listeners === undefined) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  /** Whether the response has been sent whole, or there is nobody to send it to. */
  get isOver(): boolean {
    return this.#state !== "open";
  }

  /** Ends the exchange, once: the response has been sent whole, or else the client has gone, as the reason may say. */
  end(isSent: boolean, reason?: unknown): void {
    if (this.#state !== "open") return;
    this.#state = isSent ? "sent" : "abandoned";
    this.stopSending?.();
    if (!isSent) this.#abort?.abort(reason ?? clientGone());
    for (const listener of this.#listeners ?? []) this.#call(listener, isSent);
  }

  abandon(): void {
    if (!this.isOver) this.giveUp();
  }

  fault(error: unknown): void {
    this.app.fault(error, this.request);
  }

  /**
   * Has the app answer; never throws.
   *
   * @param settle takes the answer, at once when the app is synchronous
   * @param refusal answers in place of a handler, as the web filters leave it
   */
  askApp(settle: (answer: HttpResponse) => void, refusal?: HttpResponse): void {
    const fail = (error: unknown): void => {
      this.fault(error);
      settle(internalError);
    };
    try {
      // A synchronous answer goes out without a promise, which would cost 5 % of the requests a second.
      andThen(handle(this, refusal), settle, fail);
    } catch (error) {
      fail(error);
    }
  }

  /** Sends the response. Whatever goes wrong becomes a 500, or a response that is cut once the head is out; never throws. */
  send(response: HttpResponse): void {
    try {
      const { status, body } = response;
      if (this.isOver) this.cancelBody(response);
      else if (!isStreamed(body)) sendWhole(this, response, body);
      else if (hasNoContent(this.method, status)) {
        this.cancelBody(response);
        sendWhole(this, response, null);
      } else sendPieces(this, response, openBody(body, response.headers), (error) => fail(this, error));
    } catch (error) {
      fail(this, error);
    }
  }

  /** Ends the body of a response that is not sent. */
  cancelBody(response: HttpResponse): void {
    cancelBody(this, response);
  }

  #call(listener: EndListener, isSent: boolean): void {
    try {
      listener(isSent);
    } catch (error) {
      this.fault(error);
    }
  }
}

const clientGone = (): DOMException => new DOMException("The client has gone", "AbortError");

/** A malformed message or target reaches only the web filters, which see it as `*`. */
function handle(exchange: AdapterExchange, refusal: HttpResponse | undefined): Awaitable<HttpResponse> {
  const { app, method, headers } = exchange;
  let [refused, target] = [refusal, noPath];
  try {
    if (refusal === undefined) target = parseTarget(exchange.target);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    refused = error.response;
  }
  const request = new HttpRequest(method, target.path, target.search, headers, exchange, noVariables);
  exchange.request = request;
  if (refused === undefined) return app.answer(request);
  return app.refuse(request, refused, refusal === undefined ? "target" : "message");
}

const noPath: RequestTarget = { path: "*", search: "" };

function fail(exchange: AdapterExchange, error: unknown): void {
  // What fails once the client has gone is how its work was stopped.
  if (exchange.isOver) return;
  if (error instanceof HttpError && !exchange.headSent) {
    exchange.send(error.response);
    return;
  }
  exchange.fault(error);
  if (exchange.headSent) exchange.cut();
  else sendWhole(exchange, internalError, internalError.body as string); // a problem document is text
}

function sendWhole(exchange: AdapterExchange, response: HttpResponse, body: null | string | Uint8Array) {
  const { byteLength } = exchange.platform;
  if (hasNoContent(exchange.method, response.status)) {
    exchange.sendWhole(response, null, unsentLength(response, byteLength));
  } else {
    const length = typeof body === "string" ? byteLength(body) : (body?.byteLength ?? 0);
    exchange.sendWhole(response, body, length);
  }
}
