import type { StoredCollection } from "../../../database.ts";
import { type ListMember, storeMembers } from "../../contract/selection.ts";
import type { MemberSql } from "../../reading/conditions.ts";
import {
  type ColumnKind,
  feedColumn,
  listValues,
  type MemberColumn,
  selectableColumn,
  storeColumn,
  tableShape,
  uniqueColumn,
} from "../../table/filled-columns.ts";
import { addedMembers, wordRule } from "../../table/words.ts";
import { nameOf, quoteName, toReadableText } from "./sql.ts";
import { indexedValues, valueIndex } from "./values.ts";
import { indexedWords, longestBeginning } from "./words.ts";

/** A column of a collection's table that the store fills from the document of a record. */
export interface FilledColumn {
  /** Includes the kind of the values, so that a column of another type has another name. */
  readonly name: string;
  readonly type: "text" | "text[]" | "integer" | "bigint" | "double precision";
  /** Identifies the way in which the column is filled. When it changes, the column is filled again. */
  readonly content: string;
  /** How the elements of a list are sent: as words with spaces between them, or as the text of an array. */
  readonly sent?: "words" | "array";
  /**
   * Returns the members that a record must have some of to need a value, after a column with this content, or without one; undefined
   * where every record needs one. Default: every record does.
   */
  readonly dueWith?: (before: string | undefined) => readonly string[] | undefined;
  readonly toValue: (document: unknown, json: string) => string | number | null;
  readonly index: ColumnIndex | undefined;
}

/** An index on a column. The definition follows the name of the table in the statement that makes the index. */
interface ColumnIndex {
  readonly definition: string;
  /** The member of which no two records may have the same value. */
  readonly unique?: string;
}

/** The column that is compared for a member, by an expression that has an index. */
export interface ComparedColumn extends MemberSql {
  /** The expression for the whole text, where `sql` has only its beginning. */
  readonly whole: string | undefined;
  /** Whether its values are whole numbers, which the server compares only with whole numbers. */
  readonly isInteger: boolean;
  /** Whether every record has a value. */
  readonly isFull: boolean;
}

/** How many characters of a text an index has. Even at four bytes each, they fit into an entry, which has 2,704 bytes. */
export const indexedLength = 600;

/** Returns the columns of the members that records can be selected by, by the names of the members. */
export function comparedColumns({ selectable, lists }: StoredCollection): ReadonlyMap<string, ComparedColumn> {
  const own = storeMembers.map(({ name, type }): readonly [string, ComparedColumn] => {
    const sql = quoteName(storeColumn(name));
    return [name, { type, sql, whole: undefined, isInteger: true, isFull: true }];
  });
  const others = selectable.map((member): readonly [string, ComparedColumn] => {
    const { name, type: columnType } = filledFrom(selectableColumn(member));
    const column = quoteName(name);
    const { type } = member;
    const isText = columnType === "text";
    const sql = isText ? `left(${column}, ${indexedLength})` : column;
    return [member.name, { type, sql, whole: isText ? column : undefined, isInteger: type === "time", isFull: false }];
  });
  const ofLists = lists.map((list): readonly [string, ComparedColumn] => {
    const sql = quoteName(listColumn(list));
    return [list.name, { type: list.type, sql, whole: undefined, isInteger: false, isFull: false, list }];
  });
  return new Map([...own, ...others, ...ofLists]);
}

const listColumn = ({ name }: ListMember): string => nameOf("list", name);

/** Returns the columns that a collection has in addition to those of the store. */
export function filledColumns(definition: StoredCollection): readonly FilledColumn[] {
  const { unique, selectable, lists, fullText, owner } = definition;
  const ofOwner = owner === undefined ? "" : "owner ASC, ";
  const compared = comparedColumns(definition);
  const ruleOfWords = wordRule(fullText, longestBeginning);
  return [
    {
      name: "size", // read without the document
      type: "integer",
      content: "bytes",
      toValue: (_document, json) => Buffer.byteLength(json),
      index: undefined,
    },
    ...unique.map((member): FilledColumn => {
      const column = filledFrom(uniqueColumn(member));
      return { ...column, index: { definition: `(${quoteName(column.name)})`, unique: member } };
    }),
    ...selectable.map((member): FilledColumn => {
      const term = orderTerm(compared.get(member.name) as ComparedColumn, false); // it has every selectable member
      return { ...filledFrom(selectableColumn(member)), index: { definition: `(${ofOwner}${term}, id ASC)` } };
    }),
    ...lists.map((list): FilledColumn => {
      const name = listColumn(list);
      const toValue = (document: unknown): string | null => indexedValues(listValues(document, list));
      const index = { definition: `USING gin (${quoteName(name)})` };
      const dueWith = (before: string | undefined): readonly string[] | undefined =>
        before === undefined ? [list.name] : undefined;
      return { name, type: "text[]", sent: "array", content: valueIndex(list), dueWith, toValue, index };
    }),
    ...(fullText.length === 0
      ? []
      : [
          {
            name: "words",
            type: "text[]",
            sent: "words",
            content: ruleOfWords,
            dueWith: (before: string | undefined) => addedMembers(before, ruleOfWords),
            toValue: (document: unknown) => indexedWords(document, fullText),
            index: { definition: "USING gin (words)" },
          } as const,
        ]),
  ];
}

function filledFrom({ kind, member, content, toValue }: MemberColumn): Omit<FilledColumn, "index"> {
  return {
    name: nameOf(kind, member),
    type: columnTypes[kind],
    content,
    toValue: (document) => toReadableValue(toValue(document)),
  };
}

const columnTypes: Readonly<Record<ColumnKind, "text" | "bigint" | "double precision">> = {
  unique: "text",
  text: "text",
  folded: "text",
  number: "double precision",
  time: "bigint",
};

/** Returns the name of the column in which a member is unique. */
export const uniqueColumnName = (member: string): string => filledFrom(uniqueColumn(member)).name;

/** Returns the shape of the table that a definition asks for. */
export const dueShape = (definition: StoredCollection): string =>
  tableShape(definition, [...filledColumns(definition), feedColumn]);

/** Makes a value that the database can store: see `toReadableText`. */
export const toReadableValue = <V extends string | number | null>(value: V): V | string =>
  typeof value === "string" ? toReadableText(value) : value;

/**
 * Makes the term that orders records by a column. Records without a value come first in ascending order, last in descending order.
 */
export function orderTerm({ sql, isFull }: ComparedColumn, descending: boolean): string {
  const direction = descending ? "DESC" : "ASC";
  if (isFull) return `${sql} ${direction}`;
  return `${sql} ${direction} ${descending ? "NULLS LAST" : "NULLS FIRST"}`;
}
