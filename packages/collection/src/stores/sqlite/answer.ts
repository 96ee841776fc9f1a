import { StoreHistoryLost, StoreOutcomeUnknown, StoreUnavailable } from "../../store-errors.ts";

/**
 * The answer to a call, as sent between threads and processes. The class of an error is lost on the way, so that `kind` names it.
 */
export type Answer =
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: "unavailable" | "unknown" | "history-lost"; readonly reason: string; readonly cause: unknown }
  | { readonly kind: "failed"; readonly error: unknown };

/** Makes the call, and returns its result or its error as an answer. */
export function answerOf(call: () => unknown): Answer {
  try {
    return { kind: "done", result: call() };
  } catch (error) {
    return toAnswer(error);
  }
}

export function toAnswer(error: unknown): Answer {
  if (!(error instanceof StoreUnavailable)) return { kind: "failed", error };
  return { kind: kindOf(error), reason: error.message, cause: error.cause };
}

function kindOf(error: StoreUnavailable): "unavailable" | "unknown" | "history-lost" {
  if (error instanceof StoreOutcomeUnknown) return "unknown";
  return error instanceof StoreHistoryLost ? "history-lost" : "unavailable";
}

/** A call that waits for its answer. */
export interface PendingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function settle({ resolve, reject }: PendingCall, answer: Answer): void {
  switch (answer.kind) {
    case "done":
      resolve(answer.result);
      break;
    case "unavailable":
      reject(new StoreUnavailable(answer.reason, { cause: answer.cause }));
      break;
    case "unknown":
      reject(new StoreOutcomeUnknown(answer.reason, { cause: answer.cause }));
      break;
    case "history-lost":
      reject(new StoreHistoryLost(answer.reason, { cause: answer.cause }));
      break;
    case "failed":
      reject(answer.error);
  }
}
