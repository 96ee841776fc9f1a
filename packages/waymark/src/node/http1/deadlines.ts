import type { ServeSettings } from "../options.ts";
import type { MessageReader } from "./message-reader.ts";

/**
 * Says what to do with a connection whose client is late: refuse the message that has not arrived, close an idle connection, end
 * the sending side, or destroy a connection that the client does not close.
 */
export type Lateness = "refuse" | "close" | "end" | "destroy";

/** How far a connection has come. */
interface Progress {
  /** Whether no request has come on it. */
  readonly isFresh: boolean;
  /** Whether all requests are answered, and the answers sent. */
  readonly isSettled: boolean;
  /** Whether its sending side has ended. */
  readonly isFinished: boolean;
}

/**
 * Counts the time towards the wait for the client, if it is the client's turn, and returns what to do when the wait has become too
 * long; undefined while there is time left.
 *
 * @param elapsed since the last call, in milliseconds
 */
export function judgeWait(
  reader: MessageReader,
  settings: ServeSettings,
  elapsed: number,
  { isFresh, isSettled, isFinished }: Progress,
): Lateness | undefined {
  const { reading, isEmpty, canRead } = reader;
  const isBetween = reading === "head" && isEmpty;
  if (!canRead || (isBetween && !isSettled)) return undefined;
  reader.wait(elapsed);
  const { waited } = reader;
  const { headersTimeout, requestTimeout, keepAliveTimeout, drainTimeout } = settings;
  const isLate = (timeout: number): boolean => timeout > 0 && waited > timeout;
  if (reading === "nothing") return isFinished && waited > drainTimeout ? "destroy" : undefined;
  if (reading === "rest") return waited > drainTimeout ? "end" : undefined;
  // Somewhat longer than the client is given.
  if (isBetween && !isFresh) return isLate(keepAliveTimeout === 0 ? 0 : keepAliveTimeout + 1_000) ? "close" : undefined;
  return isLate(requestTimeout) || (reading === "head" && isLate(headersTimeout)) ? "refuse" : undefined;
}
