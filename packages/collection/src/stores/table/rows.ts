import type { SnapshotKey } from "../contract/snapshot.ts";
import type { StoredRecord } from "../contract/store.ts";

/** The columns of a `RecordRow`. */
export const recordColumns = "id, revision, updated_at, document";

/** Returns the name of the column of a member that the store keeps itself. */
export const storeColumn = (member: string): string => storeColumns[member] ?? member;

const storeColumns: Readonly<Record<string, string>> = { createdAt: "created_at", updatedAt: "updated_at" };

/** A record as a statement returns it: whole numbers are numbers of SQLite, and text of PostgreSQL. */
export type RecordRow<Whole extends number | string> = readonly [
  id: Whole,
  revision: Whole,
  updatedAt: Whole,
  json: string,
];

/** Makes a record of a row, which may have more columns. */
export const toRecord = ([id, revision, updatedAt, json]: readonly [
  ...RecordRow<number | string>,
  ...unknown[],
]): StoredRecord => ({
  id: Number(id),
  revision: Number(revision),
  updatedAt: Number(updatedAt),
  json,
});

/** The columns of a `KeyRow`, of the table `waymark_keys`. */
export const keyColumns = "owner, key, fingerprint, id, revision, time";

/** An idempotency key and the record that was created with it, as a statement returns them. */
export type KeyRow<Whole extends number | string> = readonly [
  owner: Whole,
  key: string,
  fingerprint: string,
  id: Whole,
  revision: Whole,
  time: Whole,
];

export const toKey = ([owner, key, fingerprint, id, revision, time]: KeyRow<number | string>): SnapshotKey => ({
  owner: Number(owner),
  key,
  fingerprint,
  id: Number(id),
  revision: Number(revision),
  time: Number(time),
});
