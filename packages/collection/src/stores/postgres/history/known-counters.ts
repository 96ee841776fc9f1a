import type { Counters } from "../../writing/decide.ts";

/** The counters of a partition, and what tells its history from every other one. */
export interface PartitionCounters extends Counters {
  /** The seal of the connection that last was new to the partition when it changed it. */
  readonly seal: number;
  /** Greater after each `resume`; negative while a program has found that changes are lost. */
  readonly epoch: number;
}

/** Counters by partition. */
export type PartitionsCounters = ReadonlyMap<number, PartitionCounters>;

/** Returns the seals that were in force at revisions, by partition; undefined for a revision before every seal that is kept. */
export type SealsAt = (revisions: ReadonlyMap<number, number>) => Promise<ReadonlyMap<number, number | undefined>>;

/**
 * The committed counters of a collection that this program knows. By them it finds that changes are lost: the database has less than
 * before, or has as much by other changes. What is known then stays known until the database is resumed.
 */
export class KnownCounters {
  readonly #known = new Map<number, PartitionCounters>();
  /** Whether this program has found a loss that other programs may not know of yet. */
  isLossNew = false;

  get known(): PartitionsCounters {
    return new Map(this.#known);
  }

  /** Takes committed counters that follow from those that are known. */
  keep(committed: PartitionsCounters): void {
    for (const [partition, counters] of committed) {
      const known = this.#known.get(partition);
      if (known === undefined || isLater(counters, known)) this.#known.set(partition, counters);
    }
  }

  /**
   * Compares committed counters with those that are known, and takes them. Returns whether known changes are lost.
   *
   * @param known what was known before the counters were asked for: they may lack a later commit
   * @param mayLag whether they may be those of an older state, as on a standby
   */
  async hasLost(
    found: PartitionsCounters,
    known: PartitionsCounters,
    mayLag: boolean,
    sealsAt: SealsAt,
  ): Promise<boolean> {
    if ([...found.values()].some(({ epoch }) => epoch < 0)) return true;
    let isLost = false;
    const resealed = new Map<number, number>();
    for (const [partition, counters] of found) {
      const before = known.get(partition);
      if (before === undefined || counters.epoch > before.epoch) continue;
      if (counters.epoch < before.epoch || isLess(counters, before)) {
        isLost ||= !mayLag;
      } else if (counters.seal !== before.seal) resealed.set(partition, before.lastRevision);
    }
    if (resealed.size > 0) {
      for (const [partition, seal] of await sealsAt(resealed)) {
        isLost ||= seal !== undefined && seal !== known.get(partition)?.seal;
      }
    }
    if (isLost) this.isLossNew = true;
    else this.keep(found);
    return isLost;
  }
}

const isLess = (one: Counters, other: Counters): boolean =>
  one.lastRevision < other.lastRevision || one.lastId < other.lastId;

const isLater = (one: PartitionCounters, other: PartitionCounters): boolean =>
  one.epoch > other.epoch || (one.epoch === other.epoch && one.lastRevision >= other.lastRevision);
