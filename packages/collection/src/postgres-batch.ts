import { uniqueKeys } from "./postgres-json.ts";
import type { OutcomeOf, Write } from "./sqlite-writes.ts";
import type { Creation, Removal, Replacement, StoredRecord } from "./store.ts";
import { saySame, toStoredJson } from "./stored-json.ts";

/** A record, and what the store has beside it. */
export interface StoredRow {
  readonly record: StoredRecord;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** As much of a collection as must be known to decide on some writes, read under the lock of the collection. */
export interface Surroundings {
  readonly lastRevision: number;
  readonly lastId: number;
  /** The rows that the writes name by id. */
  readonly rows: ReadonlyMap<number, StoredRow>;
  /** Those of the ids that are given or might be assigned which a record has or had. */
  readonly takenIds: ReadonlySet<number>;
  /** For each unique member the ids of the records that have the keys of the writes. */
  readonly holders: readonly ReadonlyMap<string, number>[];
}

/** A client that chooses a greater id does not move on the ids that are assigned, or one request could use them up. */
export const mostCounted: number = 2 ** 52;

/**
 * Some writes to a collection, made one after the other on what is known of it: each sees what those before it have done,
 * and one that is refused leaves no trace. What they come to is then stored at once.
 */
export class PostgresBatch {
  readonly #unique: readonly string[];
  readonly #rows: Map<number, StoredRow>;
  readonly #takenIds: Set<number>;
  readonly #holders: readonly Map<string, number>[];
  readonly #inserted = new Map<number, StoredRow>();
  readonly #updated = new Map<number, StoredRow>();
  readonly #deleted = new Set<number>();
  readonly #removed = new Set<number>();
  #lastRevision: number;
  #lastId: number;

  constructor(unique: readonly string[], surroundings: Surroundings) {
    this.#unique = unique;
    this.#rows = new Map(surroundings.rows);
    this.#takenIds = new Set(surroundings.takenIds);
    this.#holders = surroundings.holders.map((holders) => new Map(holders));
    this.#lastRevision = surroundings.lastRevision;
    this.#lastId = surroundings.lastId;
  }

  get lastRevision(): number {
    return this.#lastRevision;
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** Rows that are new. */
  get inserted(): readonly StoredRow[] {
    return [...this.#inserted.values()];
  }

  /** Rows that there were, as they are now. */
  get updated(): readonly StoredRow[] {
    return [...this.#updated.values()];
  }

  /** Ids of rows that there were. */
  get deleted(): readonly number[] {
    return [...this.#deleted];
  }

  /** Ids that no record may have again. */
  get removed(): readonly number[] {
    return [...this.#removed];
  }

  /** Whether nothing is to be stored. */
  get isUnchanged(): boolean {
    return this.#inserted.size + this.#updated.size + this.#removed.size === 0;
  }

  apply<W extends Write>(write: W): OutcomeOf<W> {
    // Each kind has the outcome that OutcomeOf says, which the compiler cannot follow.
    return this.#applied(write) as OutcomeOf<W>;
  }

  #applied(write: Write): Creation | Replacement | Removal {
    switch (write.kind) {
      case "create":
        return this.#create(write);
      case "replace":
        return this.#replace(write);
      case "remove":
        return this.#remove(write);
    }
  }

  #create({ id: given, members, time }: Extract<Write, { kind: "create" }>): Creation {
    if (given !== undefined && this.#takenIds.has(given)) return { kind: "conflict", member: "id" };
    let id = given ?? this.#lastId + 1;
    // Assigned ids that have come so far may meet those that clients chose.
    while (id !== given && id > mostCounted && this.#takenIds.has(id)) id++;
    const keys = uniqueKeys(members, this.#unique);
    const member = this.#memberHeldByAnother(id, keys);
    if (member !== undefined) return { kind: "conflict", member };
    const json = toStoredJson(members, { id, createdAt: time, updatedAt: time });
    const record = { id, revision: ++this.#lastRevision, updatedAt: time, json };
    if (given === undefined || given <= mostCounted) this.#lastId = Math.max(this.#lastId, id);
    this.#takenIds.add(id);
    this.#hold(id, keys);
    this.#put(this.#inserted, { record, createdAt: time });
    return { kind: "created", record };
  }

  #replace({ id, members, time, expectedRevision }: Extract<Write, { kind: "replace" }>): Replacement {
    const row = this.#rows.get(id);
    if (row === undefined) return { kind: "missing" };
    const { record, createdAt } = row;
    if (!isExpected(record, expectedRevision)) return { kind: "changed", record };
    if (saySame(record.json, toStoredJson(members, { id, createdAt, updatedAt: record.updatedAt }))) {
      return { kind: "replaced", record };
    }
    const keys = uniqueKeys(members, this.#unique);
    const member = this.#memberHeldByAnother(id, keys);
    if (member !== undefined) return { kind: "conflict", member };
    const updatedAt = Math.max(time, record.updatedAt); // the clock may have been set back
    const json = toStoredJson(members, { id, createdAt, updatedAt });
    const replaced = { id, revision: ++this.#lastRevision, updatedAt, json };
    this.#release(record);
    this.#hold(id, keys);
    this.#put(this.#inserted.has(id) ? this.#inserted : this.#updated, { record: replaced, createdAt });
    return { kind: "replaced", record: replaced };
  }

  #remove({ id, expectedRevision }: Extract<Write, { kind: "remove" }>): Removal {
    const row = this.#rows.get(id);
    if (row === undefined) return { kind: "missing" };
    if (!isExpected(row.record, expectedRevision)) return { kind: "changed", record: row.record };
    this.#lastRevision++;
    this.#release(row.record);
    this.#rows.delete(id);
    this.#updated.delete(id);
    if (!this.#inserted.delete(id)) this.#deleted.add(id);
    this.#removed.add(id);
    return { kind: "removed" };
  }

  #put(rows: Map<number, StoredRow>, row: StoredRow): void {
    this.#rows.set(row.record.id, row);
    rows.set(row.record.id, row);
  }

  #memberHeldByAnother(id: number, keys: readonly (string | null)[]): string | undefined {
    return this.#unique.find((_member, position) => {
      const key = keys[position];
      const holder = typeof key === "string" ? this.#holders[position]?.get(key) : undefined;
      return holder !== undefined && holder !== id;
    });
  }

  #hold(id: number, keys: readonly (string | null)[]): void {
    for (const [position, key] of keys.entries()) if (key !== null) this.#holders[position]?.set(key, id);
  }

  #release({ json }: StoredRecord): void {
    for (const [position, key] of uniqueKeys(json, this.#unique).entries()) {
      if (key !== null) this.#holders[position]?.delete(key);
    }
  }
}

const isExpected = ({ revision }: StoredRecord, expectedRevision: number | undefined): boolean =>
  expectedRevision === undefined || revision === expectedRevision;
