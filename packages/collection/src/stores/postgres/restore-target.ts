import type { StoredCollection } from "../../database.ts";
import { changedMeanwhile, notEmpty, RestoreError, type SnapshotRecord } from "../contract/snapshot.ts";
import {
  assertPlace,
  markColumns,
  placesOf,
  type RestoreMark,
  type RestorePlace,
  type RestoreTarget,
} from "../restore.ts";
import type { StoredRow } from "../writing/decide.ts";
import type { PostgresConnection } from "./connections/connection.ts";
import { throwStoreFault } from "./connections/fault.ts";
import type { PostgresPool } from "./connections/pool.ts";
import { dropIndexes, makeIndexes } from "./layout/indexes.ts";
import { identityOf } from "./snapshot.ts";
import { advance, idSequence, quoteName, quoteText, revisionSequence, toArrayText } from "./table/sql.ts";
import { PostgresChanges } from "./writing/changes.ts";
import { putKeys } from "./writing/keys.ts";

type RestoreRow = RestoreMark & readonly string[];

/** Makes the target of a restore of a PostgreSQL database. */
export async function postgresRestoreTarget(
  pool: PostgresPool,
  collections: readonly StoredCollection[],
): Promise<RestoreTarget> {
  const changesOf = new Map(
    collections.map((definition) => [definition.name, new PostgresChanges(definition, collections)]),
  );
  const names = toArrayText([...changesOf.keys()]);
  let places = new Map<string, RestorePlace>();

  const transact = <T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> =>
    pool.use((connection) => connection.inTransaction(() => work(connection))).catch(throwStoreFault);

  const sequences = collections.flatMap(({ name }) => [idSequence(name), revisionSequence(name)]);

  /** Keeps others from changing the collections, and checks that nobody has: that nothing was counted. */
  const assertUntouched = async (connection: PostgresConnection, message: string): Promise<void> => {
    const tables = collections.map(({ name }) => quoteName(name)).toSorted();
    await connection.query({ text: `LOCK TABLE ${tables.join(", ")} IN SHARE ROW EXCLUSIVE MODE` });
    const counted = sequences.map((sequence) => `(SELECT is_called FROM ${sequence})`);
    const [[isCounted] = []] = await connection.query({ text: `SELECT ${counted.join(" OR ")}` });
    if (isCounted === "t") throw new RestoreError(message);
  };

  /** Checks that no other program has stored anything since the last step. */
  const assertAtPlace = async (connection: PostgresConnection, collection: string): Promise<void> => {
    await assertUntouched(connection, changedMeanwhile);
    const text = `SELECT ${markColumns} FROM waymark_loading WHERE collection = $1`;
    const [mark] = await connection.query<RestoreRow>({ text, values: [collection] });
    assertPlace(places.get(collection), mark);
  };

  const step = (
    collection: string,
    work: (connection: PostgresConnection, changes: PostgresChanges) => Promise<void>,
  ): Promise<void> =>
    transact(async (connection) => {
      await assertAtPlace(connection, collection);
      await work(connection, changesOf.get(collection) as PostgresChanges); // one of its collections
    });

  return {
    identity: await identityOf((statement) => pool.read(statement)),
    begin(source) {
      return transact(async (connection) => {
        await assertUntouched(connection, notEmpty);
        await connection.query({
          text: `INSERT INTO waymark_loading (collection, source, last_id, revision)
            SELECT name, $2, 0, 0 FROM unnest($1::text[]) AS rows (name) ON CONFLICT DO NOTHING`,
          values: [names, source],
        });
        const text = `SELECT ${markColumns} FROM waymark_loading`;
        places = placesOf(await connection.query<RestoreRow>({ text }), source);
        for (const definition of collections) {
          if (places.get(definition.name)?.id === 0) await dropIndexes(connection, definition);
        }
        return places;
      });
    },

    remove(collection, removals) {
      return step(collection, async (connection, changes) => {
        await changes.removeRecords(connection, removals, true);
        // The removals of owned records were counted.
        for (const sequence of sequences) {
          await connection.query({ text: `SELECT setval(${quoteText(sequence)}, 1, false)` });
        }
      });
    },

    releaseUniqueKeys(collection, ids) {
      return step(collection, (connection, changes) => changes.rows.releaseUniqueKeys(connection, ids));
    },

    async put(collection, records, place) {
      const member = collections.find(({ name }) => name === collection)?.owner?.member;
      const toRow = ({ createdAt, ...record }: SnapshotRecord): StoredRow => {
        const owner = member === undefined ? undefined : Number(JSON.parse(record.json)[member]);
        return { record, createdAt, owner };
      };
      await step(collection, async (connection, changes) => {
        if (records.length > 0) await changes.rows.put(connection, records.map(toRow));
        await connection.query({
          text: "UPDATE waymark_loading SET last_id = $2, revision = $3 WHERE collection = $1",
          values: [collection, place.id, place.revision],
        });
      });
      places.set(collection, place);
    },

    count(collection, upTo) {
      return transact(async (connection) => {
        const text = `SELECT count(*) FROM ${quoteName(collection)} WHERE id <= $1`;
        const [row] = await connection.query<readonly [string]>({ text, values: [upTo] });
        return Number(row?.[0]);
      });
    },

    putKeys(collection, keys) {
      return step(collection, (connection) => putKeys(connection, collection, keys));
    },

    async end(counters) {
      for (const definition of collections) {
        await step(definition.name, (connection) => makeIndexes(connection, definition));
      }
      return transact(async (connection) => {
        for (const collection of counters.keys()) await assertAtPlace(connection, collection);
        for (const [collection, { revision, lastId }] of counters) {
          for (const [sequence, last] of [
            [idSequence(collection), lastId],
            [revisionSequence(collection), revision],
          ] as const) {
            if (last > 0) await connection.query({ text: advance(sequence), values: [last] });
          }
        }
        await connection.query({ text: "DELETE FROM waymark_loading" });
      });
    },
  };
}
