import type { Ownership, StoredCollection } from "../../../database.ts";
import type { JsonObject } from "../../../members/json-object.ts";
import type { SnapshotRecord } from "../../contract/snapshot.ts";
import { uniqueKeys } from "../../table/filled-columns.ts";
import { type RecordRow, recordColumns, toRecord } from "../../table/rows.ts";
import { type Counters, mostCounted, type StoredRow } from "../../writing/decide.ts";
import { isNew, type Write } from "../../writing/write.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import { PostgresCounters } from "../history/counters.ts";
import { type PostgresRows, postgresRows, type RemoveRecords, removalOfRecords } from "../table/rows.ts";
import { ownerColumn, quoteName, toArrayText } from "../table/sql.ts";
import { PostgresBatch } from "./batch.ts";
import { type Holders, holdersOf } from "./conflicts.ts";
import { forgetKeys, keepKeys, keyedRecords } from "./keys.ts";

/** The statements that change a collection, each within a transaction that holds its counters. */
export class PostgresChanges {
  readonly counters: PostgresCounters;
  readonly rows: PostgresRows;
  readonly removeRecords: RemoveRecords;
  readonly #collection: string;
  readonly #table: string;
  readonly #owner: Ownership | undefined;
  readonly #unique: readonly string[];

  /** @param collections all collections of the database */
  constructor(definition: StoredCollection, collections: readonly StoredCollection[]) {
    const { name, unique, owner } = definition;
    this.counters = new PostgresCounters(definition, collections);
    this.#collection = name;
    this.#table = quoteName(name);
    this.#owner = owner;
    this.#unique = unique;
    this.rows = postgresRows(definition);
    this.removeRecords = removalOfRecords(definition, collections);
  }

  /** Reads the state that the writes depend on. `locking` is the promise of `lock`, which must be called before. */
  async read(
    connection: PostgresConnection,
    writes: readonly Write[],
    locking: Promise<Counters>,
  ): Promise<PostgresBatch> {
    const ids = [...new Set(writes.flatMap(({ id }) => (id !== undefined && Number.isSafeInteger(id) ? [id] : [])))];
    const given = writes.flatMap((write) => (isNew(write) && write.id !== undefined ? [write.id] : []));
    const reading = Promise.all([
      this.#ownersOf(connection, writes),
      keyedRecords(connection, this.#collection, writes),
      this.#rowsOf(connection, ids),
      this.#removedOf(connection, given),
      this.#holdersOf(connection, writes),
    ]);
    // Where locking fails, the server refuses the statements after it: their errors say nothing of the cause.
    reading.catch(() => undefined);
    const counters = await locking;
    const [owners, keyed, rows, removed, holders] = await reading;
    // The records that were created with one of the keys before; such a key is rare.
    const repeated = await this.#rowsOf(connection, [...new Set(Array.from(keyed.values(), ({ id }) => id))]);
    for (const [id, row] of repeated) rows.set(id, row);
    const assignable = await this.#takenAmongUncounted(connection, counters, given, writes.length);
    const takenIds = new Set([...rows.keys(), ...removed, ...assignable]);
    return new PostgresBatch(this.#unique, { counters, rows, takenIds, holders, owners, keyed });
  }

  /**
   * Stores the result of a batch.
   *
   * @param counters to store with it; undefined for none
   */
  async write(connection: PostgresConnection, batch: PostgresBatch, counters: Counters | undefined): Promise<void> {
    const { inserted, updated, displaced, removed, keyed, keyedBefore, time } = batch;
    const stored = inserted.length + updated.length;
    const statements: Promise<unknown>[] = [];
    // In this order, no two records ever have the same value of a unique member.
    if (removed.length > 0) statements.push(this.removeRecords(connection, removed));
    statements.push(this.rows.releaseUniqueKeys(connection, displaced));
    if (updated.length > 0) statements.push(this.rows.update(connection, updated));
    if (inserted.length > 0) statements.push(this.rows.insert(connection, inserted));
    if (stored > 0) statements.push(forgetKeys(connection, this.#collection, time, stored));
    if (keyed.length > 0) statements.push(keepKeys(connection, this.#collection, keyed, keyedBefore, time));
    if (counters !== undefined) statements.push(this.counters.put(connection, counters));
    // The server refuses all statements after one that fails. Their errors say nothing of the cause.
    const fault = (await Promise.allSettled(statements)).find((outcome) => outcome.status === "rejected");
    if (fault !== undefined) throw fault.reason;
  }

  /** Stores records unchanged, and replaces those with the same ids. The counters do not change. */
  async put(connection: PostgresConnection, records: readonly SnapshotRecord[]): Promise<void> {
    if (records.length === 0) return;
    const member = this.#owner?.member;
    const rows = records.map(({ createdAt, ...record }): StoredRow => {
      const document: JsonObject = member === undefined ? {} : JSON.parse(record.json);
      return { record, createdAt, owner: member === undefined ? undefined : Number(document[member]) };
    });
    await this.rows.put(connection, rows);
  }

  /** Returns whether the collection, or the owner in it, has no record of a revision up to this one. */
  async isEmpty(
    connection: PostgresConnection,
    owner: number | undefined,
    revision: number = Number.MAX_SAFE_INTEGER,
  ): Promise<boolean> {
    const ofOwner = owner === undefined ? "" : "AND owner = $2";
    const values = owner === undefined ? [revision] : [revision, owner];
    const text = `SELECT 1 FROM ${this.#table} WHERE revision <= $1 ${ofOwner} LIMIT 1`;
    return (await connection.query({ text, values })).length === 0;
  }

  /** Returns which of the owners of new records exist. */
  async #ownersOf(connection: PostgresConnection, writes: readonly Write[]): Promise<ReadonlySet<number>> {
    const asked = new Set(writes.flatMap((write) => (isNew(write) ? (write.owner ?? []) : [])));
    if (this.#owner === undefined || asked.size === 0) return new Set();
    const rows = await connection.query<readonly [id: string]>({
      name: `waymark owners of ${this.#table}`,
      text: `SELECT id FROM ${quoteName(this.#owner.collection)} WHERE id = ANY($1)`,
      values: [toArrayText([...asked])],
    });
    return new Set(rows.map(([id]) => Number(id)));
  }

  async #rowsOf(connection: PostgresConnection, ids: readonly number[]): Promise<Map<number, StoredRow>> {
    if (ids.length === 0) return new Map();
    const rows = await connection.query<readonly [...RecordRow<string>, createdAt: string, owner: string | null]>({
      name: `waymark rows of ${this.#table}`,
      text: `SELECT ${recordColumns}, created_at, ${ownerColumn(this.#owner)} FROM ${this.#table} WHERE id = ANY($1)`,
      values: [toArrayText(ids)],
    });
    return new Map(
      rows.map((row) => {
        const [, , , , createdAt, owner] = row;
        const record = toRecord(row);
        return [record.id, { record, createdAt: Number(createdAt), owner: owner === null ? undefined : Number(owner) }];
      }),
    );
  }

  async #removedOf(connection: PostgresConnection, ids: readonly number[]): Promise<readonly number[]> {
    if (ids.length === 0) return [];
    const rows = await connection.query<readonly [id: string]>({
      name: "waymark removed",
      text: "SELECT id FROM waymark_removals WHERE collection = $1 AND id = ANY($2)",
      values: [this.#collection, toArrayText(ids)],
    });
    return rows.map(([id]) => Number(id));
  }

  /**
   * Returns the ids that a record has or had, among the uncounted ids that may be assigned next.
   *
   * @param given the ids that clients chose for new records
   * @param free how many untaken ids the search covers, at least
   */
  async #takenAmongUncounted(
    connection: PostgresConnection,
    { lastId }: Counters,
    given: readonly number[],
    free: number,
  ): Promise<readonly number[]> {
    const greatest = Math.max(lastId, ...given.filter((id) => id <= mostCounted));
    return greatest + free <= mostCounted ? [] : this.#takenBeyond(connection, greatest, free);
  }

  /** Returns the ids beyond this one that a record has or had, as far as at least `free` untaken ids reach. */
  async #takenBeyond(connection: PostgresConnection, id: number, free: number): Promise<readonly number[]> {
    const taken: number[] = [];
    for (let end = id; end - id - taken.length < free; ) {
      const begin = end;
      end += free + 1000;
      const rows = await connection.query<readonly [id: string]>({
        name: `waymark taken of ${this.#table}`,
        text: `SELECT id FROM ${this.#table} WHERE id > $2 AND id <= $3
          UNION ALL SELECT id FROM waymark_removals WHERE collection = $1 AND id > $2 AND id <= $3`,
        values: [this.#collection, begin, end],
      });
      taken.push(...rows.map(([each]) => Number(each)));
    }
    return taken;
  }

  #holdersOf(connection: PostgresConnection, writes: readonly Write[]): Promise<readonly Holders[]> {
    if (this.#unique.length === 0) return Promise.resolve([]);
    const keys = writes.map((write) => {
      return write.kind === "remove" ? [] : uniqueKeys(JSON.parse(write.members), this.#unique);
    });
    return holdersOf((statement) => connection.query(statement), this.#table, this.#unique, keys);
  }
}
