import type { SnapshotKey } from "../../contract/snapshot.ts";
import { toReadableText } from "../../table/compared.ts";
import { type KeyRow, keyColumns, toKey } from "../../table/rows.ts";
import { forgottenForEach, keyLifetime } from "../../writing/decide.ts";
import type { Write } from "../../writing/write.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import type { Ask } from "../connections/pool.ts";
import { quoteName, toArrayText } from "../table/sql.ts";
import { keyOf } from "./batch.ts";

/** Returns what is kept under the idempotency keys of the writes, by `keyOf`. */
export async function keyedRecords(
  connection: PostgresConnection,
  collection: string,
  writes: readonly Write[],
): Promise<ReadonlyMap<string, SnapshotKey>> {
  const all = new Map<string, { readonly owner: number; readonly key: string }>();
  for (const write of writes) {
    if (write.kind !== "create" || write.idempotency === undefined) continue;
    const { owner = 0, idempotency } = write;
    all.set(keyOf(owner, idempotency.key), { owner, key: idempotency.key });
  }
  if (all.size === 0) return new Map();
  const asked = [...all.values()];
  const keys = new Map(asked.map(({ key }) => [toReadableText(key), key]));
  const rows = await connection.query<KeyRow<string>>({
    name: "waymark keys",
    text: `SELECT ${keyColumns} FROM waymark_keys
      WHERE collection = $1 AND (owner, key) IN (SELECT * FROM unnest($2::bigint[], $3::text[]))`,
    values: [collection, toArrayText(asked.map(({ owner }) => owner)), toArrayText([...asked.map(toReadableKey)])],
  });
  return new Map(
    rows.map((row) => {
      const keyed = toKey(row);
      const key = keys.get(keyed.key) ?? keyed.key;
      return [keyOf(keyed.owner, key), { ...keyed, key }];
    }),
  );
}

/** Returns what is kept under a key; undefined without it. */
export async function keyedRecord(
  ask: Ask,
  collection: string,
  owner: number,
  key: string,
): Promise<SnapshotKey | undefined> {
  const [row] = await ask<KeyRow<string>>({
    name: "waymark key",
    text: `SELECT ${keyColumns} FROM waymark_keys WHERE collection = $1 AND owner = $2 AND key = $3`,
    values: [collection, owner, toReadableText(key)],
  });
  return row && toKey(row);
}

/**
 * Removes some expired keys of the collection. Those of another collection are left to the holder of its lock.
 *
 * @param stored how many records are stored at that time
 */
export async function forgetKeys(
  connection: PostgresConnection,
  collection: string,
  time: number,
  stored: number,
): Promise<void> {
  await connection.query({
    name: "waymark forget keys",
    text: `DELETE FROM waymark_keys WHERE (collection, owner, key) IN (
        SELECT collection, owner, key FROM waymark_keys WHERE collection = $1 AND time <= $2 ORDER BY time LIMIT $3
          FOR UPDATE SKIP LOCKED -- what another transaction forgets
      )`,
    values: [collection, time - keyLifetime, forgottenForEach * stored],
  });
}

/**
 * Stores the keys of new records in place of expired ones, and of those that the transaction has read. Another transaction
 * may have stored one of the keys meanwhile: then this fails with a unique violation, and is repeated.
 *
 * @param before what the transaction has read, by `keyOf`
 * @param time the time of the latest of the records, in milliseconds since the epoch
 */
export async function keepKeys(
  connection: PostgresConnection,
  collection: string,
  keyed: readonly SnapshotKey[],
  before: ReadonlyMap<string, SnapshotKey>,
  time: number,
): Promise<void> {
  const forget = connection.query({
    name: "waymark forget keys of new records",
    text: `DELETE FROM waymark_keys
      WHERE collection = $1 AND (owner, key) IN (SELECT * FROM unnest($3::bigint[], $4::text[])) AND (time <= $2
        OR (owner, key, fingerprint) IN (SELECT * FROM unnest($3::bigint[], $4::text[], $5::text[])))`,
    values: [
      collection,
      time - keyLifetime,
      toArrayText(keyed.map(({ owner }) => owner)),
      toArrayText(keyed.map(toReadableKey)),
      toArrayText(keyed.map(({ owner, key }) => before.get(keyOf(owner, key))?.fingerprint ?? null)),
    ],
  });
  const keep = connection.query({
    name: `waymark keep keys of ${collection}`,
    text: `INSERT INTO waymark_keys (collection, ${keyColumns})
      SELECT $1, rows.owner, key, fingerprint, rows.id, coalesce(stored.revision, 0), time
      FROM ${sentKeys} AS rows (owner, key, fingerprint, id, revision, time)
      LEFT JOIN ${quoteName(collection)} AS stored ON stored.id = rows.id`,
    values: keyValues(collection, keyed),
  });
  await Promise.all([forget, keep]);
}

/** Stores keys unchanged, and replaces existing ones. */
export async function putKeys(
  connection: PostgresConnection,
  collection: string,
  keyed: readonly SnapshotKey[],
): Promise<void> {
  await connection.query({
    name: "waymark put keys",
    text: `${insertion} ON CONFLICT (collection, owner, key) DO UPDATE SET fingerprint = excluded.fingerprint,
      id = excluded.id, revision = excluded.revision, time = excluded.time`,
    values: keyValues(collection, keyed),
  });
}

const sentKeys = "unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[])";

const insertion = `INSERT INTO waymark_keys (collection, ${keyColumns})
  SELECT $1, rows.* FROM ${sentKeys} AS rows`;

const keyValues = (collection: string, keyed: readonly SnapshotKey[]): readonly string[] => [
  collection,
  ...[
    keyed.map(({ owner }) => owner),
    keyed.map(toReadableKey),
    keyed.map(({ fingerprint }) => fingerprint),
    keyed.map(({ id }) => id),
    keyed.map(({ revision }) => revision),
    keyed.map(({ time }) => time),
  ].map(toArrayText),
];

const toReadableKey = ({ key }: { readonly key: string }): string => toReadableText(key);
