import type { StoredCollection } from "../../../database.ts";
import { type MemberType, storeMembers } from "../../contract/selection.ts";
import type { MemberSql } from "../../reading/conditions.ts";
import {
  type ColumnKind,
  feedColumn,
  type MemberColumn,
  selectableColumn,
  storeColumn,
  tableShape,
  uniqueColumn,
} from "../../table/filled-columns.ts";
import { wordRule } from "../../table/words.ts";
import { valuesContent } from "./values.ts";

export interface SqliteColumn extends MemberSql {
  readonly name: string;
  /**
   * The index on the column, with the owner before it where there is one; entries with the same value are in the order of the ids.
   * Undefined for the id, because the table itself is in that order, and for a list, whose values are in a table of their own.
   */
  readonly index: string | undefined;
}

/** Returns the columns of the members that records can be selected by, by name of the member. */
export function selectableColumns({
  name: collection,
  selectable,
  lists,
}: StoredCollection): ReadonlyMap<string, SqliteColumn> {
  const toColumn = (column: string, type: MemberType): SqliteColumn => {
    const index = column === "id" ? undefined : indexOf(collection, column);
    return { name: column, sql: `"${column}"`, type, index };
  };
  return new Map([
    ...storeMembers.map(({ name, type }) => [name, toColumn(storeColumn(name), type)] as const),
    ...selectable.map((member) => [member.name, toColumn(nameOf(selectableColumn(member)), member.type)] as const),
    ...lists.map((list) => [list.name, { name: "", sql: "", type: list.type, index: undefined, list }] as const),
  ]);
}

/** Returns the name of the index on the revisions of the records; with an owner, of the one on the revisions of each owner. */
export const feedIndex = (collection: string, ofOwner: boolean): string =>
  indexOf(collection, ofOwner ? "changes_of_owner" : "changes");

/** Returns the name of the index on the owners of the records. */
export const ownerIndex = (collection: string): string => `${collection}.owner`;

const indexOf = (collection: string, column: string): string => `${collection}.${column}`; // no collection has a point in its name

/** A column of a collection's table that the store fills from each document. */
export interface FilledColumn extends MemberColumn {
  readonly name: string;
  readonly type: "TEXT" | "REAL" | "INTEGER";
  readonly index: string;
}

/** Returns the columns that the store fills from documents: first those of the unique members, in their order. */
export function filledColumns({ name: collection, unique, selectable }: StoredCollection): readonly FilledColumn[] {
  return [...unique.map(uniqueColumn), ...selectable.map(selectableColumn)].map((column) => {
    const name = nameOf(column);
    // Not the name of an index of all records, which files of earlier versions have.
    const index = indexOf(collection, column.kind === "unique" ? `${name} present` : name);
    return { ...column, name, type: columnTypes[column.kind], index };
  });
}

const columnTypes: Readonly<Record<ColumnKind, FilledColumn["type"]>> = {
  unique: "TEXT",
  text: "TEXT",
  folded: "TEXT",
  number: "REAL",
  time: "INTEGER",
};

const nameOf = ({ kind, member }: MemberColumn): string => `${kind}_${member}`;

/** Returns the shape of the table that a definition asks for; its words count as a column, and so do the values of its lists. */
export function dueShape(definition: StoredCollection): string {
  const { fullText, lists } = definition;
  const values = lists.length === 0 ? [] : [{ name: "values", content: valuesContent(lists) }];
  const words = fullText.length === 0 ? [] : [{ name: "words", content: wordRule(fullText) }];
  return tableShape(definition, [...filledColumns(definition), ...words, ...values, feedColumn]);
}

/**
 * Returns the statement that stores a row. Its values are the id, the revision, the times, the document, the owner where the
 * collection has one, and the values of the filled columns.
 */
export function rowInsertion(definition: StoredCollection): string {
  const { name, owner } = definition;
  const filled = filledColumns(definition).map((column) => `"${column.name}"`);
  const columns = ["id", "revision", "created_at", "updated_at", "document", ...(owner ? ["owner"] : []), ...filled];
  return `INSERT INTO "${name}" (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
}
