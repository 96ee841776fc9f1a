import type { StoredCollection } from "../../../database.ts";
import { type MemberType, storeMembers } from "../../contract/selection.ts";
import type { MemberSql } from "../../reading/conditions.ts";
import { comparedMembers, keyOfMember, keyOfUnique } from "../../table/compared.ts";
import { storeColumn } from "../../table/rows.ts";

// What records are compared by stands in a column for each key, of its name. One column of JSON with virtual columns over it, as PostgreSQL
// has it, was tried: to store a person took a seventh longer, and to make all indexes as long again.

export interface SqliteColumn extends MemberSql {
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
    return { sql: `"${column}"`, type, index };
  };
  return new Map([
    ...storeMembers.map(({ name, type }) => [name, toColumn(storeColumn(name), type)] as const),
    ...selectable.map((member) => [member.name, toColumn(keyOfMember(member), member.type)] as const),
    ...lists.map((list) => [list.name, { sql: "", type: list.type, index: undefined, list }] as const),
  ]);
}

/** Returns the columns by which records are compared, which are filled from documents: their types, by their names. */
export function filledColumns({ unique, selectable }: StoredCollection): ReadonlyMap<string, string> {
  return new Map([
    ...unique.map((member) => [keyOfUnique(member), "TEXT"] as const),
    ...selectable.map((member) => [keyOfMember(member), columnTypes[member.type] ?? "TEXT"] as const),
  ]);
}

/** Makes the values of these columns. */
export function filledValues(definition: StoredCollection): (document: unknown) => readonly (string | number | null)[] {
  const members = comparedMembers(definition);
  return (document) => members.map(({ toValue }) => toValue(document));
}

const columnTypes: Readonly<Partial<Record<MemberType, string>>> = { number: "REAL", time: "INTEGER" };

/** Returns what the indexes of a collection's table are on, by their names; the member of each whose values are unique. */
export function indexesOf(definition: StoredCollection): ReadonlyMap<string, TableIndex> {
  const { name: collection, owner, unique } = definition;
  const ofOwner = owner === undefined ? "" : "owner, ";
  const members = [...selectableColumns(definition).values()].flatMap(({ index, sql }): [string, TableIndex][] =>
    index === undefined ? [] : [[index, { on: `(${ofOwner}${sql})` }]],
  );
  return new Map<string, TableIndex>([
    [feedIndex(collection, false), { on: "(revision)" }],
    ...(owner === undefined
      ? []
      : ([
          [ownerIndex(collection), { on: "(owner)" }],
          [feedIndex(collection, true), { on: "(owner, revision)" }],
        ] as const)),
    ...members,
    // Without entries for the records that lack the member: a commit of one such record writes a page less, 3 % of its time.
    ...unique.map((member): [string, TableIndex] => {
      const key = keyOfUnique(member);
      return [indexOf(collection, key), { on: `("${key}") WHERE "${key}" IS NOT NULL`, unique: member }];
    }),
  ]);
}

interface TableIndex {
  readonly on: string;
  /** The member of which no two records may have the same value. */
  readonly unique?: string;
}

/** Returns the name of the index on the revisions of the records; with an owner, of the one on the revisions of each owner. */
export const feedIndex = (collection: string, ofOwner: boolean): string =>
  indexOf(collection, ofOwner ? "changes_of_owner" : "changes");

/** Returns the name of the index on the owners of the records. */
export const ownerIndex = (collection: string): string => `${collection}.owner`;

const indexOf = (collection: string, column: string): string => `${collection}.${column}`; // no collection has a point in its name

/**
 * Returns the statement that stores a row. Its values are the id, the revision, the times, the document, the owner where the collection
 * has one, and those that are filled.
 */
export function rowInsertion(definition: StoredCollection): string {
  const { name, owner } = definition;
  const filled = [...filledColumns(definition).keys()].map((column) => `"${column}"`);
  const columns = ["id", "revision", "created_at", "updated_at", "document", ...(owner ? ["owner"] : []), ...filled];
  return `INSERT INTO "${name}" (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
}
