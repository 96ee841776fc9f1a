import { randomInt } from "node:crypto";
import type { SnapshotSeal } from "./contract/snapshot.ts";

// A seal is a random number that is stored with the first change of a connection to a partition, and its revision. The seal at a
// revision is the one that was stored last up to there. A database can only go back to an older state while no connection is open:
// so where two histories of it differ, their seals do.

/** The greatest seal. */
export const mostSeal: number = 2 ** 48 - 1;

export const newSeal = (): number => randomInt(1, mostSeal);

/** How many seals of a partition are kept. An older change is taken on trust. */
export const mostSealsKept = 1000;

/**
 * Converts the seals of a snapshot for a collection with this number of partitions. Where the ids of a partition were not in one
 * partition before, it gets a new seal, so that no place of another history is found in it.
 *
 * @param before the number of partitions in the snapshot
 */
export function sealsFor(partitions: number, before: number, seals: readonly SnapshotSeal[]): readonly SnapshotSeal[] {
  return Array.from({ length: partitions }, (_, partition) => {
    if (before === 0 || partitions % before !== 0) return [{ partition, revision: 0, seal: newSeal() }];
    return seals.filter((each) => each.partition === partition % before).map((each) => ({ ...each, partition }));
  }).flat();
}
