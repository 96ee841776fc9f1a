import type { DatabaseSync } from "node:sqlite";
import { storeColumns } from "../../table/rows.ts";
import { namesIn } from "./statements.ts";

/**
 * Brings a file whose number was given to several layouts to the first layout of the list, whichever of them it has. What was
 * derived from the documents is dropped, and made again when the collection is opened.
 *
 * @param firstLayout makes the tables of the first layout
 */
export function convertAmbiguousLayout(database: DatabaseSync, firstLayout: string): void {
  const collections = new Set(columnsOf(database, "waymark_collections"));
  if (collections.has("form") && !columnsOf(database, "waymark_keys").includes("document")) return; // the first one
  const names = namesIn(database, "SELECT name FROM waymark_collections");
  const shapes = names.map((name) => [name, dropDerived(database, name)] as const);

  for (const table of ownTables) {
    if (columnsOf(database, table).length > 0) database.exec(`ALTER TABLE ${table} RENAME TO ${table}_before`);
  }
  database.exec("DROP INDEX IF EXISTS waymark_keys_time");
  database.exec(firstLayout);
  const insertion = database.prepare(
    "INSERT INTO waymark_collections SELECT name, revision, last_id, ? FROM waymark_collections_before WHERE name = ?",
  );
  for (const [name, shape] of shapes) insertion.run(shape, name);
  for (const table of ["waymark_removals", "waymark_keys"]) {
    const before = `${table}_before`;
    if (columnsOf(database, before).length === 0) continue;
    const columns = columnsOf(database, table).join(", ");
    database.exec(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${before}`);
  }
  for (const table of ownTables) database.exec(`DROP TABLE IF EXISTS ${table}_before`);
}

const ownTables: readonly string[] = ["waymark_collections", "waymark_removals", "waymark_keys"];

/** Drops all of a collection but the records. Returns the shape of the table that is left. */
function dropDerived(database: DatabaseSync, collection: string): string {
  for (const type of ["trigger", "index"]) {
    const made = `SELECT name FROM sqlite_schema WHERE type = '${type}' AND tbl_name = ? AND sql IS NOT NULL`;
    for (const name of namesIn(database, made, collection)) database.exec(`DROP ${type} "${name}"`);
  }
  database.exec(`DROP TABLE IF EXISTS "waymark_words_${collection}"`);
  for (const column of columnsOf(database, collection)) {
    if (!storeColumns.has(column)) database.exec(`ALTER TABLE "${collection}" DROP COLUMN "${column}"`);
  }
  const [owner = null] = namesIn(database, 'SELECT "table" AS name FROM pragma_foreign_key_list(?)', collection);
  return JSON.stringify({ owner, columns: {} });
}

/** Returns the names of the columns of a table, generated ones included; none where there is no such table. */
const columnsOf = (database: DatabaseSync, table: string): readonly string[] =>
  namesIn(database, "SELECT name FROM pragma_table_xinfo(?)", table);
