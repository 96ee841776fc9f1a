import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { Connection, type ConnectionServer } from "./connection.ts";
import type { ServeSettings } from "./serve-options.ts";

/** The open connections of a server. */
export class Connections implements ConnectionServer {
  readonly linger: number;
  readonly writeTimeout: number;
  readonly #open = new Map<Socket, Connection>();
  #closing = false;

  constructor({ drainTimeout, writeTimeout }: Pick<ServeSettings, "drainTimeout" | "writeTimeout">) {
    this.linger = drainTimeout;
    this.writeTimeout = writeTimeout;
  }

  /** Whether the server is shutting down; each response then closes its connection. */
  get closing(): boolean {
    return this.#closing;
  }

  add(socket: Socket): void {
    if (this.#open.has(socket)) return;
    const connection = new Connection(socket, this);
    this.#open.set(socket, connection);
    // Over TLS Node would end the other side with it.
    if (!isHttp2(socket)) socket.allowHalfOpen = true;
    socket.once("end", () => connection.inputEnded());
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

const isHttp2 = (socket: Socket): boolean => socket instanceof TLSSocket && socket.alpnProtocol === "h2";
