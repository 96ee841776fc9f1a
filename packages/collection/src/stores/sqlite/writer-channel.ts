import type { StoredCollection } from "../../database.ts";
import { type Channel, localChannel, ThreadChannel } from "./thread.ts";
import type { SqliteTransactions } from "./transactions.ts";

/** The calls that a writer can make. */
export type WriterCalls = Pick<
  SqliteTransactions,
  "commit" | "probe" | "beginBulk" | "addToBulk" | "endBulk" | "abandonBulk"
>;

/** The calls that the thread for writes answers. */
export type WriterThreadCalls = WriterCalls & Pick<SqliteTransactions, "commitTexts">;

/** The channel from a writer to the transactions. */
export type WriterChannel = Channel<WriterCalls>;

/** The data with which the thread is started. */
export interface WriterThreadData {
  /** The absolute path of the file. */
  readonly path: string;
  readonly collections: readonly StoredCollection[];
  /** In milliseconds. */
  readonly busyTimeout: number;
}

/** Makes a channel to a thread that makes the transactions, so that reads do not wait for the disk. */
export function threadedWriter(data: WriterThreadData): WriterChannel {
  return new ThreadChannel({ file: "writer-thread", data, task: "writes", committing: ["commit", "endBulk"] });
}

/**
 * Makes a channel whose transactions are made on the calling thread, over the connection of the reads. A load is kept until all of
 * its records have arrived, because the reads would see them before they are committed.
 */
export function localWriter(transactions: SqliteTransactions): WriterChannel {
  let begun: Parameters<WriterCalls["beginBulk"]> | undefined;
  let kept: Parameters<WriterCalls["addToBulk"]>[] = [];

  const calls: WriterCalls = {
    commit: (batch) => transactions.commit(batch),
    probe: () => transactions.probe(),
    beginBulk(...args) {
      begun = args;
      kept = [];
    },
    addToBulk(...args) {
      kept.push(args);
      return true;
    },
    endBulk() {
      if (begun !== undefined) transactions.beginBulk(...begun);
      for (const args of kept) if (!transactions.addToBulk(...args)) break;
      calls.abandonBulk();
      return transactions.endBulk();
    },
    abandonBulk() {
      begun = undefined;
      kept = [];
    },
  };
  return localChannel(calls);
}
