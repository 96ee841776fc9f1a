import {
  changedMeanwhile,
  notEmpty,
  RestoreError,
  type SnapshotKey,
  type SnapshotRecord,
  type SnapshotRemoval,
} from "../../snapshot.ts";
import {
  assertPlace,
  countersFor,
  markColumns,
  placesOf,
  type RestoredState,
  type RestoreMark,
  type RestorePlace,
  type RestoreTarget,
} from "../restore.ts";
import { sealsFor } from "../seals.ts";
import { PostgresChanges } from "./changes.ts";
import type { PostgresConnection } from "./connection.ts";
import { toStoreFault, UnusableDatabase } from "./fault.ts";
import { dropIndexes, makeIndexes } from "./indexes.ts";
import { putKeys } from "./keys.ts";
import type { PartitionedCollection } from "./partitions.ts";
import type { PostgresPool } from "./pool.ts";
import { identityOf } from "./snapshot.ts";
import { quoteName, toArrayText } from "./sql.ts";

type RestoreRow = RestoreMark & readonly string[];

/** A PostgreSQL database that a snapshot is restored into. */
export class PostgresRestoreTarget implements RestoreTarget {
  readonly identity: string;
  readonly #pool: PostgresPool;
  readonly #collections: readonly PartitionedCollection[];
  readonly #changes: ReadonlyMap<string, PostgresChanges>;
  readonly #partitions: ReadonlyMap<string, number>;
  #places = new Map<string, RestorePlace>();

  static async of(pool: PostgresPool, collections: readonly PartitionedCollection[]): Promise<PostgresRestoreTarget> {
    return new PostgresRestoreTarget(pool, await identityOf((statement) => pool.read(statement)), collections);
  }

  private constructor(pool: PostgresPool, identity: string, collections: readonly PartitionedCollection[]) {
    this.identity = identity;
    this.#pool = pool;
    this.#collections = collections;
    this.#changes = new Map(
      collections.map((definition) => [definition.name, new PostgresChanges(definition, collections)]),
    );
    this.#partitions = new Map(collections.map(({ name, partitions = 1 }) => [name, partitions]));
  }

  begin(source: string): Promise<ReadonlyMap<string, RestorePlace>> {
    return this.#transact(async (connection) => {
      await this.#assertUntouched(connection, notEmpty);
      await connection.query({
        text: `INSERT INTO waymark_loading (collection, source, last_id, revision)
          SELECT name, $2, 0, 0 FROM unnest($1::text[]) AS rows (name) ON CONFLICT DO NOTHING`,
        values: [toArrayText([...this.#changes.keys()]), source],
      });
      const text = `SELECT ${markColumns} FROM waymark_loading`;
      this.#places = placesOf(await connection.query<RestoreRow>({ text }), source);
      for (const definition of this.#collections) {
        if (this.#places.get(definition.name)?.id === 0) await dropIndexes(connection, definition);
      }
      return this.#places;
    });
  }

  remove(collection: string, removals: readonly SnapshotRemoval[]): Promise<void> {
    return this.#step(collection, async (connection, changes) => {
      await changes.remove(connection, removals);
      // The removals of owned records have advanced the revisions of their collections.
      await connection.query({
        text: "UPDATE waymark_collections SET revision = 0, last_id = 0 WHERE name = ANY($1) AND revision <> 0",
        values: [toArrayText([...this.#changes.keys()])],
      });
    });
  }

  releaseUniqueKeys(collection: string, ids: readonly number[]): Promise<void> {
    return this.#step(collection, (connection, changes) => changes.releaseUniqueKeys(connection, ids));
  }

  async put(collection: string, records: readonly SnapshotRecord[], place: RestorePlace): Promise<void> {
    await this.#step(collection, async (connection, changes) => {
      await changes.put(connection, records);
      await connection.query({
        text: "UPDATE waymark_loading SET last_id = $2, revision = $3 WHERE collection = $1",
        values: [collection, place.id, place.revision],
      });
    });
    this.#places.set(collection, place);
  }

  count(collection: string, upTo: number): Promise<number> {
    return this.#transact(async (connection) => {
      const text = `SELECT count(*) FROM ${quoteName(collection)} WHERE id <= $1`;
      const [row] = await connection.query<readonly [string]>({ text, values: [upTo] });
      return Number(row?.[0]);
    });
  }

  putKeys(collection: string, keys: readonly SnapshotKey[]): Promise<void> {
    return this.#step(collection, (connection) => putKeys(connection, collection, keys));
  }

  async end(states: ReadonlyMap<string, RestoredState>): Promise<void> {
    for (const definition of this.#collections) {
      await this.#step(definition.name, (connection) => makeIndexes(connection, definition));
    }
    return this.#transact(async (connection) => {
      for (const collection of states.keys()) await this.#assertPlace(connection, collection);
      // The removals of owned records have left some, at revisions that come again.
      await connection.query({ text: "DELETE FROM waymark_seals" });
      for (const [collection, { counters, seals }] of states) {
        const count = this.#partitions.get(collection) ?? 1;
        const restored = sealsFor(count, counters.partitions.length, seals);
        await connection.query({
          text: `INSERT INTO waymark_seals (collection, partition, revision, seal)
            SELECT $1, rows.* FROM unnest($2::integer[], $3::bigint[], $4::bigint[]) AS rows`,
          values: [
            collection,
            toArrayText(restored.map(({ partition }) => partition)),
            toArrayText(restored.map(({ revision }) => revision)),
            toArrayText(restored.map(({ seal }) => seal)),
          ],
        });
        for (const [partition, { revision, lastId }] of countersFor(count, counters).entries()) {
          const seal = restored.findLast((each) => each.partition === partition)?.seal ?? 0;
          await connection.query({
            text: `UPDATE waymark_collections SET revision = $3, last_id = $4, seal = $5 WHERE name = $1 AND partition = $2`,
            values: [collection, partition, revision, lastId, seal],
          });
        }
      }
      await connection.query({ text: "DELETE FROM waymark_loading" });
    });
  }

  #step(
    collection: string,
    work: (connection: PostgresConnection, changes: PostgresChanges) => Promise<void>,
  ): Promise<void> {
    return this.#transact(async (connection) => {
      await this.#assertPlace(connection, collection);
      await work(connection, this.#changes.get(collection) as PostgresChanges); // one of its collections
    });
  }

  async #transact<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    try {
      return await this.#pool.use((connection) => connection.inTransaction(() => work(connection)));
    } catch (error) {
      if (!(error instanceof UnusableDatabase)) throw toStoreFault(error);
      throw new RestoreError(`The records cannot be restored: ${error.message}`, { cause: error });
    }
  }

  /** Checks that no other program has stored anything since the last step. */
  async #assertPlace(connection: PostgresConnection, collection: string): Promise<void> {
    await this.#assertUntouched(connection, changedMeanwhile);
    const text = `SELECT ${markColumns} FROM waymark_loading WHERE collection = $1`;
    const [mark] = await connection.query<RestoreRow>({ text, values: [collection] });
    assertPlace(this.#places.get(collection), mark);
  }

  /** Locks the collections as a writer does, and checks that their counters are still 0. */
  async #assertUntouched(connection: PostgresConnection, message: string): Promise<void> {
    const rows = await connection.query<readonly [revision: string, lastId: string]>({
      text: "SELECT revision, last_id FROM waymark_collections WHERE name = ANY($1) ORDER BY name, partition FOR UPDATE",
      values: [toArrayText([...this.#changes.keys()])],
    });
    if (rows.flat().some((counter) => counter !== "0")) throw new RestoreError(message);
  }
}
