import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CollectionDefinition } from "../../database.ts";
import { decide, forgottenForEach, keyLifetime } from "../decide.ts";
import { keyColumns } from "../rows.ts";
import type { OutcomeOf, Write } from "../write.ts";
import { type FilledColumn, filledColumns, rowInsertion } from "./columns.ts";
import { SqliteKnown } from "./known.ts";
import { readRowidsAsBigInt } from "./statements.ts";
import { SqliteWords } from "./words.ts";

/** Makes the changes to a collection over one connection, within a transaction that may write. */
export class SqliteWrites {
  readonly #collection: string;
  readonly #known: SqliteKnown;
  /** The columns of the selectable members. In a row, the keys of the unique members come before them. */
  readonly #selectable: readonly FilledColumn[];
  readonly #count: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #keep: StatementSync;
  readonly #forget: StatementSync;
  readonly #any: StatementSync;
  readonly #words: SqliteWords | undefined;
  /** The number of creations and replacements since expired keys were last removed, and the latest of their times. */
  #stored = { time: 0, records: 0 };

  constructor(database: DatabaseSync, definition: CollectionDefinition) {
    const { name: collection, fullText = [], owner } = definition;
    const columns = filledColumns(definition);
    this.#collection = collection;
    this.#known = new SqliteKnown(database, definition);
    this.#selectable = columns.filter(({ kind }) => kind !== "unique");
    this.#count = database.prepare("UPDATE waymark_collections SET revision = ?, last_id = ? WHERE name = ?");
    this.#insert = database.prepare(rowInsertion(definition));
    const changes = ["revision", "updated_at", "document", ...columns.map(({ name }) => name)];
    this.#update = database.prepare(
      `UPDATE "${collection}" SET ${changes.map((name) => `"${name}" = ?`).join(", ")} WHERE id = ?`,
    );
    this.#delete = database.prepare(`DELETE FROM "${collection}" WHERE id = ?`);
    this.#keep = database.prepare(
      `INSERT OR REPLACE INTO waymark_keys (collection, ${keyColumns})
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#forget = database.prepare(
      `DELETE FROM waymark_keys WHERE (collection, owner, key) IN (
        SELECT collection, owner, key FROM waymark_keys WHERE time <= ? ORDER BY time LIMIT ?
      )`,
    );
    this.#any = database.prepare(
      `SELECT 1 FROM "${collection}" WHERE ? IS NULL${owner === undefined ? "" : " OR owner = ?1"} LIMIT 1`,
    );
    this.#words = fullText.length === 0 ? undefined : new SqliteWords(database, collection, fullText);
    readRowidsAsBigInt(this.#count, this.#insert, this.#update, this.#delete, this.#keep, this.#forget);
  }

  /** Makes the change. When it throws, everything that it has written must be undone. */
  apply<W extends Write>(write: W): OutcomeOf<W> {
    if ("time" in write) {
      this.#stored.records++;
      this.#stored.time = Math.max(this.#stored.time, write.time);
    }
    const { outcome, change } = decide(this.#known, write);
    switch (change?.kind) {
      case "insert": {
        const { row, keys, document, lastId, keyed } = change;
        const { id, revision, updatedAt, json } = row.record;
        const owner = row.owner === undefined ? [] : [row.owner];
        this.#insert.run(id, revision, row.createdAt, updatedAt, json, ...owner, ...keys, ...this.#values(document));
        this.#count.run(revision, lastId, this.#collection);
        if (keyed !== undefined) {
          const { key, fingerprint, time } = keyed;
          this.#keep.run(this.#collection, keyed.owner, key, fingerprint, id, revision, time);
        }
        this.#words?.add(id, document); // last, because a failed insertion must not leave words
        break;
      }
      case "update": {
        const { row, keys, document, before, lastId } = change;
        const { id, revision, updatedAt, json } = row.record;
        this.#count.run(revision, lastId, this.#collection);
        this.#update.run(revision, updatedAt, json, ...keys, ...this.#values(document), id);
        this.#words?.replace(id, before.json, document);
        break;
      }
      case "remove":
        this.#delete.run(change.record.id); // a trigger counts the removal, and stores the id so that no other record gets it
        break;
    }
    return outcome;
  }

  /** Must be called when a transaction has begun. */
  begin(): void {
    this.#words?.begin();
    this.#stored = { time: 0, records: 0 };
  }

  /** Must be called when the changes are applied, before the transaction is committed. */
  finish(): void {
    this.#words?.put();
    const { time, records } = this.#stored;
    // Removes expired keys of any collection. Without expired keys, this adds a few µs to a commit.
    if (records > 0) this.#forget.run(time - keyLifetime, records * forgottenForEach);
    this.#stored = { time, records: 0 };
  }

  /** Returns whether the collection, or the owner in it, has no record. */
  isEmpty(owner: number | undefined): boolean {
    return this.#any.get(owner ?? null) === undefined;
  }

  #values(document: unknown): readonly (string | number | null)[] {
    return this.#selectable.map(({ toValue }) => toValue(document));
  }
}
