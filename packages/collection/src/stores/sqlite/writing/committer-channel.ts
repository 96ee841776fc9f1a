import { type Channel, localChannel } from "../connections/channel.ts";
import type { SqliteCommitter } from "./committer.ts";

/** The calls that a writer makes of a committer. */
export type CommitterCalls = Pick<
  SqliteCommitter,
  "commit" | "probe" | "beginBulk" | "addToBulk" | "endBulk" | "abandonBulk"
>;

/** The channel from a writer to the committer. */
export type CommitterChannel = Channel<CommitterCalls>;

/**
 * Makes a channel whose transactions are made on the calling thread, over the connection of the reads. A load is kept until all of
 * its records have arrived, because the reads would see them before they are committed.
 */
export function localCommitter(committer: SqliteCommitter): CommitterChannel {
  let begun: Parameters<CommitterCalls["beginBulk"]> | undefined;
  let kept: Parameters<CommitterCalls["addToBulk"]>[] = [];

  const calls: CommitterCalls = {
    commit: (batch) => committer.commit(batch),
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
  };
  return localChannel(calls);
}
