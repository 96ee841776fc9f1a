import type { Socket } from "node:net";
import type { ServeContext } from "../options.ts";
import { type ConnectionOwner, Http1Connection } from "./connection.ts";
import { ResponseHeads } from "./response-head.ts";

/** The connections on which an app speaks HTTP/1.1, and the one timer by which all of them are watched. */
export class Http1Server implements ConnectionOwner {
  readonly context: ServeContext;
  readonly heads: ResponseHeads;
  /** How often each connection is looked at, in milliseconds: nothing is noticed later than that. */
  readonly interval: number;
  readonly #connections = new Set<Http1Connection>();
  #timer: NodeJS.Timeout | undefined;

  constructor(context: ServeContext) {
    this.context = context;
    this.heads = new ResponseHeads(context.keepAliveTimeout);
    this.interval = watchInterval(context);
  }

  /** Speaks HTTP/1.1 on this connection from now on. */
  accept(socket: Socket): void {
    if (socket.destroyed) return;
    const connection = new Http1Connection(socket, this);
    this.#connections.add(connection);
    this.#timer ??= this.#startTimer();
  }

  /** To be called when the connection is closed, or somebody else has taken it over. */
  forget(connection: Http1Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Closes the connections on which no request is being answered. */
  closeIdle(): void {
    for (const connection of this.#connections) if (connection.isIdle) connection.close();
  }

  #startTimer(): NodeJS.Timeout {
    // Each round counts as long as it should be: clients are not to blame when this process has been held up.
    const look = (): void => {
      for (const connection of this.#connections) connection.look(this.interval);
    };
    return setInterval(look, this.interval);
  }
}

/** Half the shortest time that is to be kept, and half a second at most; in milliseconds. */
function watchInterval(settings: ServeContext): number {
  const { headersTimeout, requestTimeout, keepAliveTimeout, writeTimeout, drainTimeout } = settings;
  const times = [headersTimeout, requestTimeout, keepAliveTimeout, writeTimeout, drainTimeout].filter(
    (time) => time > 0,
  );
  return Math.max(1, Math.floor(Math.min(1_000, ...times) / 2));
}
