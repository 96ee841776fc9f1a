import type { CollectionDefinition } from "./database.ts";
import { mostCounted, PostgresBatch, type StoredRow, type Surroundings } from "./postgres-batch.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { toPostgresJson, uniqueKeys } from "./postgres-json.ts";
import { quoteName, toArrayText } from "./postgres-names.ts";
import { type RecordRow, recordColumns, toRecord } from "./postgres-records.ts";
import { uniqueColumnOf } from "./postgres-schema.ts";
import { toWordsColumn, wordsOf } from "./postgres-words.ts";
import type { Write } from "./sqlite-writes.ts";

/** What is known of a collection once it is locked. */
export type CollectionLock = Pick<Surroundings, "lastRevision" | "lastId">;

/** The statements that change a collection, each within a transaction that holds the collection's lock. */
export class PostgresChanges {
  readonly #collection: string;
  readonly #table: string;
  readonly #unique: readonly string[];
  readonly #fullText: readonly string[];

  constructor({ name, unique = [], fullText = [] }: CollectionDefinition) {
    this.#collection = name;
    this.#table = quoteName(name);
    this.#unique = unique;
    this.#fullText = fullText;
  }

  /**
   * Locks the collection until the transaction ends, and reads its counters. Whoever changes a collection does this first,
   * so that changes are decided one after another whichever program makes them, and revisions are in the order of the commits.
   */
  async lock(connection: PostgresConnection): Promise<CollectionLock> {
    const [counters] = await connection.query<readonly [revision: string, lastId: string]>({
      name: "waymark lock",
      text: "SELECT revision, last_id FROM waymark_collections WHERE name = $1 FOR UPDATE",
      values: [this.#collection],
    });
    if (counters === undefined) throw new Error(`The collection ${this.#collection} is gone from the database`);
    return { lastRevision: Number(counters[0]), lastId: Number(counters[1]) };
  }

  /** Reads what the writes are decided by. `locking` is the answer to `lock`, sent before. */
  async read(
    connection: PostgresConnection,
    writes: readonly Write[],
    locking: Promise<CollectionLock>,
  ): Promise<PostgresBatch> {
    const ids = [...new Set(writes.flatMap(({ id }) => (id !== undefined && Number.isSafeInteger(id) ? [id] : [])))];
    const given = writes.flatMap((write) => (write.kind === "create" && write.id !== undefined ? [write.id] : []));
    const [counters, rows, removed, holders] = await Promise.all([
      locking,
      this.#rowsOf(connection, ids),
      this.#removedOf(connection, given),
      this.#holdersOf(connection, writes),
    ]);
    const greatest = Math.max(counters.lastId, ...given.filter((id) => id <= mostCounted));
    const assignable =
      greatest + writes.length <= mostCounted ? [] : await this.#takenBeyond(connection, greatest, writes.length);
    const takenIds = new Set([...rows.keys(), ...removed, ...assignable]);
    return new PostgresBatch(this.#unique, { ...counters, rows, takenIds, holders });
  }

  /** Stores what a batch came to. */
  async write(connection: PostgresConnection, batch: PostgresBatch): Promise<void> {
    const { inserted, updated, deleted, removed, lastRevision, lastId } = batch;
    const statements: Promise<unknown>[] = [];
    // In this order no two records have the same value of a unique member in between.
    if (deleted.length > 0) statements.push(this.#delete(connection, deleted));
    if (removed.length > 0) statements.push(this.#markRemoved(connection, removed));
    if (updated.length > 0) statements.push(this.#update(connection, updated));
    if (inserted.length > 0) statements.push(this.#insert(connection, inserted));
    statements.push(
      connection.query({
        name: "waymark count",
        text: "UPDATE waymark_collections SET revision = $2, last_id = $3 WHERE name = $1",
        values: [this.#collection, lastRevision, lastId],
      }),
    );
    await Promise.all(statements);
  }

  /** Stores rows as they are, in the place of those with their ids; the counters stay. */
  async put(connection: PostgresConnection, rows: readonly StoredRow[]): Promise<void> {
    if (rows.length === 0) return;
    await connection.query({
      name: `waymark put into ${this.#table}`,
      text: `${this.#insertion} ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, updated_at = excluded.updated_at,
        document = excluded.document, exact = excluded.exact, created_at = excluded.created_at, words = excluded.words`,
      values: this.#toValues(rows),
    });
  }

  /** Whether the collection has no record. */
  async isEmpty(connection: PostgresConnection): Promise<boolean> {
    const rows = await connection.query({ text: `SELECT 1 FROM ${this.#table} LIMIT 1` });
    return rows.length === 0;
  }

  async #rowsOf(connection: PostgresConnection, ids: readonly number[]): Promise<Map<number, StoredRow>> {
    if (ids.length === 0) return new Map();
    const rows = await connection.query<readonly [...RecordRow, createdAt: string]>({
      name: `waymark rows of ${this.#table}`,
      text: `SELECT ${recordColumns}, created_at FROM ${this.#table} WHERE id = ANY($1)`,
      values: [toArrayText(ids)],
    });
    return new Map(
      rows.map(([id, revision, updatedAt, document, exact, createdAt]) => {
        const record = toRecord([id, revision, updatedAt, document, exact]);
        return [record.id, { record, createdAt: Number(createdAt) }];
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
    return `INSERT INTO ${this.#table} (id, revision, updated_at, document, exact, created_at, words)
      SELECT id, revision, updated_at, document::json, exact, created_at, ${toWordsColumn("words")} FROM ${rowsFrom}`;
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

  #markRemoved(connection: PostgresConnection, ids: readonly number[]): Promise<unknown> {
    return connection.query({
      name: "waymark mark removed",
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
    ].map(toArrayText);
  }
}

const rowsFrom = `unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[])
  AS rows (id, revision, updated_at, document, exact, created_at, words)`;
