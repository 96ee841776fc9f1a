import type { CollectionDefinition, Ownership } from "../../database.ts";
import type { SnapshotRecord } from "../../snapshot.ts";
import type { Write } from "../write.ts";
import { mostCounted, PostgresBatch, type StoredRow, type Surroundings } from "./postgres-batch.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { toPostgresJson, uniqueKeys } from "./postgres-json.ts";
import { keepKeys, keyedRecords } from "./postgres-keys.ts";
import { quoteName, toArrayText } from "./postgres-names.ts";
import { ownerColumn, type RecordRow, recordColumns, toRecord } from "./postgres-records.ts";
import { uniqueColumnOf } from "./postgres-schema.ts";
import { toWordsColumn, wordsOf } from "./postgres-words.ts";

/** What is known of a collection once it is locked. */
export type CollectionLock = Pick<Surroundings, "lastRevision" | "lastId">;

/** The statements that change a collection, each within a transaction that holds the collection's lock. */
export class PostgresChanges {
  readonly #collection: string;
  readonly #table: string;
  readonly #owned: readonly string[];
  readonly #owner: Ownership | undefined;
  readonly #unique: readonly string[];
  readonly #fullText: readonly string[];

  /** @param owned the collections whose records go when one of these goes, at any remove */
  constructor({ name, unique = [], fullText = [], owner }: CollectionDefinition, owned: readonly string[]) {
    this.#collection = name;
    this.#owned = owned;
    this.#owner = owner;
    this.#table = quoteName(name);
    this.#unique = unique;
    this.#fullText = fullText;
  }

  /**
   * Locks the collection until the transaction ends, and reads its counters. Whoever changes a collection does this first,
   * so that changes are decided one after another whichever program makes them, and revisions are in the order of the commits.
   *
   * @param isRemoving whether records may go, so that what they own is locked too; all programs lock in the same order
   */
  async lock(connection: PostgresConnection, isRemoving: boolean): Promise<CollectionLock> {
    const rows = await connection.query<readonly [name: string, revision: string, lastId: string]>({
      name: "waymark lock",
      text: "SELECT name, revision, last_id FROM waymark_collections WHERE name = ANY($1) ORDER BY name FOR UPDATE",
      values: [toArrayText([this.#collection, ...(isRemoving ? this.#owned : [])])],
    });
    const counters = rows.find(([name]) => name === this.#collection);
    if (counters === undefined) throw new Error(`The collection ${this.#collection} is gone from the database`);
    const [, revision, lastId] = counters;
    return { lastRevision: Number(revision), lastId: Number(lastId) };
  }

  /** Reads what the writes are decided by. `locking` is the answer to `lock`, sent before. */
  async read(
    connection: PostgresConnection,
    writes: readonly Write[],
    locking: Promise<CollectionLock>,
  ): Promise<PostgresBatch> {
    const ids = [...new Set(writes.flatMap(({ id }) => (id !== undefined && Number.isSafeInteger(id) ? [id] : [])))];
    const given = writes.flatMap((write) => (write.kind === "create" && write.id !== undefined ? [write.id] : []));
    const [counters, owners, keyed, rows, removed, holders] = await Promise.all([
      locking,
      this.#ownersOf(connection, writes),
      keyedRecords(connection, this.#collection, writes),
      this.#rowsOf(connection, ids),
      this.#removedOf(connection, given),
      this.#holdersOf(connection, writes),
    ]);
    const greatest = Math.max(counters.lastId, ...given.filter((id) => id <= mostCounted));
    const assignable =
      greatest + writes.length <= mostCounted ? [] : await this.#takenBeyond(connection, greatest, writes.length);
    const takenIds = new Set([...rows.keys(), ...removed, ...assignable]);
    return new PostgresBatch(this.#unique, { ...counters, rows, takenIds, holders, owners, keyed });
  }

  /** Stores what a batch came to. */
  async write(connection: PostgresConnection, batch: PostgresBatch): Promise<void> {
    const { inserted, updated, deleted, usedUp, keyed, lastRevision, lastId } = batch;
    const statements: Promise<unknown>[] = [];
    // In this order no two records have the same value of a unique member in between.
    if (deleted.length > 0) statements.push(this.#delete(connection, deleted));
    if (usedUp.length > 0) statements.push(this.#markUsed(connection, usedUp));
    if (updated.length > 0) statements.push(this.#update(connection, updated));
    if (inserted.length > 0) statements.push(this.#insert(connection, inserted));
    if (keyed.length > 0) statements.push(keepKeys(connection, this.#collection, keyed));
    statements.push(
      connection.query({
        name: "waymark count",
        text: "UPDATE waymark_collections SET revision = $2, last_id = $3 WHERE name = $1",
        values: [this.#collection, lastRevision, lastId],
      }),
    );
    await Promise.all(statements);
  }

  /** Stores records as they are, in the place of those with their ids; the counters stay. */
  async put(connection: PostgresConnection, records: readonly SnapshotRecord[]): Promise<void> {
    if (records.length === 0) return;
    const member = this.#owner?.member;
    const rows = records.map(({ createdAt, ...record }): StoredRow => {
      const document: Readonly<Record<string, unknown>> = member === undefined ? {} : JSON.parse(record.json);
      return { record, createdAt, owner: member === undefined ? undefined : Number(document[member]) };
    });
    await connection.query({
      name: `waymark put into ${this.#table}`,
      text: `${this.#insertion} ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, updated_at = excluded.updated_at,
        document = excluded.document, exact = excluded.exact, created_at = excluded.created_at, words = excluded.words`,
      values: this.#toValues(rows),
    });
  }

  /** Whether the collection, or the owner in it, has no record. */
  async isEmpty(connection: PostgresConnection, owner: number | undefined): Promise<boolean> {
    const ofOwner = owner === undefined ? "" : "WHERE owner = $1";
    const values = owner === undefined ? [] : [owner];
    const rows = await connection.query({ text: `SELECT 1 FROM ${this.#table} ${ofOwner} LIMIT 1`, values });
    return rows.length === 0;
  }

  /** Those of the owners of new records which there are. */
  async #ownersOf(connection: PostgresConnection, writes: readonly Write[]): Promise<ReadonlySet<number>> {
    const asked = new Set(writes.flatMap((write) => (write.kind === "create" ? (write.owner ?? []) : [])));
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
    const rows = await connection.query<readonly [...RecordRow, createdAt: string, owner: string | null]>({
      name: `waymark rows of ${this.#table}`,
      text: `SELECT ${recordColumns}, created_at, ${ownerColumn(this.#owner)} FROM ${this.#table} WHERE id = ANY($1)`,
      values: [toArrayText(ids)],
    });
    return new Map(
      rows.map(([id, revision, updatedAt, document, exact, createdAt, owner]) => {
        const record = toRecord([id, revision, updatedAt, document, exact]);
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

  /** Ids beyond this one that a record has or had, up to one beyond which so many are free. */
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

  #holdersOf(connection: PostgresConnection, writes: readonly Write[]): Promise<readonly Map<string, number>[]> {
    const keys = writes.map((write) => (write.kind === "remove" ? [] : uniqueKeys(write.members, this.#unique)));
    return Promise.all(
      this.#unique.map(async (member, position) => {
        const wanted = new Set(keys.flatMap((each) => each[position] ?? []));
        if (wanted.size === 0) return new Map<string, number>();
        const column = quoteName(uniqueColumnOf(member));
        const rows = await connection.query<readonly [key: string, id: string]>({
          name: `waymark holders of ${this.#table} ${position}`,
          text: `SELECT ${column}, id FROM ${this.#table} WHERE ${column} = ANY($1)`,
          values: [toArrayText([...wanted])],
        });
        return new Map(rows.map(([key, id]) => [key, Number(id)]));
      }),
    );
  }

  #insert(connection: PostgresConnection, rows: readonly StoredRow[]): Promise<unknown> {
    return connection.query({
      name: `waymark insert into ${this.#table}`,
      text: this.#insertion,
      values: this.#toValues(rows),
    });
  }

  get #insertion(): string {
    const owner = this.#owner === undefined ? "" : ", owner";
    return `INSERT INTO ${this.#table} (id, revision, updated_at, document, exact, created_at, words${owner})
      SELECT id, revision, updated_at, document::json, exact, created_at, ${toWordsColumn("words")}${owner} FROM ${rowsFrom}`;
  }

  #update(connection: PostgresConnection, rows: readonly StoredRow[]): Promise<unknown> {
    return connection.query({
      name: `waymark update ${this.#table}`,
      text: `UPDATE ${this.#table} AS stored SET revision = rows.revision, updated_at = rows.updated_at,
        document = rows.document::json, exact = rows.exact, words = ${toWordsColumn("rows.words")} FROM ${rowsFrom} WHERE stored.id = rows.id`,
      values: this.#toValues(rows),
    });
  }

  #delete(connection: PostgresConnection, ids: readonly number[]): Promise<unknown> {
    return connection.query({
      name: `waymark delete from ${this.#table}`,
      text: `DELETE FROM ${this.#table} WHERE id = ANY($1)`,
      values: [toArrayText(ids)],
    });
  }

  #markUsed(connection: PostgresConnection, ids: readonly number[]): Promise<unknown> {
    return connection.query({
      name: "waymark mark used",
      text: "INSERT INTO waymark_removals SELECT $1, unnest($2::bigint[])",
      values: [this.#collection, toArrayText(ids)],
    });
  }

  #toValues(rows: readonly StoredRow[]): readonly string[] {
    const documents = rows.map(({ record }) => toPostgresJson(record.json));
    return [
      rows.map(({ record }) => record.id),
      rows.map(({ record }) => record.revision),
      rows.map(({ record }) => record.updatedAt),
      documents.map(({ document }) => document),
      documents.map(({ exact }) => exact),
      rows.map(({ createdAt }) => createdAt),
      rows.map(({ record }) => wordsOf(record.json, this.#fullText)),
      rows.map(({ owner }) => owner ?? null),
    ].map(toArrayText);
  }
}

const rowsFrom = `unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bigint[])
  AS rows (id, revision, updated_at, document, exact, created_at, words, owner)`;
