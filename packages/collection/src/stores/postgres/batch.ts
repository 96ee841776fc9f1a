import type { Creation, Idempotency, Removal, Replacement, StoredRecord } from "../../store.ts";
import { uniqueKeys } from "../filled-columns.ts";
import { type CreateWrite, type OutcomeOf, saySame, toStoredJson, type Write } from "../write.ts";

/** A record, and what the store has beside it. */
export interface StoredRow {
  readonly record: StoredRecord;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The id of the record that owns it, where the collection has an owner. */
  readonly owner: number | undefined;
}

/** A record as it was when it was created by a key. */
export interface KeyedRecord {
  readonly record: StoredRecord;
  /** The owner's id; 0 where there is none. */
  readonly owner: number;
  readonly idempotency: Idempotency;
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
  /** Those of the owners that the writes name which there are. */
  readonly owners: ReadonlySet<number>;
  /** What was created before by the keys of the writes, by `keyOf`. */
  readonly keyed: ReadonlyMap<string, KeyedRecord>;
}

/** What a key is told apart by: one of another owner is another one. */
export const keyOf = (owner: number, key: string): string => `${owner} ${key}`;

/** How long a key is kept, in milliseconds. */
export const keyLifetime = 86_400_000;

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
  readonly #holdersBefore: readonly ReadonlyMap<string, number>[];
  readonly #holders: readonly Map<string, number>[];
  readonly #owners: ReadonlySet<number>;
  readonly #keyed: Map<string, KeyedRecord>;
  readonly #newlyKeyed = new Map<string, KeyedRecord>();
  readonly #inserted = new Map<number, StoredRow>();
  readonly #updated = new Map<number, StoredRow>();
  readonly #removed = new Set<number>();
  readonly #displaced = new Set<number>();
  #time = 0;
  #lastRevision: number;
  #lastId: number;

  constructor(unique: readonly string[], surroundings: Surroundings) {
    this.#unique = unique;
    this.#rows = new Map(surroundings.rows);
    this.#takenIds = new Set(surroundings.takenIds);
    this.#holdersBefore = surroundings.holders;
    this.#holders = surroundings.holders.map((holders) => new Map(holders));
    this.#owners = surroundings.owners;
    this.#keyed = new Map(surroundings.keyed);
    this.#lastRevision = surroundings.lastRevision;
    this.#lastId = surroundings.lastId;
  }

  /** When the last of what was to be stored came, in milliseconds since the epoch. */
  get time(): number {
    return this.#time;
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

  /** Ids of updated rows whose value of a unique member another row has now. */
  get displaced(): readonly number[] {
    return [...this.#displaced].filter((id) => this.#updated.has(id));
  }

  /** Ids that no record may have again, those of records that were never stored included. */
  get removed(): readonly number[] {
    return [...this.#removed];
  }

  /** What is to be kept of records that were created by a key. */
  get keyed(): readonly KeyedRecord[] {
    return [...this.#newlyKeyed.values()];
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
    if (write.kind !== "remove") this.#time = Math.max(this.#time, write.time);
    switch (write.kind) {
      case "create":
        return this.#create(write);
      case "replace":
        return this.#replace(write);
      case "remove":
        return this.#remove(write);
    }
  }

  #create(write: CreateWrite): Creation {
    const { id: given, members, time, owner, idempotency } = write;
    if (owner !== undefined && !this.#owners.has(owner)) return { kind: "ownerless" };
    const repetition = idempotency && this.#repetition(write, idempotency);
    if (repetition !== undefined) return repetition;
    if (given !== undefined && this.#takenIds.has(given)) return { kind: "conflict", member: "id" };
    let id = given ?? this.#lastId + 1;
    // Assigned ids that have come so far may meet those that clients chose.
    while (id !== given && id > mostCounted && this.#takenIds.has(id)) id++;
    const keys = this.#keysOf(members);
    const member = this.#memberHeldByAnother(id, keys);
    if (member !== undefined) return { kind: "conflict", member };
    const json = toStoredJson(members, { id, createdAt: time, updatedAt: time });
    const record = { id, revision: ++this.#lastRevision, updatedAt: time, json };
    if (given === undefined || given <= mostCounted) this.#lastId = Math.max(this.#lastId, id);
    this.#takenIds.add(id);
    this.#hold(id, keys);
    this.#put(this.#inserted, { record, createdAt: time, owner });
    if (idempotency !== undefined) this.#keep({ record, owner: owner ?? 0, idempotency });
    return { kind: "created", record };
  }

  #replace({ id, members, time, expectedRevision, owner }: Extract<Write, { kind: "replace" }>): Replacement {
    const row = this.#row(id, owner);
    if (row === undefined) return { kind: "missing" };
    const { record, createdAt } = row;
    if (!isExpected(record, expectedRevision)) return { kind: "changed", record };
    if (saySame(record.json, toStoredJson(members, { id, createdAt, updatedAt: record.updatedAt }))) {
      return { kind: "replaced", record };
    }
    const keys = this.#keysOf(members);
    const member = this.#memberHeldByAnother(id, keys);
    if (member !== undefined) return { kind: "conflict", member };
    const updatedAt = Math.max(time, record.updatedAt); // the clock may have been set back
    const json = toStoredJson(members, { id, createdAt, updatedAt });
    const replaced = { id, revision: ++this.#lastRevision, updatedAt, json };
    this.#release(record);
    this.#hold(id, keys);
    this.#put(this.#inserted.has(id) ? this.#inserted : this.#updated, { ...row, record: replaced });
    return { kind: "replaced", record: replaced };
  }

  #remove({ id, expectedRevision, owner }: Extract<Write, { kind: "remove" }>): Removal {
    const row = this.#row(id, owner);
    if (row === undefined) return { kind: "missing" };
    if (!isExpected(row.record, expectedRevision)) return { kind: "changed", record: row.record };
    this.#lastRevision++;
    this.#release(row.record);
    this.#rows.delete(id);
    this.#updated.delete(id);
    this.#inserted.delete(id);
    this.#removed.add(id);
    return { kind: "removed" };
  }

  /** The row with the id, if it is of the owner. */
  #row(id: number, owner: number | undefined): StoredRow | undefined {
    const row = this.#rows.get(id);
    return owner === undefined || row?.owner === owner ? row : undefined;
  }

  /** What became of the creation with the same key; undefined when there was none. */
  #repetition({ owner = 0, time }: CreateWrite, { key, fingerprint }: Idempotency): Creation | undefined {
    const before = this.#keyed.get(keyOf(owner, key));
    if (before === undefined || before.record.updatedAt <= time - keyLifetime) return undefined;
    return before.idempotency.fingerprint === fingerprint
      ? { kind: "repeated", record: before.record }
      : { kind: "key-reused" };
  }

  #keep(keyed: KeyedRecord): void {
    const key = keyOf(keyed.owner, keyed.idempotency.key);
    this.#keyed.set(key, keyed);
    this.#newlyKeyed.set(key, keyed);
  }

  #put(rows: Map<number, StoredRow>, row: StoredRow): void {
    this.#rows.set(row.record.id, row);
    rows.set(row.record.id, row);
  }

  #keysOf(json: string): readonly (string | null)[] {
    return this.#unique.length === 0 ? [] : uniqueKeys(JSON.parse(json), this.#unique);
  }

  #memberHeldByAnother(id: number, keys: readonly (string | null)[]): string | undefined {
    return this.#unique.find((_member, position) => {
      const key = keys[position];
      const holder = typeof key === "string" ? this.#holders[position]?.get(key) : undefined;
      return holder !== undefined && holder !== id;
    });
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
    for (const [position, key] of this.#keysOf(json).entries()) {
      if (key !== null) this.#holders[position]?.delete(key);
    }
  }
}

const isExpected = ({ revision }: StoredRecord, expectedRevision: number | undefined): boolean =>
  expectedRevision === undefined || revision === expectedRevision;
