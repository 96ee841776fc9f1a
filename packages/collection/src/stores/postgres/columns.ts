import type { StoredCollection } from "../../database.ts";
import { storeMembers } from "../../selection.ts";
import type { MemberSql } from "../conditions.ts";
import {
  type ColumnKind,
  feedColumn,
  type MemberColumn,
  selectableColumn,
  tableShape,
  uniqueColumn,
} from "../filled-columns.ts";
import { nameOf, quoteName } from "./sql.ts";
import { indexedWords, wordIndex } from "./words.ts";

/** A column of a collection's table that the store fills from the document of a record. */
export interface FilledColumn {
  /** Includes the kind of the values, so that a column of another type has another name. */
  readonly name: string;
  readonly type: "text" | "text[]" | "integer" | "bigint" | "double precision";
  /** Identifies the way in which the column is filled. When it changes, the column is filled again. */
  readonly content: string;
  /** Makes the value from a document. The elements of a list are separated by spaces. */
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
export function comparedColumns({ selectable = [] }: StoredCollection): ReadonlyMap<string, ComparedColumn> {
  const own = storeMembers.map(({ name, type }): readonly [string, ComparedColumn] => {
    const sql = quoteName(storeColumns[name] ?? name);
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
  return new Map([...own, ...others]);
}

const storeColumns: Readonly<Record<string, string>> = { createdAt: "created_at", updatedAt: "updated_at" };

/** Returns the columns that a collection has in addition to those of the store. */
export function filledColumns(definition: StoredCollection): readonly FilledColumn[] {
  const { unique = [], selectable = [], fullText = [], owner } = definition;
  const ofOwner = owner === undefined ? "" : "owner ASC, ";
  const compared = comparedColumns(definition);
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
    ...(fullText.length === 0
      ? []
      : [
          {
            name: "words",
            type: "text[]",
            content: wordIndex(fullText),
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
  caseless: "text",
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

/**
 * Makes a text that the database can store. JSON may contain U+0000 and single surrogates, which the database cannot store: each
 * becomes U+FFFD and four hexadecimal digits.
 */
export function toReadableText(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, (sign) => `\ufffd${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
