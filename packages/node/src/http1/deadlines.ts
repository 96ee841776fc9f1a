import type { ServeContext } from "../exchange/context.ts";

/**
 * Says what to do with a connection whose client is late: refuse the message that has not arrived, close an idle connection, end
 * the sending side, destroy a connection that the client does not close, or probe one that the client may have left.
 */
export type Lateness = "refuse" | "close" | "end" | "destroy" | "probe";

/**
 * What is read next (RFC 9112 §9): the head of a request, its content, the rest of content that nobody wants, or, once no
 * request will be answered any more, nothing: what still arrives is thrown away.
 */
export type Reading = "head" | "content" | "rest" | "nothing";

/** How far the reading of a connection has come. */
export interface ReadingProgress {
  readonly reading: Reading;
  /** Whether everything that has arrived has been read. */
  readonly isEmpty: boolean;
}

/** How far a connection has come with its responses. */
interface Progress {
  /** Whether what arrives now is read at once. */
  readonly canRead: boolean;
  /** Whether no request has come on it. */
  readonly isFresh: boolean;
  /** Whether all requests are answered, and the answers sent. */
  readonly isSettled: boolean;
  /** Whether its sending side has ended. */
  readonly isFinished: boolean;
  /** Whether the client has ended its side, and waits for a response that has not begun. */
  readonly isHalfClosed: boolean;
}

/**
 * Counts the time for which a connection has waited for its client (RFC 9112 §9.5).
 *
 * A client that has ended its side waits for responses or has gone: the two look the same until it is sent something. Where
 * nothing has been sent after a while, an interim response is, which a client that has not asked for it discards (RFC 9110
 * §15.2.1): it has the system of a client that has gone reset the connection, and the next one fails on that. HTTP/1.0 knows
 * no such response, and none can follow a head: there, and of a client that goes later, the response itself finds it out, and
 * at last the timeout.
 */
export class Deadlines {
  readonly #context: ServeContext;
  readonly #earliest: number;
  #waited: number;
  /** For how long the client has waited for a response since it ended its side. */
  #halfClosed = 0;

  constructor(context: ServeContext) {
    this.#context = context;
    // Nothing is late before its time, however soon after its beginning the first look comes.
    this.#earliest = -context.connections.interval;
    this.#waited = this.#earliest;
  }

  /** Begins to count again: the client has done what was waited for. */
  restart(): void {
    this.#waited = this.#earliest;
  }

  /**
   * Returns what to do when the connection has waited for too long; undefined while there is time left.
   *
   * @param elapsed since the last call, in milliseconds
   */
  look(elapsed: number, reader: ReadingProgress, progress: Progress): Lateness | undefined {
    return this.#judge(elapsed, reader, progress) ?? (progress.isHalfClosed ? this.#probe(elapsed) : undefined);
  }

  #judge(elapsed: number, { reading, isEmpty }: ReadingProgress, progress: Progress): Lateness | undefined {
    const isBetween = reading === "head" && isEmpty;
    if (!progress.canRead || (isBetween && !progress.isSettled)) return undefined;
    const waited = this.#waited + elapsed;
    this.#waited = waited;
    const { headersTimeout, requestTimeout, keepAliveTimeout, drainTimeout } = this.#context;
    const isLate = (timeout: number): boolean => timeout > 0 && waited > timeout;
    if (reading === "nothing") return progress.isFinished && waited > drainTimeout ? "destroy" : undefined;
    if (reading === "rest") return waited > drainTimeout ? "end" : undefined;
    if (isBetween && !progress.isFresh) {
      // Somewhat longer than the client is given.
      return isLate(keepAliveTimeout === 0 ? 0 : keepAliveTimeout + 1_000) ? "close" : undefined;
    }
    return isLate(requestTimeout) || (reading === "head" && isLate(headersTimeout)) ? "refuse" : undefined;
  }

  #probe(elapsed: number): Lateness | undefined {
    const probes = (): number => Math.min(mostProbes, Math.floor(this.#halfClosed / patience));
    const before = probes();
    this.#halfClosed += elapsed;
    return probes() > before ? "probe" : undefined;
  }
}

/** In milliseconds: most answers come before it, and within it the reset of a client that has gone. */
const patience = 1_000;
const mostProbes = 2;
