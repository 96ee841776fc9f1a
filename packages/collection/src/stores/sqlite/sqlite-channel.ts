/** What can be asked for: the methods of an object, by their names. */
export type Calls<C> = { readonly [N in keyof C]: (...args: never[]) => unknown };

/** The way to what works over a connection to a database, which does what it is asked for in the order in which it is asked. */
export interface Channel<C extends Calls<C>> {
  /**
   * @throws StoreUnavailable (rejects) when it cannot be done
   * @throws StoreOutcomeUnknown (rejects) when it may have been done
   */
  ask<N extends keyof C & string>(call: N, ...args: Parameters<C[N]>): Promise<ReturnType<C[N]>>;
  /** Ends what stands behind it, once all that was asked for is answered. */
  close(): Promise<void>;
}

/** Has the calls made on the thread that asks. */
export function localChannel<C extends Calls<C>>(calls: C): Channel<C> {
  return {
    async ask<N extends keyof C & string>(call: N, ...args: Parameters<C[N]>) {
      return calls[call](...args) as ReturnType<C[N]>; // which is what this call returns
    },
    async close() {},
  };
}
