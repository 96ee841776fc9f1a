import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

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

/** How many bytes of what was written the client has not yet taken. */
export function unsentBytes(socket: Socket): number {
  // Of a long write the stream does not tell how much has gone; the handle does, and it is what Node's own timeout looks at.
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}
