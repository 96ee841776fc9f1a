import type { ProblemDocument } from "./common/problem-document.ts";
import { eitherOf, escapeUnprintable, excerpt, typeName } from "./common/wording.ts";
import { type HeaderFields, HeaderList, webHeaders } from "./fields/header-list.ts";
import { parseMediaType } from "./fields/media-type.ts";
import { type CookieOptions, cookieKey, setCookie } from "./fields/set-cookie.ts";

/**
 * The content of a response: nothing, text (sent as UTF-8), bytes, or an (async) iterable of text and bytes, such as
 * a `ReadableStream`. Pieces are sent as they come, no faster than the client reads. When the client goes away, the
 * iterator's `return` is called.
 */
export type ResponseBody =
  | null
  | string
  | Uint8Array
  | Iterable<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>;

export type StreamedBody = Exclude<ResponseBody, null | string | Uint8Array>;

/** Returns whether the body is sent in pieces. */
export function isStreamed(body: ResponseBody): body is StreamedBody {
  return body !== null && typeof body !== "string" && !(body instanceof Uint8Array);
}

/** Returns the value that the response has as JSON; undefined where `json` has not made it. */
export let jsonValueOf: (response: HttpResponse) => unknown;

let withJsonValue: (response: HttpResponse, value: unknown) => HttpResponse;

/**
 * An immutable response. Methods such as `withHeader` return another one with the same body.
 *
 * The server sets Content-Length, Date and the connection fields from what it sends.
 *
 * ```ts
 * after((request, response) => response.withHeader("X-Request-Id", request.attribute(requestId)))
 * ```
 */
export class HttpResponse {
  /** The status code, 200 to 599. */
  readonly status: number;
  readonly headers: HeaderList;
  /** undefined while it is that of the problem, and nobody has read it. */
  #body: ResponseBody | undefined;
  #problem: ProblemDocument | undefined;
  /** What `json` has written, for the schema of the answer. */
  #value: unknown;

  static {
    jsonValueOf = (response) => response.#value;
    withJsonValue = (response, value) => {
      response.#value = value;
      return response;
    };
  }

  /**
   * @throws RangeError when the status is not an integer of 200…599
   * @throws TypeError when a header field cannot be sent
   */
  constructor(status: number, headers: HeaderFields | HeaderList = HeaderList.empty, body: ResponseBody = null) {
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw new RangeError(`A response has a status of 200 to 599, not ${status}`);
    }
    this.status = status;
    this.headers = headers instanceof HeaderList ? headers : HeaderList.of(headers);
    this.#body = body;
  }

  /** The content. That of a problem is its JSON, written when it is first read. */
  get body(): ResponseBody {
    if (this.#body === undefined) this.#body = escapeUnprintable(JSON.stringify(this.#problem));
    return this.#body;
  }

  /** The problem document of a response that `problem(…)` has made, as an object; undefined for any other. */
  get problem(): ProblemDocument | undefined {
    return this.#problem;
  }

  /** Returns the field's value, as `headers.get` does. */
  header(name: string): string | undefined {
    return this.headers.get(name);
  }

  /** Returns the response with another status, which is also that of its problem document (RFC 9457 §3.1.2). */
  withStatus(status: number): HttpResponse {
    const problem = this.#problem;
    return problem === undefined
      ? this.#with(status, this.headers)
      : new HttpResponse(status, this.headers).withProblem(problem);
  }

  /** Returns the response with this as the only value of the field; Set-Cookie is always one line more. */
  withHeader(name: string, value: string): this {
    if (name.length === 10 && name.toLowerCase() === "set-cookie") return this.withAddedHeader(name, value);
    return this.withHeaders(this.headers.with(name, value));
  }

  /**
   * Returns the response with this cookie besides the others that it sets; another one of the same name, domain and path is
   * replaced. A cookie goes only over TLS (and to localhost), not to scripts, and not with requests from other sites, unless
   * the options say so.
   *
   * ```ts
   * noContent().withCookie("theme", "dark", { maxAge: 86_400 })
   * // Set-Cookie: theme=dark; Path=/; Max-Age=86400; Secure; HttpOnly; SameSite=Lax
   * ```
   *
   * @throws TypeError for a name, a value or options with which a browser would not take the cookie
   */
  withCookie(name: string, value: string, options?: CookieOptions): this {
    const cookie = setCookie(name, value, options);
    const kept = this.headers.getAll("Set-Cookie").filter((each) => cookieKey(each) !== cookieKey(cookie));
    const others = this.headers.without("Set-Cookie");
    return this.withHeaders([...kept, cookie].reduce((headers, each) => headers.withAdded("Set-Cookie", each), others));
  }

  /** Returns the response by which a browser forgets this cookie; `path` and `domain` are those with which it was set. */
  withoutCookie(name: string, options: Pick<CookieOptions, "path" | "domain"> = {}): this {
    return this.withCookie(name, "", { ...options, maxAge: 0 });
  }

  /** Returns the response with one more line of the field. */
  withAddedHeader(name: string, value: string): this {
    return this.withHeaders(this.headers.withAdded(name, value));
  }

  /** Returns the response without the fields of this name, in any case. */
  withoutHeader(name: string): this {
    return this.withHeaders(this.headers.without(name));
  }

  /** Returns the response with these fields instead of its own. */
  withHeaders(headers: HeaderList): this {
    // Of a status and content that are known, neither changes.
    return headers === this.headers ? this : (this.#with(this.status, headers) as this);
  }

  /** Returns the response with another body, and no problem; its header fields stay as they are. */
  withBody(body: ResponseBody): HttpResponse {
    return new HttpResponse(this.status, this.headers, body);
  }

  /**
   * Returns the response with this problem document in the place of its body; its header fields stay as they are. The status in the
   * document is that of the response.
   */
  withProblem(document: ProblemDocument): ProblemResponse {
    const { status } = this;
    const response = new HttpResponse(status, this.headers);
    response.#problem = document.status === status ? document : { ...document, status };
    response.#body = undefined;
    return response as ProblemResponse; // what answers any status
  }

  #with(status: number, headers: HeaderList): HttpResponse {
    const response = new HttpResponse(status, headers);
    response.#body = this.#body;
    response.#problem = this.#problem;
    response.#value = this.#value;
    return response;
  }
}

/** The key of what is known of a response; exists only at compile time. */
declare const answer: unique symbol;

/** A response of which the status and the content, before it is written, are known: what `answers(…)` compares. */
export interface ResponseOf<S extends number, T> extends HttpResponse {
  /** Type only. */
  readonly [answer]: readonly [S, T];
  withStatus<N extends number>(status: N): OneOf<N, T>;
}

/** A response whose status is one of several: `empty(isGone ? 404 : 204)` is either of two responses. */
type OneOf<S extends number, T> = S extends number ? ResponseOf<S, T> : never;

/** The content of a response that has none. */
export interface NoContent {
  readonly kind: "none";
}

/** A response with a problem document, which the compiler takes for any answer. */
export type ProblemResponse = ResponseOf<never, never>;

/**
 * Makes a response with this content and Content-Type; `text/html` that is not bytes is UTF-8.
 *
 * @throws TypeError when the first argument is not a media type
 */
export function content(mediaType: string, body: ResponseBody): ResponseOf<200, never>;
export function content<S extends number>(mediaType: string, body: ResponseBody, status: S): OneOf<S, never>;
export function content(mediaType: string, body: ResponseBody, status = 200): HttpResponse {
  if (parseMediaType(mediaType) === undefined) {
    throw new TypeError(
      `content(…) takes a media type, such as "text/html", and then the content, not ${excerpt(mediaType)}`,
    );
  }
  // Text is sent as UTF-8, which a browser does not guess.
  const isPage = /^text\/html$/i.test(mediaType) && !(body instanceof Uint8Array);
  return new HttpResponse(status, { "Content-Type": isPage ? `${mediaType}; charset=utf-8` : mediaType }, body);
}

/** Makes a `text/plain` response in UTF-8. */
export function text<T extends string>(value: T): ResponseOf<200, T>;
export function text<T extends string, S extends number>(value: T, status: S): OneOf<S, T>;
export function text(value: string, status = 200): HttpResponse {
  return new HttpResponse(status, plainText, value);
}

/**
 * Makes an `application/json` response.
 *
 * @throws TypeError when the value has no JSON form (undefined, a function, a cycle, a bigint), or is a promise
 */
export function json<const T>(value: T): ResponseOf<200, T>;
export function json<const T, S extends number>(value: T, status: S): OneOf<S, T>;
export function json(value: unknown, status = 200): HttpResponse {
  if (value instanceof Promise) throw new TypeError("json(…) takes a value, not a promise: write json(await …)");
  return withJsonValue(new HttpResponse(status, applicationJson, jsonText(value)), value);
}

/** @throws TypeError when the value has no JSON form */
export function jsonText(value: unknown): string {
  const written = JSON.stringify(value) as string | undefined;
  if (written === undefined) throw new TypeError(`${typeof value} has no JSON form`);
  return written;
}

/**
 * Makes a 200 with the value as JSON, or a 404 without content where the value is undefined or null.
 *
 * ```ts
 * GET("/{id}", ({ variables }) => found(titles.get(variables.id)))
 * ```
 *
 * @throws TypeError as `json`
 */
export function found<const T>(value: T | undefined | null): ResponseOf<200, T> | ResponseOf<404, NoContent> {
  return value === undefined || value === null ? notFound() : json(value);
}

/** Makes a 200 without content. */
export function ok(): ResponseOf<200, NoContent> {
  return empty(200);
}

/**
 * Makes a 201 that names the new resource (RFC 9110 §15.3.2), with a value of its representation as JSON where one is given. The
 * location is a URI reference, absolute or from the root; what no URI has in it is escaped, and of several slashes in front one is
 * left, so that a path never names another host.
 *
 * ```ts
 * created("/notes/zoë");   // Location: /notes/zo%C3%AB
 * ```
 *
 * @throws TypeError when the location has a control character
 */
export function created(location: string): ResponseOf<201, NoContent>;
export function created<const T>(location: string, value: T): ResponseOf<201, T>;
export function created<T>(location: string, ...value: readonly [T?]): ResponseOf<201, T | NoContent> {
  const response = value.length === 0 ? empty(201) : json(value[0] as T, 201); // there is one
  return response.withHeader("Location", toUri(location));
}

/** Makes a 204, which has no content (RFC 9110 §15.3.5). */
export function noContent(): ResponseOf<204, NoContent> {
  return empty(204);
}

/** Makes a 404 without content. For one that explains itself, use `problem(…)`. */
export function notFound(): ResponseOf<404, NoContent> {
  return empty(404);
}

/** Makes a response with this status and without content. */
export function empty<S extends number>(status: S): OneOf<S, NoContent>;
export function empty(status: number): HttpResponse {
  return new HttpResponse(status);
}

/**
 * Makes a redirect: 303 with GET, 307 or 308 with the same method (RFC 9110 §15.4).
 *
 * ```ts
 * redirect("/zoë?q=a b");   // Location: /zo%C3%AB?q=a%20b
 * redirect(`${request.path}/`);   // of //evil.example, Location: /evil.example/
 * ```
 *
 * @throws TypeError when the location has a control character
 * @throws RangeError when the status is not that of a redirect
 */
export function redirect(location: string): ResponseOf<303, NoContent>;
export function redirect<S extends (typeof redirectStatuses)[number]>(
  location: string,
  status: S,
): ResponseOf<S, NoContent>;
export function redirect(location: string, status = 303): HttpResponse {
  if (!redirectStatuses.some((each) => each === status)) {
    throw new RangeError(`A redirect has the status ${eitherOf(redirectStatuses)}, not ${status}`);
  }
  return new HttpResponse(status, { Location: toUri(location) });
}

/** The statuses with which `fetch` follows `Location`. */
export const redirectStatuses = [301, 302, 303, 307, 308] as const;

function toUri(location: string): string {
  if (typeof location !== "string") throw new TypeError(`A location is a text, not ${typeName(location)}`);
  return withoutHost(location).toWellFormed().replaceAll(notInUri, encodeURIComponent);
}

/** Returns a path as a reference that stays on its host: behind two slashes there would be another one (RFC 3986 §4.2). */
export const withoutHost = (path: string): string => path.replace(/^\/{2,}/, "/");

// Control characters stay, to be refused as in any field.
const notInUri = /[ "<>\\^`{|}]|%(?![0-9A-Fa-f]{2})|\P{ASCII}/gu;

const plainText = HeaderList.of({ "Content-Type": "text/plain; charset=utf-8" });
const applicationJson = HeaderList.of({ "Content-Type": "application/json" });

/**
 * Makes a response of a web `Response`; its body is streamed. Every `Set-Cookie` stays a separate line.
 *
 * ```ts
 * GET("/{*rest}", (request) => fetch(upstream + request.path));   // a handler may return a web Response itself
 * ```
 *
 * `fetch` decodes content, and leaves the fields as they came: a Content-Encoding that it has undone is left out, and so is a
 * Content-Length beside one.
 *
 * @throws RangeError when it is `Response.error()`, which has no status
 * @throws TypeError when its body has been read, or is being read
 */
export function fromWebResponse(response: Response): HttpResponse {
  if (response.bodyUsed || response.body?.locked) {
    throw new TypeError("The body of the web Response has been read already; return a clone() to send it too");
  }
  const headers = webHeaders(response.headers);
  const coding = headers.get("Content-Encoding");
  if (coding === undefined) return new HttpResponse(response.status, headers, response.body);
  const unsized = headers.without("Content-Length");
  // Only a response of `fetch` has a URL.
  const isDecoded = response.url !== "" && undoneCodings.test(coding);
  return new HttpResponse(response.status, isDecoded ? unsized.without("Content-Encoding") : unsized, response.body);
}

/** The codings that `fetch` undoes. */
const undoneCodings = /^(?:(?:x-)?gzip|deflate|br|zstd)(?:[\t ]*,[\t ]*(?:(?:x-)?gzip|deflate|br|zstd))*$/i;
