import { constants, type ServerHttp2Stream } from "node:http2";
import type { HttpResponse } from "waymark";
import type { HeaderList } from "waymark/fields";
import { addHttp2Fields, type Piece, representedFields } from "waymark/internal";
import { type IncomingContent, readableContent } from "../content/incoming-content.ts";
import { UnreadContent } from "../content/unread-content.ts";
import type { AnswerMemory, AnswerNote } from "../memory/answer-memory.ts";
import { RepeatedAnswer } from "../memory/repeated-answer.ts";
import { Output } from "../output.ts";
import { incomplete } from "../refusals.ts";
import { appOf, type ServedConnection, SingleExchange } from "../served-exchange.ts";
import type { UnsentHolder } from "../unsent.ts";
import { type Http2Head, readHttp2Head, refuseHttp2Head } from "./head.ts";
import { type HeadFields, toFields, toHeadFields } from "./kept-head.ts";

/** The session of an exchange, as far as the exchange needs it. */
export interface ExchangeSession extends ServedConnection {
  /** Answers of the app that may be sent again; undefined without. */
  readonly memory: AnswerMemory<HeadFields> | undefined;
  /** The round in which the last of its heads was read (`AskedSources`); with a memory. */
  readonly round: number;
  /** To be called when the client has taken something. */
  drained(): void;
}

/** A request on a stream of HTTP/2 and its response. */
export class Http2Exchange extends SingleExchange implements UnsentHolder {
  readonly native: ServerHttp2Stream;
  recording: AnswerNote<HeadFields> | undefined;
  readonly #raw: readonly string[];
  #head: Http2Head | undefined;
  readonly #session: ExchangeSession;
  /** Its place among those of the session. */
  place = 0;
  #output: Output | undefined;
  /** Bytes of short content that Node keeps until the client has room for it. */
  #handed = 0;
  #isCounted = false;
  readonly #unread: UnreadContent | undefined;
  #hasContinued = false;
  #listensForRoom = false;
  /** For how long content has been coming, in milliseconds. */
  #waited = 0;

  /** @param raw names and values in turn, as Node has them */
  constructor(stream: ServerHttp2Stream, raw: readonly string[], session: ExchangeSession) {
    super(session);
    this.native = stream;
    this.#raw = raw;
    this.#session = session;
    this.#unread = stream.endAfterHeaders
      ? undefined
      : new UnreadContent(stream, session.context.unreadContents, ({ response }) => this.answerInstead(response));
  }

  get head(): Http2Head {
    this.#head ??= readHttp2Head(this.#raw);
    return this.#head;
  }

  /** Answers the request, from memory if the answer is there. */
  begin(): void {
    const found = this.#find();
    if (found instanceof RepeatedAnswer) {
      const { content } = found;
      if (found.isObserved) this.onEnd((isSent) => found.end(isSent));
      this.native.respond(toFields(found), { endStream: content === "" });
      if (content !== "") this.#endWith(content, "latin1");
    } else {
      this.recording = found;
      this.answer(refuseHttp2Head(this.head, this.context));
    }
  }

  #find(): RepeatedAnswer<HeadFields> | AnswerNote<HeadFields> | undefined {
    const raw = this.#raw;
    const { memory, peer } = this.#session;
    if (memory === undefined || appOf(this.context).isRepeatable === undefined) return undefined;
    // The method stands before the names and values that a client may choose.
    const method = raw[raw.indexOf(":method") + 1];
    if (!this.native.endAfterHeaders || (method !== "GET" && method !== "HEAD")) return undefined;
    // Neither names nor values have this character. Node does not say which heads it has read at once.
    const head = raw.join("\0");
    return memory.find(peer.isTrusted ? `\0${head}` : head, this.#session.round, peer, this);
  }

  /** To be called when the stream is closed. */
  closed(): void {
    const { native } = this;
    this.#output?.discard();
    this.#letGo();
    this.end(!native.aborted && native.rstCode === constants.NGHTTP2_NO_ERROR);
  }

  /** Made for what is more than one write, and for a client that is slow to take that. */
  get #slowOutput(): Output {
    this.#output ??= new Output(
      this.native,
      this.context,
      () => this.#drained(),
      () => this.cut(),
    );
    return this.#output;
  }

  #drained(): void {
    this.resumeSending?.();
    this.#session.drained();
  }

  get headers(): HeaderList {
    return this.head.headers;
  }

  protected openContent(): IncomingContent | undefined {
    const { native } = this;
    if (native.endAfterHeaders) return undefined;
    const length = this.headers.get("Content-Length");
    const declared = length === undefined ? undefined : Number(length);
    // A stream that the client has reset as if nothing were amiss ends like one that is complete.
    const isComplete = (): boolean => !native.closed;
    const begin = (): void => {
      this.#unread?.readBy(content);
      this.#continue();
    };
    const content = readableContent(native, declared, isComplete, begin);
    content.share = this.countContent(content);
    return content;
  }

  /** Lets a client send its content that holds it back until it receives `100 Continue` (RFC 9110 §10.1.1). */
  #continue(): void {
    const { native } = this;
    if (this.#hasContinued || !this.headers.has("Expect")) return;
    this.#hasContinued = true;
    if (!native.headersSent && !native.closed) native.additionalHeaders({ ":status": 100 });
  }

  /** Looks for what takes too long; `elapsed` are the milliseconds since the last call. */
  look(elapsed: number): void {
    const { native } = this;
    const { requestTimeout } = this.context;
    if (this.#output !== undefined || native.writableLength > 0) this.#slowOutput.look(elapsed);
    if (requestTimeout === 0 || native.endAfterHeaders || native.readableEnded) return;
    this.#waited += elapsed;
    if (this.#waited > requestTimeout) this.answerInstead(incomplete.late);
  }

  /** How many bytes of the response wait for the client. */
  get unsent(): number {
    return (this.#output?.unsent ?? 0) + this.#handed;
  }

  get still(): number {
    return this.#output?.still ?? 0;
  }

  override get isOver(): boolean {
    return super.isOver || this.native.destroyed || this.native.closed;
  }

  get headSent(): boolean {
    return this.native.headersSent;
  }

  sendWhole(response: HttpResponse, content: null | string | Uint8Array, length: number | undefined): void {
    const { native } = this;
    const endStream = content === null || length === 0;
    const fields = toHttp2Fields(response, length);
    this.recording?.end(this, response, content, (renewed) => toHeadFields(fields, renewed));
    native.respond(fields, { endStream });
    this.#resetUnread();
    if (endStream) return;
    if (content.length <= mostAtOnce) this.#endWith(content, "utf8");
    else {
      this.sendPiece(content);
      this.#slowOutput.end();
    }
  }

  /** Hands short content to Node. To count it among what waits for all clients took 2 µs: few of a session are not. */
  #endWith(content: string | Uint8Array, encoding: "latin1" | "utf8"): void {
    this.native.end(content, encoding);
    this.#handed = content.length;
    if (this.place < mostUncounted) return;
    this.#isCounted = true;
    this.context.unsent.hold(this, content.length);
  }

  #letGo(): void {
    const length = this.#handed;
    this.#handed = 0;
    if (this.#isCounted) this.context.unsent.release(this, length);
    this.#isCounted = false;
  }

  sendHead(response: HttpResponse, length: number | undefined): void {
    this.native.respond(toHttp2Fields(response, length));
  }

  sendPiece(piece: Piece): boolean {
    const output = this.#slowOutput;
    if (typeof piece !== "string") output.bytes("", piece);
    else if (piece !== "") output.utf8(piece);
    if (!output.isFull) return true;
    if (!this.#listensForRoom) this.native.on("drain", () => output.resume());
    this.#listensForRoom = true;
    return false;
  }

  finish(): void {
    this.#resetUnread();
    this.#slowOutput.end();
  }

  /** Has the stream end with the response, even if the client has not sent all of its content (RFC 9113 §8.1). */
  #resetUnread(): void {
    const { native } = this;
    if (native.endAfterHeaders) return;
    // In the next turn: what is not yet on its way when a stream is reset is not sent.
    native.once("finish", () => setImmediate(() => !native.readableEnded && native.close(constants.NGHTTP2_NO_ERROR)));
  }

  cut(): void {
    // `close` would end the stream before it resets it, so that the client took what it has for the whole.
    this.native.destroy(new Error("The response has failed"));
  }

  giveUp(): void {
    this.#letGo();
    this.#slowOutput.giveUp();
  }
}

/** Bytes that are handed to Node as they are; what is longer is written in slices. */
const mostAtOnce = 16_384;

/** How many short answers of a session, at a time, count only for its own bound. */
const mostUncounted = 16;

/** The fields as names and values in turn, which Node reads faster than it reads a dictionary. */
function toHttp2Fields(response: HttpResponse, length: number | undefined): string[] {
  const fields = [":status", String(response.status)];
  addHttp2Fields(representedFields(response), fields);
  if (length !== undefined) fields.push("content-length", String(length));
  return fields;
}
