import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { problem } from "../../problem.ts";
import { problemTypes } from "../../problem-types.ts";
import type { Connections } from "./connections.ts";
import { endConnection } from "./end-connection.ts";

/**
 * Answers CONNECT with 501 and closes the connection, of which Node would say nothing (RFC 9110 §9.3.6). What follows it
 * is never read as a request: the client may have meant it for the tunnel.
 */
export function refuseTunnels(server: Server, connections: Connections, linger: number): void {
  server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    // Node has let go of the socket, its listeners included.
    socket.on("error", () => socket.destroy()).resume();
    const refuse = (): void => endConnection(socket, noTunnel, linger);
    const before = connections.pending(socket).at(-1);
    if (before === undefined) refuse();
    else before.once("close", refuse);
  });
}

const noTunnel = problem(problemTypes.notImplemented, { detail: "The service makes no tunnels." });
