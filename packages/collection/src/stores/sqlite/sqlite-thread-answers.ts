// Part of the programs of threads: what it imports lies beside it or is Node's, so that they run in whatever way the program does
// that starts them.
import { parentPort } from "node:worker_threads";
import { StoreOutcomeUnknown, StoreUnavailable } from "../../store.ts";
import type { Calls } from "./sqlite-channel.ts";

/** What a thread is told: what to do, or to end. */
type ThreadRequest = "close" | readonly [call: string, ...args: never[]];

/** What a thread says: once that it is ready; then the answer to each request, in their order. */
export type ThreadMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly result: unknown }
  // The classes of errors are lost between threads.
  | { readonly kind: "unavailable" | "unknown"; readonly reason: string; readonly cause: unknown }
  | { readonly kind: "failed"; readonly error: unknown };

/** What a thread does beside its answers. */
export interface ThreadDuties {
  /** After each answer, which need not wait for it. */
  readonly afterAnswer?: () => void;
  readonly close: () => void;
}

/** Has this thread answer what its ThreadChannel asks for by these calls, until it is told to end. */
export function answerCalls<C extends Calls<C>>(calls: C, { afterAnswer, close }: ThreadDuties): void {
  const say = (message: ThreadMessage): void => parentPort?.postMessage(message);
  parentPort?.on("message", (request: ThreadRequest) => {
    if (request === "close") {
      close();
      parentPort?.close();
      return;
    }
    const [call, ...args] = request;
    // The channel asks for calls that there are, with arguments of theirs.
    say(answerOf(() => calls[call as keyof C](...args)));
    afterAnswer?.();
  });
  say({ kind: "ready" });
}

function answerOf(call: () => unknown): ThreadMessage {
  try {
    return { kind: "done", result: call() };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) return { kind: "failed", error };
    const kind = error instanceof StoreOutcomeUnknown ? "unknown" : "unavailable";
    return { kind, reason: error.message, cause: error.cause };
  }
}
