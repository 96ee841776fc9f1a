import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { HttpResponse } from "../../response.ts";

/**
 * Ends the sending side of a connection after these bytes, and takes what the client still sends for a while: a
 * connection that is closed on bytes not read is reset, and the client may lose the answer (RFC 9112 §9.6).
 *
 * @param linger for how long, in milliseconds
 */
export function endAfter(socket: Socket, lastBytes: string, linger: number): void {
  socket.end(lastBytes, "latin1");
  const timer = setTimeout(() => socket.destroy(), linger);
  socket.once("close", () => clearTimeout(timer));
}

/**
 * A problem document as the bytes of the last message of a connection, for which Node has no response object.
 *
 * @param toHead whether it answers HEAD, and goes without content
 */
export function lastMessage({ status, headers, body }: HttpResponse, toHead = false): string {
  // A problem's body is text in ASCII.
  const text = body as string;
  const fields = [
    ...headers,
    ["Content-Length", text.length],
    ["Date", new Date().toUTCString()],
    ["Connection", "close"],
  ];
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${toHead ? "" : text}`;
}
