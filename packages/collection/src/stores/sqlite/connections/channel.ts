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
