import type { DatabaseOptions, StoredCollection } from "../../../database.ts";
import { parseTableShape, reportForgotten, type TableShape, tableShape } from "../../table/filled-columns.ts";
import { storeColumns } from "../../table/rows.ts";
import { ownedOtherwise, UnusableDatabase } from "../../unusable-database.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import { dueShape, type FilledColumn, filledColumns } from "../table/columns.ts";
import { idSequence, revisionSequence } from "../table/sequences.ts";
import { digestOf, quoteName } from "../table/sql.ts";
import { fillColumns } from "./fill-columns.ts";
import { makeIndex, makeIndexes } from "./indexes.ts";
import { isThere, lockLayout } from "./migrations.ts";

/**
 * Makes the table of a collection where it is missing, and gives it exactly the columns that the definition asks for, filled,
 * within the transaction of the connection. Writes and locks nothing where the table is right.
 *
 * Each statement must be repeatable: with an engine that makes tables outside of transactions, a start may continue where another
 * was interrupted. Until all is done, no program stores records in the table.
 *
 * @throws UnusableDatabase when the table belongs to another program, or when records share a value that must be unique
 */
export async function prepareCollection(
  connection: PostgresConnection,
  definition: StoredCollection,
  onForgotten?: DatabaseOptions["onForgotten"],
): Promise<void> {
  const found = await findCollection(connection, definition);
  if (found !== undefined && isMade(found, definition)) return;
  await lockLayout(connection);
  const present = await findCollection(connection, definition);
  if (present !== undefined && isMade(present, definition)) return;
  if (present?.form !== undefined) {
    reportForgotten(definition.name, present.form, dueShape(definition), onForgotten);
  }
  await makeTable(connection, definition, present?.form);
  await note(connection, definition.name, tableShape(definition, [])); // no program stores records in a table of this form
  await makeColumns(connection, definition, present?.form);
  await note(connection, definition.name, dueShape(definition));
}

async function makeTable(
  connection: PostgresConnection,
  definition: StoredCollection,
  present: string | undefined,
): Promise<void> {
  const { name: collection, owner } = definition;
  const table = quoteName(collection);
  if (await isThere(connection, table)) {
    if (present === undefined) {
      throw new UnusableDatabase(
        `it has a table ${table} of another program; name another database, or another schema by ?options=-c search_path=…`,
      );
    }
    await dropWithOtherOwner(connection, definition, present);
  }
  await connection.query({
    text: "INSERT INTO waymark_collections (name, form) VALUES ($1, '') ON CONFLICT DO NOTHING",
    values: [collection],
  });
  const statements = [
    ...[idSequence(collection), revisionSequence(collection)].map((name) => `CREATE SEQUENCE IF NOT EXISTS ${name}`),
    `CREATE TABLE IF NOT EXISTS ${table} (
      id bigint PRIMARY KEY,
      revision bigint NOT NULL,
      tx xid8 NOT NULL,           -- the transaction that has changed it last
      created_at bigint NOT NULL, -- milliseconds since the epoch
      updated_at bigint NOT NULL,
      ${owner === undefined ? "" : `owner bigint NOT NULL REFERENCES ${quoteName(owner.collection)} (id),`}
      document text NOT NULL      -- the text that is sent
    )`,
    ...(owner === undefined ? [] : [makeIndex(collection, "owner", "(owner ASC, id ASC)")]),
  ];
  for (const text of statements) await connection.query({ text });
}

/**
 * Drops the table where its owner differs from that of the definition.
 *
 * @throws UnusableDatabase when there are records in it
 */
async function dropWithOtherOwner(
  connection: PostgresConnection,
  { name: collection, owner }: StoredCollection,
  present: string,
): Promise<void> {
  const presentOwner = parseTableShape(present).owner ?? undefined;
  if (presentOwner === owner?.collection) return;
  const table = quoteName(collection);
  const records = await connection.query({ text: `SELECT 1 FROM ${table} LIMIT 1` });
  if (records.length > 0) throw ownedOtherwise(collection, presentOwner, owner?.collection);
  await connection.query({ text: `DROP TABLE ${table} CASCADE` });
}

/**
 * Drops the columns that the definition does not ask for, makes the missing ones, fills these and those whose content changed, and
 * makes the indexes.
 */
async function makeColumns(
  connection: PostgresConnection,
  definition: StoredCollection,
  present: string | undefined,
): Promise<void> {
  const { name: collection } = definition;
  const columns = filledColumns(definition);
  const there = new Set(await columnsOf(connection, quoteName(collection)));
  const unwanted = [...there].filter(
    (name) => !storeColumns.has(name) && columns.every((column) => column.name !== name),
  );
  const missing = columns.filter(({ name }) => !there.has(name));
  const textType = await textTypeOf(connection);
  const alterations = [
    ...unwanted.map((name) => `DROP COLUMN IF EXISTS ${quoteName(name)}`),
    ...missing.map(({ name, type }) => `ADD COLUMN IF NOT EXISTS ${quoteName(name)} ${textType(type)}`),
  ];
  if (alterations.length > 0) {
    await connection.query({ text: `ALTER TABLE ${quoteName(collection)} ${alterations.join(", ")}` });
  }
  const filled: TableShape["columns"] = present === undefined ? {} : parseTableShape(present).columns;
  const due = columns.filter(({ name, content }) => !there.has(name) || filled[name] !== content);
  await fillColumns(connection, collection, due, filled);
  await makeIndexes(connection, definition);
}

async function columnsOf(connection: PostgresConnection, table: string): Promise<readonly string[]> {
  const rows = await connection.query<readonly [name: string]>({
    text: `SELECT attname FROM pg_attribute
      WHERE attrelid = to_regclass($1)::oid AND attnum > 0 AND NOT attisdropped`,
    values: [table],
  });
  return rows.map(([name]) => name);
}

/**
 * Returns a function that makes the declared type of a column. Text must compare by code points: where the database compares it by
 * the rules of a language, the type says so; elsewhere it does not, because an engine may not allow it.
 */
async function textTypeOf(connection: PostgresConnection): Promise<(type: FilledColumn["type"]) => string> {
  const [[isByCodePoints] = []] = await connection.query({ text: "SELECT 'B'::text < 'a'::text" });
  return (type) => (type.startsWith("text") && isByCodePoints !== "t" ? `${type} COLLATE "C"` : type);
}

/** What the database has of a collection. */
interface FoundCollection {
  /** The shape of its table; undefined before it is made. */
  readonly form: string | undefined;
  /** Whether programs may store records in a table of this shape. */
  readonly isNoted: boolean;
}

/** Returns what the database has of a collection; undefined where it has nothing. */
async function findCollection(
  connection: PostgresConnection,
  { name }: StoredCollection,
): Promise<FoundCollection | undefined> {
  const [row] = await connection.query<readonly [digest: string, form: string | null]>({
    text: `SELECT waymark_collections.form, waymark_forms.form
      FROM waymark_collections LEFT JOIN waymark_forms USING (name) WHERE name = $1`,
    values: [name],
  });
  if (row === undefined) return undefined;
  const [digest, form] = row;
  return form === null ? { form: undefined, isNoted: false } : { form, isNoted: digest === digestOf(form) };
}

/** Returns whether nothing needs to be done for a definition. */
const isMade = ({ form, isNoted }: FoundCollection, definition: StoredCollection): boolean =>
  form === dueShape(definition) && isNoted;

/** Stores the shape of a table. Only programs that fill its columns in this way then change the collection. */
async function note(connection: PostgresConnection, collection: string, form: string): Promise<void> {
  // In this order, since a bulk request holds the form before the counters.
  await connection.query({
    text: "INSERT INTO waymark_forms (name, form) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET form = excluded.form",
    values: [collection, form],
  });
  await connection.query({
    text: "UPDATE waymark_collections SET form = $2 WHERE name = $1",
    values: [collection, digestOf(form)],
  });
}
