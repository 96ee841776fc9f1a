import type { SqliteTransactions } from "./sqlite-transactions.ts";

/** What a writer can have done; each is a method of SqliteTransactions. */
export type WriterCall = "commit" | "beginLoad" | "load" | "endLoad" | "abandonLoad";

/** The way from a writer to the transactions, which are made in the order in which they are asked for. */
export interface WriterChannel {
  /**
   * @throws StoreUnavailable (rejects) when it cannot be done
   * @throws StoreOutcomeUnknown (rejects) when it may have been done
   */
  ask<C extends WriterCall>(call: C, ...args: CallArguments<C>): Promise<CallResult<C>>;
  /** Ends what stands behind it, once all that was asked for is answered. */
  close(): Promise<void>;
}

export type CallArguments<C extends WriterCall> = Parameters<SqliteTransactions[C]>;
export type CallResult<C extends WriterCall> = ReturnType<SqliteTransactions[C]>;

/**
 * Has the transactions made on the thread that asks, over the very connection that reads. What is loaded is kept until all of it
 * is there, or those reads would see it before it is committed.
 */
export function localChannel(transactions: SqliteTransactions): WriterChannel {
  let begun: CallArguments<"beginLoad"> | undefined;
  let kept: CallArguments<"load">[] = [];

  const calls: { readonly [C in WriterCall]: (...args: CallArguments<C>) => CallResult<C> } = {
    commit: (batch) => transactions.commit(batch),
    beginLoad(...args) {
      begun = args;
      kept = [];
    },
    load(...args) {
      kept.push(args);
      return true;
    },
    endLoad() {
      if (begun !== undefined) transactions.beginLoad(...begun);
      for (const args of kept) if (!transactions.load(...args)) break;
      calls.abandonLoad();
      return transactions.endLoad();
    },
    abandonLoad() {
      begun = undefined;
      kept = [];
    },
  };
  return {
    async ask(call, ...args) {
      return calls[call](...args);
    },
    async close() {},
  };
}
