import type { SnapshotKey, SnapshotRemoval } from "../../contract/snapshot.ts";
import type { StoredRecord } from "../../contract/store.ts";
import { uniqueKeys } from "../../table/compared.ts";
import { type Change, decide, type Known, mostCounted, type StoredRow } from "../../writing/decide.ts";
import type { OutcomeOf, Write } from "../../writing/write.ts";

/** The state of a collection that some writes depend on, read after the rows that they name are locked. */
export interface Surroundings {
  /** Free ids that no other transaction assigns, as many as the writes may need. */
  readonly ids: readonly number[];
  /** The same beyond the ids that clients chose, to be assigned after these; undefined where they chose none. */
  readonly idsBeyond: readonly number[] | undefined;
  /** The rows that the writes name by id. */
  readonly rows: ReadonlyMap<number, StoredRow>;
  /** The ids that a record has or had, among those that the writes name and those that may be assigned. */
  readonly takenIds: ReadonlySet<number>;
  /** For each unique member, the ids of the records that have the keys of the writes, by key. */
  readonly holders: readonly Holders[];
  /** The existing owners among those that the writes name. */
  readonly owners: ReadonlySet<number>;
  /** What is kept under the idempotency keys of the writes, by `keyOf`. */
  readonly keyed: ReadonlyMap<string, SnapshotKey>;
}

/** The ids of the records that have keys of a unique member, by key. */
export type Holders = ReadonlyMap<string, number>;

/** Returns the name of an idempotency key in a map. Equal keys of different owners have different names. */
export const keyOf = (owner: number, key: string): string => `${owner} ${key}`;

/**
 * Writes to a collection, decided in memory one after another. Each sees the results of those before it, and a refused write
 * changes nothing. The result of all is then stored at once.
 */
export class PostgresBatch {
  readonly #unique: readonly string[];
  readonly #known: Known;
  readonly #rows: Map<number, StoredRow>;
  readonly #takenIds: Set<number>;
  readonly #holdersBefore: readonly Holders[];
  readonly #holders: readonly Map<string, number>[];
  /** What was kept under the keys of the writes when they were read, by `keyOf`. */
  readonly keyedBefore: ReadonlyMap<string, SnapshotKey>;
  readonly #keyed: Map<string, SnapshotKey>;
  readonly #newlyKeyed = new Map<string, SnapshotKey>();
  readonly #inserted = new Map<number, StoredRow>();
  readonly #updated = new Map<number, StoredRow>();
  readonly #removed: SnapshotRemoval[] = [];
  readonly #displaced = new Set<number>();
  #ids: number[];
  #idsBeyond: readonly number[] | undefined;
  /** The revision of the last change, until the server counts it: below 0, so that it is no revision of a stored record. */
  #provisional = Number.MIN_SAFE_INTEGER;
  #time = 0;

  constructor(unique: readonly string[], surroundings: Surroundings) {
    this.#unique = unique;
    this.#rows = new Map(surroundings.rows);
    this.#takenIds = new Set(surroundings.takenIds);
    this.#holdersBefore = surroundings.holders;
    this.#holders = surroundings.holders.map((holders) => new Map(holders));
    this.keyedBefore = surroundings.keyed;
    this.#keyed = new Map(surroundings.keyed);
    this.#ids = [...surroundings.ids];
    this.#idsBeyond = surroundings.idsBeyond;
    this.#known = {
      unique,
      counters: () => ({ lastRevision: this.#provisional, lastId: (this.#ids[0] ?? mostCounted) - 1 }),
      nextId: (after) => after + 1,
      row: (id) => this.#rows.get(id),
      wasGiven: (id) => this.#takenIds.has(id),
      holder: (position, key) => this.#holders[position]?.get(key),
      hasOwner: (id) => surroundings.owners.has(id),
      keyed: (owner, key) => this.#keyed.get(keyOf(owner, key)),
    };
  }

  /** The latest time of the writes, in milliseconds since the epoch. */
  get time(): number {
    return this.#time;
  }

  /** The ids that no record has got. */
  get unusedIds(): readonly number[] {
    return this.#ids;
  }

  get inserted(): readonly StoredRow[] {
    return [...this.#inserted.values()];
  }

  /** The rows that existed before, in their new state. */
  get updated(): readonly StoredRow[] {
    return [...this.#updated.values()];
  }

  /** The ids of updated rows that gave up the value of a unique member, which another row has now. */
  get displaced(): readonly number[] {
    return [...this.#displaced].filter((id) => this.#updated.has(id));
  }

  /** The removals, including those of records that were never stored. */
  get removed(): readonly SnapshotRemoval[] {
    return this.#removed;
  }

  /** The idempotency keys of new records, to be stored. */
  get keyed(): readonly SnapshotKey[] {
    return [...this.#newlyKeyed.values()];
  }

  /** Whether there is nothing to store. */
  get isUnchanged(): boolean {
    return this.#inserted.size + this.#updated.size + this.#removed.length === 0;
  }

  /** Decides a write, and keeps its result. */
  apply<W extends Write>(write: W): OutcomeOf<W> {
    if ("time" in write) this.#time = Math.max(this.#time, write.time);
    const { outcome, change } = decide(this.#known, write);
    if (change !== undefined) this.#make(change);
    return outcome;
  }

  #make(change: Change): void {
    this.#provisional++;
    switch (change.kind) {
      case "insert": {
        const { row, keys, keyed } = change;
        this.#take(row.record.id);
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
        const owner = this.#rows.get(id)?.owner ?? 0;
        this.#removed.push({ id, revision: 0, owner });
        this.#rows.delete(id);
        this.#updated.delete(id);
        this.#inserted.delete(id);
      }
    }
  }

  /** Notes that a new record has an id. */
  #take(id: number): void {
    if (this.#ids[0] === id) this.#ids.shift();
    else if (this.#idsBeyond !== undefined && id <= mostCounted) {
      this.#ids = [...this.#idsBeyond];
      this.#idsBeyond = undefined;
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

/** Returns the outcome of a write with the revision that the server has counted in the place of a provisional one. */
export function withRevision(outcome: OutcomeOf<Write>, revisions: ReadonlyMap<number, number>): OutcomeOf<Write> {
  const revisionOf = (id: number, revision: number): number => (revision >= 0 ? revision : (revisions.get(id) ?? 0));
  const counted = (record: StoredRecord): StoredRecord =>
    record.revision >= 0 ? record : { ...record, revision: revisionOf(record.id, record.revision) };
  switch (outcome.kind) {
    case "created":
    case "replaced":
    case "changed":
      return { ...outcome, record: counted(outcome.record) };
    case "repeated": {
      const { id, revision, record } = outcome;
      return { ...outcome, revision: revisionOf(id, revision), record: record && counted(record) };
    }
    default:
      return outcome;
  }
}
