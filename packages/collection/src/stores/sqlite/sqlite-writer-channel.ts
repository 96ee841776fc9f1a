import { type Channel, localChannel } from "./sqlite-channel.ts";
import { ThreadChannel } from "./sqlite-thread-channel.ts";
import type { SqliteTransactions } from "./sqlite-transactions.ts";
import type { WriterThreadData } from "./sqlite-writer-thread.ts";

/** What a writer can have done. */
export type WriterCalls = Pick<SqliteTransactions, "commit" | "beginLoad" | "load" | "endLoad" | "abandonLoad">;

/** The way from a writer to the transactions. */
export type WriterChannel = Channel<WriterCalls>;

/** Has the transactions made in a thread of its own, so that nobody who reads waits for the disk. */
export function threadedWriter(data: WriterThreadData): WriterChannel {
  return new ThreadChannel({ file: "sqlite-writer-thread", data, task: "writes", committing: ["commit", "endLoad"] });
}

/**
 * Has the transactions made on the thread that asks, over the very connection that reads. What is loaded is kept until all of it
 * is there, or those reads would see it before it is committed.
 */
export function localWriter(transactions: SqliteTransactions): WriterChannel {
  let begun: Parameters<WriterCalls["beginLoad"]> | undefined;
  let kept: Parameters<WriterCalls["load"]>[] = [];

  const calls: WriterCalls = {
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
  return localChannel(calls);
}
