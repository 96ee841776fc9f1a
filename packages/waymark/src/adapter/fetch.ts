import type { Piece } from "../body/response-body.ts";
import { handlerFields } from "../body/sent-fields.ts";
import { type ContentSource, streamedSource } from "../content/content-source.ts";
import { contentInterrupted } from "../content/refusals.ts";
import type { Client, KnownClient } from "../exchange/exchange.ts";
import { type HeaderList, webHeaders } from "../fields/header-list.ts";
import { isHost } from "../path/target.ts";
import { internalError } from "../problem.ts";
import type { HttpResponse } from "../response.ts";
import type { ServedApp } from "../serving/served-app.ts";
import { AdapterExchange, type Platform } from "./adapter-exchange.ts";

/**
 * Answers a web `Request` with a web `Response`; never rejects. A streamed body is read no faster than the client takes
 * it. When the client goes away (the request's signal, or the response's body is cancelled) the body is ended.
 *
 * ```ts
 * Deno.serve((request) => handleFetch(app, request));   // which is what app.fetch does
 * ```
 *
 * @param knownClient returns what the runtime knows of the client; called once, when the app asks for it
 */
export function handleFetch(app: ServedApp, native: Request, knownClient?: () => KnownClient): Promise<Response> {
  const exchange = new WebExchange(native, app, knownClient);
  exchange.askApp((response) => exchange.send(response));
  exchange.watch();
  return exchange.response();
}

const encoder = new TextEncoder();

/** Scheme, host and target, without the fragment. */
const requestUrl = /^(https?):\/\/([^/]*)([^#]*)/;

/** Where short text is written to see how long it is in UTF-8, in a fifth of the time that a new array takes. */
const scratch = new Uint8Array(16_384);

const web: Platform = {
  byteLength: (text) => {
    const { read, written } = encoder.encodeInto(text, scratch);
    return read === text.length ? written : encoder.encode(text).byteLength;
  },
  // A stream is read step by step, as its reader asks for it.
  pause: () => Promise.resolve(),
};

/** A web request and its response, as far as the app sees them. */
class WebExchange extends AdapterExchange {
  readonly native: Request;
  readonly headers: HeaderList;
  readonly #knownClient: (() => KnownClient) | undefined;
  #response: Response | undefined;
  #resolve: ((response: Response) => void) | undefined;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Whether the client waits for a piece. */
  #isAsked = false;

  constructor(native: Request, app: ServedApp, knownClient?: () => KnownClient) {
    super(app, web);
    this.native = native;
    this.#knownClient = knownClient;
    this.headers = webHeaders(native.headers);
  }

  /** Sees to it that the exchange ends when the client goes. Runtimes make the signal for it, which costs more than a short answer. */
  watch(): void {
    if (this.isOver) return;
    const { signal } = this.native;
    if (signal.aborted) this.end(false, signal.reason);
    else signal.addEventListener("abort", () => this.end(false, signal.reason), { once: true });
  }

  /** The response; to be asked for once. Most often it is there already. */
  response(): Promise<Response> {
    if (this.#response !== undefined) return Promise.resolve(this.#response);
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get headSent(): boolean {
    return this.#response !== undefined;
  }

  get method(): string {
    return this.native.method;
  }

  /** Path and query, where the URL is what a request has. */
  get target(): string {
    const { url } = this.native;
    const [, , host = "", target = url] = requestUrl.exec(url) ?? [];
    return isHost(host) ? target : url;
  }

  /** The address is not part of a web request; only the runtime may know it. */
  protected findClient(): Client {
    const [, scheme, host] = requestUrl.exec(this.native.url) ?? [];
    const known = this.#knownClient?.() ?? {};
    return {
      address: known.address || undefined,
      scheme: known.scheme ?? (scheme === "https" ? "https" : "http"),
      host: known.host ?? host,
    };
  }

  protected openContent(): ContentSource | undefined {
    return webContent(this.native);
  }

  sendWhole(response: HttpResponse, content: null | string | Uint8Array, length: number | undefined): void {
    // Response would add a type of its own to text that has none. It refuses bytes in shared memory.
    const isUntyped = typeof content === "string" && !response.headers.has("Content-Type");
    const body = isUntyped ? encoder.encode(content) : (content as null | string | Uint8Array<ArrayBuffer>);
    this.#respond(response, body, length);
    this.end(true);
  }

  sendHead(response: HttpResponse, length: number | undefined): void {
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#stream = controller;
        },
        pull: () => {
          this.#isAsked = true;
          this.resumeSending?.();
        },
        cancel: (reason) => {
          this.#stream = undefined;
          this.end(false, reason);
        },
      },
      // Nothing is read ahead of the client.
      { highWaterMark: 0 },
    );
    this.#respond(response, stream, length);
  }

  sendPiece(piece: Piece): boolean {
    this.#isAsked = false;
    this.#stream?.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
    return this.#isAsked;
  }

  finish(): void {
    this.#stream?.close();
    this.end(true);
  }

  cut(): void {
    this.end(false);
  }

  protected giveUp(): void {
    this.end(false);
  }

  override end(isSent: boolean, reason?: unknown): void {
    if (this.isOver) return;
    super.end(isSent, reason);
    if (isSent) return;
    this.#stream?.error(reason ?? new TypeError("The response has failed"));
    // The promise must settle, although no client is left to receive the response.
    if (!this.headSent) this.#respond(internalError, null, 0);
  }

  #respond(response: HttpResponse, body: ConstructorParameters<typeof Response>[0], length: number | undefined): void {
    const fields = handlerFields(response);
    // The content is as its Content-Encoding says; Workers would code it once more.
    const init: ResponseInit & { readonly encodeBody: "manual" } = { status: response.status, encodeBody: "manual" };
    const native = new Response(body, init);
    const { headers } = native;
    // Response gives text a type of its own.
    headers.delete("Content-Type");
    // As a list for the constructor, ten fields take 1.6 times as long on Bun 1.4, and four times on Node 26 and Deno 2.9.
    for (let i = 0; i < fields.length; i += 2) headers.append(fields[i] as string, fields[i + 1] as string); // in turn
    if (length !== undefined) headers.append("Content-Length", String(length));
    this.#response = native;
    this.#resolve?.(native);
  }
}

/** Returns the content of a web request, with its declared length when it has one. */
export function webContent({ body, headers }: Request): ContentSource | undefined {
  if (body === null) return undefined;
  const declared = headers.get("Content-Length");
  return streamedSource(piecesOf(body), declared !== null && /^\d+$/.test(declared) ? Number(declared) : undefined);
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw contentInterrupted(cause);
      });
      if (done) return;
      // A request made in this process may have a stream of anything, whose size says nothing.
      if (!(value instanceof Uint8Array)) throw new TypeError("The content of a web Request must be bytes");
      yield value;
    }
  } finally {
    // What is left is not wanted; of a stream that has ended or broken there is nothing to cancel.
    reader.cancel().catch(() => undefined);
  }
}
