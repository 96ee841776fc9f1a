import { bufferedSource } from "../content/content-source.ts";
import { RequestContent } from "../content/request-content.ts";
import type { HeaderFields, HeaderList } from "../fields/header-list.ts";
import type { Variables } from "../path/pattern.ts";
import type { AnswerRecording, EventLoopTurn } from "./answer-recording.ts";

/** Describes the client of a request and the address that it used, as far as the server knows. */
export interface Client {
  /** The IP address, `192.0.2.7` or `2001:db8::7`; undefined without a connection. */
  readonly address: string | undefined;
  readonly scheme: "http" | "https";
  /** Host and port as the client sent them, `example.org:8080`; undefined if it sent none. */
  readonly host: string | undefined;
}

/** What a runtime knows about the client of a request; unknown members are null or left out. */
export type KnownClient = { readonly [K in keyof Client]?: Client[K] | null };

/**
 * Identifies the route that answers a request, for metrics, logs and traces. All requests of a route share one object,
 * so there are as many as `app.routes` has rows.
 */
export interface MatchedRoute {
  /**
   * The method of the route, not of the request: `GET` for a HEAD, too; `GET|POST` if it names two, `*` if it names
   * none.
   */
  readonly method: string;
  /** The whole template, with those of groups and mounts: `/person/{id}`. */
  readonly path: string;
  /** The name from `name(…)`. */
  readonly name: string | undefined;
}

/** The typed key of a value that filters keep on a request. It is equal only to itself. */
export interface Attribute<T> {
  /** A name for debugging; two attributes with one name are still two. */
  readonly name: string;
  /** The type of the value; exists only at compile time. */
  readonly type?: T;
}

/**
 * Makes a new key for a value that filters hand on to handlers.
 *
 * ```ts
 * const user = attribute<User>("user");
 * before((request) => request.withAttribute(user, findUser(request)));
 * request.attribute(user);   // User | undefined
 * ```
 */
export function attribute<T>(name: string): Attribute<T> {
  return { name };
}

/** A value that a filter kept on a request, and those that were kept before. */
export interface KeptAttribute {
  readonly key: Attribute<unknown>;
  readonly value: unknown;
  readonly outer: KeptAttribute | undefined;
}

/** What an adapter hands over besides the head of the request. */
export interface Exchange {
  readonly content: RequestContent;
  /** How many bytes of the content have been read. */
  readonly receivedBytes: number;
  /** Aborted when the client goes away before the response is complete. */
  readonly signal: AbortSignal;
  /** Aborted when the server shuts down and waits for this request; absent where the adapter knows of no shutdown. */
  readonly draining?: AbortSignal | undefined;
  readonly client: Client;
  /** Calls back once, when the response has been sent or the client has gone; absent where nothing is sent. */
  onEnd?(listener: EndListener): void;
  /** Ends it without the rest of its response, unless it has ended; absent where nothing is sent. */
  abandon?(): void;
  /** The turn of the event loop in which the request was read; absent where the adapter knows none. */
  readonly turn?: EventLoopTurn | undefined;
  /** Present where the answer may be kept in memory. */
  readonly recording?: AnswerRecording | undefined;
  /** The adapter's own object: Node's Socket (HTTP/1.1) or Http2Stream, or the web Request. */
  readonly native: unknown;
  /** The route that answers; undefined until it is chosen, and for a refusal. The router sets it. */
  route: MatchedRoute | undefined;
  /** What filters keep for the filters around them, too. */
  shared: KeptAttribute | undefined;
}

/** @param isSent whether all of the response has left the process; otherwise the client has gone, or the response broke */
export type EndListener = (isSent: boolean) => void;

/** Describes a request for `HttpRequest.of`. Every part has a default. */
export interface HttpRequestInit<V = Variables> {
  readonly method?: string;
  /** Path and query as sent: `/person?limit=2`. */
  readonly target?: string;
  readonly headers?: HeaderFields | HeaderList;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Default: one that is never aborted. */
  readonly draining?: AbortSignal;
  /** The client. Default: no address, `http`, and the host of the Host field. */
  readonly client?: Partial<Client>;
  /** Path variables, for a handler that is called without a router. Default: none. */
  readonly variables?: V;
  /** When the request was read, for tests of `overload`. Default: unknown. */
  readonly turn?: EventLoopTurn;
}

// Exchanges are of classes, because V8 makes a hidden class for each object literal with getters. Only a collection of the whole
// heap frees it, and until then it keeps all that the getters refer to.

/** The exchange of a request that no adapter has received. */
export class ExchangeByHand implements Exchange {
  readonly content: RequestContent;
  readonly client: Client;
  readonly draining: AbortSignal | undefined;
  readonly turn: EventLoopTurn | undefined;
  readonly native = undefined;
  route: MatchedRoute | undefined;
  shared: KeptAttribute | undefined;
  #signal: AbortSignal | undefined;

  constructor(headers: HeaderList, init: HttpRequestInit<unknown>) {
    this.content = new RequestContent(bufferedSource(init.body));
    this.client = { address: undefined, scheme: "http", host: headers.get("Host"), ...init.client };
    this.draining = init.draining;
    this.turn = init.turn;
    this.#signal = init.signal;
  }

  get receivedBytes(): number {
    return this.content.receivedBytes;
  }

  /** Made when it is asked for: Workers refuse to make one outside of a request, where an app is made. */
  get signal(): AbortSignal {
    this.#signal ??= new AbortController().signal;
    return this.#signal;
  }
}
