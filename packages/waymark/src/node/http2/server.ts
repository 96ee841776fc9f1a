import { performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { ServeContext, ServeSettings } from "../options.ts";
import { Peer } from "../peer.ts";
import { Watched } from "../watched.ts";
import { endAbusiveSession } from "./abuse.ts";
import { Http2Exchange } from "./exchange.ts";
import { readHttp2Head, refuseHttp2Head } from "./head.ts";

/** The sessions on which an app speaks HTTP/2. */
export class Http2Server {
  readonly #context: ServeContext;
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #exchanges: Watched<Http2Exchange>;

  constructor(context: ServeContext) {
    this.#context = context;
    this.#exchanges = new Watched(context);
  }

  /** Speaks HTTP/2 on this connection from now on. */
  accept(socket: TLSSocket): void {
    if (socket.destroyed) return;
    const session = performServerHandshake(socket, sessionOptions(this.#context));
    this.#sessions.add(session);
    session.once("close", () => this.#sessions.delete(session));
    // An error of the session closes it, and that is heard.
    session.on("error", () => undefined);
    const peer = new Peer(socket, this.#context);
    let streams = 0;
    session.on("stream", (stream: ServerHttp2Stream, _headers: unknown, _flags: number, raw: string[]) => {
      // An error of the stream closes it, and that is heard.
      stream.on("error", () => undefined);
      streams++;
      stream.once("close", () => streams--);
      if (this.#context.closing) session.close();
      if (!stream.destroyed && !stream.closed) this.#begin(stream, raw, peer);
    });
    endAbusiveSession(session, this.#context);
    const { keepAliveTimeout } = this.#context;
    if (keepAliveTimeout === 0) return;
    session.setTimeout(keepAliveTimeout, () => {
      if (streams === 0) session.destroy();
    });
  }

  #begin(stream: ServerHttp2Stream, raw: readonly string[], peer: Peer): void {
    const head = readHttp2Head(raw);
    const exchange = new Http2Exchange(stream, head, this.#context, peer);
    this.#exchanges.add(exchange);
    stream.once("close", () => this.#exchanges.delete(exchange));
    exchange.answer(refuseHttp2Head(head, this.#context));
  }

  /** Has each session end with the streams that are open on it. */
  startClosing(): void {
    for (const session of this.#sessions) session.close();
  }

  closeAll(): void {
    for (const session of this.#sessions) session.destroy();
  }
}

function sessionOptions(settings: ServeSettings) {
  const { maxHeaderSize, maxTargetLength, maxHeaderFields, maxConcurrentStreams } = settings;
  return {
    settings: {
      maxConcurrentStreams,
      // HTTP/2 counts 32 bytes a field more, and the target as one. What is a little too long gets an answer, what is
      // far too long a reset.
      maxHeaderListSize: 2 * (maxHeaderSize + maxTargetLength) + 32 * maxHeaderFields,
    },
    maxHeaderListPairs: 2 * maxHeaderFields,
    // Blanks around a value are taken off here. Node would drop the field, and serve the request without its precondition.
    strictFieldWhitespaceValidation: false,
    // Far beyond what endAbusiveSession bears: Node would end the session with INTERNAL_ERROR, which blames the server, and
    // Node 24 would keep its connection.
    streamResetBurst: 1_000_000,
    streamResetRate: 1_000_000,
    // A client that errs again and again is sent away.
    maxSessionInvalidFrames: 100,
  };
}
