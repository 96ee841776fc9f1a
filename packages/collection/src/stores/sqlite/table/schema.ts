import type { DatabaseSync } from "node:sqlite";
import type { DatabaseOptions, StoredCollection } from "../../../database.ts";
import { toPresentNames } from "../../../members/renamed.ts";
import {
  isOfRenamed,
  keyOfList,
  keyOfUnique,
  keyOfWords,
  keysOf,
  parseKeys,
  reportForgotten,
} from "../../table/compared.ts";
import { ownedOtherwise, valueShared } from "../../unusable-database.ts";
import { sqliteCode, sqliteCodeOf } from "../connections/fault.ts";
import { isTable, namesIn, prepareChange } from "../connections/statements.ts";
import { filledColumns, filledValues, indexesOf, selectableColumns } from "./columns.ts";
import { creationOfValues, valuesOf, valuesTable } from "./values.ts";
import { creationOfWords, wordsOf, wordsTable } from "./words.ts";

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
  const declared = declaredKeys(database, name);
  const due = keysOf(definition);
  reportForgotten(definition, declared, onForgotten);
  dropOthers(database, definition);
  fill(database, definition, new Set(due).difference(new Set(declared)));
  // A restore that was interrupted makes them at its end.
  if (!isTable(database, "waymark_loading")) {
    for (const makeIndex of missingIndexes(database, definition, lateIndexes && isNew)) makeIndex();
  }
  prepareTrigger(database, name);
  const note = `INSERT INTO waymark_collections VALUES (?, 0, 0, ?)
    ON CONFLICT DO UPDATE SET declared = excluded.declared WHERE declared <> excluded.declared`;
  prepareChange(database, note).run(name, JSON.stringify(due));
}

/** Returns the keys that all records of a collection have. */
function declaredKeys(database: DatabaseSync, collection: string): readonly string[] {
  const row = database.prepare("SELECT declared FROM waymark_collections WHERE name = ?").get(collection);
  return row === undefined ? [] : parseKeys(String(row["declared"]));
}

/** Drops the indexes, columns and tables of keys that are not declared any more, and makes the missing columns. */
function dropOthers(database: DatabaseSync, definition: StoredCollection): void {
  const { name, fullText, lists } = definition;
  const [columns, indexes] = [filledColumns(definition), indexesOf(definition)];
  for (const index of namesIn(database, indexNames, name)) {
    if (!indexes.has(index)) database.exec(`DROP INDEX "${index}"`);
  }
  const present = namesIn(database, "SELECT name FROM pragma_table_info(?) WHERE instr(name, ' ') > 0", name);
  for (const column of present) {
    if (!columns.has(column)) database.exec(`ALTER TABLE "${name}" DROP COLUMN "${column}"`);
  }
  for (const [column, type] of columns) {
    if (!present.includes(column)) database.exec(`ALTER TABLE "${name}" ADD COLUMN "${column}" ${type}`);
  }
  if (fullText.length === 0) database.exec(`DROP TABLE IF EXISTS "${wordsTable(name)}"`);
  if (lists.length === 0) database.exec(`DROP TABLE IF EXISTS "${valuesTable(name)}"`);
}

/** Fills the existing records by the keys that they lack. */
function fill(database: DatabaseSync, definition: StoredCollection, lacking: ReadonlySet<string>): void {
  if (lacking.size === 0) return;
  const { name, lists, fullText, renamed } = definition;
  const areRenamed = [...lacking].some(isOfRenamed);
  const areWordsDue = lacking.has(keyOfWords(definition)) || (areRenamed && fullText.length > 0);
  const areValuesDue = lists.some((list) => areRenamed || lacking.has(keyOfList(list)));
  if (areWordsDue) database.exec(creationOfWords(name));
  if (areValuesDue) database.exec(creationOfValues(name));
  if (database.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).get() === undefined) return;
  // Each of them has an entry for every record that is filled.
  dropIndexes(database, name);
  const words = areWordsDue ? wordsOf(database, definition) : undefined;
  const values = areValuesDue ? valuesOf(database, definition) : undefined;
  const toValues = filledValues(definition);
  const changes = Array.from(filledColumns(definition).keys(), (column) => `"${column}" = ?`);
  const update = prepareChange(database, `UPDATE "${name}" SET ${["id = id", ...changes].join(", ")} WHERE id = ?`);
  const toPresent = toPresentNames(renamed);
  const count = prepareChange(database, "UPDATE waymark_collections SET revision = revision + 1 WHERE name = ?");
  const rename = prepareChange(
    database,
    `UPDATE "${name}" SET document = ?, revision = (SELECT revision FROM waymark_collections WHERE name = '${name}') WHERE id = ?`,
  );
  // Updates do not move a record in the order of the ids, in which the records are read.
  for (const row of database.prepare(`SELECT id, document FROM "${name}" ORDER BY id`).iterate()) {
    const [id, stored]: readonly [number, unknown] = [Number(row["id"]), JSON.parse(String(row["document"]))];
    const document = toPresent(stored);
    if (document !== stored) {
      count.run(name);
      rename.run(JSON.stringify(document), id);
    }
    update.run(...toValues(document), id);
    values?.add(id, document);
    words?.add(id, document);
    words?.put(false);
  }
}

const indexNames = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?";

/**
 * Drops the indexes of a collection's table. To store 300,000 records and make them afterwards takes three quarters of the processor
 * time, and writes half as much.
 */
export function dropIndexes(database: DatabaseSync, collection: string): void {
  for (const index of namesIn(database, indexNames, collection)) database.exec(`DROP INDEX "${index}"`);
}

/**
 * Returns functions that make the missing indexes of a collection's table.
 *
 * @param areForChanges whether only those are made that changes need
 * @throws UnusableDatabase (each of them) when records share a value that must be unique
 */
export function missingIndexes(
  database: DatabaseSync,
  definition: StoredCollection,
  areForChanges = false,
): readonly (() => void)[] {
  const { name } = definition;
  const present = new Set(namesIn(database, indexNames, name));
  const ofLists = new Set([...selectableColumns(definition).values()].map(({ index }) => index));
  const due = [...indexesOf(definition)].filter(
    ([index]) => !present.has(index) && !(areForChanges && ofLists.has(index)),
  );
  return due.map(([index, { on, unique }]) => () => {
    try {
      database.exec(`CREATE ${unique === undefined ? "" : "UNIQUE "}INDEX "${index}" ON "${name}" ${on}`);
    } catch (error) {
      if (unique === undefined || sqliteCodeOf(error) !== sqliteCode.constraint) throw error;
      throw valueShared(unique, error, sharing(database, name, keyOfUnique(unique)));
    }
  });
}

/** Returns the ids of two records that have the same value. */
function sharing(database: DatabaseSync, collection: string, column: string): readonly string[] {
  const text = `SELECT min(id) AS one, max(id) AS other FROM "${collection}" WHERE "${column}" IS NOT NULL
    GROUP BY "${column}" HAVING count(*) > 1 LIMIT 1`;
  return Object.values(database.prepare(text).get() ?? {}).map(String);
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
