import type { DatabaseOptions, StoredCollection } from "../../../database.ts";
import { keysOf, parseKeys, reportForgotten } from "../../table/compared.ts";
import { ownedOtherwise, UnusableDatabase } from "../../unusable-database.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import { ruleOf } from "../table/columns.ts";
import { idSequence, quoteName, revisionSequence } from "../table/sql.ts";
import { makeIndexes } from "./indexes.ts";
import { isThere, lockLayout } from "./migrations.ts";

/**
 * Makes the table of a collection with its indexes where it is missing, within the transaction of the connection. Locks nothing where
 * the table is there: what it lacks of the definition is made while others change it.
 *
 * @throws UnusableDatabase when the table belongs to another program, or its records to another collection
 */
export async function prepareCollection(
  connection: PostgresConnection,
  definition: StoredCollection,
  onForgotten?: DatabaseOptions["onForgotten"],
): Promise<void> {
  if (await isRight(connection, definition)) return;
  await lockLayout(connection);
  const present = await findCollection(connection, definition);
  if (present === undefined) {
    await assertOurs(connection, definition);
    await makeTable(connection, definition);
  } else if (present.owner !== (definition.owner?.collection ?? null)) {
    await dropWithOtherOwner(connection, definition, present.owner ?? undefined);
    await makeTable(connection, definition);
  } else reportForgotten(definition, present.declared, onForgotten);
  await connection.query({
    text: "INSERT INTO waymark_fills (collection, rule, keys) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    values: [definition.name, ruleOf(definition), JSON.stringify(keysOf(definition))],
  });
  await connection.query({
    text: `INSERT INTO waymark_collections (name, owner, declared) VALUES ($1, $2, $3)
      ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, declared = excluded.declared`,
    values: [definition.name, definition.owner?.collection ?? null, JSON.stringify(keysOf(definition))],
  });
}

/** Whether nothing is to be written for a definition. */
async function isRight(connection: PostgresConnection, definition: StoredCollection): Promise<boolean> {
  const present = await findCollection(connection, definition);
  if (present === undefined || present.owner !== (definition.owner?.collection ?? null)) return false;
  const noted = await connection.query({
    text: "SELECT 1 FROM waymark_fills WHERE collection = $1 AND rule = $2",
    values: [definition.name, ruleOf(definition)],
  });
  return noted.length > 0 && JSON.stringify(present.declared) === JSON.stringify(keysOf(definition));
}

/** @throws UnusableDatabase when there is a table of the name, which no program of ours has made */
async function assertOurs(connection: PostgresConnection, { name }: StoredCollection): Promise<void> {
  const table = quoteName(name);
  if (!(await isThere(connection, table))) return;
  throw new UnusableDatabase(
    `it has a table ${table} of another program; name another database, or another schema by ?options=-c search_path=…`,
  );
}

async function makeTable(connection: PostgresConnection, definition: StoredCollection): Promise<void> {
  const { name: collection, owner } = definition;
  const statements = [
    ...[idSequence(collection), revisionSequence(collection)].map((name) => `CREATE SEQUENCE IF NOT EXISTS ${name}`),
    `CREATE TABLE ${quoteName(collection)} (
      id bigint PRIMARY KEY,
      revision bigint NOT NULL,
      tx xid8 NOT NULL,           -- the transaction that has changed it last
      created_at bigint NOT NULL, -- milliseconds since the epoch
      updated_at bigint NOT NULL,
      ${owner === undefined ? "" : `owner bigint NOT NULL REFERENCES ${quoteName(owner.collection)} (id),`}
      document text NOT NULL,     -- the text that is sent
      size integer GENERATED ALWAYS AS (octet_length(document)) STORED, -- read without the document
      compared jsonb NOT NULL,    -- what members are compared by
      words jsonb NOT NULL        -- what a search finds
    )`,
  ];
  for (const text of statements) await connection.query({ text });
  await makeIndexes(connection, definition);
  await connection.query({
    text: `INSERT INTO waymark_fills (collection, rule, keys, since) VALUES ($1, $2, $3, pg_current_xact_id())
      ON CONFLICT (collection, rule) DO UPDATE SET since = excluded.since`,
    values: [collection, ruleOf(definition), JSON.stringify(keysOf(definition))],
  });
}

/**
 * Drops the table, whose owner differs from that of the definition.
 *
 * @throws UnusableDatabase when there are records in it
 */
async function dropWithOtherOwner(
  connection: PostgresConnection,
  { name: collection, owner }: StoredCollection,
  presentOwner: string | undefined,
): Promise<void> {
  const table = quoteName(collection);
  const records = await connection.query({ text: `SELECT 1 FROM ${table} LIMIT 1` });
  if (records.length > 0) throw ownedOtherwise(collection, presentOwner, owner?.collection);
  await connection.query({ text: `DROP TABLE ${table} CASCADE` });
  await connection.query({ text: "DELETE FROM waymark_fills WHERE collection = $1", values: [collection] });
}

/** What the database has of a collection. */
interface FoundCollection {
  readonly owner: string | null;
  /** The keys of the version that has opened it last. */
  readonly declared: readonly string[];
}

/** Returns what the database has of a collection; undefined where it has nothing. */
async function findCollection(
  connection: PostgresConnection,
  { name }: StoredCollection,
): Promise<FoundCollection | undefined> {
  const [row] = await connection.query<readonly [owner: string | null, declared: string]>({
    text: "SELECT owner, declared FROM waymark_collections WHERE name = $1",
    values: [name],
  });
  return row && { owner: row[0], declared: parseKeys(row[1]) };
}
