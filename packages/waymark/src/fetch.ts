import { contentInterrupted, joinBytes } from "./content/coding.ts";
import { type ContentSource, contentTooLarge, RequestContent } from "./content/request-content.ts";
import type { Client, MatchedRoute } from "./exchange.ts";
import { parsedHeaders } from "./fields/header-list.ts";
import { noVariables } from "./path/pattern.ts";
import type { RequestTarget } from "./path/target.ts";
import { HttpError, internalError } from "./problem.ts";
import { type Exchange, HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";
import {
  type BodySource,
  declaredLength,
  handlerFields,
  hasNoContent,
  isStreamed,
  openBody,
  type Step,
  type StreamedBody,
  unsentLength,
} from "./response-body.ts";
import { handleReceived, type Received, type ServedApp } from "./served-app.ts";

/**
 * Answers a web `Request` with a web `Response`; never rejects. A streamed body is read no faster than the client takes
 * it. When the client goes away (the request's signal, or the response's body is cancelled) the body is ended.
 *
 * ```ts
 * Deno.serve((request) => handleFetch(app, request));   // which is what app.fetch does
 * ```
 */
export async function handleFetch(app: ServedApp, native: Request): Promise<Response> {
  const exchange = new WebExchange(native, app);
  const response = await respondOrFail(exchange);
  // A stream is over when it has been read, or nobody wants it any more.
  if (!exchange.streaming) exchange.over();
  return response;
}

async function respondOrFail(exchange: WebExchange): Promise<Response> {
  try {
    return await respond(exchange, await handleReceived(exchange.app, exchange));
  } catch (error) {
    return fail(exchange, error);
  }
}

/** A web request and its response, as far as the app sees them. */
class WebExchange implements Exchange, Received {
  readonly native: Request;
  readonly app: ServedApp;
  request: HttpRequest | undefined;
  route: MatchedRoute | undefined;
  /** Whether the response is read in pieces. */
  streaming: boolean;
  #content: RequestContent | undefined;
  #listeners: (() => void)[];
  #signal: AbortSignal | undefined;
  readonly #gone: AbortController;

  constructor(native: Request, app: ServedApp) {
    this.native = native;
    this.app = app;
    this.request = undefined;
    this.streaming = false;
    this.route = undefined;
    this.#content = undefined;
    this.#listeners = [];
    this.#signal = undefined;
    this.#gone = new AbortController();
  }

  get target(): string {
    return this.native.url.replace(/#.*/, "");
  }

  receive({ path, search }: RequestTarget): HttpRequest {
    const { method, headers } = this.native;
    const fields = parsedHeaders([...headers].flat());
    this.request = new HttpRequest(method, path, search, fields, this, noVariables);
    return this.request;
  }

  /** A web request has no address of its client. */
  get client(): Client {
    const { protocol, host } = new URL(this.native.url);
    return { address: undefined, scheme: protocol === "https:" ? "https" : "http", host };
  }

  get content(): RequestContent {
    this.#content ??= new RequestContent(new WebContent(this.native), this.app.content);
    return this.#content;
  }

  /** Aborted with the web request's own signal, and when the response's content is cancelled. */
  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.native.signal, this.#gone.signal]);
    return this.#signal;
  }

  onEnd(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** To be called when the response has been sent or the client has gone; the second call does nothing. */
  over(): void {
    for (const listener of this.#listeners.splice(0)) listener();
  }

  clientLeft(reason: unknown): void {
    this.#gone.abort(reason);
  }

  /** Ends a body early. */
  end(source: BodySource): void {
    source.cancel().catch((error: unknown) => this.app.fault(error, this.request));
  }
}

async function respond(exchange: WebExchange, response: HttpResponse): Promise<Response> {
  const { status, body } = response;
  if (hasNoContent(exchange.native.method, status)) {
    if (isStreamed(body)) exchange.end(openBody(body, response.headers));
    return toWebResponse(
      response,
      null,
      unsentLength(response, (text) => encoder.encode(text).byteLength),
    );
  }
  if (isStreamed(body)) return respondInPieces(exchange, response, body);
  // Encoded here rather than by Response, which would add a Content-Type of its own.
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  return toWebResponse(response, bytes, bytes?.byteLength ?? 0);
}

async function respondInPieces(exchange: WebExchange, response: HttpResponse, body: StreamedBody): Promise<Response> {
  const source = openBody(body, response.headers);
  const { signal } = exchange;
  signal.addEventListener("abort", () => exchange.end(source), { once: true });
  try {
    // A body that fails before its first piece can still become a 500.
    const first = await firstStep(source, signal);
    if (first.done === true) return toWebResponse(response, null, 0);
    const streamed = toWebResponse(response, piecesFrom(first, source, exchange), declaredLength(response.headers));
    exchange.streaming = true;
    return streamed;
  } catch (error) {
    exchange.end(source);
    throw error;
  }
}

function firstStep(source: BodySource, signal: AbortSignal): Promise<Step> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    Promise.resolve(source.next()).then(resolve, reject);
  });
}

function piecesFrom(first: Step, source: BodySource, exchange: WebExchange): ReadableStream<Uint8Array> {
  const { signal } = exchange;
  let waiting: Step | undefined = first;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const onAbort = (): void => {
          controller.error(signal.reason);
          exchange.over();
        };
        signal.addEventListener("abort", onAbort, { once: true });
      },
      async pull(controller) {
        try {
          const step: Step = waiting ?? (await source.next());
          waiting = undefined;
          if (step.done !== true)
            return controller.enqueue(typeof step.value === "string" ? encoder.encode(step.value) : step.value);
          controller.close();
          exchange.over();
        } catch (error) {
          if (signal.aborted) return;
          exchange.app.fault(error, exchange.request);
          exchange.end(source);
          controller.error(error);
          exchange.over();
        }
      },
      cancel: (reason) => exchange.clientLeft(reason),
    },
    // Nothing is read ahead of the client.
    { highWaterMark: 0 },
  );
}

async function fail(exchange: WebExchange, error: unknown): Promise<Response> {
  let fault = error;
  if (error instanceof HttpError) {
    try {
      return await respond(exchange, error.response);
    } catch (unsendable) {
      fault = unsendable;
    }
  }
  // Once the client has gone, the error is that of the abort.
  if (!exchange.signal.aborted) exchange.app.fault(fault, exchange.request);
  return respond(exchange, internalError);
}

function toWebResponse(
  response: HttpResponse,
  body: Uint8Array | ReadableStream<Uint8Array> | null,
  length: number | undefined,
): Response {
  const headers = new Headers();
  const fields = handlerFields(response);
  for (let i = 0; i < fields.length; i += 2) headers.append(fields[i] as string, fields[i + 1] as string);
  if (length !== undefined) headers.set("Content-Length", String(length));
  return new Response(body, { status: response.status, headers });
}

const encoder = new TextEncoder();

/** The content of a web request, with its declared length when it has one. */
export class WebContent implements ContentSource {
  readonly length: number | undefined;
  readonly #body: ReadableStream<Uint8Array> | null;

  constructor(request: Request) {
    const declared = request.headers.get("Content-Length");
    this.#body = request.body;
    if (this.#body === null) this.length = 0;
    else this.length = declared !== null && /^\d+$/.test(declared) ? Number(declared) : undefined;
  }

  async bytes(limit: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.stream(limit)) pieces.push(piece);
    return joinBytes(pieces);
  }

  async *stream(limit: number): AsyncGenerator<Uint8Array> {
    if (this.#body === null) return;
    const reader = this.#body.getReader();
    let left = limit;
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((cause: unknown) => {
          throw contentInterrupted(cause);
        });
        if (done) return;
        // A request made in this process may have a stream of anything, whose size says nothing.
        if (!(value instanceof Uint8Array)) throw new TypeError("The content of a web Request must be bytes");
        left -= value.byteLength;
        if (left < 0) throw contentTooLarge(limit);
        yield value;
      }
    } finally {
      // What is left is not wanted; of a stream that has ended or broken there is nothing to cancel.
      reader.cancel().catch(() => undefined);
    }
  }
}
