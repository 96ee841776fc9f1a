import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { ServeSettings } from "../options.ts";

/**
 * Ends a session of HTTP/2 whose client costs more than it asks for: one that resets streams as fast as it opens them
 * (CVE-2023-44487), or has them reset by what it sends, and one whose head does not come to its end. Each version of Node bounds
 * these in its own way, and some leave the connection open.
 */
export function endAbusiveSession(
  session: ServerHttp2Session,
  { maxConcurrentStreams, headersTimeout }: Pick<ServeSettings, "maxConcurrentStreams" | "headersTimeout">,
): void {
  // Without an error, Node takes the code for none.
  const end = (): void => session.destroy(new Error("The client asks too much"), constants.NGHTTP2_ENHANCE_YOUR_CALM);
  limitResets(session, maxConcurrentStreams, end);
  if (headersTimeout > 0) limitHeads(session, headersTimeout, end);
}

/** As many at once as two times all of its streams, and then as many a second as it has streams. */
function limitResets(session: ServerHttp2Session, perSecond: number, end: () => void): void {
  const most = 2 * perSecond;
  let left = most;
  let counted = performance.now();
  // One function for all streams, which it is called on.
  function count(this: ServerHttp2Stream): void {
    if (!this.aborted && this.rstCode === constants.NGHTTP2_NO_ERROR) return;
    const now = performance.now();
    left = Math.min(most, left + ((now - counted) / 1000) * perSecond) - 1;
    counted = now;
    if (left < 0) end();
  }
  session.on("stream", (stream) => stream.on("close", count));
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
