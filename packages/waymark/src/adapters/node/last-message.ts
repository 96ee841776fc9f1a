import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { HttpResponse } from "../../response.ts";
import { handlerFields } from "../response-framing.ts";

/**
 * Ends the sending side of a connection after these bytes, and takes what the client still sends for a while: a
 * connection that is closed on bytes not read is reset, and the client may lose the answer (RFC 9112 §9.6).
 *
 * @param linger for how long, in milliseconds
 */
export function endAfter(socket: Socket, lastBytes: Uint8Array | string, linger: number): void {
  socket.end(lastBytes);
  const timer = setTimeout(() => socket.destroy(), linger);
  socket.once("close", () => clearTimeout(timer));
}

/**
 * A response as the bytes of the last message of a connection, for which Node has no response object. Content that is streamed,
 * which no refusal has of its own accord, is left out.
 *
 * @param toHead whether it answers HEAD, and goes without content
 */
export function lastMessage(response: HttpResponse, toHead = false): Uint8Array {
  const { status, body } = response;
  const content = typeof body === "string" || body instanceof Uint8Array ? Buffer.from(body) : Buffer.alloc(0);
  const fields = [
    ...handlerFields(response),
    ...["Content-Length", String(content.length), "Date", new Date().toUTCString(), "Connection", "close"],
  ];
  const lines = fields.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  const head = Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n`, "latin1");
  return toHead ? head : Buffer.concat([head, content]);
}
