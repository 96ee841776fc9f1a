import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { HttpError, internalError } from "../problem.ts";
import type { HttpResponse } from "../response.ts";
import {
  type BodySource,
  declaredLength,
  handlerFields,
  hasNoContent,
  isStreamed,
  openBody,
  type StreamedBody,
  unsentLength,
} from "../response-body.ts";
import { type Outcome, writePieces } from "./body-writer.ts";
import type { Http2Exchange } from "./http2-exchange.ts";

/** Sends the response. Whatever goes wrong becomes a 500, or a reset stream once the head is out; never throws. */
export function sendHttp2(exchange: Http2Exchange, answer: HttpResponse): void {
  try {
    const { native, method } = exchange;
    const { status, body } = answer;
    if (!isStreamed(body)) sendWhole(exchange, answer);
    else if (!isOver(native) && !hasNoContent(method, status)) sendPieces(exchange, answer, body);
    else {
      endBody(exchange, openBody(body, answer.headers));
      sendWhole(exchange, answer);
    }
  } catch (error) {
    failHttp2(exchange, error);
  }
}

/** Sends what the error is, if it is a response, or else reports it and sends a 500. Never throws. */
export function failHttp2(exchange: Http2Exchange, error: unknown): void {
  const { native } = exchange;
  if (error instanceof HttpError && !native.headersSent) {
    sendHttp2(exchange, error.response);
    return;
  }
  exchange.fault(error);
  if (native.headersSent) native.destroy(new Error("The response has failed"));
  else sendWhole(exchange, internalError);
}

function sendWhole(exchange: Http2Exchange, answer: HttpResponse): void {
  const { native, method } = exchange;
  if (isOver(native)) return;
  const { status, body } = answer;
  const content = isStreamed(body) || body === null ? "" : body;
  const unsent = hasNoContent(method, status);
  const length = unsent ? unsentLength(answer, Buffer.byteLength) : Buffer.byteLength(content);
  const endStream = unsent || length === 0;
  native.respond(toHttp2Fields(answer, length), { endStream });
  finish(exchange, endStream ? undefined : content);
}

function sendPieces(exchange: Http2Exchange, answer: HttpResponse, body: StreamedBody): void {
  const { native, context } = exchange;
  const source = openBody(body, answer.headers);
  const onClose = (): void => endBody(exchange, source);
  const settle = (outcome: Outcome): void => {
    if (outcome === "abandoned") return;
    native.off("close", onClose);
    if (outcome === "empty") sendWhole(exchange, answer.withBody(""));
    else finish(exchange, undefined);
  };
  native.once("close", onClose);
  const writeHead = (): void => native.respond(toHttp2Fields(answer, declaredLength(answer.headers)));
  writePieces(native, source, writeHead, () => cutWhenStalled(native, context.writeTimeout))
    .then(settle)
    .catch((error: unknown) => {
      // What fails once the client has gone is how its work was stopped.
      if (isOver(native)) return;
      native.off("close", onClose);
      endBody(exchange, source);
      failHttp2(exchange, error);
    });
}

/** Ends the response, and the stream with it, even if the client has not sent all of its content (RFC 9113 §8.1). */
function finish({ native, context }: Http2Exchange, content: string | Uint8Array | undefined): void {
  if (!native.endAfterHeaders) {
    // In the next turn: what is not yet on its way when a stream is reset is not sent.
    native.once("finish", () => setImmediate(() => !native.readableEnded && native.close(constants.NGHTTP2_NO_ERROR)));
  }
  cutWhenStalled(native, context.writeTimeout);
  native.end(content);
}

/** Resets the stream when the client takes nothing of it for this long; returns what stops that. */
function cutWhenStalled(stream: ServerHttp2Stream, timeout: number): () => void {
  if (timeout === 0) return () => undefined;
  const cut = (): void => stream.close(constants.NGHTTP2_CANCEL);
  stream.setTimeout(timeout, cut);
  return () => {
    stream.off("timeout", cut);
    stream.setTimeout(0);
  };
}

/** The fields by lower-case name, without those of a connection, which HTTP/2 has not (RFC 9113 §8.2.2). */
function toHttp2Fields(answer: HttpResponse, length: number | undefined): OutgoingHttpHeaders {
  const fields: Record<string, number | string | string[]> = { ":status": answer.status };
  const flat = handlerFields(answer);
  for (let i = 0; i < flat.length; i += 2) {
    const name = (flat[i] as string).toLowerCase();
    if (connectionFields.has(name)) continue;
    const value = flat[i + 1] as string;
    const others = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (others === undefined) fields[name] = value;
    else if (name === "set-cookie") fields[name] = [others, value].flat().map(String);
    else fields[name] = `${others}, ${value}`;
  }
  if (length !== undefined) fields["content-length"] = length;
  return fields;
}

const connectionFields: ReadonlySet<string> = new Set(["upgrade", "proxy-connection", "http2-settings", "te"]);

function endBody(exchange: Http2Exchange, source: BodySource): void {
  source.cancel().catch((error: unknown) => exchange.fault(error));
}

const isOver = (stream: ServerHttp2Stream): boolean => stream.destroyed || stream.closed;
