import type { IncomingMessage } from "node:http";

export interface DrainBounds {
  /** Bytes. */
  readonly drainLimit: number;
  /** Milliseconds. */
  readonly drainTimeout: number;
}

/**
 * Reads the rest of a request's content and throws it away, so that the next request on the connection can be found
 * (RFC 9112 §9.3); calls back with whether it came to the end within the bounds.
 */
export function drain(message: IncomingMessage, bounds: DrainBounds, done: (complete: boolean) => void): void {
  let left = bounds.drainLimit;
  const timer = setTimeout(() => finish(false), bounds.drainTimeout);
  const onData = (piece: Buffer): void => {
    left -= piece.length;
    if (left < 0) finish(false);
  };
  const onEnd = (): void => finish(true);
  const onClose = (): void => finish(false);
  const finish = (complete: boolean): void => {
    clearTimeout(timer);
    message.off("data", onData).off("end", onEnd).off("close", onClose);
    done(complete);
  };
  message.on("data", onData).on("end", onEnd).on("close", onClose).resume();
}
