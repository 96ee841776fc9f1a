import type { IncomingMessage, Server } from "node:http";
import { problem } from "../../problem.ts";
import { problemTypes } from "../../problem-types.ts";
import type { ServeContext } from "./node-request.ts";
import { refuseMessage } from "./refuse-message.ts";

/**
 * Answers CONNECT with 501 and closes the connection, of which Node would say nothing (RFC 9110 §9.3.6). What follows it
 * is never read as a request: the client may have meant it for the tunnel.
 */
export function refuseTunnels(server: Server, context: ServeContext): void {
  server.on("connect", (message: IncomingMessage) => {
    const { socket } = message;
    // Node has let go of the socket, its listeners included.
    socket.on("error", () => socket.destroy()).resume();
    context.connections.of(socket)?.refuse(refuseMessage(context, socket, noTunnel, message));
  });
}

const noTunnel = problem(problemTypes.notImplemented, { detail: "The service makes no tunnels." });
