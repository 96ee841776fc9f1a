import type { CollectionDefinition } from "../../database.ts";
import { storeMembers } from "../../selection.ts";
import type { MemberSql } from "../conditions.ts";
import { type ColumnKind, type MemberColumn, selectableColumn, tableShape, uniqueColumn } from "../filled-columns.ts";
import { nameOf, quoteName } from "./sql.ts";
import { indexedWords, wordIndex } from "./words.ts";

/** A column of a collection's table that the store fills with what it makes of a record's document. */
export interface FilledColumn {
  /** Also says what it has, so that one of another type has another name. */
  readonly name: string;
  readonly type: "text" | "text[]" | "integer" | "bigint" | "double precision";
  /** What it is filled with: where that changes, it is filled anew. */
  readonly content: string;
  /** The elements of a list have spaces between them. */
  readonly toValue: (document: unknown, json: string) => string | number | null;
  readonly index: ColumnIndex | undefined;
}

/** An index on a column; what makes it is put behind its name. */
interface ColumnIndex {
  readonly definition: string;
  /** The member of which no two records are to have the same value. */
  readonly unique?: string;
}

/** The column in which the values of a member are compared, by an expression that has an index. */
export interface ComparedColumn extends MemberSql {
  /** The expression for the whole of a text of which `sql` has the beginning. */
  readonly whole: string | undefined;
  /** Whether it has whole numbers, which are all that the server compares it with. */
  readonly isInteger: boolean;
  /** Whether each record has a value. */
  readonly isFull: boolean;
}

/** How many characters of a text an index has: those of the most bytes fit into an entry, which has 2,704. */
export const indexedLength = 600;

/** The columns of the members that records can be selected by, by the names of these. */
export function comparedColumns({ selectable = [] }: CollectionDefinition): ReadonlyMap<string, ComparedColumn> {
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

/** The columns that a collection has beside those of the store. */
export function filledColumns(definition: CollectionDefinition): readonly FilledColumn[] {
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
      const term = orderTerm(compared.get(member.name) as ComparedColumn, false); // it has those that are selectable
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

/** The name of the column in which a member is unique. */
export const uniqueColumnName = (member: string): string => filledFrom(uniqueColumn(member)).name;

/** Returns the shape of the table that a definition asks for. */
export const dueShape = (definition: CollectionDefinition): string => tableShape(definition, filledColumns(definition));

/** A value as the database can have it: see `toReadableText`. */
export const toReadableValue = <V extends string | number | null>(value: V): V | string =>
  typeof value === "string" ? toReadableText(value) : value;

/** What puts records in the order of a column: those without a value before the others and, the other way round, after them. */
export function orderTerm({ sql, isFull }: ComparedColumn, descending: boolean): string {
  const direction = descending ? "DESC" : "ASC";
  if (isFull) return `${sql} ${direction}`;
  return `${sql} ${direction} ${descending ? "NULLS LAST" : "NULLS FIRST"}`;
}

/**
 * A text as the database can have it: JSON may have U+0000 and single surrogates, for which the database has no text. U+FFFD and four
 * digits stand for each of these.
 */
export function toReadableText(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, (sign) => `\ufffd${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
