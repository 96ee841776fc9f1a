import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Creation, Idempotency, StoredRecord } from "../../store.ts";
import type { CreateWrite } from "../write.ts";
import { tellAnyRowid } from "./told-rowid.ts";

/** The keys by which records of a collection were created: one that comes again within a day creates no other. */
export class SqliteKeys {
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
