import { randomUUID } from "node:crypto";
import { unfinished } from "../../snapshot.ts";
import type { PostgresConnection } from "./connection.ts";
import { sqlState, sqlStateOf, UnusableDatabase } from "./fault.ts";
import { quoteName, quoteText } from "./sql.ts";

/** The number of the layout that this program reads and writes. */
export const presentLayout = 2;

/**
 * Our own tables as they are today. Each statement may be made again, since an engine whose transactions do not hold the making of
 * tables may have made some of them before.
 */
const presentTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS waymark_collections (
    name text PRIMARY KEY,
    revision bigint NOT NULL, -- the last one
    last_id bigint NOT NULL,  -- the greatest that any record ever had
    form text NOT NULL        -- what its table is made for
  )`,
  `CREATE TABLE IF NOT EXISTS waymark_removals (
    collection text NOT NULL,
    id bigint NOT NULL, -- that a record had, and none may have again
    PRIMARY KEY (collection, id)
  )`,
  `CREATE TABLE IF NOT EXISTS waymark_keys (
    collection text NOT NULL,
    owner bigint NOT NULL, -- of the record; 0 where it has none
    key text NOT NULL,
    fingerprint text NOT NULL,
    id bigint NOT NULL,
    revision bigint NOT NULL,
    time bigint NOT NULL,  -- when the record was created, in milliseconds since the epoch
    document text NOT NULL, -- the record as it was then
    PRIMARY KEY (collection, owner, key)
  )`,
  "CREATE INDEX IF NOT EXISTS waymark_keys_time ON waymark_keys (collection ASC, time ASC)",
  `CREATE TABLE IF NOT EXISTS waymark_loading (
    collection text PRIMARY KEY, -- into which a snapshot is being loaded
    source text NOT NULL,        -- the identity of its database
    last_id bigint NOT NULL,     -- up to which records are stored
    revision bigint NOT NULL     -- of the collection that they are from
  )`,
];

/**
 * Brings the layout to that of this program, within the transaction of the connection. Where it is that nothing is written, nor locked.
 *
 * @throws UnusableDatabase when the layout is newer; an error of the server for which `metAnotherStart` holds
 */
export async function migrate(connection: PostgresConnection): Promise<void> {
  const found = await knownLayoutOf(connection);
  if (found === presentLayout) return;
  if (found === 0) await makeLayout(connection);
  await lockLayout(connection);
  const version = await knownLayoutOf(connection); // meanwhile another may have made them
  if (version === presentLayout) return;
  if (version === 1) await toLayout2(connection);
  for (const text of presentTables) await connection.query({ text });
  await connection.query({ text: `UPDATE waymark_layout SET version = ${presentLayout}` });
}

/** Has all others wait that are about to make or change tables, until the transaction ends. */
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

async function knownLayoutOf(connection: PostgresConnection): Promise<number> {
  const version = await layoutOf(connection);
  if (version <= presentLayout) return version;
  throw new UnusableDatabase(
    `a newer version of this program wrote it (layout ${version}, and this one knows ${presentLayout}); upgrade, or name another database`,
  );
}

/**
 * Whether an error tells that another program was making the same tables, or changed the same rows: trying again finds what that one
 * has made.
 */
export function metAnotherStart(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && (state.startsWith("40") || doneByAnother.has(state));
}

/** Of two who make one table, object or column at once the later finds it taken, in the catalog or by its index. */
const doneByAnother: ReadonlySet<string> = new Set(["42P07", "42710", "42701", sqlState.uniqueViolation]);

/** The layout of the tables; 0 where there are none. */
export async function layoutOf(connection: PostgresConnection): Promise<number> {
  if (!(await isThere(connection, "waymark_layout"))) return 0;
  const [[version] = []] = await connection.query({ text: "SELECT version FROM waymark_layout" });
  return Number(version ?? 0);
}

/** @throws UnusableDatabase when a snapshot is being loaded into it */
export async function assertFinished(connection: PostgresConnection): Promise<void> {
  const loading = await connection.query({ text: "SELECT 1 FROM waymark_loading LIMIT 1" });
  if (loading.length > 0) throw new UnusableDatabase(unfinished);
}

/** Whether there is a table of this name, quoted where that is needed. */
export async function isThere(connection: PostgresConnection, table: string): Promise<boolean> {
  const [[found] = []] = await connection.query({ text: "SELECT to_regclass($1)", values: [table] });
  return found !== null;
}

/**
 * Brings a database of layout 1 to layout 2: what the database made of the documents, by generated columns and triggers, is done by
 * the store from now on. The columns are left out here, and made anew when their collection is prepared.
 *
 * Only PostgreSQL itself can have layout 1, so that this may ask for what other engines lack.
 */
async function toLayout2(connection: PostgresConnection): Promise<void> {
  await connection.query({
    text: `
      ALTER TABLE waymark_layout ADD COLUMN identity text NOT NULL DEFAULT ${quoteText(randomUUID())};
      ALTER TABLE waymark_layout ALTER COLUMN identity DROP DEFAULT, ADD PRIMARY KEY (version);
      ALTER TABLE waymark_collections DROP COLUMN full_text, ADD COLUMN form text;
    `,
  });
  const collections = await connection.query<readonly [name: string, owner: string | null]>({
    text: `SELECT name, (
        SELECT owners.relname FROM pg_constraint JOIN pg_class AS owners ON owners.oid = confrelid
        WHERE conrelid = to_regclass(quote_ident(name)) AND contype = 'f'
      ) FROM waymark_collections WHERE to_regclass(quote_ident(name)) IS NOT NULL`,
  });
  for (const [name, owner] of collections) await convert(connection, name, owner);
  await connection.query({
    text: `
      DROP FUNCTION waymark_removed(), waymark_text(json), waymark_number(json), waymark_time(json);
      UPDATE waymark_collections SET form = '{"owner":null,"columns":{}}' WHERE form IS NULL; -- their tables are gone
      ALTER TABLE waymark_collections ALTER COLUMN form SET NOT NULL;
    `,
  });
}

async function convert(connection: PostgresConnection, collection: string, owner: string | null): Promise<void> {
  const table = quoteName(collection);
  const generated = await connection.query<readonly [column: string]>({
    text: `SELECT attname FROM pg_attribute
      WHERE attrelid = to_regclass($1) AND attgenerated = 's' AND NOT attisdropped`,
    values: [table],
  });
  const constraints = await connection.query<readonly [constraint: string]>({
    text: "SELECT conname FROM pg_constraint WHERE conrelid = to_regclass($1) AND contype = 'f'",
    values: [table],
  });
  const changes = [
    ...constraints.map(([name]) => `DROP CONSTRAINT ${quoteName(name)}`),
    ...(owner === null ? [] : [`ADD FOREIGN KEY (owner) REFERENCES ${quoteName(owner)} (id)`]),
    ...generated.map(([name]) => `DROP COLUMN ${quoteName(name)}`),
    "DROP COLUMN words",
  ];
  const form = JSON.stringify({ owner, columns: {} });
  await connection.query({
    text: `
      DROP TRIGGER waymark_removed ON ${table};
      ALTER TABLE ${table} ${changes.join(", ")};
      ALTER TABLE ${table} ALTER COLUMN document TYPE text USING coalesce(exact, document::text);
      ALTER TABLE ${table} DROP COLUMN exact;
      UPDATE waymark_collections SET form = ${quoteText(form)} WHERE name = ${quoteText(collection)};
    `,
  });
}
