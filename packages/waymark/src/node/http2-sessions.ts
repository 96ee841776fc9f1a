import { constants, performServerHandshake, type ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";
import { answerHttp2 } from "./http2.ts";
import type { ServeContext, ServeSettings } from "./options.ts";

/** The open sessions of HTTP/2 of a server. */
export class Http2Sessions {
  readonly #open = new Set<ServerHttp2Session>();
  readonly #context: ServeContext;

  constructor(context: ServeContext) {
    this.#context = context;
  }

  /** Speaks HTTP/2 on this connection from now on. */
  accept(socket: TLSSocket): void {
    if (socket.destroyed) return;
    const session = performServerHandshake(socket, sessionOptions(this.#context));
    this.#open.add(session);
    session.once("close", () => this.#open.delete(session));
    // An error of the session closes it, and that is heard.
    session.on("error", () => undefined);
    answerHttp2(session, this.#context);
    endAbusiveSession(session, this.#context);
    let streams = 0;
    session.on("stream", (stream) => {
      streams++;
      stream.once("close", () => streams--);
    });
    const { keepAliveTimeout } = this.#context;
    if (keepAliveTimeout === 0) return;
    session.setTimeout(keepAliveTimeout, () => {
      if (streams === 0) session.destroy();
    });
  }

  /** Has each session end with the streams that are open on it. */
  startClosing(): void {
    for (const session of this.#open) session.close();
  }

  closeAll(): void {
    for (const session of this.#open) session.destroy();
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
    // Beyond what endAbusiveSession bears: Node 24 stops listening to a client that exceeds these, and keeps its connection.
    streamResetBurst: 4 * maxConcurrentStreams,
    streamResetRate: 4 * maxConcurrentStreams,
    // A client that errs again and again is sent away.
    maxSessionInvalidFrames: 100,
  };
}

/**
 * Ends a session of HTTP/2 whose client costs more than it asks for: one that resets streams as fast as it opens them
 * (CVE-2023-44487), or has them reset by what it sends, and one whose head does not come to its end. Each version of Node bounds
 * these in its own way, and some leave the connection open.
 */
function endAbusiveSession(
  session: ServerHttp2Session,
  { maxConcurrentStreams, headersTimeout }: Pick<ServeSettings, "maxConcurrentStreams" | "headersTimeout">,
): void {
  const end = (): void => session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  limitResets(session, maxConcurrentStreams, end);
  if (headersTimeout > 0) limitHeads(session, headersTimeout, end);
}

/** As many at once as two times all of its streams, and then as many a second as it has streams. */
function limitResets(session: ServerHttp2Session, perSecond: number, end: () => void): void {
  const most = 2 * perSecond;
  let left = most;
  let counted = performance.now();
  session.on("stream", (stream) => {
    stream.once("close", () => {
      if (!stream.aborted && stream.rstCode === constants.NGHTTP2_NO_ERROR) return;
      const now = performance.now();
      left = Math.min(most, left + ((now - counted) / 1000) * perSecond) - 1;
      counted = now;
      if (left < 0) end();
    });
  });
}

/**
 * A head has begun with the first frame of its stream, which Node knows, and is whole when there is a stream here. Late by no
 * more than the timeout itself. What is refused before it is one counts until there is another.
 */
function limitHeads(session: ServerHttp2Session, timeout: number, end: () => void): void {
  let lastWhole = 0;
  let unfinished = 0;
  session.on("stream", ({ id = 0 }) => {
    lastWhole = Math.max(lastWhole, id);
  });
  const timer = setInterval(() => {
    const { lastProcStreamID: lastBegun = 0 } = session.state;
    if (lastBegun > lastWhole && lastBegun === unfinished) end();
    unfinished = lastBegun > lastWhole ? lastBegun : 0;
  }, timeout);
  session.once("close", () => clearInterval(timer));
}
