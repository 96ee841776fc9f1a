import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Connection } from "../connections/connections.ts";
import type { ServeContext } from "../exchange/context.ts";
import { NodeExchange } from "../exchange/node-exchange.ts";
import { appOf, Peer, type ServedConnection } from "../exchange/served-exchange.ts";
import type { AnswerMemory, AnswerNote } from "../memory/answer-memory.ts";
import { AskedFields } from "../memory/asked-fields.ts";
import { RepeatedAnswer } from "../memory/kept-answer.ts";
import type { UnsentHolder } from "../messages/unsent.ts";
import type { ServeSettings } from "../options.ts";
import { contentBusy } from "../refusals.ts";
import { type HeadFields, toFields } from "./kept-head.ts";
import { type Http2Head, Http2Message, readHead, refuseHead } from "./message.ts";

/**
 * A session of HTTP/2. What breaks the protocol, or has too many of its streams reset, is ended by Node. An answer from memory is
 * written on its stream at once; for every other one there is an exchange.
 */
export class Http2Session implements Connection, ServedConnection, UnsentHolder {
  readonly context: ServeContext;
  readonly peer: Peer;
  readonly #memory: AnswerMemory<HeadFields> | undefined;
  readonly #native: ServerHttp2Session;
  readonly #socket: TLSSocket;
  readonly #exchanges = new Set<NodeExchange>();
  /** The streams with answers from memory that their client has not taken whole. */
  readonly #repeated = new Set<RepeatedStream>();
  /** Bytes of these answers, but for the first few, and the longest that one has waited at the last look. */
  unsent = 0;
  still = 0;
  #round = -1;
  /** How many bytes had been read when that began. */
  #read = -1;

  /**
   * Speaks HTTP/2 on this connection from now on.
   *
   * @param memory answers of the app that may be sent again. Default: none
   */
  constructor(socket: TLSSocket, context: ServeContext, memory?: AnswerMemory<HeadFields>) {
    const session = performServerHandshake(socket, sessionOptions(context));
    this.#native = session;
    this.#socket = socket;
    this.context = context;
    this.peer = new Peer(socket, context);
    this.#memory = memory;
    context.connections.add(this);
    session.once("close", () => context.connections.delete(this));
    // A session with an error also emits `close`, which does what is needed.
    session.on("error", ignore);
    session.on("stream", (stream: ServerHttp2Stream, _headers: unknown, _flags: number, raw: string[]) =>
      this.#open(stream, raw),
    );
    const { keepAliveTimeout } = context;
    if (keepAliveTimeout === 0) return;
    session.setTimeout(keepAliveTimeout);
    // A callback of `setTimeout` is called once. The timeout ends again after each pause, so also while a request is answered.
    session.on("timeout", () => {
      if (this.#exchanges.size === 0) session.destroy();
    });
  }

  look(elapsed: number): void {
    for (const exchange of this.#exchanges) exchange.look(elapsed);
    const { writeTimeout } = this.context;
    this.still = 0;
    for (const repeated of this.#repeated) {
      this.still = Math.max(this.still, repeated.waited);
      if (writeTimeout > 0 && repeated.waited > writeTimeout) cut(repeated.stream);
      repeated.waited += elapsed;
    }
  }

  /** Breaks the answers from memory off that the client does not take. */
  giveUp(): void {
    for (const repeated of this.#repeated) {
      this.#release(repeated);
      cut(repeated.stream);
    }
  }

  /** Has the session end with the streams that are open on it. */
  startClosing(): void {
    this.#native.close();
  }

  closeIdle(): void {
    this.#native.close();
  }

  #open(stream: ServerHttp2Stream, raw: readonly string[]): void {
    if (this.context.closing) this.#native.close();
    // A stream with an error also emits `close`, which does what is needed.
    stream.on("error", ignore);
    if (stream.destroyed || stream.closed) return;
    const head = readHead(raw);
    const found = this.#find(stream, head);
    if (found instanceof RepeatedAnswer) this.#repeat(stream, found);
    else this.#begin(stream, head, found);
  }

  #find(stream: ServerHttp2Stream, head: Http2Head): ReturnType<AnswerMemory<HeadFields>["find"]> {
    const memory = this.#memory;
    const { method, target, headers } = head;
    if (memory === undefined || appOf(this.context).isRepeatable === undefined) return undefined;
    if (!stream.endAfterHeaders || (method !== "GET" && method !== "HEAD")) return undefined;
    if (refuseHead(head, this.context) !== undefined) return undefined;
    // Node does not say which heads it has read at once.
    const asked = { line: `${method} ${target}`, fields: new AskedFields(headers), key: undefined };
    return memory.find(asked, this.#currentRound(memory), this.peer);
  }

  /** The round in which the last of its heads was read (`AskedSources`). */
  #currentRound({ sources }: AnswerMemory<HeadFields>): number {
    const { bytesRead } = this.#socket;
    if (bytesRead !== this.#read) this.#round = sources.newRound();
    this.#read = bytesRead;
    return this.#round;
  }

  #repeat(stream: ServerHttp2Stream, answer: RepeatedAnswer<HeadFields>): void {
    const { length } = answer.content;
    // To count each took 2 µs.
    const repeated = { stream, waited: 0, counted: this.#repeated.size < mostUncounted ? 0 : length };
    this.#repeated.add(repeated);
    stream.on("close", () => {
      this.#repeated.delete(repeated);
      this.#release(repeated);
      if (answer.isObserved) answer.end(isWhole(stream));
    });
    if (repeated.counted > 0) {
      this.unsent += length;
      this.context.unsent.hold(this, length);
    }
    stream.respond(toFields(answer), { endStream: answer.content === "" });
    if (answer.content !== "") stream.end(answer.content, "latin1");
  }

  #release(repeated: RepeatedStream): void {
    const { counted } = repeated;
    if (counted === 0) return;
    repeated.counted = 0;
    this.unsent -= counted;
    this.context.unsent.release(this, counted);
  }

  #begin(stream: ServerHttp2Stream, head: Http2Head, note: AnswerNote<HeadFields> | undefined): void {
    const message = new Http2Message(stream, head, this.context.requestTimeout, note);
    const exchange = new NodeExchange(message, this);
    this.#exchanges.add(exchange);
    stream.on("close", () => {
      this.#exchanges.delete(exchange);
      exchange.closed(isWhole(stream));
    });
    if (!stream.endAfterHeaders) this.context.unreadContents.watch(stream, () => refuseContent(exchange));
    exchange.begin();
  }
}

interface RepeatedStream {
  readonly stream: ServerHttp2Stream;
  /** For how long it has waited for its client, in milliseconds. */
  waited: number;
  /** Bytes that count as unsent. */
  counted: number;
}

const cut = (stream: ServerHttp2Stream): unknown => stream.destroy(new Error("The client takes nothing"));

/** How many answers from memory of a session, at a time, are not counted. */
const mostUncounted = 16;

/** Refuses content that waits to be read, in the place of its reader, if it has one. */
function refuseContent(exchange: NodeExchange): void {
  const refusal = contentBusy();
  if (exchange.incoming?.isRead) exchange.incoming.refuse(refusal);
  else exchange.answerInstead(refusal.response);
}

/** Whether a stream that is closed has had its whole response. */
const isWhole = (stream: ServerHttp2Stream): boolean =>
  !stream.aborted && stream.rstCode === constants.NGHTTP2_NO_ERROR;

const ignore = (): void => undefined;

function sessionOptions(settings: ServeSettings) {
  const { maxHeaderSize, maxTargetLength, maxHeaderFields } = settings;
  return {
    settings: {
      maxConcurrentStreams: 100,
      // HTTP/2 counts 32 bytes a field more, and the target as one. What is a little too long gets an answer, what is
      // far too long a reset: a client makes it of a few bytes (HPACK), and Node frees it late.
      maxHeaderListSize: maxHeaderSize + maxTargetLength + 32 * maxHeaderFields,
    },
    maxHeaderListPairs: 2 * maxHeaderFields,
    // Blanks around a value are taken off here. Node would drop the field, and serve the request without its precondition.
    strictFieldWhitespaceValidation: false,
    // A field that a handler repeats is sent so on HTTP/1.1, too; Node would make that an error.
    strictSingleValueFields: false,
    // A client that resets its streams as it opens them (CVE-2023-44487) is sent away, and so is one that errs again and again.
    streamResetBurst: 200,
    streamResetRate: 100,
    maxSessionInvalidFrames: 100,
  };
}
