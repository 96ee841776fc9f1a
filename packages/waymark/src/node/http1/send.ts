import { fieldLines } from "../../fields/header-list.ts";
import { HttpError, internalError } from "../../problem.ts";
import type { HttpResponse } from "../../response.ts";
import {
  type BodySource,
  declaredLength,
  hasNoContent,
  isStreamed,
  openBody,
  type Piece,
  representedFields,
  type StreamedBody,
  unsentLength,
} from "../../response-body.ts";
import { type PieceSink, writePieces } from "../body-writer.ts";
import { Takeover } from "../upgrade.ts";
import { chunkStart, lastChunk } from "./chunked.ts";
import type { Http1Exchange } from "./exchange.ts";
import type { Output } from "./output.ts";
import type { ResponseHeads } from "./response-head.ts";

/** What the sender of responses needs of the connection that they go out on. */
export interface SendingConnection {
  readonly output: Output;
  readonly heads: ResponseHeads;
  /**
   * Decides whether the connection ends with the response, before its head is made.
   *
   * @param isFramed whether the client can find the end of the response
   */
  decideEnd(exchange: Http1Exchange, isFramed: boolean): void;
  /** Goes on to the next response: that of this exchange has been written whole. */
  answered(exchange: Http1Exchange): void;
  /** Ends the connection in the midst of a response, so that the client cannot take what it has for the whole. */
  cut(exchange: Http1Exchange): void;
  /** Hands the connection over instead of sending a response, and has nothing more to do with it. */
  handOver(exchange: Http1Exchange, takeover: Takeover): void;
}

/** Sends the answer, whose turn it is. Whatever goes wrong becomes a 500, or a cut connection once the head is out; never throws. */
export function send(connection: SendingConnection, exchange: Http1Exchange, answer: HttpResponse): void {
  try {
    const { status, body } = answer;
    if (!isStreamed(body)) sendWhole(connection, exchange, answer, body);
    else if (body instanceof Takeover && exchange.head.asksForUpgrade) connection.handOver(exchange, body);
    else if (hasNoContent(exchange.head.method, status)) {
      cancelBody(exchange, answer);
      sendWhole(connection, exchange, answer, null);
    } else sendPieces(connection, exchange, answer, body);
  } catch (error) {
    fail(connection, exchange, error);
  }
}

/** Ends the body of an answer that is not sent. */
export function cancelBody(exchange: Http1Exchange, { body, headers }: HttpResponse): void {
  try {
    if (isStreamed(body)) endSource(exchange, openBody(body, headers));
  } catch (error) {
    exchange.fault(error);
  }
}

function fail(connection: SendingConnection, exchange: Http1Exchange, error: unknown): void {
  if (error instanceof HttpError && !exchange.headSent) {
    send(connection, exchange, error.response);
    return;
  }
  exchange.fault(error);
  if (exchange.headSent) connection.cut(exchange);
  else sendWhole(connection, exchange, internalError, internalError.body as string); // a problem document is text
}

/** Sends the head and, unless the response goes without, the text or the bytes: as one write where that is possible. */
function sendWhole(
  connection: SendingConnection,
  exchange: Http1Exchange,
  answer: HttpResponse,
  body: null | string | Uint8Array,
): void {
  const { output } = connection;
  const { status } = answer;
  const unsent = hasNoContent(exchange.head.method, status);
  const length = unsent ? unsentLength(answer, Buffer.byteLength) : body === null ? 0 : Buffer.byteLength(body);
  const fields = fieldLines(representedFields(answer));
  connection.decideEnd(exchange, true);
  const framing = length === undefined ? "" : `Content-Length: ${length}\r\n`;
  const start = responseHead(connection, exchange, status, fields, framing);
  if (unsent || body === null) output.latin1(start);
  else if (typeof body !== "string") output.bytes(start, body);
  else if (length === body.length) output.latin1(start + body);
  else if (isAscii(fields)) output.utf8(start + body);
  else output.bytes(start, Buffer.from(body));
  connection.answered(exchange);
}

function sendPieces(
  connection: SendingConnection,
  exchange: Http1Exchange,
  answer: HttpResponse,
  body: StreamedBody,
): void {
  const source = openBody(body, answer.headers);
  const writer = new PieceWriter(connection, exchange, answer);
  exchange.stopSending = (): void => {
    exchange.stopSending = undefined;
    writer.destroyed = true;
    endSource(exchange, source);
  };
  writePieces(
    writer,
    source,
    () => writer.begin(),
    () => () => undefined,
  )
    .then((outcome) => {
      if (outcome === "abandoned" || writer.destroyed) return;
      exchange.stopSending = undefined;
      if (outcome === "empty") sendWhole(connection, exchange, answer, null);
      else {
        writer.end();
        connection.answered(exchange);
      }
    })
    .catch((error: unknown) => {
      // What fails once the client has gone is how its work was stopped.
      if (writer.destroyed) return;
      exchange.stopSending?.();
      fail(connection, exchange, error);
    });
}

/** Writes the pieces of a response: in chunks, or as they are where the length or the end of the connection frames them. */
class PieceWriter implements PieceSink {
  /** Whether nobody takes what is written any more. */
  destroyed = false;
  readonly #connection: SendingConnection;
  readonly #exchange: Http1Exchange;
  readonly #answer: HttpResponse;
  #isChunked = false;
  /** The head, until the first piece goes out with it. */
  #start = "";

  constructor(connection: SendingConnection, exchange: Http1Exchange, answer: HttpResponse) {
    this.#connection = connection;
    this.#exchange = exchange;
    this.#answer = answer;
  }

  begin(): void {
    const exchange = this.#exchange;
    const length = declaredLength(this.#answer.headers);
    const lines = fieldLines(representedFields(this.#answer));
    // HTTP/1.0 has no chunks: content of unknown length ends with the connection (RFC 9112 §6.1, §6.3).
    this.#isChunked = length === undefined && exchange.head.minorVersion === 1;
    this.#connection.decideEnd(exchange, length !== undefined || this.#isChunked);
    const framing =
      length === undefined
        ? this.#isChunked
          ? "Transfer-Encoding: chunked\r\n"
          : ""
        : `Content-Length: ${length}\r\n`;
    this.#start = responseHead(this.#connection, exchange, this.#answer.status, lines, framing);
  }

  /** Returns whether there is room for more. */
  write(piece: Piece): boolean {
    const { output } = this.#connection;
    const start = this.#start;
    this.#start = "";
    const length = typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
    if (length === 0) output.latin1(start);
    else {
      const before = this.#isChunked ? start + chunkStart(length) : start;
      const after = this.#isChunked ? "\r\n" : "";
      if (typeof piece !== "string") output.bytes(before, piece, after);
      else if (length === piece.length) output.latin1(before + piece + after);
      else output.bytes(before, Buffer.from(piece), after);
    }
    return !output.isFull;
  }

  end(): void {
    if (this.#isChunked) this.#connection.output.latin1(lastChunk);
  }

  on(event: "drain" | "close", listener: () => void): void {
    if (event === "drain") this.#exchange.resumeSending = listener;
    else this.#exchange.native.on(event, listener);
  }

  off(event: "drain" | "close", listener: () => void): void {
    if (event === "drain") this.#exchange.resumeSending = undefined;
    else this.#exchange.native.off(event, listener);
  }
}

function responseHead(
  connection: SendingConnection,
  exchange: Http1Exchange,
  status: number,
  lines: string,
  framing: string,
): string {
  exchange.headSent = true;
  return connection.heads.make(status, lines, framing, exchange.closes);
}

function endSource(exchange: Http1Exchange, source: BodySource): void {
  source.cancel().catch((error: unknown) => exchange.fault(error));
}

const isAscii = (text: string): boolean => !/[\x80-\xff]/.test(text);
