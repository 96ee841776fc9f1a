import { writeFields } from "../adapters/node/internals.ts";
import { fieldLines } from "../fields/header-list.ts";
import { HttpError, problem } from "../problem.ts";
import { problemTypes } from "../problem-types.ts";
import type { HttpResponse } from "../response.ts";
import {
  type BodySource,
  declaredLength,
  hasNoContent,
  isStreamed,
  openBody,
  representedFields,
  type StreamedBody,
  unsentLength,
} from "../response-body.ts";
import { type Outcome, writePieces } from "./body-writer.ts";
import { cutWhenStalled } from "./closing.ts";
import { drain } from "./content.ts";
import type { NodeExchange } from "./http1-exchange.ts";

/** Sends the response. Whatever goes wrong becomes a 500, or a cut connection once the head is out; never throws. */
export function send(exchange: NodeExchange, answer: HttpResponse): void {
  try {
    const { native, response } = exchange;
    const { status, body } = answer;
    if (!isStreamed(body)) sendWhole(exchange, answer);
    else if (!response.destroyed && !hasNoContent(native.method as string, status)) sendPieces(exchange, answer, body);
    else {
      endBody(exchange, openBody(body, answer.headers));
      sendWhole(exchange, answer);
    }
  } catch (error) {
    fail(exchange, error);
  }
}

/** Sends what the error is, if it is a response, or else reports it and sends a 500. Never throws. */
export function fail(exchange: NodeExchange, error: unknown): void {
  const { response } = exchange;
  if (error instanceof HttpError && !response.headersSent) {
    send(exchange, error.response);
    return;
  }
  exchange.fault(error);
  if (response.headersSent) {
    cut(exchange);
    return;
  }
  // A head that Node refused has left its reason phrase behind.
  response.statusMessage = "";
  sendWhole(exchange, internalError);
}

/** Sends the head and, unless the response goes without, the text or the bytes: as one write where that is possible. */
function sendWhole(exchange: NodeExchange, answer: HttpResponse): void {
  const { native, response, context } = exchange;
  if (response.destroyed) return;
  const { status, body } = answer;
  const headers = representedFields(answer);
  let content: string | Uint8Array = "";
  let encoding: BufferEncoding = "latin1";
  let length: number | undefined = 0;
  if (hasNoContent(native.method as string, status)) {
    length = unsentLength(answer, Buffer.byteLength);
  } else if (typeof body === "string") {
    length = Buffer.byteLength(body);
    content = body;
    if (length !== body.length) {
      // Node writes the head in the encoding of the text that follows it, and fields are Latin-1.
      if (isNotAscii(fieldLines(headers))) content = Buffer.from(body);
      else encoding = "utf8";
    }
  } else if (body instanceof Uint8Array) {
    length = body.byteLength;
    content = body;
  }
  const unread = exchange.hasUnreadContent;
  const tooLong = unread && (exchange.contentLength ?? 0) > context.drainLimit;
  if (tooLong || context.connections.closing) response.shouldKeepAlive = false;
  writeFields(response, status, headers, length);
  if (unread) {
    sendThenDrain(exchange, content, encoding);
  } else {
    response.end(content, encoding);
    if (response.writableLength > 0) holdEnded(exchange);
  }
}

// The response is complete for the client before it is ended here: ending may close the connection, and a connection that
// is closed on content that was not read takes the response with it (RFC 9112 §9.6).
function sendThenDrain(exchange: NodeExchange, content: string | Uint8Array, encoding: BufferEncoding): void {
  const { native, response, context } = exchange;
  context.connections.hold(response);
  if (content.length > 0) response.write(content, encoding);
  else response.flushHeaders();
  drain(native, context, (complete) => {
    if (response.destroyed) return;
    response.end();
    if (response.writableLength > 0) holdEnded(exchange);
    if (!complete) native.socket.destroySoon();
  });
}

/** For a response that is made, and that the client has not yet taken. */
function holdEnded({ response, context }: NodeExchange): void {
  context.connections.hold(response);
  response.once("close", cutWhenStalled(response, context.writeTimeout));
}

function sendPieces(exchange: NodeExchange, answer: HttpResponse, body: StreamedBody): void {
  const { response, context } = exchange;
  const source = openBody(body, answer.headers);
  const onClose = (): void => endBody(exchange, source);
  const finish = (outcome: Outcome): void => {
    if (outcome === "abandoned") return;
    response.off("close", onClose);
    if (outcome === "empty") sendWhole(exchange, answer.withBody(""));
    else endPieces(exchange);
  };
  context.connections.hold(response);
  response.once("close", onClose);
  const watch = (): (() => void) => cutWhenStalled(response, context.writeTimeout);
  writePieces(response, source, () => writeHeadOfPieces(exchange, answer), watch)
    .then(finish)
    .catch((error: unknown) => {
      // What fails once the client has gone is how its work was stopped.
      if (response.destroyed) return;
      response.off("close", onClose);
      endBody(exchange, source);
      fail(exchange, error);
    });
}

function writeHeadOfPieces({ native, response, context }: NodeExchange, answer: HttpResponse): void {
  if (context.connections.closing) response.shouldKeepAlive = false;
  // HTTP/1.0 has no chunks, even when it asks for them: the content ends with the connection (RFC 9112 §6.1).
  if (native.httpVersionMinor === 0) response.useChunkedEncodingByDefault = false;
  writeFields(response, answer.status, representedFields(answer), declaredLength(answer.headers));
}

function endPieces(exchange: NodeExchange): void {
  const { native, response, context, hasUnreadContent } = exchange;
  response.end();
  if (response.writableLength > 0) holdEnded(exchange);
  if (!hasUnreadContent) return;
  drain(native, context, (complete) => {
    if (!complete) native.socket.destroySoon();
  });
}

function endBody(exchange: NodeExchange, source: BodySource): void {
  source.cancel().catch((error: unknown) => exchange.fault(error));
}

/** Cuts the connection in the midst of a response, so that the client cannot take what it has for the whole. */
function cut({ native, response }: NodeExchange): void {
  const { socket } = native;
  if (response.socket === null) {
    // It is not yet this response's turn to be sent, and those before it are sound.
    response.once("socket", () => socket.destroy());
  } else if (native.httpVersionMinor === 0) {
    // To HTTP/1.0, content that ends with the connection is whole unless the connection breaks (RFC 9112 §8).
    socket.resetAndDestroy();
  } else {
    // What was written still goes out: a client that has received nothing may take it that nothing was done.
    while (response.writableCorked > 0) response.uncork();
    socket.destroySoon();
  }
}

const isNotAscii = (text: string): boolean => /[\x80-\xff]/.test(text);
const internalError = problem(problemTypes.internalError);
