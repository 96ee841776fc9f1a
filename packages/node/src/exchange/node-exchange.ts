import type { Readable, Writable } from "node:stream";
import type { HttpResponse } from "waymark";
import type { HeaderList } from "waymark/fields";
import { headerLists } from "waymark/internal";
import { Takeover } from "../connections/upgrade.ts";
import { type IncomingContent, readableContent } from "../content/incoming-content.ts";
import type { HeadLimits } from "../messages/head-fields.ts";
import { Output } from "../messages/output.ts";
import { type HeadRefusal, incomplete } from "../refusals.ts";
import { type RecordingNote, type ServedConnection, ServedExchange } from "./served-exchange.ts";

/** A request that Node has read and its response: of `node:http`, or a stream of `node:http2`. */
export interface NodeMessage {
  /** What handlers see as `request.native`. */
  readonly native: unknown;
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderList;
  /** What the content comes from; undefined without content. */
  readonly incoming: Readable | undefined;
  /** Whether somebody has read the content before the app got the request. */
  readonly isUsedUp?: boolean;
  /** Whether all content has come that the client meant to send. */
  readonly isComplete: boolean;
  /** What the content of the response is written to. */
  readonly outgoing: Writable;
  readonly headSent: boolean;
  /** Whether there is nobody to answer any more. */
  readonly isGone: boolean;
  /** How long content may be coming, in milliseconds; 0 where Node watches it. */
  readonly contentTimeout: number;
  /** Notes the answer, where it may be kept in memory. */
  readonly note?: RecordingNote | undefined;
  /** Returns the refusal of a head that Node has let pass; undefined when it is sound. */
  refuse(limits: HeadLimits): HeadRefusal | undefined;
  /** Has the connection end with the response. */
  close(): void;
  /** Lets a client send its content that holds it back until it receives `100 Continue` (RFC 9110 §10.1.1). */
  sendContinue(): void;
  /** @param isLast whether nothing follows the head */
  sendHead(response: HttpResponse, length: number | undefined, isLast: boolean): void;
  /** Notes the answer whose head has been sent. */
  noteAnswer?(exchange: NodeExchange, response: HttpResponse, content: null | string | Uint8Array): void;
  /** Sends the head alone. */
  flush(): void;
  /** Lets go of what has not been read of the content: the response is whole. */
  discardRest(): void;
  /** Breaks the response off, so that the client cannot take what it has for the whole. */
  cut(): void;
  /** Hands the connection over, where the request has asked for another protocol. */
  readonly takeOver?: ((takeover: Takeover, exchange: NodeExchange) => void) | undefined;
}

/** The exchange of a message that Node has read. */
export class NodeExchange extends ServedExchange {
  readonly message: NodeMessage;
  readonly headers: HeaderList;
  readonly #output: Output;
  /** What has come of the content, and who reads it. */
  incoming: IncomingContent | undefined;
  /** The answer in place of the app's; undefined while the app answers. */
  #refusal: HttpResponse | undefined;
  /** For how long content has been coming, in milliseconds. */
  #waited = 0;

  constructor(message: NodeMessage, connection: ServedConnection) {
    super(connection, message);
    const { outgoing } = message;
    this.message = message;
    const { note } = message;
    this.headers = note === undefined ? message.headers : headerLists.notedHeaders(message.headers, note.fields.note);
    this.#output = new Output(
      outgoing,
      this.context,
      () => this.resumeSending?.(),
      () => message.cut(),
    );
    outgoing.on("drain", () => this.#output.resume());
  }

  get native(): unknown {
    // What is read of it is not noted.
    this.recording?.refuse();
    return this.message.native;
  }

  /** Answers the request, unless its head is refused. */
  begin(): void {
    const refusal = this.message.refuse(this.context);
    if (refusal?.closes) this.message.close();
    this.answer(refusal?.response);
  }

  /** Has the app answer, or in its place this refusal; what was being answered before is not sent. */
  answer(refusal?: HttpResponse): void {
    this.#refusal = refusal;
    this.stopSending?.();
    const settle = (response: HttpResponse): void => {
      if (this.#refusal !== refusal) this.cancelBody(response);
      else if (this.message.takeOver !== undefined && response?.body instanceof Takeover) {
        this.end(true);
        this.message.takeOver(response.body, this);
      } else this.send(response);
    };
    this.askApp(settle, refusal);
  }

  /** Sends this in place of the app's answer, or cuts an answer that has begun; once. */
  answerInstead(refusal: HttpResponse): void {
    if (this.#refusal === refusal) return;
    if (this.headSent) this.cut();
    else this.answer(refusal);
  }

  /** To be called when nothing more can be sent. */
  closed(isSent: boolean): void {
    this.#output.discard();
    this.end(isSent);
  }

  /** Looks for what takes too long; `elapsed` are the milliseconds since the last call. */
  look(elapsed: number): void {
    const { incoming, contentTimeout } = this.message;
    this.#output.look(elapsed);
    if (contentTimeout === 0 || incoming === undefined || incoming.readableEnded) return;
    this.#waited += elapsed;
    if (this.#waited > contentTimeout) this.answerInstead(incomplete.late);
  }

  protected openContent(): IncomingContent | undefined {
    const { message } = this;
    if (message.incoming === undefined) return undefined;
    // What is missing then is no fault of the client.
    if (message.isUsedUp === true) {
      throw new TypeError(
        "The content was read before the app got the request: its listener stands before express.json() and the like",
      );
    }
    const length = this.headers.get("Content-Length");
    this.incoming = readableContent(message, message.incoming, length === undefined ? undefined : Number(length));
    this.incoming.takePermit = this.permitsFor(this.incoming);
    return this.incoming;
  }

  override get isOver(): boolean {
    return super.isOver || this.message.isGone;
  }

  get headSent(): boolean {
    return this.message.headSent;
  }

  sendWhole(response: HttpResponse, content: null | string | Uint8Array, length: number | undefined): void {
    const isLast = content === null || length === 0;
    this.message.sendHead(response, length, isLast);
    if (this.recording !== undefined) this.message.noteAnswer?.(this, response, content);
    if (!isLast && content.length > mostAtOnce) this.sendPiece(content);
    else if (!isLast) {
      this.#discardRest();
      this.#output.endWith(typeof content === "string" ? Buffer.from(content) : content);
      return;
    }
    this.finish();
  }

  sendHead(response: HttpResponse, length: number | undefined): void {
    this.message.sendHead(response, length, false);
  }

  sendPiece(piece: string | Uint8Array): boolean {
    if (piece.length === 0) this.message.flush();
    // Of text, Node would send the fields in UTF-8 too.
    else this.#output.bytes("", typeof piece === "string" ? Buffer.from(piece) : piece);
    return !this.#output.isFull;
  }

  finish(): void {
    this.#discardRest();
    this.#output.end();
  }

  #discardRest(): void {
    if (this.message.incoming === undefined) return;
    if (this.incoming?.isRead) this.incoming.whenLeft = () => this.message.discardRest();
    else this.message.discardRest();
  }

  cut(): void {
    this.message.cut();
  }

  protected giveUp(): void {
    this.#output.giveUp();
  }
}

/** Bytes of content that are handed to Node with the end of the response; what is longer is written in slices. */
const mostAtOnce = 4_096;
