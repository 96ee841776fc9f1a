import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { unsentBytes } from "./stalled-client.ts";

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
