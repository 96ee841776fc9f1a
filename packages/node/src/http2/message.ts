import { constants, type ServerHttp2Stream } from "node:http2";
import type { HttpRequest, HttpResponse } from "waymark";
import type { HeaderList } from "waymark/fields";
import { headerLists, sentFields, syntax } from "waymark/internal";
import type { NodeMessage } from "../exchange/node-exchange.ts";
import type { AnswerNote } from "../memory/answer-memory.ts";
import { decodeTarget, type HeadLimits, refuseFields, refuseTarget, sizeOfLines } from "../messages/head-fields.ts";
import { type HeadRefusal, refusals } from "../refusals.ts";
import { type HeadFields, toHeadFields } from "./kept-head.ts";

/** A request on a stream of HTTP/2, and its response. */
export class Http2Message implements NodeMessage {
  readonly native: ServerHttp2Stream;
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderList;
  readonly contentTimeout: number;
  readonly note: AnswerNote<HeadFields> | undefined;
  #hasContinued = false;
  #sent: readonly string[] = [];

  /** @param requestTimeout how long content may be coming, in milliseconds */
  constructor(
    stream: ServerHttp2Stream,
    { method, target, headers }: Http2Head,
    requestTimeout: number,
    note: AnswerNote<HeadFields> | undefined,
  ) {
    this.native = stream;
    this.method = method;
    this.target = target;
    this.headers = headers;
    this.contentTimeout = requestTimeout;
    this.note = note;
  }

  get incoming(): ServerHttp2Stream | undefined {
    return this.native.endAfterHeaders ? undefined : this.native;
  }

  get outgoing(): ServerHttp2Stream {
    return this.native;
  }

  /** A stream that the client has reset as if nothing were amiss ends like one that is complete. */
  get isComplete(): boolean {
    return !this.native.closed;
  }

  get headSent(): boolean {
    return this.native.headersSent;
  }

  get isGone(): boolean {
    return this.native.destroyed || this.native.closed;
  }

  refuse(limits: HeadLimits): HeadRefusal | undefined {
    return refuseHead(this, limits);
  }

  /** A stream ends with its response, and the connection goes on with the others. */
  close(): void {}

  sendContinue(): void {
    const { native } = this;
    if (this.#hasContinued || !this.headers.has("Expect")) return;
    this.#hasContinued = true;
    if (!native.headersSent && !native.closed) native.additionalHeaders({ ":status": 100 });
  }

  sendHead(response: HttpResponse, length: number | undefined, isLast: boolean): void {
    // Node reads names and values in turn faster than it reads a dictionary.
    const fields = [":status", String(response.status)];
    headerLists.addHttp2Fields(sentFields.representedFields(response), fields);
    if (length !== undefined) fields.push("content-length", String(length));
    if (this.note !== undefined) this.#sent = fields;
    this.native.respond(fields, { endStream: isLast });
  }

  noteAnswer(
    exchange: { readonly method: string; readonly route: HttpRequest["route"] },
    response: HttpResponse,
    content: null | string | Uint8Array,
  ): void {
    this.note?.end(exchange, response, content, (renewed) => toHeadFields(this.#sent, renewed));
  }

  /** The head is sent as soon as it is made. */
  flush(): void {}

  /** Has the stream end with the response, even if the client has not sent all of its content (RFC 9113 §8.1). */
  discardRest(): void {
    const { native } = this;
    // In the next turn: what is not yet on its way when a stream is reset is not sent.
    native.once("finish", () => setImmediate(() => !native.readableEnded && native.close(constants.NGHTTP2_NO_ERROR)));
  }

  cut(): void {
    // `close` would end the stream before it resets it, so that the client took what it has for the whole.
    this.native.destroy(new Error("The response has failed"));
  }
}

/** The head of a request of HTTP/2 as HTTP/1.1 would have it. */
export type Http2Head = Pick<NodeMessage, "method" | "target" | "headers">;

/** Returns the refusal of a head that breaks HTTP or the limits; undefined when it is sound. */
export function refuseHead({ method, target, headers }: Http2Head, limits: HeadLimits): HeadRefusal | undefined {
  if (method === "CONNECT") return refusals.tunnel;
  return refuseFields(headers, sizeOfLines(headers), limits) ?? refuseTarget(method, target, limits);
}

/**
 * Reads a head: `:authority` is Host, and Cookie is one line (RFC 9113 §8.2.3, §8.3.1).
 *
 * @param raw names and values in turn, as Node has them; what breaks HTTP/2 itself, Node has refused by then
 */
export function readHead(raw: readonly string[]): Http2Head {
  let method = "";
  let path = "";
  let authority: string | undefined;
  const fields: string[] = [];
  const cookies: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    // A value is no shorter or longer for blanks around it (RFC 9110 §5.5), which HTTP/2 forbids and some send.
    const value = syntax.trimBlanks(raw[i + 1] as string);
    if (name === ":method") method = value;
    else if (name === ":path") path = value;
    else if (name === ":authority") {
      authority = value;
      fields.push("host", value);
    } else if (name === "cookie") cookies.push(value);
    // It may stand beside :authority as long as it is the same, and comes behind it.
    else if (!name.startsWith(":") && (name !== "host" || value !== authority)) fields.push(name, value);
  }
  if (cookies.length > 0) fields.push("cookie", cookies.join("; "));
  // CONNECT has no path, and is refused.
  return { method, target: decodeTarget(path), headers: headerLists.parsedHeaders(fields) };
}
