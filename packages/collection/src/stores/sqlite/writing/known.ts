import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoredCollection } from "../../../database.ts";
import type { SnapshotKey } from "../../contract/snapshot.ts";
import { type KeyRow, keyColumns, type RecordRow, recordColumns, toKey, toRecord } from "../../table/rows.ts";
import type { Counters, Known, StoredRow } from "../../writing/decide.ts";
import { prepareRows } from "../connections/statements.ts";
import { dueShape, filledColumns } from "../table/columns.ts";
import type { SqliteCounters } from "./counters.ts";

/** Reads the state of a collection, over the connection of the writes to decide them, or over that of the reads. */
export class SqliteKnown implements Known {
  readonly unique: readonly string[];
  readonly #collection: string;
  readonly #shape: string;
  readonly #counters: SqliteCounters;
  readonly #row: StatementSync;
  readonly #removed: StatementSync;
  readonly #owner: StatementSync | undefined;
  readonly #holders: readonly StatementSync[];
  readonly #keyed: StatementSync;
  /** The keys that the transaction has added, by owner and key. */
  readonly #added = new Map<string, SnapshotKey>();

  constructor(database: DatabaseSync, definition: StoredCollection, counters: SqliteCounters) {
    const { name: collection, unique, owner } = definition;
    const prepare = (text: string): StatementSync => prepareRows(database, text);
    this.unique = unique;
    this.#collection = collection;
    this.#shape = dueShape(definition);
    this.#counters = counters;
    const ownerColumn = owner === undefined ? "NULL" : "owner";
    this.#row = prepare(`SELECT ${recordColumns}, created_at, ${ownerColumn} FROM "${collection}" WHERE id = ?`);
    this.#removed = prepare("SELECT 1 FROM waymark_removals WHERE collection = ? AND id = ?");
    this.#owner = owner && prepare(`SELECT 1 FROM "${owner.collection}" WHERE id = ?`);
    this.#holders = filledColumns(definition)
      .filter(({ kind }) => kind === "unique")
      .map(({ name }) => prepare(`SELECT id FROM "${collection}" WHERE "${name}" = ?`));
    this.#keyed = prepare(`SELECT ${keyColumns} FROM waymark_keys WHERE collection = ? AND owner = ? AND key = ?`);
  }

  counters(): Counters {
    return this.#counters.of(this.#collection, this.#shape);
  }

  row(id: number): StoredRow | undefined {
    if (!Number.isSafeInteger(id)) return undefined; // SQLite throws for some of these numbers
    // The statement returns arrays of the six columns, whose types the table enforces.
    const row = this.#row.get(id) as
      | readonly [...RecordRow<number>, createdAt: number, owner: number | null]
      | undefined;
    if (row === undefined) return undefined;
    const [, , , , createdAt, owner] = row;
    return { record: toRecord(row), createdAt, owner: owner ?? undefined };
  }

  nextId(after: number): number {
    return after + 1;
  }

  wasGiven(id: number): boolean {
    return this.#row.get(id) !== undefined || this.#removed.get(this.#collection, id) !== undefined;
  }

  holder(position: number, key: string): number | undefined {
    // There is a statement for each unique member, which returns arrays of the one column.
    const row = this.#holders[position]?.get(key) as readonly [number] | undefined;
    return row?.[0];
  }

  hasOwner(id: number): boolean {
    return this.#owner?.get(id) !== undefined;
  }

  keyed(owner: number, key: string): SnapshotKey | undefined {
    const added = this.#added.get(`${owner} ${key}`);
    if (added !== undefined) return added;
    // The statement returns arrays of these columns, whose types the table enforces.
    const row = this.#keyed.get(this.#collection, owner, key) as KeyRow<number> | undefined;
    return row && toKey(row);
  }

  /** Makes a key known that is not stored yet. */
  addKey(keyed: SnapshotKey): void {
    this.#added.set(`${keyed.owner} ${keyed.key}`, keyed);
  }

  /** Returns the keys that were added since the last call, and forgets them. */
  takeKeys(): readonly SnapshotKey[] {
    if (this.#added.size === 0) return [];
    const keys = [...this.#added.values()];
    this.#added.clear();
    return keys;
  }
}
