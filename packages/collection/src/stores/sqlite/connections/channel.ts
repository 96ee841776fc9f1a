import { StoreDamaged, StoreHistoryLost, StoreOutcomeUnknown, StoreUnavailable } from "../../contract/errors.ts";

/** A channel to the code that uses a connection to a database. Calls are made in the order in which they are sent. */
export interface Channel<C extends Calls<C>> {
  /**
   * @throws StoreUnavailable (rejects) when the call cannot be made
   * @throws StoreOutcomeUnknown (rejects) when the call may have been made
   */
  ask<N extends keyof C & string>(call: N, ...args: Parameters<C[N]>): Promise<ReturnType<C[N]>>;
  /** Ends the other end of the channel when all calls are answered. */
  close(): Promise<void>;
}

/** The calls of a channel: the methods of an object, by name. */
export type Calls<C> = { readonly [N in keyof C]: (...args: never[]) => unknown };

/** Makes a channel whose calls are made on the calling thread. */
export function localChannel<C extends Calls<C>>(calls: C): Channel<C> {
  return {
    async ask<N extends keyof C & string>(call: N, ...args: Parameters<C[N]>) {
      return calls[call](...args) as ReturnType<C[N]>; // which is what this call returns
    },
    async close() {},
  };
}

/**
 * The answer to a call, as sent between threads. The class of an error is lost on the way, so that `kind` names it: every
 * StoreUnavailable of another name becomes one of that class.
 */
export type Answer =
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: FaultName; readonly reason: string; readonly cause: unknown }
  | { readonly kind: "failed"; readonly error: unknown };

type FaultName = "StoreUnavailable" | "StoreOutcomeUnknown" | "StoreHistoryLost" | "StoreDamaged";

const faults: Readonly<Record<FaultName, typeof StoreUnavailable>> = {
  StoreUnavailable,
  StoreOutcomeUnknown,
  StoreHistoryLost,
  StoreDamaged,
};

const isFaultName = (name: string): name is FaultName => Object.hasOwn(faults, name);

export function toAnswer(error: unknown): Answer {
  if (!(error instanceof StoreUnavailable)) return { kind: "failed", error };
  const { name, message: reason, cause } = error;
  return { kind: isFaultName(name) ? name : "StoreUnavailable", reason, cause };
}

/** A call that waits for its answer. */
export interface PendingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function settle({ resolve, reject }: PendingCall, answer: Answer): void {
  if (answer.kind === "done") resolve(answer.result);
  else if (answer.kind === "failed") reject(answer.error);
  else reject(new faults[answer.kind](answer.reason, { cause: answer.cause }));
}
