import { randomUUID } from "node:crypto";
import { unfinished } from "../../contract/snapshot.ts";
import { reasonIfForeign, UnusableDatabase } from "../../unusable-database.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import { sqlState, sqlStateOf } from "../connections/fault.ts";
import { quoteText } from "../table/sql.ts";

/**
 * The statements that make each layout from the one before it, and the first from nothing. Their numbers begin with 1. This program
 * reads and writes the last one. A landed layout never changes.
 *
 * Each statement must be repeatable, because an engine that makes tables outside of transactions may have run some of them before.
 */
export type Layouts = readonly (readonly string[])[];

const firstLayout: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS waymark_collections (
    name text PRIMARY KEY,
    owner text,             -- the collection that owns its records
    declared text NOT NULL  -- what the last version that opened it compares records by, as a list of JSON
  )`,
  `CREATE TABLE IF NOT EXISTS waymark_fills (
    collection text NOT NULL,
    rule text NOT NULL, -- a digest of the list
    keys text NOT NULL, -- what records are compared by, as a list of JSON
    since xid8,         -- records that were changed before this transaction are filled; NULL until all of them were
    seen timestamptz NOT NULL DEFAULT now(), -- when an instance that fills by it last said so
    PRIMARY KEY (collection, rule)
  )`,
  `CREATE TABLE IF NOT EXISTS waymark_removals (
    collection text NOT NULL,
    id bigint NOT NULL, -- of a removed record; never assigned again
    revision bigint NOT NULL, -- of the removal
    tx xid8 NOT NULL,         -- the transaction of the removal
    owner bigint NOT NULL,    -- of the record; 0 without an owner
    PRIMARY KEY (collection, id)
  )`,
  "CREATE INDEX IF NOT EXISTS waymark_removals_tx ON waymark_removals (collection ASC, tx ASC, revision ASC)",
  `CREATE INDEX IF NOT EXISTS waymark_removals_owner
    ON waymark_removals (collection ASC, owner ASC, tx ASC, revision ASC) WHERE owner <> 0`,
  // Another era begins where another server has the database, and with each resume: cursors are held to it.
  "CREATE TABLE IF NOT EXISTS waymark_era (era text PRIMARY KEY, server text)",
  "INSERT INTO waymark_era SELECT gen_random_uuid()::text WHERE NOT EXISTS (SELECT 1 FROM waymark_era)",
  `CREATE TABLE IF NOT EXISTS waymark_keys (
    collection text NOT NULL,
    owner bigint NOT NULL, -- of the record; 0 without an owner
    key text NOT NULL,
    fingerprint text NOT NULL,
    id bigint NOT NULL,
    revision bigint NOT NULL,
    time bigint NOT NULL,  -- when the record was created, in milliseconds since the epoch
    PRIMARY KEY (collection, owner, key)
  )`,
  "CREATE INDEX IF NOT EXISTS waymark_keys_time ON waymark_keys (collection ASC, time ASC)",
  `CREATE TABLE IF NOT EXISTS waymark_loading (
    collection text PRIMARY KEY, -- the target of a restore in progress
    source text NOT NULL,        -- the identity of its database
    last_id bigint NOT NULL,     -- records up to this id are stored
    revision bigint NOT NULL     -- of the collection that they are from
  )`,
];

/** The layouts of this program. */
export const presentLayouts: Layouts = [firstLayout];

/**
 * Brings the database to the last of the layouts, within the transaction of the connection. Writes and locks nothing where the
 * database already has it.
 *
 * @throws UnusableDatabase when the layout is not one of these; an error of the server for which `metAnotherStart` returns true
 */
export async function migrate(connection: PostgresConnection, layouts: Layouts): Promise<void> {
  const found = await layoutOf(connection, layouts);
  if (found === layouts.length) return;
  if (found === 0) await makeLayout(connection);
  await lockLayout(connection);
  const number = await layoutOf(connection, layouts); // another program may have changed it meanwhile
  if (number === layouts.length) return;
  for (const text of layouts.slice(number).flat()) await connection.query({ text });
  await connection.query({ text: `UPDATE waymark_layout SET number = ${layouts.length}` });
}

/** Makes every other program that is about to make or change tables wait until the transaction ends. */
export async function lockLayout(connection: PostgresConnection): Promise<void> {
  await connection.query({ text: "SELECT number FROM waymark_layout FOR UPDATE" });
}

async function makeLayout(connection: PostgresConnection): Promise<void> {
  await connection.query({
    text: `CREATE TABLE IF NOT EXISTS waymark_layout (
      number integer PRIMARY KEY,
      identity text NOT NULL -- of the database
    )`,
  });
  await connection.query({
    text: `INSERT INTO waymark_layout (number, identity)
      SELECT 0, ${quoteText(randomUUID())} WHERE NOT EXISTS (SELECT 1 FROM waymark_layout)`,
  });
}

/**
 * Returns the number of the layout of the tables; 0 where there are no tables.
 *
 * @throws UnusableDatabase when it is newer than these layouts, or from before layout 1
 */
export async function layoutOf(connection: PostgresConnection, layouts: Layouts): Promise<number> {
  if (!(await isThere(connection, "waymark_layout"))) return 0;
  // Before layout 1, the column had another name.
  const former = await connection.query({
    text: "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('waymark_layout')::oid AND attname = 'version'",
  });
  const [[found = 0] = []] =
    former.length > 0 ? [] : await connection.query({ text: "SELECT number FROM waymark_layout" });
  const foreign = reasonIfForeign(former.length > 0 ? undefined : Number(found), layouts, "database");
  if (foreign !== undefined) throw new UnusableDatabase(foreign);
  return Number(found);
}

/**
 * Returns whether an error means that another program made the same tables, or changed the same rows, at the same time. Another
 * attempt finds the tables of that program.
 */
export function metAnotherStart(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && (state.startsWith("40") || doneByAnother.has(state));
}

/**
 * The error codes of the later of two programs that make one table, object or column at once: it exists, in the catalog or by its
 * index.
 */
const doneByAnother: ReadonlySet<string> = new Set(["42P07", "42710", "42701", sqlState.uniqueViolation]);

/** @throws UnusableDatabase when a restore into the database is not finished */
export async function assertFinished(connection: PostgresConnection): Promise<void> {
  const loading = await connection.query({ text: "SELECT 1 FROM waymark_loading LIMIT 1" });
  if (loading.length > 0) throw new UnusableDatabase(unfinished);
}

/** Returns whether there is a table of this name, which must be quoted where that is needed. */
export async function isThere(connection: PostgresConnection, table: string): Promise<boolean> {
  const [[found] = []] = await connection.query({ text: "SELECT to_regclass($1)", values: [table] });
  return found !== null;
}
