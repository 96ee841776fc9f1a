import type { StoredCollection } from "../../../database.ts";
import { valueShared } from "../../unusable-database.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import { sqlState, sqlStateOf } from "../connections/fault.ts";
import { type FilledColumn, filledColumns } from "../table/columns.ts";
import { nameOf, quoteName } from "../table/sql.ts";

/**
 * Drops the indexes of a collection's table that storing and removing by id do not need. To store 60,000 records and make them
 * afterwards takes four fifths of the server's processor time.
 */
export async function dropIndexes(connection: PostgresConnection, definition: StoredCollection): Promise<void> {
  const columns = filledColumns(definition).filter(({ index }) => index !== undefined);
  const others = [...timeColumns, ...feedIndexes(definition).map(({ name }) => name)];
  const names = [...others, ...columns.map(({ name }) => name)].map((column) => nameOf(definition.name, column));
  for (const name of names) await connection.query({ text: `DROP INDEX IF EXISTS ${quoteName(name)}` });
}

/**
 * Makes the missing indexes of a collection's table.
 *
 * @throws UnusableDatabase when records share a value that must be unique
 */
export async function makeIndexes(connection: PostgresConnection, definition: StoredCollection): Promise<void> {
  const { name: collection, owner } = definition;
  const ofOwner = owner === undefined ? "" : "owner ASC, ";
  for (const column of timeColumns) {
    await connection.query({ text: makeIndex(collection, column, `(${ofOwner}${column} ASC, id ASC)`) });
  }
  for (const index of feedIndexes(definition)) {
    await connection.query({ text: makeIndex(collection, index.name, index.definition) });
  }
  for (const column of filledColumns(definition)) await indexColumn(connection, collection, column);
}

/** The indexes by which the changes are read in their order: all of them, and those of an owner. */
function feedIndexes({ owner }: StoredCollection): readonly { readonly name: string; readonly definition: string }[] {
  const all = { name: "changes", definition: "(tx ASC, revision ASC)" };
  return owner === undefined
    ? [all]
    : [all, { name: "changes_of_owner", definition: "(owner ASC, tx ASC, revision ASC)" }];
}

const timeColumns: readonly string[] = ["created_at", "updated_at"];

async function indexColumn(connection: PostgresConnection, collection: string, column: FilledColumn): Promise<void> {
  const { name, index } = column;
  if (index === undefined) return;
  try {
    await connection.query({ text: makeIndex(collection, name, index.definition, index.unique !== undefined) });
  } catch (error) {
    if (index.unique === undefined || sqlStateOf(error) !== sqlState.uniqueViolation) throw error;
    throw valueShared(index.unique, error);
  }
}

/** Returns the statement that makes an index where it is missing. */
export const makeIndex = (collection: string, column: string, definition: string, isUnique = false): string =>
  `CREATE ${isUnique ? "UNIQUE " : ""}INDEX IF NOT EXISTS ${quoteName(nameOf(collection, column))}
    ON ${quoteName(collection)} ${definition}`;
