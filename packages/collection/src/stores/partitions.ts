import type { SnapshotCounters } from "../snapshot.ts";
import type { Write } from "./write.ts";

// A collection of P partitions counts its changes in P places, so that P transactions can change it at the same time. A record belongs
// to the partition that is its id modulo P, so that ids of different partitions never meet, and an id says where it is counted.

/** The most partitions that a collection can have: each of them is read for the entity tag of a list. */
export const mostPartitions = 256;

/** The partition of the record that a write names; undefined where any partition can take the write. */
export function partitionNamedBy({ id }: Write, partitions: number): number | undefined {
  return id !== undefined && Number.isSafeInteger(id) && id >= 1 ? id % partitions : undefined;
}

/** The least id after this one that belongs to a partition. */
export function nextIdOf(partition: number, partitions: number, after: number): number {
  const next = after + 1;
  return next + ((partition - (next % partitions) + partitions) % partitions);
}

/** The counters of one partition of a snapshot. */
type PartitionCounters = SnapshotCounters["partitions"][number];

/** Whether a collection of a snapshot never had a record. */
export const isUntouched = ({ partitions }: SnapshotCounters): boolean =>
  partitions.every(({ revision }) => revision === 0);

/** A revision below that of every record that is changed after the moment of the snapshot. */
export const revisionReached = ({ partitions }: SnapshotCounters): number =>
  partitions.length === 0 ? 0 : Math.min(...partitions.map(({ revision }) => revision));

/**
 * The counters of a snapshot for a collection with so many partitions: those that they are or, where it has another number of them, the
 * greatest for each, so that no id is assigned and no revision is given twice.
 */
export function countersFor(partitions: number, counters: SnapshotCounters): readonly PartitionCounters[] {
  if (counters.partitions.length === partitions) return counters.partitions;
  const greatest = (values: readonly number[]): number => Math.max(0, ...values);
  const revision = greatest(counters.partitions.map((each) => each.revision));
  const lastId = greatest(counters.partitions.map((each) => each.lastId));
  return Array.from({ length: partitions }, () => ({ revision, lastId }));
}
