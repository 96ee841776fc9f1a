import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Connection, type ConnectionServer } from "./connection.ts";

/** The open connections of a server. */
export class Connections implements ConnectionServer {
  readonly linger: number;
  readonly #open = new Map<Socket, Connection>();
  #closing = false;

  /** @param linger see ConnectionServer */
  constructor(linger: number) {
    this.linger = linger;
  }

  /** Whether the server is shutting down; each response then closes its connection. */
  get closing(): boolean {
    return this.#closing;
  }

  add(socket: Socket): void {
    if (this.#open.has(socket)) return;
    const connection = new Connection(socket, this);
    this.#open.set(socket, connection);
    socket.once("close", () => {
      this.#open.delete(socket);
      connection.abandon();
    });
  }

  /** Undefined when it is closed. */
  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  /** Counts the response as pending until it closes. */
  hold(response: ServerResponse): void {
    this.of(response.req.socket)?.hold(response);
  }

  startClosing(): void {
    this.#closing = true;
  }

  /** Closes the connections on which no request is being answered. */
  closeIdle(): void {
    for (const [socket, connection] of this.#open) {
      if (connection.idle && !connection.refused) socket.destroy();
    }
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }
}
