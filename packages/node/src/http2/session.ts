import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Connection } from "../connections.ts";
import type { ServeContext } from "../context.ts";
import type { AnswerMemory } from "../memory/answer-memory.ts";
import type { ServeSettings } from "../options.ts";
import { Peer } from "../served-exchange.ts";
import { AbuseLimit } from "./abuse.ts";
import { type ExchangeSession, Http2Exchange } from "./http2-exchange.ts";
import type { HeadFields } from "./kept-head.ts";

/** A session of HTTP/2 and the exchanges on its streams, which are begun as long as its client takes what is sent. */
export class Http2Session implements Connection, ExchangeSession {
  readonly context: ServeContext;
  readonly peer: Peer;
  readonly memory: AnswerMemory<HeadFields> | undefined;
  readonly #native: ServerHttp2Session;
  readonly #socket: TLSSocket;
  readonly #abuse: AbuseLimit;
  /** In any order; not a set, whose former tables V8 keeps for long, with the exchanges in them. */
  readonly #exchanges: Http2Exchange[] = [];
  /** Those that are not begun. */
  readonly #waiting: Http2Exchange[] = [];
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
    this.memory = memory;
    context.connections.add(this);
    session.once("close", () => context.connections.delete(this));
    // A session with an error also emits `close`, which does what is needed.
    session.on("error", () => undefined);
    this.#abuse = new AbuseLimit(session, context);
    session.on("stream", (stream: ServerHttp2Stream, _headers: unknown, _flags: number, raw: string[]) =>
      this.#open(stream, raw),
    );
    const { keepAliveTimeout } = context;
    if (keepAliveTimeout === 0) return;
    session.setTimeout(keepAliveTimeout);
    // A callback of `setTimeout` is called once. The timeout ends again after each pause, so also while a request is answered.
    session.on("timeout", () => {
      if (this.#exchanges.length === 0) session.destroy();
    });
  }

  get round(): number {
    const { bytesRead } = this.#socket;
    if (bytesRead !== this.#read && this.memory !== undefined) this.#round = this.memory.sources.newRound();
    this.#read = bytesRead;
    return this.#round;
  }

  look(elapsed: number): void {
    for (const exchange of this.#exchanges) exchange.look(elapsed);
  }

  /** Has the session end with the streams that are open on it. */
  startClosing(): void {
    this.#native.close();
  }

  closeIdle(): void {
    this.#native.close();
  }

  #open(stream: ServerHttp2Stream, raw: readonly string[]): void {
    let exchange: Http2Exchange | undefined;
    this.#abuse.noteHead(stream);
    // These are the only listeners of most streams: each costs a closure and a place in a list.
    stream.on("error", ignore);
    stream.on("close", () => {
      this.#abuse.noteClosed(stream);
      if (exchange !== undefined) this.#remove(exchange);
      // Node holds the stream for a while.
      exchange = undefined;
    });
    if (this.context.closing) this.#native.close();
    if (stream.destroyed || stream.closed) return;
    exchange = new Http2Exchange(stream, raw, this);
    exchange.place = this.#exchanges.push(exchange) - 1;
    if (this.#waiting.length === 0 && this.#hasRoom) exchange.begin();
    else {
      this.#waiting.push(exchange);
      // Its content would come all the same. A client may send a request again that is refused so (RFC 9113 §8.7).
      if (!stream.endAfterHeaders) stream.close(constants.NGHTTP2_REFUSED_STREAM);
    }
  }

  #remove(exchange: Http2Exchange): void {
    const last = this.#exchanges.pop() as Http2Exchange; // there is one at least
    if (last !== exchange) {
      this.#exchanges[exchange.place] = last;
      last.place = exchange.place;
    }
    exchange.closed();
    this.drained();
  }

  /** Begins what has waited until the client takes what is sent. */
  drained(): void {
    while (this.#waiting.length > 0 && this.#hasRoom) {
      const exchange = this.#waiting.shift();
      if (exchange?.isOver === false) exchange.begin();
    }
  }

  get #hasRoom(): boolean {
    let unsent = 0;
    for (const exchange of this.#exchanges) unsent += exchange.unsent;
    return unsent <= this.context.maxUnsentPerConnection;
  }
}

/** A stream with an error also emits `close`, which does what is needed. */
const ignore = (): void => undefined;

function sessionOptions(settings: ServeSettings) {
  const { maxHeaderSize, maxTargetLength, maxHeaderFields, maxConcurrentStreams } = settings;
  return {
    settings: {
      maxConcurrentStreams,
      // HTTP/2 counts 32 bytes a field more, and the target as one. What is a little too long gets an answer, what is
      // far too long a reset: a client makes it of a few bytes (HPACK), and Node frees it late.
      maxHeaderListSize: maxHeaderSize + maxTargetLength + 32 * maxHeaderFields,
    },
    maxHeaderListPairs: 2 * maxHeaderFields,
    // Blanks around a value are taken off here. Node would drop the field, and serve the request without its precondition.
    strictFieldWhitespaceValidation: false,
    // A field that a handler repeats is sent so on HTTP/1.1, too; Node would make that an error.
    strictSingleValueFields: false,
    // Far beyond what AbuseLimit bears: Node would end the session with INTERNAL_ERROR, which blames the server, and
    // Node 24 would keep its connection.
    streamResetBurst: 1_000_000,
    streamResetRate: 1_000_000,
    // A client that errs again and again is sent away.
    maxSessionInvalidFrames: 100,
  };
}
