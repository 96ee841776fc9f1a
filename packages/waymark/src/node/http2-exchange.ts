import { constants, type ServerHttp2Stream } from "node:http2";
import { bufferedSource, RequestContent } from "../content/request-content.ts";
import type { Client, EventLoopTurn, MatchedRoute } from "../exchange.ts";
import { parsedHeaders } from "../fields/header-list.ts";
import { noVariables } from "../path/pattern.ts";
import type { RequestTarget } from "../path/target.ts";
import { type Exchange, HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";
import type { Received } from "../served-app.ts";
import { canonicalAddress, clientBehind } from "./client.ts";
import { NodeContent } from "./content.ts";
import { expectationFailed, type HeadLimits, isContinue, noTunnel, refuseFields } from "./message-head.ts";
import type { ServeContext } from "./options.ts";

/** A request on a stream of HTTP/2 and its response, as far as the app sees them. */
export class Http2Exchange implements Exchange, Received {
  readonly native: ServerHttp2Stream;
  readonly context: ServeContext;
  readonly method: string;
  request: HttpRequest | undefined;
  route: MatchedRoute | undefined;
  readonly #head: Http2Head;
  /** Whether the client holds its content back until it is told to continue (RFC 9110 §10.1.1). */
  #awaitsContinue: boolean;
  #content: RequestContent | undefined;
  #abort: AbortController | undefined;
  #client: Client | undefined;

  constructor(stream: ServerHttp2Stream, head: Http2Head, context: ServeContext) {
    this.native = stream;
    this.context = context;
    this.method = head.method;
    this.request = undefined;
    this.route = undefined;
    this.#head = head;
    this.#awaitsContinue = head.expectation !== undefined;
    this.#content = undefined;
    this.#abort = undefined;
    this.#client = undefined;
  }

  get target(): string {
    return this.#head.target;
  }

  receive({ path, search }: RequestTarget): HttpRequest {
    const { method, fields } = this.#head;
    this.request = new HttpRequest(method, path, search, parsedHeaders(fields), this, noVariables);
    return this.request;
  }

  /** Reports an error that the response cannot tell. */
  fault(error: unknown): void {
    this.context.app.fault(error, this.request);
  }

  get content(): RequestContent {
    this.#content ??= new RequestContent(this.#openSource(), this.context.app.content);
    return this.#content;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const { native } = this;
      const abort = new AbortController();
      const onClose = (): void => {
        if (native.aborted || native.rstCode !== constants.NGHTTP2_NO_ERROR) {
          abort.abort(new DOMException("The client has gone", "AbortError"));
        }
      };
      this.#abort = abort;
      if (native.destroyed) onClose();
      else native.once("close", onClose);
    }
    return this.#abort.signal;
  }

  get turn(): EventLoopTurn {
    return this.context.turns.current;
  }

  onEnd(listener: () => void): void {
    const { native } = this;
    if (native.destroyed) listener();
    else native.once("close", listener);
  }

  get client(): Client {
    this.#client ??= this.#findClient();
    return this.#client;
  }

  #findClient(): Client {
    const { isTrustedProxy, proxyFields } = this.context;
    const { host, fields } = this.#head;
    const address = canonicalAddress(this.native.session?.socket.remoteAddress ?? "");
    const peer: Client = { address, scheme: "https", host };
    return clientBehind(peer, parsedHeaders(fields), proxyFields, isTrustedProxy);
  }

  #openSource(): ReturnType<typeof bufferedSource> {
    const { native } = this;
    if (native.endAfterHeaders) return bufferedSource(undefined);
    // A stream that the client has reset as if nothing were amiss ends like one that is complete.
    return new NodeContent(native, this.#head.contentLength, {
      begin: () => this.#continue(),
      isComplete: () => !native.closed,
    });
  }

  #continue(): void {
    const { native } = this;
    if (!this.#awaitsContinue) return;
    this.#awaitsContinue = false;
    if (!native.headersSent && !native.closed) native.additionalHeaders({ ":status": 100 });
  }
}

/** The head of a request of HTTP/2 as HTTP/1.1 would have it. */
interface Http2Head {
  readonly method: string;
  readonly target: string;
  readonly host: string | undefined;
  /** Names and values in turn; `:authority` is Host, and Cookie is one line (RFC 9113 §8.2.3, §8.3.1). */
  readonly fields: readonly string[];
  readonly expectation: string | undefined;
  readonly contentLength: number | undefined;
}

/** Reads the names and values in turn that Node has of a stream; what breaks HTTP/2 itself, Node has refused by then. */
export function readHttp2Head(raw: readonly string[]): Http2Head {
  const pseudo = new Map<string, string>();
  const fields: string[] = [];
  const cookies: string[] = [];
  let expectation: string | undefined;
  let contentLength: number | undefined;
  let host: string | undefined;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    const value = raw[i + 1] as string;
    if (name.startsWith(":")) pseudo.set(name, value);
    else if (name === "cookie") cookies.push(value);
    // It may stand beside :authority as long as it is the same, which comes first.
    else if (name !== "host" || value !== pseudo.get(":authority")) fields.push(name, value);
    if (name === "host") host = value;
    else if (name === "expect") expectation = value;
    else if (name === "content-length") contentLength = Number(value);
  }
  const authority = pseudo.get(":authority");
  if (authority !== undefined) fields.unshift("host", authority);
  if (cookies.length > 0) fields.push("cookie", cookies.join("; "));
  // CONNECT has no path, and is refused.
  const target = pseudo.get(":path") ?? "";
  const method = pseudo.get(":method") ?? "";
  return { method, target, host: authority ?? host, fields, expectation, contentLength };
}

/** The refusal of a head that breaks HTTP or the limits; undefined when it is sound. */
export function refuseHttp2Head(head: Http2Head, limits: HeadLimits): HttpResponse | undefined {
  const { method, target, fields, expectation } = head;
  if (method === "CONNECT") return noTunnel;
  if (expectation !== undefined && !isContinue(expectation)) return expectationFailed;
  return refuseFields({ method, target, fields, requiresHost: true }, limits)?.response;
}
