import type {
  Snapshot,
  SnapshotCounters,
  SnapshotKey,
  SnapshotRange,
  SnapshotRecord,
  SnapshotRemoval,
  SnapshotSeal,
} from "../../snapshot.ts";
import { lastNumber } from "../layout-numbers.ts";
import { type KeyRow, keyColumns, type RecordRow, recordColumns, toKey, toRecord } from "../rows.ts";
import { isUntouched } from "../snapshot-counters.ts";
import type { PostgresConnection } from "./connection.ts";
import { toStoreFault, UnusableDatabase } from "./fault.ts";
import { assertFinished, knownLayoutOf, presentLayouts } from "./migrations.ts";
import type { PostgresServers } from "./servers.ts";
import type { PostgresTimeouts, Statement } from "./session.ts";
import { quoteName } from "./sql.ts";

/**
 * Opens a snapshot of a PostgreSQL database: a transaction that sees its present state, on its own connection. It blocks no other
 * program.
 *
 * @throws UnusableDatabase (rejects) when the database has no tables of this program; the error of the server, or of the system
 */
export async function openPostgresSnapshot(
  servers: PostgresServers,
  timeouts: PostgresTimeouts,
): Promise<PostgresSnapshot> {
  const connection = await servers.open({ ...timeouts, statement: patience });
  try {
    await connection.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // The reader of the snapshot may take any time between two statements.
    await connection.query({ text: "SET LOCAL idle_in_transaction_session_timeout = 0" });
    await assertLayout(connection);
    await assertFinished(connection);
    return new PostgresSnapshot(connection, await identityOf((statement) => connection.query(statement)));
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/** In milliseconds, for a statement, because one statement counts the records of a large table. */
const patience = 3_600_000;

/** @throws UnusableDatabase when the database has no tables of this program, or those of another layout */
async function assertLayout(connection: PostgresConnection): Promise<void> {
  const version = await knownLayoutOf(connection, presentLayouts);
  if (version === lastNumber(presentLayouts)) return;
  throw new UnusableDatabase(
    version === 0
      ? "it has no collections; name another one"
      : "its layout is that of an older version; start this version on it once, which brings it up to date",
  );
}

/** Returns the identity that distinguishes a database, and the schema in it, from every other one. */
export async function identityOf(query: (statement: Statement) => Promise<readonly IdentityRow[]>): Promise<string> {
  const [[identity] = []] = await query({ text: "SELECT identity FROM waymark_layout" });
  return `postgres ${identity}`;
}

type IdentityRow = readonly (string | null)[];

class PostgresSnapshot implements Snapshot {
  readonly identity: string;
  readonly #connection: PostgresConnection;

  constructor(connection: PostgresConnection, identity: string) {
    this.#connection = connection;
    this.identity = identity;
  }

  async counters(collection: string): Promise<SnapshotCounters> {
    const rows = await this.#query<readonly [revision: string, lastId: string]>(
      "SELECT revision, last_id FROM waymark_collections WHERE name = $1 ORDER BY partition",
      [collection],
    );
    const partitions = rows.map(([revision, lastId]) => ({ revision: Number(revision), lastId: Number(lastId) }));
    if (partitions.length === 0) return { partitions, records: 0 };
    const [count] = await this.#query<readonly [string]>(`SELECT count(*) FROM ${quoteName(collection)}`, []);
    return { partitions, records: Number(count?.[0]) };
  }

  async *records(collection: string, range: SnapshotRange = {}): AsyncGenerator<readonly SnapshotRecord[]> {
    if (isUntouched(await this.counters(collection))) return; // there may be no such table
    const { after = 0, upTo = Number.MAX_SAFE_INTEGER, changedSince = -1 } = range;
    // As in a selection, the limit comes first, and then only the documents within the size are read.
    const text = `SELECT ${recordColumns}, created_at FROM (
        SELECT *, sum(size) OVER (ORDER BY id) AS through FROM (
          SELECT * FROM ${quoteName(collection)}
          WHERE id > $1 AND id <= $2 AND revision > $3 ORDER BY id LIMIT 2000
        ) AS first
      ) AS batch WHERE through - size < ${batchSize} ORDER BY id`;
    for (let place = after; ; ) {
      const rows = await this.#query<readonly [...RecordRow<string>, createdAt: string]>(text, [
        place,
        upTo,
        changedSince,
      ]);
      const records = rows.map((row) => ({ ...toRecord(row), createdAt: Number(row[4]) }));
      const last = records.at(-1);
      if (last === undefined) return;
      yield records;
      place = last.id;
    }
  }

  async *removals(collection: string): AsyncGenerator<readonly SnapshotRemoval[]> {
    const text =
      "SELECT id, revision, owner FROM waymark_removals WHERE collection = $1 AND id > $2 ORDER BY id LIMIT 10000";
    for (let place = 0; ; ) {
      const rows = await this.#query<readonly [string, string, string]>(text, [collection, place]);
      const removals = rows.map(([id, revision, owner]) => ({
        id: Number(id),
        revision: Number(revision),
        owner: Number(owner),
      }));
      const last = removals.at(-1);
      if (last === undefined) return;
      yield removals;
      place = last.id;
    }
  }

  async seals(collection: string): Promise<readonly SnapshotSeal[]> {
    const text =
      "SELECT partition, revision, seal FROM waymark_seals WHERE collection = $1 ORDER BY partition, revision";
    const rows = await this.#query<readonly [string, string, string]>(text, [collection]);
    return rows.map(([partition, revision, seal]) => ({
      partition: Number(partition),
      revision: Number(revision),
      seal: Number(seal),
    }));
  }

  async *keys(collection: string): AsyncGenerator<readonly SnapshotKey[]> {
    const text = `SELECT ${keyColumns} FROM waymark_keys
      WHERE collection = $1 AND (owner, key) > ($2::bigint, $3) ORDER BY owner, key LIMIT 100`;
    for (let place: readonly [owner: number, key: string] = [-1, ""]; ; ) {
      const keys = (await this.#query<KeyRow<string>>(text, [collection, ...place])).map(toKey);
      const last = keys.at(-1);
      if (last === undefined) return;
      yield keys;
      place = [last.owner, last.key];
    }
  }

  async close(): Promise<void> {
    if (this.#connection.isUsable) await this.#connection.close();
  }

  async #query<Row extends readonly (string | null)[]>(
    text: string,
    values: readonly (string | number)[],
  ): Promise<Row[]> {
    try {
      return await this.#connection.query<Row>({ text, values });
    } catch (error) {
      throw toStoreFault(error);
    }
  }
}

/** In bytes, exceeded by at most one record. */
const batchSize = 1_048_576;
