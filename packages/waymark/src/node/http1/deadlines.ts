import type { ServeSettings } from "../options.ts";
import type { MessageReader } from "./message-reader.ts";

/** What becomes of a connection whose client is late: its message is refused, it is closed, its sending side is ended, or it is destroyed. */
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

/** Waits for the client if the next thing to come is its, and judges how long that has taken; undefined while there is time left. */
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
