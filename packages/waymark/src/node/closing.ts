import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { HttpResponse } from "../response.ts";
import { handlerFields } from "../response-body.ts";
import { unsentBytes } from "./internals.ts";

/**
 * Destroys the connection of the response when the client takes nothing of what waits for it for this long, or somewhat
 * longer; with it goes all that the response holds. While a response ahead of it is on its way, the time is that one's.
 *
 * @param timeout in milliseconds; 0 for never
 * @returns stops that; to be called when nothing waits for the client any more
 */
export function cutWhenStalled(response: ServerResponse, timeout: number): () => void {
  if (timeout === 0) return () => undefined;
  // Of a response whose turn it is not there are none.
  const unsent = (): number | undefined => (response.socket === null ? undefined : unsentBytes(response.socket));
  let before = unsent();
  // Not the timeout of the socket, which starts anew with each byte that the client sends.
  const timer = setInterval(() => {
    const left = unsent();
    if (left !== undefined && left === before) response.socket?.destroy();
    before = left;
  }, timeout);
  return () => clearInterval(timer);
}

/**
 * Watches over a connection whose client has ended its side, and waits for these responses or has gone: the two look the same
 * until it is sent something.
 *
 * Where nothing has been sent after a while, an interim response is, which who has not asked for it discards (RFC 9110 §15.2.1): it has
 * the system of who has gone reset the connection, and the next one fails on that. HTTP/1.0 knows none, and none can follow a
 * head: there, and of who goes later, the response itself finds it out, and at last the timeout.
 *
 * @param timeout for how long nothing may be sent, in milliseconds; 0 for any time
 */
export function watchHalfClosed(socket: Socket, responses: Iterable<ServerResponse>, timeout: number): void {
  const probe = (): void => {
    for (const response of responses) {
      const isWaiting = response.socket?.writable === true && !response.headersSent;
      if (isWaiting && response.req.httpVersionMinor > 0) response.writeContinue();
    }
  };
  const probes = [1, 2].map((n) => setTimeout(probe, n * patience));
  let before = socket.bytesWritten;
  const cut = (): void => {
    if (socket.bytesWritten === before && unsentBytes(socket) === 0) socket.destroy();
    before = socket.bytesWritten;
  };
  const silence = timeout === 0 ? undefined : setInterval(cut, timeout);
  socket.once("close", () => {
    for (const timer of probes) clearTimeout(timer);
    clearInterval(silence);
  });
}

/** In milliseconds: most answers come before it, and within it the reset of a client that has gone. */
const patience = 1_000;

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
