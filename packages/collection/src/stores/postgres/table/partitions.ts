import type { StoredCollection } from "../../../database.ts";
import type { Write } from "../../writing/write.ts";

// A collection with P partitions has P counters, so that P transactions can change it at the same time. A record belongs to the
// partition that is its id modulo P: ids of different partitions are never equal, and an id names its partition.

/** A collection as it is in a database. */
export interface PartitionedCollection extends StoredCollection {
  /** How many partitions it has, or is made with; undefined for those that it has, or 1. */
  readonly partitions?: number | undefined;
}

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
