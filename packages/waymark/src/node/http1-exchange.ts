import type { IncomingMessage, ServerResponse } from "node:http";
import { bufferedSource, RequestContent } from "../content/request-content.ts";
import type { Client, EventLoopTurn } from "../exchange.ts";
import { parsedHeaders } from "../fields/header-list.ts";
import { noVariables } from "../path/pattern.ts";
import type { RequestTarget } from "../path/target.ts";
import { type Exchange, HttpRequest } from "../request.ts";
import type { Received, ServedApp } from "../served-app.ts";
import { nodeClient, type ProxyTrust } from "./client.ts";
import type { Connections } from "./connections.ts";
import { type DrainBounds, NodeContent } from "./content.ts";
import type { EventLoopTurns } from "./event-loop.ts";
import type { HeadLimits } from "./message-head.ts";

/** What is the same for every request of a server. */
export interface ServeContext extends HeadLimits, DrainBounds, ProxyTrust {
  readonly app: ServedApp;
  readonly connections: Connections;
  readonly turns: EventLoopTurns;
  /** The answer to the last closes the connection, and those beyond get none; 0 for no limit. */
  readonly maxRequestsPerConnection: number;
  /** After how long a client that takes nothing is cut off, in milliseconds; 0 for never. */
  readonly writeTimeout: number;
}

/**
 * A request on a Node connection and its response, as far as the app sees them. Every field is there from the start and
 * what costs something is made when it is first asked for: most requests have no content and never look at the signal.
 */
export class NodeExchange implements Exchange, Received {
  readonly native: IncomingMessage;
  readonly response: ServerResponse;
  readonly context: ServeContext;
  request: HttpRequest | undefined;
  /** Whether the client holds its content back until it is told to continue (RFC 9110 §10.1.1). */
  #awaitsContinue: boolean;
  #source: NodeContent | undefined;
  #content: RequestContent | undefined;
  #abort: AbortController | undefined;
  #client: Client | undefined;

  constructor(native: IncomingMessage, response: ServerResponse, context: ServeContext, awaitsContinue: boolean) {
    this.native = native;
    this.response = response;
    this.context = context;
    this.request = undefined;
    this.#awaitsContinue = awaitsContinue;
    this.#source = undefined;
    this.#content = undefined;
    this.#abort = undefined;
    this.#client = undefined;
  }

  get target(): string {
    return this.native.url as string; // a server's request always has a target and a method
  }

  receive({ path, search }: RequestTarget): HttpRequest {
    const { native } = this;
    const headers = parsedHeaders(native.rawHeaders);
    this.request = new HttpRequest(native.method as string, path, search, headers, this, noVariables);
    return this.request;
  }

  /** Reports an error that the response cannot tell. */
  fault(error: unknown): void {
    this.context.app.fault(error, this.request);
  }

  get client(): Client {
    this.#client ??= nodeClient(this.native, this.context);
    return this.#client;
  }

  get content(): RequestContent {
    this.#content ??= new RequestContent(this.#openSource(), this.context.app.content);
    return this.#content;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const { response } = this;
      const abort = new AbortController();
      const onClose = (): void => {
        if (!response.writableFinished) abort.abort(new DOMException("The client has gone", "AbortError"));
      };
      this.#abort = abort;
      if (response.destroyed) onClose();
      else response.once("close", onClose);
    }
    return this.#abort.signal;
  }

  get turn(): EventLoopTurn {
    return this.context.turns.current;
  }

  onEnd(listener: () => void): void {
    const { response } = this;
    if (response.destroyed) listener();
    else response.once("close", listener);
  }

  /** The content's length in bytes: 0 when there is none, undefined when it comes in chunks. */
  get contentLength(): number | undefined {
    const { "content-length": length, "transfer-encoding": coding } = this.native.headers;
    if (coding !== undefined) return undefined;
    return length === undefined ? 0 : Number(length);
  }

  /** Whether there is content that nobody reads, still to come or left over; content that is held back will not come. */
  get hasUnreadContent(): boolean {
    if (this.contentLength === 0 || this.#awaitsContinue) return false;
    // What has arrived whole and untouched, Node throws away itself.
    return this.#source === undefined ? !this.native.complete : !this.#source.reading && !this.native.readableEnded;
  }

  #openSource(): ReturnType<typeof bufferedSource> {
    if (this.contentLength === 0) return bufferedSource(undefined);
    this.#source = new NodeContent(this.native, this.contentLength, {
      begin: () => this.#continue(),
      isComplete: () => this.native.complete,
    });
    return this.#source;
  }

  #continue(): void {
    if (!this.#awaitsContinue) return;
    this.#awaitsContinue = false;
    if (!this.response.headersSent) this.response.writeContinue();
  }
}
