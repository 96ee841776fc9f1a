import { requireOptions } from "./common/known-options.ts";
import type { StrictJsonOptions } from "./content/json.ts";
import type { ReadOptions, RequestContent, Validator } from "./content/request-content.ts";
import {
  type Attribute,
  type Client,
  type EndListener,
  type Exchange,
  ExchangeByHand,
  type HttpRequestInit,
  type KeptAttribute,
  type MatchedRoute,
} from "./exchange/exchange.ts";
import { HeaderList } from "./fields/header-list.ts";
import { parseCookies } from "./fields/syntax.ts";
import { noVariables, type Variables } from "./path/pattern.ts";
import { parseTarget } from "./path/target.ts";

/** Reads the parameters of a query, as `URLSearchParams` does, which is iterable: `+` is a space. */
export type Query = Pick<
  URLSearchParams,
  "get" | "getAll" | "has" | "keys" | "entries" | "size" | typeof Symbol.iterator
>;

// These are functions rather than members because only the router and adapters need them.

/** Returns the exchange of the request, which all requests that are made of it share. */
export let exchangeOf: (request: HttpRequest<unknown>) => Exchange;

/** Returns the content of the request: that of its exchange, or what a filter has put in its place. */
export let contentOf: (request: HttpRequest<unknown>) => RequestContent;

/** Returns the request as a route sees it that matched with these variables and this type. */
export let matchedRequest: <V>(
  request: HttpRequest<unknown>,
  variables: V,
  negotiatedType: string | undefined,
) => HttpRequest<V>;

/**
 * An immutable request. Methods such as `withHeader` return another one; both share the content, which is read once.
 *
 * ```ts
 * before((request) => request.withHeader("X-RequestHeader", "seen"))
 * ```
 */
export class HttpRequest<V = Variables> {
  /** The method as sent, with its case (RFC 9110 §9.1). HEAD stays HEAD, also in a GET route. */
  readonly method: string;
  /**
   * The canonical path, which conditions and filters read: all escapes decoded except `%2F` and `%25`, no dot segments.
   * Case, double slashes and trailing slashes are kept.
   */
  readonly path: string;
  /** The query as sent, without the `?`. */
  readonly search: string;
  readonly headers: HeaderList;
  /** The path variables; empty before a route is chosen. */
  readonly variables: V;
  /** The media type that `accept` chose for the response; undefined when the route names none. */
  readonly negotiatedType: string | undefined;
  readonly #exchange: Exchange;
  readonly #attributes: KeptAttribute | undefined;
  /** What a filter has put in the place of the content that has come. */
  readonly #content: RequestContent | undefined;
  #query: Query | undefined;

  static {
    exchangeOf = (request) => request.#exchange;
    contentOf = (request) => request.#content ?? request.#exchange.content;
    matchedRequest = (request, variables, negotiatedType) => {
      const { method, path, search, headers } = request;
      const [exchange, kept, content] = [request.#exchange, request.#attributes, request.#content];
      return new HttpRequest(method, path, search, headers, exchange, variables, negotiatedType, kept, content);
    };
  }

  /** Is for adapters, which have parsed the target. Use `HttpRequest.of` elsewhere. */
  constructor(
    method: string,
    path: string,
    search: string,
    headers: HeaderList,
    exchange: Exchange,
    variables: V,
    negotiatedType?: string | undefined,
    attributes?: KeptAttribute | undefined,
    content?: RequestContent | undefined,
  ) {
    this.method = method;
    this.path = path;
    this.search = search;
    this.headers = headers;
    this.variables = variables;
    this.negotiatedType = negotiatedType;
    this.#exchange = exchange;
    this.#attributes = attributes;
    this.#content = content;
  }

  /**
   * Makes a request, for `app.handle` and `app.explain`.
   *
   * ```ts
   * await app.handle(HttpRequest.of({ target: "/person/1", headers: { Accept: "application/json" } }));
   * ```
   *
   * @throws HttpError (400) when the target is malformed; TypeError for an option that there is not
   */
  static of<V = Variables>(init: HttpRequestInit<V> = {}): HttpRequest<V> {
    const known = ["method", "target", "headers", "body", "signal", "draining", "client", "variables", "turn"] as const;
    requireOptions("HttpRequest.of({ … })", init, known);
    const { path, search } = parseTarget(init.target ?? "/");
    const headers = init.headers instanceof HeaderList ? init.headers : HeaderList.of(init.headers ?? {});
    const exchange = new ExchangeByHand(headers, init);
    // Where the variables are left out, V is that of no variables.
    const variables = init.variables ?? (noVariables as V);
    return new HttpRequest(init.method ?? "GET", path, search, headers, exchange, variables);
  }

  /** Returns the field's value, as `headers.get` does. */
  header(name: string): string | undefined {
    return this.headers.get(name);
  }

  get query(): Query {
    this.#query ??= new URLSearchParams(this.search);
    return this.#query;
  }

  /** The cookies by name; the first of two with one name counts (RFC 6265 §5.4). */
  get cookies(): ReadonlyMap<string, string> {
    return parseCookies(this.headers.get("Cookie") ?? "");
  }

  /** Aborted when the client goes away before the response is complete. */
  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  /**
   * Aborted when the server shuts down, has stopped taking connections, and waits for the requests in hand: a response that
   * would go on for long can end. Never aborted where nothing serves the request but `app.fetch`, `app.handle` or
   * `toNodeListener`.
   *
   * ```ts
   * GET("/rows", ({ draining, signal }) => content("application/x-ndjson", rows(AbortSignal.any([draining, signal]))))
   * ```
   *
   * `eventStream` follows both by itself.
   */
  get draining(): AbortSignal {
    return this.#exchange.draining ?? new AbortController().signal;
  }

  /** The client and the address that it used: the peer of the connection, or the client that a trusted proxy names. */
  get client(): Client {
    return this.#exchange.client;
  }

  /**
   * Calls the listener once: with true when the whole response has been sent, with false when the client has gone
   * before. Cheaper than `signal`. Returns false, and never calls it, for a request from `HttpRequest.of`.
   */
  onEnd(listener: EndListener): boolean {
    if (this.#exchange.onEnd === undefined) return false;
    this.#exchange.onEnd(listener);
    return true;
  }

  /**
   * Ends the exchange without the rest of its response: lets go of what waits for the client, and cuts off its connection
   * (HTTP/1.1) or its stream (HTTP/2). `onEnd` is called with false. Does nothing once the exchange has ended, and for a
   * request from `HttpRequest.of`.
   *
   * ```ts
   * if (held > most) stillest.abandon();   // a client that takes nothing, so that another one can be answered
   * ```
   */
  abandon(): void {
    this.#exchange.abandon?.();
  }

  /**
   * The object of the platform: a Socket (HTTP/1.1), an Http2Stream, a web Request; undefined for a request from
   * `HttpRequest.of`.
   */
  get native(): unknown {
    return this.#exchange.native;
  }

  /**
   * The route that answers the request, for metrics and logs; undefined before it is chosen, and for a refusal. Filters
   * of groups can read it at once, web filters when `next(request)` has settled or in `onEnd`.
   *
   * ```ts
   * after((request, response) => count(request.route?.path ?? "no route", response))
   * ```
   */
  get route(): MatchedRoute | undefined {
    return this.#exchange.route;
  }

  /** Returns the value that a filter kept under the key, or undefined. */
  attribute<T>(key: Attribute<T>): T | undefined {
    return kept(this.#attributes, key) ?? kept(this.#exchange.shared, key);
  }

  /** Returns the request with a value under the key, for filters and handlers further in. */
  withAttribute<T>(key: Attribute<T>, value: T): HttpRequest<V> {
    return this.#with(this.headers, { key, value, outer: this.#attributes });
  }

  /** Returns the request with this as the only value of the field. */
  withHeader(name: string, value: string): HttpRequest<V> {
    return this.#with(this.headers.with(name, value), this.#attributes);
  }

  /** Returns the request without the fields of this name, in any case. */
  withoutHeader(name: string): HttpRequest<V> {
    return this.#with(this.headers.without(name), this.#attributes);
  }

  /** Returns the request with another method, for a filter that sends on what it has made of a form, say. */
  withMethod(method: string): HttpRequest<V> {
    return this.#with(this.headers, this.#attributes, { method });
  }

  /**
   * Returns the request for another target, path and query: `/person?limit=2`.
   *
   * @throws HttpError (400) when the target is malformed
   */
  withTarget(target: string): HttpRequest<V> {
    return this.#with(this.headers, this.#attributes, parseTarget(target));
  }

  /** Returns the request with other content, whole or in pieces that are asked for once, and the fields that are about it. */
  withContent(type: string, body: string | Uint8Array | AsyncIterable<Uint8Array>): HttpRequest<V> {
    const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const others = this.headers.without("Content-Encoding").without("Transfer-Encoding").with("Content-Type", type);
    const headers =
      content instanceof Uint8Array
        ? others.with("Content-Length", `${content.length}`)
        : others.without("Content-Length");
    // No answer to it comes from memory, which looks at heads only.
    this.#exchange.recording?.refuse();
    return this.#with(headers, this.#attributes, { content: contentOf(this).replacedBy(content) });
  }

  /**
   * Reads the content as bytes. It can be read again, also as text or JSON.
   *
   * @throws HttpError 413 when it is longer than the limit; 415 when the app does not know its Content-Encoding, and 400
   *   when it is malformed in it
   */
  bytes(options?: ReadOptions): Promise<Uint8Array> {
    return contentOf(this).bytes(this.headers, options);
  }

  /**
   * Reads the content as text, which must be UTF-8.
   *
   * @throws HttpError as `bytes`, and 400 when it is not UTF-8
   */
  text(options?: ReadOptions): Promise<string> {
    return contentOf(this).text(this.headers, options);
  }

  /**
   * Reads the content as a JSON value, strictly (I-JSON, RFC 7493), whatever its Content-Type. More than 10,000 values, or those of
   * `maxValues`, are refused.
   *
   * @throws HttpError as `bytes`, and 400 with line and column when it is not JSON
   */
  json(options?: ReadOptions & StrictJsonOptions): Promise<unknown> {
    return contentOf(this).json(this.headers, options);
  }

  /**
   * Reads the content in pieces, as it arrives. It can be read only once, and not after another method.
   *
   * @throws HttpError as `bytes`, while it is read
   */
  stream(options?: ReadOptions): AsyncIterable<Uint8Array> {
    return contentOf(this).stream(this.headers, options);
  }

  /**
   * Reads the content, decodes it by its Content-Type and validates it. Returns a value of the schema's type; a refusal
   * lists every failing member.
   *
   * ```ts
   * POST("/person", async (request) => store(await request.body(Person)))
   * ```
   *
   * @throws HttpError as `bytes`; 415 when no decoder reads the type; 400 when it is malformed or invalid
   */
  body<T>(validator: Validator<T>, options?: ReadOptions): Promise<T> {
    return contentOf(this).body(this.headers, validator, options);
  }

  #with(
    headers: HeaderList,
    attributes: KeptAttribute | undefined,
    { method = this.method, path = this.path, search = this.search, content = this.#content }: RewrittenParts = {},
  ): HttpRequest<V> {
    const { variables, negotiatedType } = this;
    const exchange = this.#exchange;
    return new HttpRequest(method, path, search, headers, exchange, variables, negotiatedType, attributes, content);
  }
}

function kept<T>(entries: KeptAttribute | undefined, key: Attribute<T>): T | undefined {
  for (let entry = entries; entry !== undefined; entry = entry.outer) {
    // The entry was made by withAttribute or shareAttribute, which took a T for this very key.
    if (entry.key === key) return entry.value as T;
  }
  return undefined;
}

/** Keeps a value under the key for all requests of the exchange, also those that the filters around have. */
export function shareAttribute<T>(request: HttpRequest<unknown>, key: Attribute<T>, value: T): void {
  const exchange = exchangeOf(request);
  exchange.shared = { key, value, outer: exchange.shared };
}

/** What a request can have otherwise than the one that it is made of. */
interface RewrittenParts {
  readonly method?: string;
  readonly path?: string;
  readonly search?: string;
  readonly content?: RequestContent;
}
