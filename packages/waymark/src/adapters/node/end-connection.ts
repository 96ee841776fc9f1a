import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { HttpResponse } from "../../response.ts";

/**
 * Sends a problem document as the last message of a connection for which Node has no response object.
 *
 * @param linger how long the rest of what the client sends is still taken, in milliseconds, so that it gets the answer
 */
export function endConnection(socket: Socket, refusal: HttpResponse, linger: number): void {
  socket.end(toMessage(refusal));
  const timer = setTimeout(() => socket.destroy(), linger);
  socket.once("close", () => clearTimeout(timer));
}

/** The response as the bytes of a message: there is no request, so Node has no response object for it. */
function toMessage({ status, headers, body }: HttpResponse): string {
  // A problem's body is text in ASCII.
  const text = body as string;
  const fields = [
    ...headers,
    ["Content-Length", text.length],
    ["Date", new Date().toUTCString()],
    ["Connection", "close"],
  ];
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
}
