import { constants, type ServerHttp2Stream } from "node:http2";
import type { Client } from "../../client.ts";
import type { EventLoopTurn } from "../../event-loop-turn.ts";
import { HeaderList } from "../../header-list.ts";
import { noVariables } from "../../path-variables.ts";
import { type Exchange, HttpRequest } from "../../request.ts";
import { bufferedSource, RequestContent } from "../../request-content.ts";
import type { RequestTarget } from "../../request-target.ts";
import type { Received } from "../handle-received.ts";
import { clientBehind } from "./forwarded.ts";
import type { Http2Head } from "./http2-head.ts";
import { NodeContent } from "./node-content.ts";
import type { ServeContext } from "./node-request.ts";
import { canonicalAddress } from "./trusted-proxies.ts";

/** A request on a stream of HTTP/2 and its response, as far as the app sees them. */
export class Http2Exchange implements Exchange, Received {
  readonly native: ServerHttp2Stream;
  readonly context: ServeContext;
  readonly method: string;
  request: HttpRequest | undefined;
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
    this.request = new HttpRequest(method, path, search, HeaderList.fromParsed(fields), this, noVariables);
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
    return clientBehind(peer, HeaderList.fromParsed(fields), proxyFields, isTrustedProxy);
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
