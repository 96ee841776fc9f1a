import type { ServeSettings } from "../options.ts";

/** A connection that a server has accepted, whatever is spoken on it. */
export interface Connection {
  /** Looks for what takes too long; `elapsed` are the milliseconds since the last call. */
  look(elapsed: number): void;
  /** Lets the client know that it should send further requests elsewhere, if the protocol has a message for it. */
  startClosing(): void;
  /**
   * Ends the connection once all requests that have begun to arrive are answered; at once when no request has.
   *
   * @param unused whether also when it waits for its first request
   */
  closeIdle(unused: boolean): void;
}

/** The open connections of a server, all of them watched by one timer. */
export class Connections {
  /** How often each is looked at, in milliseconds: nothing is noticed later than that. */
  readonly interval: number;
  readonly #open = new Set<Connection>();
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: ServeSettings) {
    this.interval = watchInterval(settings);
  }

  get size(): number {
    return this.#open.size;
  }

  add(connection: Connection): void {
    this.#open.add(connection);
    this.#timer ??= this.#startTimer();
  }

  /** To be called when the connection is closed, or somebody else has taken it over. */
  delete(connection: Connection): void {
    this.#open.delete(connection);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  startClosing(): void {
    for (const connection of this.#open) connection.startClosing();
  }

  closeIdle(unused: boolean): void {
    for (const connection of this.#open) connection.closeIdle(unused);
  }

  #startTimer(): NodeJS.Timeout {
    // Each round counts as long as it should be: clients are not to blame when this process has been held up.
    const look = (): void => {
      for (const connection of this.#open) connection.look(this.interval);
    };
    return setInterval(look, this.interval);
  }
}

/** Half the shortest time that is to be kept, and half a second at most; in milliseconds. */
function watchInterval(settings: ServeSettings): number {
  const { headersTimeout, requestTimeout, keepAliveTimeout, writeTimeout, drainTimeout } = settings;
  const times = [headersTimeout, requestTimeout, keepAliveTimeout, writeTimeout, drainTimeout].filter(
    (time) => time > 0,
  );
  return Math.max(1, Math.floor(Math.min(1_000, ...times) / 2));
}

/** A client may end its side of the connection and still wait for its answer; answers are not held back to be joined. */
export const connectionOptions = { allowHalfOpen: true, noDelay: true };
