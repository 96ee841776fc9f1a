import type { DatabaseSync } from "node:sqlite";
import type { StoredCollection } from "../../../database.ts";
import { listValues } from "../../table/compared.ts";
import { prepareChange } from "../connections/statements.ts";

/** Returns the name of the table with the values that a collection's records have in lists, by their ids. */
export const valuesTable = (collection: string): string => `waymark_values_${collection}`;

/** Makes what writes the values of a collection; undefined where it has no lists. */
export const valuesOf = (database: DatabaseSync, { name, lists }: StoredCollection): SqliteValues | undefined =>
  lists.length === 0 ? undefined : sqliteValues(database, name, lists);

/** Stores the values of the lists of records. A trigger removes those of a removed record. */
export interface SqliteValues {
  /** Adds the values of a new record. */
  add(id: number, document: unknown): void;
  /** Sets the values of a record that may have others. */
  set(id: number, document: unknown): void;
}

function sqliteValues(database: DatabaseSync, collection: string, lists: StoredCollection["lists"]): SqliteValues {
  const table = valuesTable(collection);
  const insert = prepareChange(database, `INSERT INTO "${table}" (id, member, value) VALUES (?, ?, ?)`);
  const remove = prepareChange(database, `DELETE FROM "${table}" WHERE id = ?`);

  const add = (id: number, document: unknown): void => {
    for (const list of lists) {
      for (const value of listValues(document, list)) insert.run(id, list.name, value);
    }
  };
  return {
    add,
    set(id, document) {
      remove.run(id);
      add(id, document);
    },
  };
}

/** The statements that make an empty table of values, in place of one that is there. */
export const creationOfValues = (collection: string): string => {
  const table = valuesTable(collection);
  // In the order of the ids for the values of one record, and by the index for the records with one value.
  return `DROP TABLE IF EXISTS "${table}";
    CREATE TABLE "${table}" (
      id INTEGER NOT NULL,
      member TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (id, member, value)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX "${table}.value" ON "${table}" (member, value);`;
};
