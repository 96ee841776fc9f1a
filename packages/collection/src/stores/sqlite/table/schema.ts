import type { DatabaseSync } from "node:sqlite";
import type { DatabaseOptions, StoredCollection } from "../../../database.ts";
import { parseTableShape, reportForgotten, type TableShape, tableShape } from "../../table/filled-columns.ts";
import { storeColumns } from "../../table/rows.ts";
import { ownedOtherwise, valueShared } from "../../unusable-database.ts";
import { sqliteCode, sqliteCodeOf } from "../connections/fault.ts";
import { documentsIn, isTable, namesIn, prepareChange } from "../connections/statements.ts";
import { dueShape, type FilledColumn, feedIndex, filledColumns, ownerIndex, selectableColumns } from "./columns.ts";
import { makeValues, valuesTable } from "./values.ts";
import { makeWords, wordsTable } from "./words.ts";

/**
 * Makes the missing tables of the collections. Changes the existing tables so that exactly the defined members are unique, have an
 * index to be selected by, or have their words in the full text. The names must have been checked, because they become part of the
 * statements.
 *
 * @throws UnusableDatabase when existing records share a value that must be unique, or have another owner than the definition
 */
export function prepareSchema(
  database: DatabaseSync,
  collections: readonly StoredCollection[],
  options: Pick<DatabaseOptions, "lateIndexes" | "onForgotten"> = {},
): void {
  for (const definition of collections) prepareCollection(database, definition, options);
  // Records of the others may be removed with their owners.
  const opened = new Set(collections.map(({ name }) => name));
  for (const name of namesIn(database, "SELECT name FROM waymark_collections")) {
    if (!opened.has(name) && isTable(database, name)) prepareTrigger(database, name);
  }
}

function prepareCollection(
  database: DatabaseSync,
  definition: StoredCollection,
  { lateIndexes = false, onForgotten }: Pick<DatabaseOptions, "lateIndexes" | "onForgotten">,
): void {
  const { name, owner } = definition;
  dropWithOtherOwner(database, definition);
  const isNew = !isTable(database, name);
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
  const present = notedForm(database, definition);
  const due = dueShape(definition);
  reportForgotten(name, present, due, onForgotten);
  const [{ columns: filled }, { columns: wanted }] = [parseTableShape(present), parseTableShape(due)];
  prepareColumns(database, definition, filled);
  if (lateIndexes && isNew) dropListIndexes(database, definition);
  if (filled["words"] !== wanted["words"]) makeWords(database, definition, filled["words"]);
  if (filled["values"] !== wanted["values"]) makeValues(database, definition);
  prepareTrigger(database, name);
  if (present === due) return;
  prepareChange(database, "UPDATE waymark_collections SET form = ? WHERE name = ?").run(due, name);
}

/** Returns the shape for which the table of a collection was made. Stores that of a new table: no column is filled. */
function notedForm(database: DatabaseSync, definition: StoredCollection): string {
  const { name } = definition;
  const row = database.prepare("SELECT form FROM waymark_collections WHERE name = ?").get(name);
  if (row !== undefined) return String(row["form"]);
  const form = tableShape(definition, []);
  const text = "INSERT INTO waymark_collections (name, revision, last_id, form) VALUES (?, 0, 0, ?)";
  prepareChange(database, text).run(name, form);
  return form;
}

/** Makes and fills the missing columns, makes the missing indexes, and drops all others. */
function prepareColumns(database: DatabaseSync, definition: StoredCollection, filled: TableShape["columns"]): void {
  const { name: collection } = definition;
  const due = filledColumns(definition);
  const there = namesIn(database, "SELECT name FROM pragma_table_info(?)", collection);
  const isKept = ({ name, content }: FilledColumn): boolean => there.includes(name) && filled[name] === content;
  const missing = due.filter((column) => !isKept(column));
  const kept = new Set([...storeColumns, ...due.filter(isKept).map(({ name }) => name)]);

  const indexes = dueIndexes(database, definition);
  for (const index of namesIn(database, indexNames, collection)) {
    // An index on a column that is filled again is dropped first.
    if (missing.some((column) => column.index === index) || !indexes.has(index)) database.exec(`DROP INDEX "${index}"`);
  }
  for (const name of there) {
    if (!kept.has(name)) database.exec(`ALTER TABLE "${collection}" DROP COLUMN "${name}"`);
  }
  for (const { name, type } of missing) database.exec(`ALTER TABLE "${collection}" ADD COLUMN "${name}" ${type}`);
  fillColumns(database, collection, missing);
  // A restore that was interrupted makes them at its end.
  if (isTable(database, "waymark_loading")) return;
  for (const create of missingIndexes(database, definition)) create();
}

const indexNames = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?";

/**
 * Drops the indexes of a collection's table. To store 300,000 records and make them afterwards takes three quarters of the processor
 * time, and writes half as much.
 */
export function dropIndexes(database: DatabaseSync, collection: string): void {
  for (const index of namesIn(database, indexNames, collection)) database.exec(`DROP INDEX "${index}"`);
}

/** Drops the indexes by which only lists are read; changes need the others. */
export function dropListIndexes(database: DatabaseSync, definition: StoredCollection): void {
  for (const { index } of selectableColumns(definition).values()) {
    if (index !== undefined) database.exec(`DROP INDEX IF EXISTS "${index}"`);
  }
}

/**
 * Returns functions that make the missing indexes of a collection's table.
 *
 * @throws UnusableDatabase (each of them) when records share a value that must be unique
 */
export function missingIndexes(database: DatabaseSync, definition: StoredCollection): readonly (() => void)[] {
  const indexes = dueIndexes(database, definition);
  for (const index of namesIn(database, indexNames, definition.name)) indexes.delete(index);
  return [...indexes.values()];
}

/** Returns functions that make the indexes of a collection's table, by name of the index. */
function dueIndexes(database: DatabaseSync, definition: StoredCollection): Map<string, () => void> {
  const { name: collection, owner } = definition;
  const indexes = new Map<string, () => void>();
  const addIndex = (index: string, on: string): void => {
    indexes.set(index, () => database.exec(`CREATE INDEX "${index}" ON "${collection}" (${on})`));
  };
  addIndex(feedIndex(collection, false), "revision");
  if (owner !== undefined) {
    addIndex(ownerIndex(collection), "owner");
    addIndex(feedIndex(collection, true), "owner, revision");
  }
  for (const { name, index } of selectableColumns(definition).values()) {
    if (index !== undefined) addIndex(index, owner === undefined ? `"${name}"` : `owner, "${name}"`);
  }
  for (const column of filledColumns(definition)) {
    if (column.kind === "unique") indexes.set(column.index, () => addUniqueIndex(database, collection, column));
  }
  return indexes;
}

/** Fills columns from the documents of the existing records, one after another. */
function fillColumns(database: DatabaseSync, collection: string, columns: readonly FilledColumn[]): void {
  if (columns.length === 0) return;
  const changes = columns.map(({ name }) => `"${name}" = ?`);
  const fill = prepareChange(database, `UPDATE "${collection}" SET ${changes.join(", ")} WHERE id = ?`);
  // Updates do not move a record in the order of the ids, in which the records are read.
  for (const { id, document } of documentsIn(database, collection)) {
    fill.run(...columns.map(({ toValue }) => toValue(document)), id);
  }
}

/**
 * Drops the existing table if its owner is not that of the definition.
 *
 * @throws UnusableDatabase when the table has records
 */
function dropWithOtherOwner(database: DatabaseSync, { name: collection, owner }: StoredCollection): void {
  if (!isTable(database, collection)) return;
  const [present] = namesIn(database, `SELECT "table" AS name FROM pragma_foreign_key_list(?)`, collection);
  if (present === owner?.collection) return;
  if (database.prepare(`SELECT 1 FROM "${collection}" LIMIT 1`).get() !== undefined) {
    throw ownedOtherwise(collection, present, owner?.collection);
  }
  database.exec(`DROP TABLE "${collection}"`);
}

/**
 * Makes the trigger that counts each removal of a record, also by the removal of its owner, stores its id as used with the revision
 * of the removal, and removes its words and the values of its lists.
 */
function prepareTrigger(database: DatabaseSync, collection: string): void {
  const isOwned = namesIn(database, "SELECT name FROM pragma_table_info(?)", collection).includes("owner");
  const withId = [
    [wordsTable(collection), "rowid"],
    [valuesTable(collection), "id"],
  ].filter(([table = ""]) => isTable(database, table));
  const trigger = `CREATE TRIGGER "${collection}.removed" AFTER DELETE ON "${collection}" BEGIN
      UPDATE waymark_collections SET revision = revision + 1 WHERE name = '${collection}';
      INSERT INTO waymark_removals (collection, id, revision, owner)
        SELECT name, OLD.id, revision, ${isOwned ? "OLD.owner" : 0} FROM waymark_collections WHERE name = '${collection}';
      ${withId.map(([table, id]) => `DELETE FROM "${table}" WHERE ${id} = OLD.id;`).join(" ")}
    END`;
  const present = database
    .prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?")
    .get(collection);
  if (present?.["sql"] === trigger) return;
  database.exec(`DROP TRIGGER IF EXISTS "${collection}.removed"; ${trigger}`);
}

function addUniqueIndex(database: DatabaseSync, collection: string, { name, member, index }: FilledColumn): void {
  try {
    // Without entries for the records that lack the member: a commit of one such record writes a page less, 3 % of its time.
    database.exec(`CREATE UNIQUE INDEX "${index}" ON "${collection}" ("${name}") WHERE "${name}" IS NOT NULL`);
  } catch (error) {
    if (sqliteCodeOf(error) !== sqliteCode.constraint) throw error;
    throw valueShared(member, error);
  }
}
