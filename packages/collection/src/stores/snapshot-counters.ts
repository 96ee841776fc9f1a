import type { SnapshotCounters } from "../snapshot.ts";

type PartitionCounters = SnapshotCounters["partitions"][number];

/** Returns a revision below that of every record that changes after the snapshot. */
export const revisionReached = ({ partitions }: SnapshotCounters): number =>
  partitions.length === 0 ? 0 : Math.min(...partitions.map(({ revision }) => revision));

/**
 * Converts the counters of a snapshot for a collection with this number of partitions. If the numbers differ, each partition gets the
 * greatest counters, so that no id or revision is given twice.
 */
export function countersFor(partitions: number, counters: SnapshotCounters): readonly PartitionCounters[] {
  if (counters.partitions.length === partitions) return counters.partitions;
  const greatest = (values: readonly number[]): number => Math.max(0, ...values);
  const revision = greatest(counters.partitions.map((each) => each.revision));
  const lastId = greatest(counters.partitions.map((each) => each.lastId));
  return Array.from({ length: partitions }, () => ({ revision, lastId }));
}
