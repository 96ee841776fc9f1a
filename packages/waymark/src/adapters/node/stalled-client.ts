import type { ServerResponse } from "node:http";

/**
 * Destroys the connection of the response when the client takes nothing of what waits for it for this long; with it goes
 * all that the response holds. While a response ahead of it is on its way, the time is that one's.
 *
 * @param timeout in milliseconds; 0 for never
 * @returns stops that; to be called when nothing waits for the client any more
 */
export function cutWhenStalled(response: ServerResponse, timeout: number): () => void {
  if (timeout === 0) return () => undefined;
  // The timer of Node's sockets looks at the bytes that the system has taken, and destroys the socket if nobody listens.
  const start = (): void => {
    response.socket?.setTimeout(timeout);
  };
  if (response.socket === null) response.once("socket", start);
  else start();
  return () => {
    response.off("socket", start);
    response.socket?.setTimeout(0);
  };
}

/** The same for a response that is ended, until it is sent. */
export function cutWhenStalledAtEnd(response: ServerResponse, timeout: number): void {
  // Before Node's own listener, which lets go of the socket, and starts the time for which it is kept.
  response.prependOnceListener("finish", cutWhenStalled(response, timeout));
}
