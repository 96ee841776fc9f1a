import type { Ownership, StoredCollection } from "../../../database.ts";
import type { SnapshotKey } from "../../contract/snapshot.ts";
import type { StoredRecord } from "../../contract/store.ts";
import { type PresentNames, presentNames } from "../../present-names.ts";
import { uniqueKeys } from "../../table/compared.ts";
import { ownedBy } from "../../table/definition.ts";
import { type RecordRow, recordColumns, toRecord } from "../../table/rows.ts";
import { mostCounted, type StoredRow } from "../../writing/decide.ts";
import { isNew, type NewRecord, type Write } from "../../writing/write.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import { uniqueSql } from "../table/columns.ts";
import {
  type PostgresRows,
  postgresRows,
  type RemoveRecords,
  type Revisions,
  removalOfRecords,
} from "../table/rows.ts";
import { advance, idSequence, nextOf, ownerColumn, quoteName, quoteText, toArrayText } from "../table/sql.ts";
import { type Holders, PostgresBatch } from "./batch.ts";
import { forgetKeys, keepKeys, keyedRecords, putKeys } from "./keys.ts";

/** The statements that change a collection, each within a transaction. */
export class PostgresChanges {
  /** Whether it owns the records of others. */
  readonly isOwner: boolean;
  /** The members with unique values. */
  readonly unique: readonly string[];
  readonly rows: PostgresRows;
  readonly removeRecords: RemoveRecords;
  readonly #collection: string;
  readonly #table: string;
  readonly #owner: Ownership | undefined;
  readonly #names: PresentNames;
  /** Ids that were reserved, and that no record has got. */
  readonly #spareIds: number[] = [];

  /** @param collections all collections of the database */
  constructor(definition: StoredCollection, collections: readonly StoredCollection[]) {
    const { name, unique, owner, renamed } = definition;
    this.isOwner = ownedBy(name, collections).length > 0;
    this.#collection = name;
    this.#table = quoteName(name);
    this.#owner = owner;
    this.unique = unique;
    this.#names = presentNames(renamed);
    this.rows = postgresRows(definition);
    this.removeRecords = removalOfRecords(definition, collections);
  }

  /** Reads the state that the writes depend on, and locks the rows that they name, in the order of their ids. */
  async read(connection: PostgresConnection, writes: readonly Write[]): Promise<PostgresBatch> {
    const ids = [...new Set(writes.flatMap(({ id }) => (id !== undefined && Number.isSafeInteger(id) ? [id] : [])))];
    const given = writes.flatMap((write) => (isNew(write) && write.id !== undefined ? [write.id] : []));
    const reading = Promise.all([
      this.#ownersOf(connection, writes),
      keyedRecords(connection, this.#collection, writes),
      this.#rowsOf(connection, ids, " ORDER BY id FOR UPDATE"),
      this.#removedOf(connection, given),
      this.#holdersOf(connection, writes),
      this.#reserve(connection, writes),
    ]);
    // The first statement is to say what is wrong.
    reading.catch(() => undefined);
    const [owners, keyed, rows, removed, holders, reserved] = await reading;
    // The records that were created with one of the keys before; such a key is rare.
    const repeated = await this.#rowsOf(connection, [...new Set(Array.from(keyed.values(), ({ id }) => id))]);
    for (const [id, row] of repeated) rows.set(id, row);
    const takenIds = new Set([...rows.keys(), ...removed]);
    return new PostgresBatch(this.unique, { ...reserved, rows, takenIds, holders, owners, keyed });
  }

  /** Returns the row with an id; undefined without one. */
  async row(connection: PostgresConnection, id: number): Promise<StoredRow | undefined> {
    return (await this.#rowsOf(connection, [id])).get(id);
  }

  /** Returns whether somebody keeps everybody from changing the collection, and not only some of its records. */
  async isLocked(connection: PostgresConnection): Promise<boolean> {
    await connection.begin();
    const locked = connection.query({ text: `LOCK TABLE ${this.#table} IN ROW EXCLUSIVE MODE NOWAIT` });
    const [outcome] = await Promise.allSettled([locked, connection.query({ text: "ROLLBACK" })]);
    return outcome.status === "rejected";
  }

  /** Lets nobody else change the collection until the transaction ends. */
  async keepOthersOut(connection: PostgresConnection): Promise<void> {
    await connection.query({ text: `LOCK TABLE ${this.#table} IN SHARE ROW EXCLUSIVE MODE` });
  }

  /** Creates records, as `PostgresRows.create` does. */
  async create(
    connection: PostgresConnection,
    records: readonly NewRecord[],
  ): Promise<readonly (StoredRecord | undefined)[]> {
    const time = records.reduce((latest, record) => Math.max(latest, record.time), 0);
    const creating = this.rows.create(connection, records);
    const forgetting = forgetKeys(connection, this.#collection, time, records.length);
    forgetting.catch(() => undefined); // the first statement is to say what is wrong
    const created = await creating;
    await forgetting;
    return created;
  }

  /** Stores the result of a batch. Returns the revisions of its records, by their ids. */
  async write(connection: PostgresConnection, batch: PostgresBatch): Promise<ReadonlyMap<number, number>> {
    const { inserted, updated, displaced, removed, keyed, keyedBefore, time } = batch;
    this.spare(batch);
    const stored = inserted.length + updated.length;
    const statements: Promise<unknown>[] = [];
    // In this order, no two records ever have the same value of a unique member.
    if (removed.length > 0) statements.push(this.removeRecords(connection, removed));
    statements.push(this.rows.releaseUniqueKeys(connection, displaced));
    const revisions: Promise<Revisions>[] = [];
    if (updated.length > 0) revisions.push(this.rows.update(connection, updated));
    if (inserted.length > 0) revisions.push(this.rows.insert(connection, inserted));
    statements.push(...revisions);
    if (stored > 0) statements.push(forgetKeys(connection, this.#collection, time, stored));
    if (keyed.length > 0) statements.push(keepKeys(connection, this.#collection, keyed, keyedBefore, time));
    // The server refuses all statements after one that fails. Their errors say nothing of the cause.
    const fault = (await Promise.allSettled(statements)).find((outcome) => outcome.status === "rejected");
    if (fault !== undefined) throw fault.reason;
    return new Map((await Promise.all(revisions)).flat());
  }

  /** Keeps the ids that the records of a batch do not need, for later ones. */
  spare({ unusedIds }: PostgresBatch): void {
    this.#spareIds.push(...unusedIds.slice(0, mostSpareIds - this.#spareIds.length));
  }

  /** Reserves ids for the new records that choose none. */
  async #reserve(
    connection: PostgresConnection,
    writes: readonly Write[],
  ): Promise<{ readonly ids: readonly number[]; readonly idsBeyond: readonly number[] | undefined }> {
    const created = writes.filter(isNew);
    const count = created.filter(({ id }) => id === undefined).length;
    const given = created.flatMap(({ id }) => (id !== undefined && id <= mostCounted ? [id] : []));
    if (given.length === 0) return { ids: await this.#freeIds(connection, count), idsBeyond: undefined };
    const greatest = given.reduce((most, id) => Math.max(most, id));
    const before = this.#freeIds(connection, count);
    // Later ids go beyond those that are chosen.
    this.#spareIds.splice(0, this.#spareIds.length, ...this.#spareIds.filter((id) => id > greatest));
    const advanced = connection.query({
      name: `waymark ids of ${this.#table} beyond`,
      text: advance(idSequence(this.#collection)),
      values: [greatest],
    });
    const [ids, , idsBeyond] = await Promise.all([before, advanced, this.#freeIds(connection, count)]);
    return { ids, idsBeyond };
  }

  /** Returns ids that no record has or had: a client may have chosen one that the sequence comes to. */
  async #freeIds(connection: PostgresConnection, count: number): Promise<readonly number[]> {
    const ids = this.#spareIds.splice(0, count);
    while (ids.length < count) {
      const rows = await connection.query<readonly [id: string]>({
        name: `waymark ids of ${this.#table}`,
        text: `WITH next AS MATERIALIZED (SELECT ${nextOf(idSequence(this.#collection))} AS id FROM generate_series(1, $1::integer))
          SELECT id FROM next WHERE NOT EXISTS (SELECT FROM ${this.#table} AS stored WHERE stored.id = next.id) AND NOT EXISTS (
            SELECT FROM waymark_removals AS gone WHERE collection = ${quoteText(this.#collection)} AND gone.id = next.id)
            ORDER BY id`,
        values: [count - ids.length],
      });
      ids.push(...rows.map(([id]) => Number(id)));
    }
    return ids;
  }

  /** Keeps a key with the changes, in the place of one that is there. */
  keep(connection: PostgresConnection, keyed: SnapshotKey): Promise<void> {
    return putKeys(connection, this.#collection, [keyed]);
  }

  /** Returns whether the collection, or the owner in it, has no record but those of this transaction. */
  async isEmpty(connection: PostgresConnection, owner: number | undefined): Promise<boolean> {
    const ofOwner = owner === undefined ? "" : "AND owner = $1";
    const text = `SELECT 1 FROM ${this.#table} WHERE tx IS DISTINCT FROM pg_current_xact_id_if_assigned() ${ofOwner} LIMIT 1`;
    return (await connection.query({ text, values: owner === undefined ? [] : [owner] })).length === 0;
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

  async #rowsOf(
    connection: PostgresConnection,
    ids: readonly number[],
    lock: "" | " ORDER BY id FOR UPDATE" = "",
  ): Promise<Map<number, StoredRow>> {
    if (ids.length === 0) return new Map();
    const rows = await connection.query<readonly [...RecordRow<string>, createdAt: string, owner: string | null]>({
      name: `waymark rows of ${this.#table}${lock === "" ? "" : " locked"}`,
      text: `SELECT ${recordColumns}, created_at, ${ownerColumn(this.#owner)} FROM ${this.#table} WHERE id = ANY($1)${lock}`,
      values: [toArrayText(ids)],
    });
    return new Map(
      rows.map((row) => {
        const [, , , , createdAt, owner] = row;
        const record = this.#names.record(toRecord(row));
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

  /** Returns which records have the keys of the writes. */
  async #holdersOf(connection: PostgresConnection, writes: readonly Write[]): Promise<readonly Holders[]> {
    if (this.unique.length === 0) return [];
    const keys = writes.map((write) => {
      return write.kind === "remove" ? [] : uniqueKeys(JSON.parse(write.members), this.unique);
    });
    const holders = this.unique.map(async (member, position): Promise<Holders> => {
      const wanted = new Set(keys.flatMap((each) => each[position] ?? []));
      if (wanted.size === 0) return new Map();
      const column = uniqueSql(member);
      const rows = await connection.query<readonly [key: string, id: string]>({
        name: `waymark holders of ${this.#table} ${position}`,
        text: `SELECT ${column}, id FROM ${this.#table} WHERE ${column} = ANY($1)`,
        values: [toArrayText([...wanted])],
      });
      return new Map(rows.map(([key, id]) => [key, Number(id)]));
    });
    return Promise.all(holders);
  }
}

/** How many ids are kept that were reserved for records which were then refused. */
const mostSpareIds = 1000;
