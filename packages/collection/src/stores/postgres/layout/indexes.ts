import type { StoredCollection } from "../../../database.ts";
import { valueShared } from "../../unusable-database.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import { sqlState, sqlStateOf } from "../connections/fault.ts";
import { indexesOf, indexOfKey, isOfKey, type MemberIndex, uniqueSql } from "../table/columns.ts";
import { quoteName } from "../table/sql.ts";
import { keysInUse } from "./filling.ts";

/**
 * Drops the indexes of a collection's table that storing and removing by id do not need. To store 60,000 records and make them
 * afterwards takes four fifths of the server's processor time.
 */
export async function dropIndexes(connection: PostgresConnection, definition: StoredCollection): Promise<void> {
  for (const { name } of indexesOf(definition)) {
    await connection.query({ text: `DROP INDEX IF EXISTS ${quoteName(name)}` });
  }
}

/**
 * Makes the missing indexes of a collection's table, within the transaction of the connection: nobody changes the table meanwhile.
 *
 * @throws UnusableDatabase when records share a value that must be unique
 */
export async function makeIndexes(connection: PostgresConnection, definition: StoredCollection): Promise<void> {
  for (const index of indexesOf(definition)) {
    try {
      await connection.query({ text: creationOf(definition, index), isLong: true });
    } catch (error) {
      throw faultOf(index, error, []);
    }
  }
}

/**
 * Makes the indexes that are missing, or that an ended attempt left invalid, while others change the table. To be called by one program
 * at a time. Returns whether there were some.
 *
 * @param areUnique whether only those are made that are unique
 * @throws UnusableDatabase when records share a value that must be unique; it names two of them
 */
export async function makeIndexesBeside(
  connection: PostgresConnection,
  definition: StoredCollection,
  areUnique: boolean,
): Promise<boolean> {
  const present = await presentIndexes(connection, definition);
  const due = indexesOf(definition).filter(({ name, unique }) => present.get(name) !== true && (unique || !areUnique));
  for (const index of due) {
    if (present.has(index.name)) await drop(connection, index.name);
    try {
      await connection.query({ text: creationOf(definition, index, "CONCURRENTLY"), isLong: true });
    } catch (error) {
      await drop(connection, index.name);
      const { unique } = index;
      const ids = unique === undefined ? [] : await sharing(connection, definition, unique);
      throw faultOf(index, error, ids);
    }
  }
  if (due.length > 0) await connection.query({ text: `ANALYZE ${quoteName(definition.name)}`, isLong: true });
  return due.length > 0;
}

/** Returns whether each index of a collection's table is valid, by its name. */
export async function presentIndexes(
  connection: PostgresConnection,
  { name }: StoredCollection,
): Promise<ReadonlyMap<string, boolean>> {
  const rows = await connection.queryAlone<readonly [name: string, isValid: string]>({
    text: `SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE indrelid = to_regclass($1) AND NOT indisprimary`,
    values: [quoteName(name)],
  });
  return new Map(rows.map(([index, isValid]) => [index, isValid === "t"]));
}

/** Returns the indexes of keys that no version uses any more. */
export async function unusedIndexes(
  connection: PostgresConnection,
  definition: StoredCollection,
): Promise<readonly string[]> {
  const { name } = definition;
  const used = new Set(Array.from(await keysInUse(connection, definition), (key) => indexOfKey(name, key)));
  const present = await presentIndexes(connection, definition);
  return [...present.keys()].filter((index) => isOfKey(name, index) && !used.has(index)).toSorted();
}

/** Drops an index while others change the table. */
export async function drop(connection: PostgresConnection, index: string): Promise<void> {
  await connection.query({ text: `DROP INDEX CONCURRENTLY IF EXISTS ${quoteName(index)}`, isLong: true });
}

/** Returns the ids of two records that have the same value. */
async function sharing(
  connection: PostgresConnection,
  { name }: StoredCollection,
  member: string,
): Promise<readonly string[]> {
  const value = uniqueSql(member);
  const [ids = []] = await connection.query<readonly string[]>({
    text: `SELECT min(id), max(id) FROM ${quoteName(name)} WHERE ${value} IS NOT NULL
      GROUP BY ${value} HAVING count(*) > 1 LIMIT 1`,
    isLong: true,
  });
  return ids;
}

function faultOf({ unique }: MemberIndex, error: unknown, ids: readonly string[]): unknown {
  return unique === undefined || sqlStateOf(error) !== sqlState.uniqueViolation
    ? error
    : valueShared(unique, error, ids);
}

/** Returns the statement that makes an index where it is missing. */
function creationOf(
  { name: collection }: StoredCollection,
  { name, definition, unique }: MemberIndex,
  how: "" | "CONCURRENTLY" = "",
): string {
  const kind = unique === undefined ? "INDEX" : "UNIQUE INDEX";
  return `CREATE ${kind} ${how} IF NOT EXISTS ${quoteName(name)} ON ${quoteName(collection)} ${definition}`;
}
