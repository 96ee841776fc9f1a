import type { IncomingMessage, ServerResponse } from "node:http";
import { andThen } from "../and-then.ts";
import { bufferedSource, RequestContent } from "../content/request-content.ts";
import type { Client, MatchedRoute } from "../exchange.ts";
import { type HeaderList, parsedHeaders } from "../fields/header-list.ts";
import { noVariables } from "../path/pattern.ts";
import type { RequestTarget } from "../path/target.ts";
import { HttpError, internalError } from "../problem.ts";
import { type Exchange, HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";
import { declaredLength, handlerFields, hasNoContent, isStreamed, openBody, unsentLength } from "../response-body.ts";
import { handleReceived, type Received, type Servable, type ServedApp, served } from "../served-app.ts";
import { writePieces } from "./body-writer.ts";
import { canonicalAddress, isEncrypted } from "./client.ts";
import { NodeContent } from "./content.ts";

/**
 * Makes a listener of an app for an `http.Server` that is there already, or for what is mounted in one. Limits, timeouts and
 * the shutdown are that server's.
 *
 * ```ts
 * http.createServer(toNodeListener(app));
 * express().use("/people", toNodeListener(app));   // before whatever reads the content of requests
 * ```
 */
export function toNodeListener(app: Servable): (message: IncomingMessage, response: ServerResponse) => void {
  return (message, response) => {
    const exchange = new ListenerExchange(app[served], message, response);
    const send = (answer: HttpResponse): Promise<void> => sendAnswer(exchange, answer).catch(fail);
    const fail = (error: unknown): void => failAnswer(exchange, error);
    try {
      void andThen(handleReceived(exchange.app, exchange), send, fail);
    } catch (error) {
      fail(error);
    }
  };
}

/** A request of a Node server and its response, as far as the app sees them. */
class ListenerExchange implements Exchange, Received {
  readonly app: ServedApp;
  readonly native: IncomingMessage;
  readonly response: ServerResponse;
  request: HttpRequest | undefined;
  route: MatchedRoute | undefined;
  readonly #headers: HeaderList;
  #content: RequestContent | undefined;
  #abort: AbortController | undefined;

  constructor(app: ServedApp, message: IncomingMessage, response: ServerResponse) {
    this.app = app;
    this.native = message;
    this.response = response;
    this.#headers = parsedHeaders(message.rawHeaders);
  }

  get method(): string {
    return this.native.method as string; // a server's request always has a method and a target
  }

  get target(): string {
    return this.native.url as string;
  }

  receive({ path, search }: RequestTarget): HttpRequest {
    this.request = new HttpRequest(this.method, path, search, this.#headers, this, noVariables);
    return this.request;
  }

  /** The peer of the connection: a proxy in front is the other server's business. */
  get client(): Client {
    const { socket } = this.native;
    const address = canonicalAddress(socket.remoteAddress ?? "");
    return { address, scheme: isEncrypted(socket) ? "https" : "http", host: this.#headers.get("Host") };
  }

  get content(): RequestContent {
    this.#content ??= new RequestContent(this.#source(), this.app.content);
    return this.#content;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      this.#abort = abort;
      this.onEnd(() => {
        if (!this.response.writableFinished) abort.abort(new DOMException("The client has gone", "AbortError"));
      });
    }
    return this.#abort.signal;
  }

  onEnd(listener: () => void): void {
    if (this.response.destroyed) listener();
    else this.response.once("close", listener);
  }

  #source(): ReturnType<typeof bufferedSource> {
    const { native } = this;
    const { "content-length": length, "transfer-encoding": coding } = native.headers;
    if (coding === undefined && (length === undefined || length === "0")) return bufferedSource(undefined);
    const declared = coding === undefined ? Number(length) : undefined;
    return new NodeContent(native, declared, { begin: () => undefined, isComplete: () => native.complete });
  }
}

async function sendAnswer(exchange: ListenerExchange, answer: HttpResponse): Promise<void> {
  const { response, method } = exchange;
  const { status, body, headers } = answer;
  const source = isStreamed(body) ? openBody(body, headers) : undefined;
  const writeHead = (length: number | undefined): void => {
    const fields = length === undefined ? [] : ["Content-Length", String(length)];
    response.writeHead(status, [...handlerFields(answer), ...fields]);
  };
  if (response.destroyed || hasNoContent(method, status)) {
    await source?.cancel();
    if (response.destroyed) return;
    writeHead(unsentLength(answer, Buffer.byteLength));
    response.end();
  } else if (source === undefined) {
    const content = (body ?? "") as string | Uint8Array; // it is not streamed
    writeHead(Buffer.byteLength(content));
    response.end(content);
  } else {
    const onClose = (): void => {
      source.cancel().catch((error: unknown) => exchange.app.fault(error, exchange.request));
    };
    response.once("close", onClose);
    const begin = (): void => writeHead(declaredLength(headers));
    const outcome = await writePieces(response, source, begin, () => () => undefined);
    if (outcome === "abandoned") return;
    response.off("close", onClose);
    if (outcome === "empty") writeHead(0);
    response.end();
  }
}

function failAnswer(exchange: ListenerExchange, error: unknown): void {
  const { app, response, request } = exchange;
  // What fails once the client has gone is how its work was stopped.
  if (response.destroyed) return;
  const isAnswer = error instanceof HttpError;
  if (!isAnswer || response.headersSent) app.fault(error, request);
  // Cut in the midst of a response, so that the client cannot take what it has for the whole.
  if (response.headersSent) response.destroy();
  else sendAnswer(exchange, isAnswer ? error.response : internalError).catch(() => response.destroy());
}
