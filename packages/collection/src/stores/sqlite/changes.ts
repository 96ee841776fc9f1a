import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CollectionDefinition } from "../../database.ts";
import type { Creation, Idempotency, Removal, Replacement, StoredRecord } from "../../store.ts";
import { columnsChanged } from "../filled-columns.ts";
import { type CreateWrite, type OutcomeOf, saySame, toStoredJson, type Write } from "../write.ts";
import { dueForm, type FilledColumn, filledColumns, rowInsertion } from "./columns.ts";
import { tellAnyRowid } from "./statements.ts";
import { SqliteWords } from "./words.ts";

/** A client that chooses a greater id does not move on the ids that are assigned, or one request could use them up. */
const mostCounted = 2 ** 52;

/** The changes to a collection over one connection, each to be made within a transaction that may write. */
export class SqliteWrites {
  readonly #collection: string;
  readonly #form: string;
  /** First those of the holders. */
  readonly #columns: readonly FilledColumn[];
  readonly #find: StatementSync;
  readonly #counters: StatementSync;
  readonly #count: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #wasRemoved: StatementSync;
  readonly #any: StatementSync;
  readonly #owner: StatementSync | undefined;
  readonly #keys: SqliteKeys;
  /** How many records were to be stored since that was told last, and when the last of them came. */
  #stored = { time: 0, records: 0 };
  readonly #words: SqliteWords | undefined;
  readonly #holders: readonly { readonly member: string; readonly find: StatementSync }[];

  constructor(database: DatabaseSync, definition: CollectionDefinition) {
    const { name: collection, fullText = [], owner } = definition;
    const owned = owner === undefined ? undefined : "owner";
    const columns = filledColumns(definition);
    this.#collection = collection;
    this.#form = dueForm(definition);
    this.#columns = columns;
    this.#find = database.prepare(
      `SELECT id, revision, updated_at, document, created_at, ${owned ?? "NULL"} FROM "${collection}" WHERE id = ?`,
    );
    this.#counters = database.prepare("SELECT revision, last_id FROM waymark_collections WHERE name = ? AND form = ?");
    this.#count = database.prepare("UPDATE waymark_collections SET revision = ?, last_id = ? WHERE name = ?");
    this.#insert = database.prepare(rowInsertion(definition));
    const changes = ["revision", "updated_at", "document", ...columns.map(({ name }) => name)];
    this.#update = database.prepare(
      `UPDATE "${collection}" SET ${changes.map((name) => `"${name}" = ?`).join(", ")} WHERE id = ?`,
    );
    this.#delete = database.prepare(`DELETE FROM "${collection}" WHERE id = ?`);
    this.#wasRemoved = database.prepare("SELECT 1 FROM waymark_removals WHERE collection = ? AND id = ?");
    this.#any = database.prepare(
      `SELECT 1 FROM "${collection}" WHERE ? IS NULL${owned === undefined ? "" : " OR owner = ?1"} LIMIT 1`,
    );
    this.#owner = owner && database.prepare(`SELECT 1 FROM "${owner.collection}" WHERE id = ?`);
    this.#keys = new SqliteKeys(database, collection);
    this.#words = fullText.length === 0 ? undefined : new SqliteWords(database, collection, fullText);
    this.#holders = columns
      .filter(({ kind }) => kind === "unique")
      .map(({ member, name }) => ({
        member,
        find: database.prepare(`SELECT id FROM "${collection}" WHERE "${name}" = ?`),
      }));
    for (const read of [this.#find, this.#counters]) read.setReturnArrays(true);
    tellAnyRowid(this.#count, this.#insert, this.#update, this.#delete);
  }

  /** Makes the change. When it throws, the transaction is to be undone. */
  apply<W extends Write>(write: W): OutcomeOf<W> {
    // Each kind has the outcome that OutcomeOf says, which the compiler cannot follow.
    return this.#applied(write) as OutcomeOf<W>;
  }

  #applied(write: Write): Creation | Replacement | Removal {
    if ("time" in write) {
      this.#stored.records++;
      this.#stored.time = Math.max(this.#stored.time, write.time);
    }
    switch (write.kind) {
      case "create":
        return this.#create(write);
      case "replace":
        return this.#replace(write);
      case "remove":
        return this.#remove(write);
    }
  }

  /** To be called when a transaction has begun. */
  begin(): void {
    this.#words?.begin();
    this.#stored = { time: 0, records: 0 };
  }

  /** To be called when all is applied, before the transaction is committed. */
  finish(): void {
    this.#words?.put();
    const { time, records } = this.#stored;
    if (records > 0) this.#keys.forget(time, records);
    this.#stored = { time, records: 0 };
  }

  /** Whether the collection, or the owner in it, has no record. */
  isEmpty(owner: number | undefined): boolean {
    return this.#any.get(owner ?? null) === undefined;
  }

  #create(write: CreateWrite): Creation {
    const { id: given, members, time, owner, idempotency } = write;
    if (owner !== undefined && this.#owner?.get(owner) === undefined) return { kind: "ownerless" };
    const repetition = idempotency && this.#keys.repetition(write, idempotency);
    if (repetition !== undefined) return repetition;
    if (given !== undefined && this.#wasGiven(given)) return { kind: "conflict", member: "id" };
    const [lastRevision, lastId] = this.#lastGiven();
    let id = given ?? lastId + 1;
    // Assigned ids that have come so far may meet those that clients chose.
    while (id !== given && id > mostCounted && this.#wasGiven(id)) id++;
    const json = toStoredJson(members, { id, createdAt: time, updatedAt: time });
    const document: unknown = JSON.parse(json);
    const values = this.#columns.map(({ toValue }) => toValue(document));
    const member = this.#memberHeldByAnother(id, values);
    if (member !== undefined) return { kind: "conflict", member };
    const record = { id, revision: lastRevision + 1, updatedAt: time, json };
    this.#insert.run(id, record.revision, time, time, json, ...(owner === undefined ? [] : [owner]), ...values);
    const isCounted = given === undefined || given <= mostCounted;
    this.#count.run(record.revision, isCounted ? Math.max(lastId, id) : lastId, this.#collection);
    if (idempotency !== undefined) this.#keys.keep(write, idempotency, record);
    this.#words?.add(id, document); // last, since what fails is not to leave any
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

    const [lastRevision, lastId] = this.#lastGiven();
    const updatedAt = Math.max(time, record.updatedAt); // the clock may have been set back
    const json = toStoredJson(members, { id, createdAt, updatedAt });
    const document: unknown = JSON.parse(json);
    const values = this.#columns.map(({ toValue }) => toValue(document));
    const member = this.#memberHeldByAnother(id, values);
    if (member !== undefined) return { kind: "conflict", member };
    const revision = lastRevision + 1;
    this.#count.run(revision, lastId, this.#collection);
    this.#update.run(revision, updatedAt, json, ...values, id);
    this.#words?.replace(id, record.json, document);
    return { kind: "replaced", record: { id, revision, updatedAt, json } };
  }

  /** A trigger counts the removal, and keeps the id from being given again. */
  #remove({ id, expectedRevision, owner }: Extract<Write, { kind: "remove" }>): Removal {
    const row = this.#row(id, owner);
    if (row === undefined) return { kind: "missing" };
    if (!isExpected(row.record, expectedRevision)) return { kind: "changed", record: row.record };
    this.#delete.run(id);
    return { kind: "removed" };
  }

  /** Whether a record has the id, or had it. */
  #wasGiven(id: number): boolean {
    return this.#row(id) !== undefined || this.#wasRemoved.get(this.#collection, id) !== undefined;
  }

  /** The record with the id, if it is of the owner. */
  #row(id: number, owner?: number): { readonly record: StoredRecord; readonly createdAt: number } | undefined {
    if (!Number.isSafeInteger(id)) return undefined; // SQLite might not be able to say that nobody has it
    // The statement returns arrays of the six columns, whose types the table enforces.
    const row = this.#find.get(id) as readonly [number, number, number, string, number, number | null] | undefined;
    if (row === undefined || (owner !== undefined && row[5] !== owner)) return undefined;
    const [, revision, updatedAt, json, createdAt] = row;
    return { record: { id, revision, updatedAt, json }, createdAt };
  }

  /** @throws StoreUnavailable when another program has given the table another form, for which this one has not the values */
  #lastGiven(): readonly [revision: number, id: number] {
    // The collection's row was made when the store was opened, and is never deleted. The statement returns arrays of the two columns.
    const counters = this.#counters.get(this.#collection, this.#form) as readonly [number, number] | undefined;
    if (counters === undefined) throw columnsChanged(this.#collection);
    return counters;
  }

  /** The unique member of which another record than this one has the value that is to be stored. */
  #memberHeldByAnother(id: number, values: readonly (string | number | null)[]): string | undefined {
    for (const [position, { member, find }] of this.#holders.entries()) {
      const holder = find.get(values[position] ?? null);
      if (holder !== undefined && holder["id"] !== id) return member;
    }
    return undefined;
  }
}

const isExpected = ({ revision }: StoredRecord, expectedRevision: number | undefined): boolean =>
  expectedRevision === undefined || revision === expectedRevision;

/** The keys by which records of a collection were created: one that comes again within a day creates no other. */
class SqliteKeys {
  readonly #collection: string;
  readonly #find: StatementSync;
  readonly #keep: StatementSync;
  readonly #forget: StatementSync;

  constructor(database: DatabaseSync, collection: string) {
    this.#collection = collection;
    this.#find = database.prepare(
      `SELECT id, revision, time, document, fingerprint FROM waymark_keys
      WHERE collection = ? AND owner = ? AND key = ? AND time > ?`,
    );
    this.#find.setReturnArrays(true);
    this.#keep = database.prepare(
      `INSERT OR REPLACE INTO waymark_keys (collection, owner, key, fingerprint, id, revision, time, document)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#forget = database.prepare(
      `DELETE FROM waymark_keys WHERE (collection, owner, key) IN (
        SELECT collection, owner, key FROM waymark_keys WHERE time <= ? ORDER BY time LIMIT ?
      )`,
    );
    tellAnyRowid(this.#keep, this.#forget);
  }

  /** What became of the creation with the same key; undefined when there was none. */
  repetition({ owner = 0, time }: CreateWrite, { key, fingerprint }: Idempotency): Creation | undefined {
    // The statement returns arrays of the five columns, whose types the table enforces.
    const row = this.#find.get(this.#collection, owner, key, time - lifetime) as KeyRow | undefined;
    if (row === undefined) return undefined;
    const [id, revision, updatedAt, json, before] = row;
    return before === fingerprint
      ? { kind: "repeated", record: { id, revision, updatedAt, json } }
      : { kind: "key-reused" };
  }

  /** Keeps the key with the record as it is. */
  keep({ owner = 0, time }: CreateWrite, { key, fingerprint }: Idempotency, record: StoredRecord): void {
    this.#keep.run(this.#collection, owner, key, fingerprint, record.id, record.revision, time, record.json);
  }

  /** Forgets some that are too old, of whatever collection, once so many records were stored by that time. */
  forget(time: number, stored: number): void {
    this.#forget.run(time - lifetime, stored * forgottenForEach);
  }
}

type KeyRow = readonly [id: number, revision: number, time: number, json: string, fingerprint: string];

/** Milliseconds. */
const lifetime = 86_400_000;

/** More than one, so that they become fewer. Where there is none to be forgotten, looking for it takes a commit some µs. */
const forgottenForEach = 10;
