import type { Socket } from "node:net";
import type { HttpResponse } from "waymark";
import type { HeaderList } from "waymark/fields";
import { headerLists, requestTarget, sentFields } from "waymark/internal";
import type { IncomingContent } from "../content/incoming-content.ts";
import { type ServedConnection, ServedExchange } from "../exchange/served-exchange.ts";
import type { Output } from "../messages/output.ts";
import { chunkStart, lastChunk } from "./chunked.ts";
import type { Head } from "./head/head.ts";
import { firstLines, type ResponseHeads, toHeadText } from "./head/response-head.ts";

/** The connection of an exchange, as far as the exchange needs it. */
export interface ExchangeConnection extends ServedConnection {
  readonly socket: Socket;
  readonly output: Output;
  readonly ending: ExchangeEnding;
  readonly shared: { readonly heads: ResponseHeads };
  /** Goes on to the next response: that of this exchange has been written whole. */
  answered(exchange: Http1Exchange): void;
}

/** The end of a connection, as far as the exchange needs it (`Ending`). */
interface ExchangeEnding {
  decide(exchange: Http1Exchange, isFramed: boolean): void;
  cut(exchange: Http1Exchange): void;
}

/** A request on a connection and its response. */
export class Http1Exchange extends ServedExchange {
  readonly head: Head;
  readonly headers: HeaderList;
  /** The content that is still to come, or was; undefined without content. */
  readonly incoming: IncomingContent | undefined;
  /** The answer in place of the app's, for a message that is not acted on. */
  refusal: HttpResponse | undefined;
  headSent = false;
  /** Whether the response is for as long as the client listens: one that has ended its side has gone. */
  isEventStream = false;
  /** Whether the connection ends with this response. */
  closes: boolean;
  /** Whether the client holds its content back until it receives `100 Continue`. */
  awaitsContinue: boolean;
  readonly #connection: ExchangeConnection;
  #isChunked = false;
  /** The head, until the first piece goes out with it. */
  #start = "";

  constructor(connection: ExchangeConnection, head: Head, incoming: IncomingContent | undefined) {
    super(connection, head);
    this.head = head;
    const { note } = head;
    this.headers = requestTarget.withTargetHost(
      head.target,
      note ? headerLists.notedHeaders(head.headers, note.fields.note) : head.headers,
    );
    this.incoming = incoming;
    this.refusal = head.refusal?.response;
    this.closes = head.refusal?.closes === true || !head.keepsAlive;
    this.awaitsContinue = head.expectsContinue && incoming !== undefined;
    this.#connection = connection;
    if (incoming !== undefined) incoming.takePermit = this.permitsFor(incoming);
  }

  get native(): Socket {
    // What is read of it is not noted.
    this.head.note?.refuse();
    return this.#connection.socket;
  }

  protected openContent(): IncomingContent | undefined {
    return this.incoming;
  }

  /** Writes the head and the content, as one write where that is possible. */
  sendWhole(response: HttpResponse, content: null | string | Uint8Array, length: number | undefined): void {
    const { output } = this.#connection;
    const lines = headerLists.fieldLines(sentFields.representedFields(response));
    const framing = length === undefined ? "" : lengthLine(length);
    const start = this.#makeHead(response.status, lines, true, framing);
    if (this.head.note !== undefined) this.#note(response, lines + framing, content);
    if (content === null) output.latin1(start);
    else if (typeof content !== "string") output.bytes(start, content);
    else if (length === content.length) output.latin1(start + content);
    else if (isAscii(lines)) output.utf8(start + content);
    else output.bytes(start, Buffer.from(content));
    this.#connection.answered(this);
  }

  /** Makes the head: content is framed by its length or in chunks, and for HTTP/1.0, which has no chunks, by the end of the connection. */
  sendHead(response: HttpResponse, length: number | undefined): void {
    const lines = headerLists.fieldLines(sentFields.representedFields(response));
    this.isEventStream = response.headers.get("Content-Type") === "text/event-stream";
    this.#isChunked = length === undefined && this.head.minorVersion === 1;
    const unsized = this.#isChunked ? "Transfer-Encoding: chunked\r\n" : "";
    const framing = length === undefined ? unsized : lengthLine(length);
    this.#start = this.#makeHead(response.status, lines, framing !== "", framing);
    if (this.head.note !== undefined) this.#note(response, lines, undefined);
  }

  sendPiece(piece: string | Uint8Array): boolean {
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

  finish(): void {
    if (this.#isChunked) this.#connection.output.latin1(lastChunk);
    this.#connection.answered(this);
  }

  cut(): void {
    this.#connection.ending.cut(this);
  }

  protected giveUp(): void {
    this.#connection.output.giveUp();
  }

  override end(isSent: boolean): void {
    if (!isSent && !this.isOver) this.incoming?.break();
    super.end(isSent);
  }

  #note(response: HttpResponse, lines: string, content: null | string | Uint8Array | undefined): void {
    if (this.closes) return;
    this.head.note?.end(this, response, content, (renewed) => toHeadText(firstLines(response.status, lines), renewed));
  }

  #makeHead(status: number, lines: string, isFramed: boolean, framing: string): string {
    this.#connection.ending.decide(this, isFramed);
    this.headSent = true;
    return this.#connection.shared.heads.make(status, lines, framing, this.closes);
  }
}

const lengthLine = (length: number): string => `Content-Length: ${length}\r\n`;

const isAscii = (text: string): boolean => !/[\x80-\xff]/.test(text);
