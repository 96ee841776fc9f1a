import type { DatabaseSync } from "node:sqlite";
import type { CollectionDefinition } from "./database.ts";
import { sqliteCode, sqliteCodeOf } from "./sqlite-fault.ts";
import { Unusable } from "./sqlite-file.ts";

/**
 * Makes the tables of the collections where they are missing, and sees that exactly these members are unique, also in a
 * file that was made with others. The names are checked before: they become part of the statements.
 *
 * @throws Unusable when records that exist share a value that is to be unique
 */
export function prepareSchema(database: DatabaseSync, collections: readonly CollectionDefinition[]): void {
  database.exec(`
    CREATE TABLE IF NOT EXISTS waymark_collections (
      name TEXT PRIMARY KEY,
      revision INTEGER NOT NULL, -- the last one
      last_id INTEGER NOT NULL   -- the greatest that any record ever had
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS waymark_removals (
      collection TEXT NOT NULL,
      id INTEGER NOT NULL, -- that a record had, and none may have again
      PRIMARY KEY (collection, id)
    ) STRICT, WITHOUT ROWID;
  `);
  for (const definition of collections) prepareCollection(database, definition);
}

function prepareCollection(database: DatabaseSync, { name: collection, unique = [] }: CollectionDefinition): void {
  database.exec(`
    CREATE TABLE IF NOT EXISTS "${collection}" (
      id INTEGER PRIMARY KEY,
      revision INTEGER NOT NULL,
      created_at INTEGER NOT NULL, -- milliseconds since the epoch
      updated_at INTEGER NOT NULL,
      document TEXT NOT NULL       -- the JSON text that is sent
    ) STRICT;
  `);
  database.prepare("INSERT INTO waymark_collections VALUES (?, 0, 0) ON CONFLICT DO NOTHING").run(collection);

  const wanted = new Map(unique.map((member) => [indexName(collection, member), member]));
  for (const name of indexNames(database, collection)) {
    if (!wanted.delete(name)) database.exec(`DROP INDEX "${name}"`);
  }
  for (const [name, member] of wanted) {
    addColumn(database, collection, member);
    addUniqueIndex(database, collection, name, member);
  }
}

/** The generated column that holds a member's value; NULL when the document does not have it. */
export const columnOf = (member: string): string => `member_${member}`;

/** The SQL expression for a member's value in a JSON text. */
export const memberOf = (json: string, member: string): string => `${json} ->> '$."${member}"'`;

const indexName = (collection: string, member: string): string => `${collection}_unique_${member}`;

function indexNames(database: DatabaseSync, collection: string): string[] {
  const indexes = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?");
  return indexes.all(collection).map(({ name }) => String(name));
}

function addColumn(database: DatabaseSync, collection: string, member: string): void {
  const columns = database.prepare("SELECT 1 FROM pragma_table_xinfo(?) WHERE name = ?");
  if (columns.get(collection, columnOf(member)) !== undefined) return;
  // ANY keeps the number 1 and the text "1" apart.
  database.exec(`ALTER TABLE "${collection}"
    ADD COLUMN "${columnOf(member)}" ANY GENERATED ALWAYS AS (${memberOf("document", member)}) VIRTUAL`);
}

function addUniqueIndex(database: DatabaseSync, collection: string, name: string, member: string): void {
  try {
    database.exec(`CREATE UNIQUE INDEX "${name}" ON "${collection}" ("${columnOf(member)}")`);
  } catch (error) {
    if (sqliteCodeOf(error) !== sqliteCode.constraint) throw error;
    throw new Unusable(`two records in it have the same ${member}, which is to be unique; change one of them`, {
      cause: error,
    });
  }
}
