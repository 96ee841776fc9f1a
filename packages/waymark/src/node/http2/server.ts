import { performServerHandshake } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { ServeContext, ServeSettings } from "../options.ts";
import { Watched } from "../watched.ts";
import { endAbusiveSession } from "./abuse.ts";
import type { Http2Exchange } from "./exchange.ts";
import { Http2Session } from "./session.ts";

/** The sessions on which an app speaks HTTP/2. */
export class Http2Server {
  readonly #context: ServeContext;
  readonly #sessions = new Set<Http2Session>();
  readonly #exchanges: Watched<Http2Exchange>;

  constructor(context: ServeContext) {
    this.#context = context;
    this.#exchanges = new Watched(context);
  }

  /** Speaks HTTP/2 on this connection from now on. */
  accept(socket: TLSSocket): void {
    if (socket.destroyed) return;
    const native = performServerHandshake(socket, sessionOptions(this.#context));
    const session = new Http2Session(native, socket, this.#context, this.#exchanges);
    this.#sessions.add(session);
    native.once("close", () => this.#sessions.delete(session));
    endAbusiveSession(native, this.#context);
  }

  /** Has each session end with the streams that are open on it. */
  startClosing(): void {
    for (const { native } of this.#sessions) native.close();
  }

  closeAll(): void {
    for (const { native } of this.#sessions) native.destroy();
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
