import { type Channel, localChannel } from "../connections/channel.ts";
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
