import type { SnapshotCounters } from "../snapshot.ts";
import type { Write } from "./write.ts";

// A collection with P partitions has P counters, so that P transactions can change it at the same time. A record belongs to the
// partition that is its id modulo P: ids of different partitions are never equal, and an id names its partition.

/** The most partitions of a collection. Each is read for the entity tag of a list. */
export const mostPartitions = 256;

/** Returns the partition of the record that a write names; undefined where any partition can take the write. */
export function partitionNamedBy({ id }: Write, partitions: number): number | undefined {
  return id !== undefined && Number.isSafeInteger(id) && id >= 1 ? id % partitions : undefined;
}

/** Returns the least id after this one in a partition. */
export function nextIdOf(partition: number, partitions: number, after: number): number {
  const next = after + 1;
  return next + ((partition - (next % partitions) + partitions) % partitions);
}

/** The counters of one partition of a snapshot. */
type PartitionCounters = SnapshotCounters["partitions"][number];

/** Returns whether a collection of a snapshot never had a record. */
export const isUntouched = ({ partitions }: SnapshotCounters): boolean =>
  partitions.every(({ revision }) => revision === 0);

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
