import type { Socket } from "node:net";
import type { ServeContext } from "../options.ts";
import { Watched } from "../watched.ts";
import { type ConnectionOwner, Http1Connection } from "./connection.ts";
import { ResponseHeads } from "./response-head.ts";

/** The connections on which an app speaks HTTP/1.1. */
export class Http1Server implements ConnectionOwner {
  readonly context: ServeContext;
  readonly heads: ResponseHeads;
  readonly #connections: Watched<Http1Connection>;

  constructor(context: ServeContext) {
    this.context = context;
    this.heads = new ResponseHeads(context.keepAliveTimeout);
    this.#connections = new Watched(context);
  }

  get interval(): number {
    return this.#connections.interval;
  }

  /** Speaks HTTP/1.1 on this connection from now on. */
  accept(socket: Socket): void {
    if (socket.destroyed) return;
    this.#connections.add(new Http1Connection(socket, this));
  }

  /** To be called when the connection is closed, or somebody else has taken it over. */
  forget(connection: Http1Connection): void {
    this.#connections.delete(connection);
  }

  /** Closes the connections on which no request is being answered. */
  closeIdle(): void {
    for (const connection of this.#connections) if (connection.isIdle) connection.close();
  }
}
