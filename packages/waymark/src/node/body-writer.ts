import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { isPromise } from "../and-then.ts";
import type { BodySource } from "../response-body.ts";

/** Where pieces are written to; as a stream of Node has it. */
export interface PieceSink {
  /** Whether nothing that is written is taken any more. */
  readonly destroyed: boolean;
  /** Returns whether there is room for more; when there is again, "drain" comes. */
  write(piece: string | Uint8Array): boolean;
  on(event: "drain" | "close", listener: () => void): unknown;
  off(event: "drain" | "close", listener: () => void): unknown;
}

export type Outcome = "written" | "empty" | "abandoned";

/**
 * Writes a body piece by piece, no faster than the client reads. The head is written with the first piece, so that a body
 * which fails at once can still become another response; an empty first piece sends the head alone.
 *
 * Resolves with "empty" when there was no piece, and nothing is written; with "abandoned" when the client has gone.
 * Rejects with what the body throws. The response is not ended.
 *
 * @param watch called when the client has to take something for there to be room; what it returns, when it has
 */
export async function writePieces(
  response: PieceSink,
  source: BodySource,
  writeHead: () => void,
  watch: () => () => void,
): Promise<Outcome> {
  let step = source.next();
  let turned = performance.now();
  for (let first = true; ; first = false) {
    const { done, value } = isPromise(step) ? await step : step;
    if (response.destroyed) return "abandoned";
    if (done === true) return first ? "empty" : "written";
    if (first) writeHead();
    const full = !response.write(value);
    if (full) await drained(response, watch);
    if (full || performance.now() - turned > longestTurn) {
      await eventLoopTurn();
      turned = performance.now();
    }
    if (response.destroyed) return "abandoned";
    step = source.next();
  }
}

// A body that never waits, and a client that takes whatever comes, would keep the process to themselves: neither promises
// nor "drain" let the event loop turn. So it turns whenever Node's buffer was full (64 KiB, some 50 µs of work), and for
// bodies of costly or tiny pieces after this many milliseconds, which is what others wait for at most.
const longestTurn = 2;

function drained(response: PieceSink, watch: () => () => void): Promise<void> {
  return new Promise((resolve) => {
    const stop = watch();
    const settle = (): void => {
      stop();
      response.off("drain", settle);
      response.off("close", settle);
      resolve();
    };
    response.on("drain", settle);
    response.on("close", settle);
  });
}
