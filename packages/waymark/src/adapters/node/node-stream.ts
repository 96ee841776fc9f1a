import type { ServerResponse } from "node:http";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { isPromise } from "../../pipeline.ts";
import type { BodySource } from "../body-source.ts";
import { cutWhenStalled } from "./stalled-client.ts";

export type Outcome = "written" | "empty" | "abandoned";

/**
 * Writes a body piece by piece, no faster than the client reads. The head is written with the first piece, so that a body
 * which fails at once can still become another response; an empty first piece sends the head alone.
 *
 * Resolves with "empty" when there was no piece, and nothing is written; with "abandoned" when the client has gone.
 * Rejects with what the body throws. The response is not ended.
 *
 * @param stallTimeout after how long without taking anything the client is cut off, in milliseconds; 0 for never
 */
export async function writePieces(
  response: ServerResponse,
  source: BodySource,
  writeHead: () => void,
  stallTimeout: number,
): Promise<Outcome> {
  let step = source.next();
  let turned = performance.now();
  for (let first = true; ; first = false) {
    const { done, value } = isPromise(step) ? await step : step;
    if (response.destroyed) return "abandoned";
    if (done === true) return first ? "empty" : "written";
    if (first) writeHead();
    // Of an empty piece Node writes the head, if it is still to be written, in the encoding given.
    const full = !(value.length === 0 ? response.write("", "latin1") : response.write(value));
    if (full) await drained(response, stallTimeout);
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

function drained(response: ServerResponse, stallTimeout: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = cutWhenStalled(response, stallTimeout);
    const settle = (): void => {
      stop();
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}
