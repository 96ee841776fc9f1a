import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { ServeSettings } from "../options.ts";

/**
 * Ends a session of HTTP/2 whose client costs more than it asks for: one that resets streams as fast as it opens them
 * (CVE-2023-44487), or has them reset by what it sends, and one whose head does not come to its end. Each version of Node bounds
 * these in its own way, and some leave the connection open.
 */
export class AbuseLimit {
  readonly #session: ServerHttp2Session;
  /** How many streams may be reset a second, and two times as many at once. */
  readonly #resetsPerSecond: number;
  #resetsLeft: number;
  #counted = performance.now();
  /** The last stream whose head has come whole, and one whose head had not at the last look. */
  #lastWhole = 0;
  #unfinished = 0;

  constructor(session: ServerHttp2Session, settings: Pick<ServeSettings, "maxConcurrentStreams" | "headersTimeout">) {
    const { maxConcurrentStreams, headersTimeout } = settings;
    this.#session = session;
    this.#resetsPerSecond = maxConcurrentStreams;
    this.#resetsLeft = 2 * maxConcurrentStreams;
    if (headersTimeout === 0) return;
    const timer = setInterval(() => this.#lookForHead(), headersTimeout);
    session.once("close", () => clearInterval(timer));
  }

  /** To be called when the head of a stream has come. */
  noteHead({ id = 0 }: ServerHttp2Stream): void {
    this.#lastWhole = Math.max(this.#lastWhole, id);
  }

  /** To be called when a stream is closed. */
  noteClosed(stream: ServerHttp2Stream): void {
    if (!stream.aborted && stream.rstCode === constants.NGHTTP2_NO_ERROR) return;
    const now = performance.now();
    const more = ((now - this.#counted) / 1000) * this.#resetsPerSecond;
    this.#resetsLeft = Math.min(2 * this.#resetsPerSecond, this.#resetsLeft + more) - 1;
    this.#counted = now;
    if (this.#resetsLeft < 0) this.#end();
  }

  /**
   * A head has begun with the first frame of its stream, which Node knows, and is whole when there is a stream here. Late by no
   * more than the timeout itself. What is refused before it is one counts until there is another.
   */
  #lookForHead(): void {
    const { lastProcStreamID: lastBegun = 0 } = this.#session.state;
    const isUnfinished = lastBegun > this.#lastWhole;
    if (isUnfinished && lastBegun === this.#unfinished) this.#end();
    this.#unfinished = isUnfinished ? lastBegun : 0;
  }

  #end(): void {
    // Without an error, Node takes the code for none.
    this.#session.destroy(new Error("The client asks too much"), constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }
}
