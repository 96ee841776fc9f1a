import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CollectionDefinition } from "./database.ts";
import { columnOf, memberOf } from "./sqlite-schema.ts";
import { SqliteWords } from "./sqlite-words.ts";
import type { Creation, Removal, Replacement, StoredRecord } from "./store.ts";
import { saySame, toStoredJson } from "./stored-json.ts";
import { tellAnyRowid } from "./told-rowid.ts";

/** A change that is to be made; members are the JSON text of an object, the time is in milliseconds since the epoch. */
export type Write =
  | { readonly kind: "create"; readonly id: number | undefined; readonly members: string; readonly time: number }
  | {
      readonly kind: "replace";
      readonly id: number;
      readonly members: string;
      readonly time: number;
      readonly expectedRevision: number | undefined;
    }
  | { readonly kind: "remove"; readonly id: number; readonly expectedRevision: number | undefined };

export type CreateWrite = Extract<Write, { readonly kind: "create" }>;

/** What became of a change. */
export type OutcomeOf<W extends Write> = W extends { readonly kind: "create" }
  ? Creation
  : W extends { readonly kind: "replace" }
    ? Replacement
    : Removal;

/** A client that chooses a greater id does not move on the ids that are assigned, or one request could use them up. */
const mostCounted = 2 ** 52;

/** The changes to a collection over one connection, each to be made within a transaction that may write. */
export class SqliteWrites {
  readonly #collection: string;
  readonly #find: StatementSync;
  readonly #counters: StatementSync;
  readonly #count: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #markRemoved: StatementSync;
  readonly #wasRemoved: StatementSync;
  readonly #any: StatementSync;
  readonly #words: SqliteWords | undefined;
  readonly #holders: readonly { readonly member: string; readonly find: StatementSync }[];

  constructor(database: DatabaseSync, { name: collection, unique = [], fullText = [] }: CollectionDefinition) {
    this.#collection = collection;
    this.#find = database.prepare(
      `SELECT id, revision, updated_at, document, created_at FROM "${collection}" WHERE id = ?`,
    );
    this.#counters = database.prepare("SELECT revision, last_id FROM waymark_collections WHERE name = ?");
    this.#count = database.prepare("UPDATE waymark_collections SET revision = ?, last_id = ? WHERE name = ?");
    this.#insert = database.prepare(
      `INSERT INTO "${collection}" (id, revision, created_at, updated_at, document) VALUES (?, ?, ?, ?, ?)`,
    );
    this.#update = database.prepare(
      `UPDATE "${collection}" SET revision = ?, updated_at = ?, document = ? WHERE id = ?`,
    );
    this.#delete = database.prepare(`DELETE FROM "${collection}" WHERE id = ?`);
    this.#markRemoved = database.prepare("INSERT INTO waymark_removals VALUES (?, ?)");
    this.#wasRemoved = database.prepare("SELECT 1 FROM waymark_removals WHERE collection = ? AND id = ?");
    this.#any = database.prepare(`SELECT 1 FROM "${collection}" LIMIT 1`);
    this.#words = fullText.length === 0 ? undefined : new SqliteWords(database, collection, fullText);
    // The value is taken from the new document as the column takes it from the stored one, so that they compare alike.
    this.#holders = unique.map((member) => ({
      member,
      find: database.prepare(`SELECT id FROM "${collection}" WHERE "${columnOf(member)}" = (${memberOf("?", member)})`),
    }));
    for (const read of [this.#find, this.#counters]) read.setReturnArrays(true);
    tellAnyRowid(this.#count, this.#insert, this.#update, this.#delete, this.#markRemoved);
  }

  /** Makes the change. When it throws, the transaction is to be undone. */
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

  /** Whether the collection has no record. */
  isEmpty(): boolean {
    return this.#any.get() === undefined;
  }

  /** Whether a record had the id, and was removed. */
  wasRemoved(id: number): boolean {
    return this.#wasRemoved.get(this.#collection, id) !== undefined;
  }

  #create({ id: given, members, time }: Extract<Write, { kind: "create" }>): Creation {
    if (given !== undefined && this.#wasGiven(given)) return { kind: "conflict", member: "id" };
    const [lastRevision, lastId] = this.#lastGiven();
    let id = given ?? lastId + 1;
    // Assigned ids that have come so far may meet those that clients chose.
    while (id !== given && id > mostCounted && this.#wasGiven(id)) id++;
    const json = toStoredJson(members, { id, createdAt: time, updatedAt: time });
    const member = this.#memberHeldByAnother(id, json);
    if (member !== undefined) return { kind: "conflict", member };
    const revision = lastRevision + 1;
    this.#insert.run(id, revision, time, time, json);
    this.#words?.add(id, json);
    const isCounted = given === undefined || given <= mostCounted;
    this.#count.run(revision, isCounted ? Math.max(lastId, id) : lastId, this.#collection);
    return { kind: "created", record: { id, revision, updatedAt: time, json } };
  }

  #replace({ id, members, time, expectedRevision }: Extract<Write, { kind: "replace" }>): Replacement {
    const row = this.#row(id);
    if (row === undefined) return { kind: "missing" };
    const { record, createdAt } = row;
    if (!isExpected(record, expectedRevision)) return { kind: "changed", record };
    if (saySame(record.json, toStoredJson(members, { id, createdAt, updatedAt: record.updatedAt }))) {
      return { kind: "replaced", record };
    }

    const updatedAt = Math.max(time, record.updatedAt); // the clock may have been set back
    const json = toStoredJson(members, { id, createdAt, updatedAt });
    const member = this.#memberHeldByAnother(id, json);
    if (member !== undefined) return { kind: "conflict", member };
    const revision = this.#nextRevision();
    this.#update.run(revision, updatedAt, json, id);
    this.#words?.replace(id, record.json, json);
    return { kind: "replaced", record: { id, revision, updatedAt, json } };
  }

  #remove({ id, expectedRevision }: Extract<Write, { kind: "remove" }>): Removal {
    const row = this.#row(id);
    if (row === undefined) return { kind: "missing" };
    if (!isExpected(row.record, expectedRevision)) return { kind: "changed", record: row.record };
    this.#delete.run(id);
    this.#words?.remove(id);
    this.#markRemoved.run(this.#collection, id);
    this.#nextRevision();
    return { kind: "removed" };
  }

  /** Whether a record has the id, or had it. */
  #wasGiven(id: number): boolean {
    return this.#row(id) !== undefined || this.wasRemoved(id);
  }

  #row(id: number): { readonly record: StoredRecord; readonly createdAt: number } | undefined {
    if (!Number.isSafeInteger(id)) return undefined; // SQLite might not be able to say that nobody has it
    // The statement returns arrays of the five columns, whose types the table enforces.
    const row = this.#find.get(id) as readonly [number, number, number, string, number] | undefined;
    if (row === undefined) return undefined;
    const [, revision, updatedAt, json, createdAt] = row;
    return { record: { id, revision, updatedAt, json }, createdAt };
  }

  #lastGiven(): readonly [revision: number, id: number] {
    // The collection's row was made when the store was opened, and is never deleted.
    return this.#counters.get(this.#collection) as unknown as [number, number];
  }

  #nextRevision(): number {
    const [lastRevision, lastId] = this.#lastGiven();
    this.#count.run(lastRevision + 1, lastId, this.#collection);
    return lastRevision + 1;
  }

  /** The unique member of which another record than this one has the value that the JSON text has. */
  #memberHeldByAnother(id: number, json: string): string | undefined {
    for (const { member, find } of this.#holders) {
      const holder = find.get(json);
      if (holder !== undefined && holder["id"] !== id) return member;
    }
    return undefined;
  }
}

const isExpected = ({ revision }: StoredRecord, expectedRevision: number | undefined): boolean =>
  expectedRevision === undefined || revision === expectedRevision;
