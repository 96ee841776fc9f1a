import { randomUUID } from "node:crypto";
import { unfinished } from "../../contract/snapshot.ts";
import { isAmbiguous, lastNumber, layoutsAfter, reasonIfNewer } from "../../layout-numbers.ts";
import { UnusableDatabase } from "../../unusable-database.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import { sqlState, sqlStateOf } from "../connections/fault.ts";
import { quoteText } from "../table/sql.ts";

/**
 * The statements that make each layout from the one before it, and the first from nothing. This program reads and writes the last
 * layout. A landed layout never changes.
 *
 * Each statement must be repeatable, because an engine that makes tables outside of transactions may have run some of them before.
 */
export type Layouts = readonly (readonly string[])[];

const firstLayout: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS waymark_collections (
    name text NOT NULL,
    partition integer NOT NULL, -- from 0 on: the remainder of the ids that are counted here
    revision bigint NOT NULL,   -- the last one
    last_id bigint NOT NULL,    -- the greatest that any record ever had
    form text NOT NULL,         -- what its table is made for
    PRIMARY KEY (name, partition)
  )`,
  `CREATE TABLE IF NOT EXISTS waymark_removals (
    collection text NOT NULL,
    id bigint NOT NULL, -- of a removed record; never assigned again
    PRIMARY KEY (collection, id)
  )`,
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

/** The shapes of the tables, out of the rows of counters, of which each change leaves a version behind; and the seals. */
const secondLayout: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS waymark_forms (
    name text PRIMARY KEY, -- of a collection
    form text NOT NULL     -- what its table is made for
  )`,
  `INSERT INTO waymark_forms (name, form)
    SELECT name, form FROM waymark_collections WHERE partition = 0 AND form LIKE '{%' ON CONFLICT DO NOTHING`,
  // A digest of the form. Programs of an older version refuse changes when they find it, and read as before.
  "UPDATE waymark_collections SET form = '' WHERE form LIKE '{%'",
  "ALTER TABLE waymark_collections ADD COLUMN IF NOT EXISTS seal bigint",
  "ALTER TABLE waymark_collections ADD COLUMN IF NOT EXISTS epoch bigint", // greater after each resume; negative: changes are lost
  "UPDATE waymark_collections SET seal = 0, epoch = 1 WHERE epoch IS NULL",
  `CREATE TABLE IF NOT EXISTS waymark_seals (
    collection text NOT NULL,
    partition integer NOT NULL,
    revision bigint NOT NULL, -- of the first commit with the seal
    seal bigint NOT NULL,
    PRIMARY KEY (collection, partition, revision)
  )`,
  "ALTER TABLE waymark_layout ADD COLUMN IF NOT EXISTS server_run text", // in which history was last compared
];

/** The partitions, revisions and owners of removals, for the feed of changes. */
const thirdLayout: readonly string[] = [
  "ALTER TABLE waymark_removals ADD COLUMN IF NOT EXISTS partition integer NOT NULL DEFAULT 0",
  "ALTER TABLE waymark_removals ADD COLUMN IF NOT EXISTS revision bigint NOT NULL DEFAULT 0", // of the removal; 0 before this layout
  "ALTER TABLE waymark_removals ADD COLUMN IF NOT EXISTS owner bigint NOT NULL DEFAULT 0", // of the record; 0 without an owner
  // Removals that a program of an older version would store without these fail.
  `ALTER TABLE waymark_removals ALTER COLUMN partition DROP DEFAULT, ALTER COLUMN revision DROP DEFAULT,
    ALTER COLUMN owner DROP DEFAULT`,
  `CREATE INDEX IF NOT EXISTS waymark_removals_revision
    ON waymark_removals (collection ASC, partition ASC, revision ASC, owner ASC)`,
];

/** The layouts of this program, from number 3 on. */
export const presentLayouts: Layouts = [firstLayout, secondLayout, thirdLayout];

/**
 * Brings the database to the last of the layouts, within the transaction of the connection. Writes and locks nothing where the
 * database already has it.
 *
 * @throws UnusableDatabase when the layout is not one of these; an error of the server for which `metAnotherStart` returns true
 */
export async function migrate(connection: PostgresConnection, layouts: Layouts): Promise<void> {
  const last = lastNumber(layouts);
  const found = await knownLayoutOf(connection, layouts);
  if (found === last) return;
  if (found === 0) await makeLayout(connection);
  await lockLayout(connection);
  const version = await knownLayoutOf(connection, layouts); // another program may have changed it meanwhile
  if (version === last) return;
  if (isAmbiguous(version)) await convertAmbiguousLayout(connection);
  for (const text of layoutsAfter(version, layouts).flat()) await connection.query({ text });
  await connection.query({ text: `UPDATE waymark_layout SET version = ${last}` });
}

/** Makes every other program that is about to make or change tables wait until the transaction ends. */
export async function lockLayout(connection: PostgresConnection): Promise<void> {
  await connection.query({ text: "SELECT version FROM waymark_layout FOR UPDATE" });
}

async function makeLayout(connection: PostgresConnection): Promise<void> {
  await connection.query({
    text: "CREATE TABLE IF NOT EXISTS waymark_layout (version integer PRIMARY KEY, identity text NOT NULL)",
  });
  await connection.query({
    text: `INSERT INTO waymark_layout (version, identity)
      SELECT 0, ${quoteText(randomUUID())} WHERE NOT EXISTS (SELECT 1 FROM waymark_layout)`,
  });
}

/**
 * Returns the number of the layout of the tables; 0 where there are no tables.
 *
 * @throws UnusableDatabase when it is newer than these layouts, or cannot be brought to them
 */
export async function knownLayoutOf(connection: PostgresConnection, layouts: Layouts): Promise<number> {
  if (!(await isThere(connection, "waymark_layout"))) return 0;
  const [[found = 0] = []] = await connection.query({ text: "SELECT version FROM waymark_layout" });
  const version = Number(found);
  const newer = reasonIfNewer(version, layouts, "database");
  if (newer !== undefined) throw new UnusableDatabase(newer);
  if (isAmbiguous(version) && !(await columnsOfOurs(connection)).has("waymark_collections.form")) {
    throw new UnusableDatabase(
      `a version from before the first release wrote it, with tables that cannot be brought to those of this one (layout ${version} of then); read its records with that version, store them in another database, and name that one`,
    );
  }
  return version;
}

/** Brings a database whose number was given to several layouts to the first layout of the list. */
async function convertAmbiguousLayout(connection: PostgresConnection): Promise<void> {
  const columns = await columnsOfOurs(connection);
  if (columns.has("waymark_keys.document")) {
    await connection.query({ text: "ALTER TABLE waymark_keys DROP COLUMN document" });
  }
  if (columns.has("waymark_collections.partition")) return;
  const statements = [
    "ALTER TABLE waymark_collections ADD COLUMN partition integer NOT NULL DEFAULT 0",
    `ALTER TABLE waymark_collections ALTER COLUMN partition DROP DEFAULT,
      DROP CONSTRAINT waymark_collections_pkey, ADD PRIMARY KEY (name, partition)`,
    // So that all columns are filled again.
    `UPDATE waymark_collections
      SET form = '{"owner":' || coalesce(to_json(form::json ->> 'owner')::text, 'null') || ',"columns":{}}'`,
  ];
  for (const text of statements) await connection.query({ text });
}

/** Returns the columns of two of our tables, as `table.column`. */
async function columnsOfOurs(connection: PostgresConnection): Promise<ReadonlySet<string | null>> {
  const rows = await connection.query({
    text: `SELECT name || '.' || attname
      FROM unnest(ARRAY['waymark_collections', 'waymark_keys']) AS tables (name)
      JOIN pg_attribute ON attrelid = to_regclass(name)::oid AND attnum > 0 AND NOT attisdropped`,
  });
  return new Set(rows.map(([column = null]) => column));
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
