import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { TLSSocket } from "node:tls";
import { Peer } from "../client.ts";
import type { ServeContext } from "../options.ts";
import type { Watched } from "../watched.ts";
import { Http2Exchange } from "./exchange.ts";
import { readHttp2Head, refuseHttp2Head } from "./head.ts";

/** A session of HTTP/2 and the exchanges on its streams, which are begun as long as its client takes what is sent. */
export class Http2Session {
  readonly native: ServerHttp2Session;
  readonly context: ServeContext;
  readonly peer: Peer;
  readonly #watched: Watched<Http2Exchange>;
  readonly #exchanges = new Set<Http2Exchange>();
  /** Those that are not begun. */
  readonly #waiting: Http2Exchange[] = [];

  /** @param watched where the exchanges are to be watched */
  constructor(session: ServerHttp2Session, socket: TLSSocket, context: ServeContext, watched: Watched<Http2Exchange>) {
    this.native = session;
    this.context = context;
    this.peer = new Peer(socket, context);
    this.#watched = watched;
    // A session with an error also emits `close`, which does what is needed.
    session.on("error", () => undefined);
    session.on("stream", (stream: ServerHttp2Stream, _headers: unknown, _flags: number, raw: string[]) => {
      // So does a stream.
      stream.on("error", () => undefined);
      if (context.closing) session.close();
      if (!stream.destroyed && !stream.closed) this.#open(stream, raw);
    });
    const { keepAliveTimeout } = context;
    if (keepAliveTimeout === 0) return;
    session.setTimeout(keepAliveTimeout);
    // A callback of `setTimeout` is called once. The timeout ends again after each pause, so also while a request is answered.
    session.on("timeout", () => {
      if (this.#exchanges.size === 0) session.destroy();
    });
  }

  #open(stream: ServerHttp2Stream, raw: readonly string[]): void {
    const exchange = new Http2Exchange(stream, readHttp2Head(raw), this);
    this.#exchanges.add(exchange);
    this.#watched.add(exchange);
    exchange.onEnd(() => {
      this.#exchanges.delete(exchange);
      this.#watched.delete(exchange);
      this.drained();
    });
    this.#waiting.push(exchange);
    this.drained();
    // Its content would come all the same. A client may send a request again that is refused so (RFC 9113 §8.7).
    if (this.#waiting.includes(exchange) && !stream.endAfterHeaders) stream.close(constants.NGHTTP2_REFUSED_STREAM);
  }

  /** Begins what has waited until the client takes what is sent; to be called when it has taken something. */
  drained(): void {
    while (this.#waiting.length > 0 && this.#hasRoom) {
      const exchange = this.#waiting.shift();
      if (exchange?.isOver === false) exchange.answer(refuseHttp2Head(exchange.head, this.context));
    }
  }

  get #hasRoom(): boolean {
    let unsent = 0;
    for (const exchange of this.#exchanges) unsent += exchange.unsent;
    return unsent <= this.context.maxUnsentPerConnection;
  }
}
