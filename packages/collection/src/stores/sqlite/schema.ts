import type { DatabaseSync } from "node:sqlite";
import type { CollectionDefinition } from "../../database.ts";
import { ownerIndex, selectableColumns } from "./columns.ts";
import { sqliteCode, sqliteCodeOf } from "./fault.ts";
import { Unusable } from "./file.ts";
import { prepareWords, wordsTable } from "./words.ts";

/**
 * Makes the tables of the collections where they are missing, and sees that exactly these members are unique, have an
 * index to be selected by, or have their words in the full text, also in a file that was made with others. The names are
 * checked before: they become part of the statements.
 *
 * @throws Unusable when records that exist share a value that is to be unique, or have another owner than they are to have
 */
export function prepareSchema(database: DatabaseSync, collections: readonly CollectionDefinition[]): void {
  for (const definition of collections) prepareCollection(database, definition);
}

function prepareCollection(database: DatabaseSync, definition: CollectionDefinition): void {
  const { name, owner } = definition;
  dropWithOtherOwner(database, definition);
  database.exec(`
    CREATE TABLE IF NOT EXISTS "${name}" (
      id INTEGER PRIMARY KEY,
      revision INTEGER NOT NULL,
      created_at INTEGER NOT NULL, -- milliseconds since the epoch
      updated_at INTEGER NOT NULL,
      document TEXT NOT NULL       -- the JSON text that is sent
      ${owner ? `, owner INTEGER NOT NULL REFERENCES "${owner.collection}" (id) ON DELETE CASCADE` : ""}
    ) STRICT;
  `);
  database.exec(
    `INSERT INTO waymark_collections (name, revision, last_id) VALUES ('${name}', 0, 0) ON CONFLICT DO NOTHING`,
  );
  prepareColumns(database, definition);
  prepareWords(database, definition);
  prepareTrigger(database, definition);
}

/** Sees that there are these generated columns and indexes, and no others. */
function prepareColumns(database: DatabaseSync, definition: CollectionDefinition): void {
  const { name: collection, unique = [], owner } = definition;
  const selected = [...selectableColumns(definition).values()];
  const columns = new Map<string, string>();
  for (const { name, expression } of selected) if (expression !== undefined) columns.set(name, expression);
  for (const member of unique) columns.set(columnOf(member), memberOf("document", member));

  const indexes = new Map<string, () => void>();
  const addIndex = (index: string, on: string): void => {
    indexes.set(index, () => database.exec(`CREATE INDEX "${index}" ON "${collection}" (${on})`));
  };
  if (owner !== undefined) addIndex(ownerIndex(collection), "owner");
  for (const { name, index } of selected) {
    if (index !== undefined) addIndex(index, owner === undefined ? `"${name}"` : `owner, "${name}"`);
  }
  for (const member of unique) {
    const index = `${collection}_unique_${member}`;
    indexes.set(index, () => addUniqueIndex(database, collection, index, member));
  }

  for (const index of namesIn(database, indexNames, collection)) {
    if (!indexes.delete(index)) database.exec(`DROP INDEX "${index}"`);
  }
  for (const column of namesIn(database, generatedNames, collection)) {
    if (!columns.delete(column)) database.exec(`ALTER TABLE "${collection}" DROP COLUMN "${column}"`);
  }
  for (const [column, expression] of columns) {
    // ANY keeps the number 1 and the text "1" apart.
    database.exec(`ALTER TABLE "${collection}" ADD COLUMN "${column}" ANY GENERATED ALWAYS AS (${expression}) VIRTUAL`);
  }
  for (const create of indexes.values()) create();
}

const indexNames = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?";
const generatedNames = "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 2";

/**
 * Makes room for the table where the one that there is has no owner, or another, than it is to have.
 *
 * @throws Unusable when there are records in it
 */
function dropWithOtherOwner(database: DatabaseSync, { name: collection, owner }: CollectionDefinition): void {
  const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(collection);
  if (isThere === undefined) return;
  const [present] = namesIn(database, `SELECT "table" AS name FROM pragma_foreign_key_list(?)`, collection);
  if (present === owner?.collection) return;
  if (database.prepare(`SELECT 1 FROM "${collection}" LIMIT 1`).get() !== undefined) {
    const [is, due] = [present, owner?.collection].map((name) => (name === undefined ? "by nobody" : `by ${name}`));
    throw new Unusable(`the records of ${collection} in it are owned ${is}, and are to be owned ${due}; remove them`);
  }
  database.exec(`DROP TABLE "${collection}"`);
}

/** Whatever removes a record, its owner's removal included: it is counted, and neither its id nor its words stay. */
function prepareTrigger(database: DatabaseSync, { name: collection, fullText = [] }: CollectionDefinition): void {
  const trigger = `CREATE TRIGGER "${collection}.removed" AFTER DELETE ON "${collection}" BEGIN
      INSERT INTO waymark_removals VALUES ('${collection}', OLD.id);
      UPDATE waymark_collections SET revision = revision + 1 WHERE name = '${collection}';
      ${fullText.length > 0 ? `DELETE FROM "${wordsTable(collection)}" WHERE rowid = OLD.id;` : ""}
    END`;
  const present = database
    .prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?")
    .get(collection);
  if (present?.["sql"] === trigger) return;
  database.exec(`DROP TRIGGER IF EXISTS "${collection}.removed"; ${trigger}`);
}

/** The generated column that holds a member's value; NULL when the document does not have it. */
export const columnOf = (member: string): string => `member_${member}`;

/** The SQL expression for a member's value in a JSON text. */
export const memberOf = (json: string, member: string): string => `${json} ->> '$."${member}"'`;

function namesIn(database: DatabaseSync, query: string, collection: string): readonly string[] {
  return database
    .prepare(query)
    .all(collection)
    .map(({ name }) => String(name));
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
