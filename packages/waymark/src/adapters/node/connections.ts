import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The open connections of a server, and on each the responses that are not yet done: waited for, or not yet taken by the
 * client. A response that was made and sent in one go is never among them.
 */
export class Connections {
  readonly #pending = new Map<Socket, Set<ServerResponse>>();
  #closing = false;

  /** Whether the server is shutting down; each response then closes its connection. */
  get closing(): boolean {
    return this.#closing;
  }

  add(socket: Socket): void {
    this.#pending.set(socket, new Set());
    socket.once("close", () => this.#pending.delete(socket));
  }

  /** Counts the response as pending until it closes. */
  hold(response: ServerResponse): void {
    const { socket } = response.req;
    const pending = this.#pending.get(socket);
    if (pending === undefined || pending.has(response)) return;
    pending.add(response);
    response.once("close", () => {
      pending.delete(response);
      // Its head may have promised to keep the connection, from before the shutdown.
      if (this.#closing && pending.size === 0) socket.destroySoon();
    });
  }

  /** The pending responses on a connection, in the order of their requests. */
  pending(socket: Socket): readonly ServerResponse[] {
    return [...(this.#pending.get(socket) ?? [])];
  }

  startClosing(): void {
    this.#closing = true;
  }

  /** Closes the connections on which no request is being answered. */
  closeIdle(): void {
    for (const [socket, pending] of this.#pending) {
      if (pending.size === 0) socket.destroy();
    }
  }

  closeAll(): void {
    for (const socket of this.#pending.keys()) socket.destroy();
  }
}
