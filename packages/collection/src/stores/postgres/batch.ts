import type { SnapshotKey } from "../../snapshot.ts";
import type { StoredRecord } from "../../store.ts";
import { type Change, type Counters, decide, type Known, type StoredRow } from "../decide.ts";
import { uniqueKeys } from "../filled-columns.ts";
import { nextIdOf, partitionNamedBy } from "../partitions.ts";
import type { OutcomeOf, Write } from "../write.ts";
import type { HeldPartitions } from "./counters.ts";

/** As much of a collection as must be known to decide on some writes, read once the partitions of the transaction are locked. */
export interface Surroundings {
  readonly held: HeldPartitions;
  /** The rows that the writes name by id. */
  readonly rows: ReadonlyMap<number, StoredRow>;
  /** Those of the ids that are given or might be assigned which a record has or had. */
  readonly takenIds: ReadonlySet<number>;
  /** For each unique member the ids of the records that have the keys of the writes. */
  readonly holders: readonly ReadonlyMap<string, number>[];
  /** Those of the owners that the writes name which there are. */
  readonly owners: ReadonlySet<number>;
  /** The records that were created before by the keys of the writes, by `keyOf`. */
  readonly keyed: ReadonlyMap<string, SnapshotKey>;
}

/** Names a key in a map: the same one of another owner is another key. */
export const keyOf = (owner: number, key: string): string => `${owner} ${key}`;

/**
 * Some writes to a collection, made one after the other on what is known of it: each sees what those before it have done,
 * and one that is refused leaves no trace. The result is then stored at once.
 */
export class PostgresBatch {
  readonly #partitions: number;
  readonly #unique: readonly string[];
  readonly #known: Known;
  readonly #rows: Map<number, StoredRow>;
  readonly #takenIds: Set<number>;
  readonly #holdersBefore: readonly ReadonlyMap<string, number>[];
  readonly #holders: readonly Map<string, number>[];
  readonly #keyed: Map<string, SnapshotKey>;
  readonly #newlyKeyed = new Map<string, SnapshotKey>();
  readonly #inserted = new Map<number, StoredRow>();
  readonly #updated = new Map<number, StoredRow>();
  readonly #removed = new Set<number>();
  readonly #displaced = new Set<number>();
  readonly #held: Map<number, Counters>;
  readonly #changed = new Set<number>();
  /** That of the write in hand. */
  #partition = 0;
  #time = 0;

  /** @param partitions how many the collection has */
  constructor(partitions: number, unique: readonly string[], surroundings: Surroundings) {
    this.#partitions = partitions;
    this.#unique = unique;
    this.#rows = new Map(surroundings.rows);
    this.#takenIds = new Set(surroundings.takenIds);
    this.#holdersBefore = surroundings.holders;
    this.#holders = surroundings.holders.map((holders) => new Map(holders));
    this.#keyed = new Map(surroundings.keyed);
    this.#held = new Map(surroundings.held);
    this.#known = {
      unique,
      counters: () => this.#counters,
      nextId: (after) => nextIdOf(this.#partition, partitions, after),
      row: (id) => this.#rows.get(id),
      wasGiven: (id) => this.#takenIds.has(id),
      holder: (position, key) => this.#holders[position]?.get(key),
      hasOwner: (id) => surroundings.owners.has(id),
      keyed: (owner, key) => this.#keyed.get(keyOf(owner, key)),
    };
  }

  /** When the last of what was to be stored came, in milliseconds since the epoch. */
  get time(): number {
    return this.#time;
  }

  get held(): HeldPartitions {
    return this.#held;
  }

  /** Those of the partitions whose counters have changed. */
  get changed(): HeldPartitions {
    return new Map([...this.#held].filter(([partition]) => this.#changed.has(partition)));
  }

  /** Rows that are new. */
  get inserted(): readonly StoredRow[] {
    return [...this.#inserted.values()];
  }

  /** Rows that there were, as they are now. */
  get updated(): readonly StoredRow[] {
    return [...this.#updated.values()];
  }

  /** Ids of updated rows whose value of a unique member another row has now. */
  get displaced(): readonly number[] {
    return [...this.#displaced].filter((id) => this.#updated.has(id));
  }

  /** Ids that no record may have again, those of records that were never stored included. */
  get removed(): readonly number[] {
    return [...this.#removed];
  }

  /** The keys of new records, to be kept. */
  get keyed(): readonly SnapshotKey[] {
    return [...this.#newlyKeyed.values()];
  }

  /** Whether nothing is to be stored. */
  get isUnchanged(): boolean {
    return this.#inserted.size + this.#updated.size + this.#removed.size === 0;
  }

  /** Makes a write; returns undefined where the transaction does not hold its partition. */
  apply<W extends Write>(write: W): OutcomeOf<W> | undefined {
    const partition = partitionNamedBy(write, this.#partitions) ?? this.#partitionOfNextId();
    if (partition === undefined || !this.#held.has(partition)) return undefined;
    this.#partition = partition;
    if ("time" in write) this.#time = Math.max(this.#time, write.time);
    const { outcome, change } = decide(this.#known, write);
    if (change !== undefined) this.#make(change);
    return outcome;
  }

  /** Returns the partition that has the least next id of those that are held, so that ids stay close together. */
  #partitionOfNextId(): number | undefined {
    let least: readonly [id: number, partition: number] | undefined;
    for (const [partition, { lastId }] of this.#held) {
      const id = nextIdOf(partition, this.#partitions, lastId);
      if (least === undefined || id < least[0]) least = [id, partition];
    }
    return least?.[1];
  }

  /** Those of the partition of the write in hand. */
  get #counters(): Counters {
    return this.#held.get(this.#partition) as Counters; // held, or the write would not be decided
  }

  #make(change: Change): void {
    const { lastRevision, lastId } = this.#counters;
    const counters = { lastRevision: lastRevision + 1, lastId: "lastId" in change ? change.lastId : lastId };
    this.#held.set(this.#partition, counters);
    this.#changed.add(this.#partition);
    switch (change.kind) {
      case "insert": {
        const { row, keys, keyed } = change;
        this.#takenIds.add(row.record.id);
        this.#hold(row.record.id, keys);
        this.#put(this.#inserted, row);
        if (keyed !== undefined) {
          for (const known of [this.#keyed, this.#newlyKeyed]) known.set(keyOf(keyed.owner, keyed.key), keyed);
        }
        break;
      }
      case "update": {
        const { row, keys, before } = change;
        const { id } = row.record;
        this.#release(before);
        this.#hold(id, keys);
        this.#put(this.#inserted.has(id) ? this.#inserted : this.#updated, row);
        break;
      }
      case "remove": {
        const { id } = change.record;
        this.#release(change.record);
        this.#rows.delete(id);
        this.#updated.delete(id);
        this.#inserted.delete(id);
        this.#removed.add(id);
      }
    }
  }

  #put(rows: Map<number, StoredRow>, row: StoredRow): void {
    this.#rows.set(row.record.id, row);
    rows.set(row.record.id, row);
  }

  #hold(id: number, keys: readonly (string | null)[]): void {
    for (const [position, key] of keys.entries()) {
      if (key === null) continue;
      this.#holders[position]?.set(key, id);
      const before = this.#holdersBefore[position]?.get(key);
      if (before !== undefined && before !== id) this.#displaced.add(before);
    }
  }

  #release({ json }: StoredRecord): void {
    if (this.#unique.length === 0) return;
    for (const [position, key] of uniqueKeys(JSON.parse(json), this.#unique).entries()) {
      if (key !== null) this.#holders[position]?.delete(key);
    }
  }
}
