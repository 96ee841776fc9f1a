import { BulkReader, type BulkSource } from "../../writing/bulk-source.ts";
import { type Channel, localChannel } from "../connections/channel.ts";
import type { BulkOutcome } from "./bulk-creation.ts";
import type { SqliteCommitter } from "./committer.ts";

/** The calls that a writer makes of a committer. */
export type CommitterCalls = Pick<
  SqliteCommitter,
  | ("commit" | "removeSome" | "probe" | "beginBulk" | "addToBulk" | "endBulk" | "abandonBulk")
  | ("beginTransaction" | "changeWithin" | "keepWithin" | "commitTransaction" | "abandonTransaction")
  | ("rowWithin" | "keyedWithin" | "findWithin" | "readWithin" | "countWithin")
>;

/** The channel from a writer to the committer. */
export type CommitterChannel = Channel<CommitterCalls>;

/** A copy of a database, for one transaction. */
export interface DatabaseCopy {
  readonly committer: SqliteCommitter;
  close(): void;
}

/**
 * Makes a channel whose transactions are made on the calling thread, over the connection of the reads. These would see what is not
 * committed: a load is kept until all of its records have arrived, and the work of a transaction is done in a copy of the database.
 */
export function localCommitter(committer: SqliteCommitter, copyDatabase: () => DatabaseCopy): CommitterChannel {
  let begun: Parameters<CommitterCalls["beginBulk"]> | undefined;
  let kept: Parameters<CommitterCalls["addToBulk"]>[] = [];
  let copy: DatabaseCopy | undefined;
  /** The changes of the transaction, to be made in the database itself: they come out as in the copy. */
  let made: ((committer: SqliteCommitter) => unknown)[] = [];

  const within = (): SqliteCommitter => (copy as DatabaseCopy).committer; // a writer begins a transaction before it uses it
  const change = <R>(make: (committer: SqliteCommitter) => R): R => {
    made.push(make);
    return make(within());
  };

  const calls: CommitterCalls = {
    commit: (batch) => committer.commit(batch),
    removeSome: (...args) => committer.removeSome(...args),
    probe: () => committer.probe(),
    beginBulk(...args) {
      begun = args;
      kept = [];
    },
    addToBulk(...args) {
      kept.push(args);
      return true;
    },
    endBulk(end) {
      if (begun !== undefined) committer.beginBulk(...begun);
      for (const args of kept) if (!committer.addToBulk(...args)) break;
      calls.abandonBulk();
      return committer.endBulk(end);
    },
    abandonBulk() {
      begun = undefined;
      kept = [];
    },
    beginTransaction() {
      copy = copyDatabase();
      within().beginTransaction();
    },
    changeWithin: (...args) => change((each) => each.changeWithin(...args)),
    keepWithin: (...args) => change((each) => each.keepWithin(...args)),
    rowWithin: (...args) => within().rowWithin(...args),
    keyedWithin: (...args) => within().keyedWithin(...args),
    findWithin: (...args) => within().findWithin(...args),
    readWithin: (...args) => within().readWithin(...args),
    countWithin: (...args) => within().countWithin(...args),
    commitTransaction() {
      committer.beginTransaction();
      for (const make of made) make(committer);
      committer.commitTransaction();
      calls.abandonTransaction();
    },
    abandonTransaction() {
      copy?.close();
      copy = undefined;
      made = [];
    },
  };
  return localChannel(calls);
}

/**
 * Sends documents through the channel in batches, to store all or none. Each batch is sent when the one before is stored. Stops the
 * documents when no more are wanted.
 *
 * @throws StoreUnavailable (rejects) also when the documents stop arriving; errors of the documents themselves are passed on
 */
export async function sendBulk(
  channel: CommitterChannel,
  collection: string,
  source: BulkSource,
): Promise<BulkOutcome> {
  const { onlyIfEmpty, owner } = source;
  const reader = new BulkReader(source);
  try {
    await channel.ask("beginBulk", collection, { onlyIfEmpty, owner });
    let writes = await reader.next();
    for (let isWanted = true; isWanted && writes.length > 0; ) {
      // The next writes are made while those before them are stored.
      [isWanted, writes] = await Promise.all([channel.ask("addToBulk", writes), reader.next()]);
    }
    return await channel.ask("endBulk", source.end());
  } catch (error) {
    await channel.ask("abandonBulk").catch(() => undefined); // when the thread is gone, so is the transaction
    throw error;
  } finally {
    reader.stop();
  }
}
