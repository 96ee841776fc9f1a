import type { Socket } from "node:net";
import { bufferedSource, RequestContent } from "../../content/request-content.ts";
import type { Client, EventLoopTurn, MatchedRoute } from "../../exchange.ts";
import { noVariables } from "../../path/pattern.ts";
import type { RequestTarget } from "../../path/target.ts";
import { type Exchange, HttpRequest } from "../../request.ts";
import type { HttpResponse } from "../../response.ts";
import type { Received } from "../../served-app.ts";
import type { ServeContext } from "../options.ts";
import type { Http1Content } from "./content.ts";
import type { Head } from "./head.ts";
import type { Peer } from "./peer.ts";

/** What an exchange needs of the connection that it is on. */
export interface ExchangeConnection {
  readonly socket: Socket;
  readonly peer: Peer;
  readonly context: ServeContext;
}

/**
 * A request on a connection and its response. Every field is there from the start, and what costs something is made when it
 * is first asked for: most requests have no content and never look at the signal.
 */
export class Http1Exchange implements Exchange, Received {
  readonly head: Head;
  /** The content that is still to come, or was; undefined without content. */
  readonly incoming: Http1Content | undefined;
  request: HttpRequest | undefined;
  route: MatchedRoute | undefined;
  /** The answer in place of the app's, for a message that is not acted on. */
  refusal: HttpResponse | undefined;
  /**
   * How far it has come: it is not yet answered; its response is made, and waits for its turn; the response is being written,
   * and its body perhaps read; it is written whole.
   */
  stage: "open" | "answered" | "sending" | "written";
  /** The response, once it is made. */
  answer: HttpResponse | undefined;
  /** Goes on with a body that is being sent, when there is room again. */
  resumeSending: (() => void) | undefined;
  /** Ends a body that is being sent. */
  stopSending: (() => void) | undefined;
  /** Whether the head of the response has been written. */
  headSent: boolean;
  /** Whether the connection ends with this response. */
  closes: boolean;
  /** Whether the client holds its content back until it receives `100 Continue`. */
  awaitsContinue: boolean;
  readonly #connection: ExchangeConnection;
  #state: "open" | "sent" | "abandoned";
  #content: RequestContent | undefined;
  #abort: AbortController | undefined;
  #client: Client | undefined;
  #listeners: (() => void)[] | undefined;

  constructor(connection: ExchangeConnection, head: Head, incoming: Http1Content | undefined) {
    this.head = head;
    this.incoming = incoming;
    this.request = undefined;
    this.route = undefined;
    this.refusal = head.refusal?.response;
    this.stage = "open";
    this.answer = undefined;
    this.resumeSending = undefined;
    this.stopSending = undefined;
    this.headSent = false;
    this.closes = head.refusal?.closes === true || !head.keepsAlive;
    this.awaitsContinue = head.expectsContinue && incoming !== undefined;
    this.#connection = connection;
    this.#state = "open";
    this.#content = undefined;
    this.#abort = undefined;
    this.#client = undefined;
    this.#listeners = undefined;
  }

  get native(): Socket {
    return this.#connection.socket;
  }

  get target(): string {
    return this.head.target;
  }

  receive({ path, search }: RequestTarget): HttpRequest {
    const { method, headers } = this.head;
    this.request = new HttpRequest(method, path, search, headers, this, noVariables);
    return this.request;
  }

  /** Whether it can be answered together with others of its kind: it changes nothing (RFC 9112 §9.3.2). */
  get isSafe(): boolean {
    const { method } = this.head;
    return method === "GET" || method === "HEAD" || method === "OPTIONS" || method === "TRACE";
  }

  /** Whether it has been sent whole, or there is nobody to send it to. */
  get isOver(): boolean {
    return this.#state !== "open";
  }

  get client(): Client {
    this.#client ??= this.#connection.peer.clientOf(this.head);
    return this.#client;
  }

  get content(): RequestContent {
    const { app } = this.#connection.context;
    this.#content ??= new RequestContent(this.incoming ?? bufferedSource(undefined), app.content);
    return this.#content;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#state === "abandoned") this.#abortSignal();
    }
    return this.#abort.signal;
  }

  get turn(): EventLoopTurn {
    return this.#connection.context.turns.current;
  }

  onEnd(listener: () => void): void {
    if (this.isOver) listener();
    else if (this.#listeners === undefined) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  /** Ends it, once: the response has been sent whole, or else the client has gone. */
  end(isSent: boolean): void {
    if (this.isOver) return;
    this.#state = isSent ? "sent" : "abandoned";
    this.stopSending?.();
    if (!isSent) {
      this.incoming?.break();
      this.#abortSignal();
    }
    for (const listener of this.#listeners ?? []) this.#call(listener);
  }

  /** Reports an error that the response cannot. */
  fault(error: unknown): void {
    this.#connection.context.app.fault(error, this.request);
  }

  #abortSignal(): void {
    this.#abort?.abort(new DOMException("The client has gone", "AbortError"));
  }

  #call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.fault(error);
    }
  }
}
