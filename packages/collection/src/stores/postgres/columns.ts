import { createHash } from "node:crypto";
import type { CollectionDefinition } from "../../database.ts";
import { comparedValue, memberValue, valueAt } from "../../member-value.ts";
import { type MemberType, type SelectableMember, storeMembers } from "../../selection.ts";
import { nameOf, quoteName } from "./sql.ts";
import { indexedWords, wordsForm } from "./words.ts";

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

/** The column in which the values of a member are compared. */
export interface ComparedColumn {
  readonly type: MemberType;
  /** What is compared, as an expression that has an index. */
  readonly sql: string;
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
    const column = quoteName(memberColumn(member));
    const { type } = member;
    const isText = columnTypes[type] === "text";
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
      const name = uniqueColumn(member);
      const index = { definition: `(${quoteName(name)})`, unique: member };
      return { name, type: "text", content: "key", toValue: (document) => uniqueKey(document, member), index };
    }),
    ...selectable.map((member): FilledColumn => {
      const term = orderTerm(compared.get(member.name) as ComparedColumn, false); // it has those that are selectable
      return {
        name: memberColumn(member),
        type: columnTypes[member.type],
        content: "value",
        toValue: (document) => toCompared(memberValue(document, member.name, member.type), member.type),
        index: { definition: `(${ofOwner}${term}, id ASC)` },
      };
    }),
    ...(fullText.length === 0
      ? []
      : [
          {
            name: "words",
            type: "text[]",
            content: wordsForm(fullText),
            toValue: (document: unknown) => indexedWords(document, fullText),
            index: { definition: "USING gin (words)" },
          } as const,
        ]),
  ];
}

/** The column by which a member is unique. */
export const uniqueColumn = (member: string): string => nameOf("unique", member);

const memberColumn = ({ name, type }: SelectableMember): string => nameOf(columnNames[type], name);

const columnNames: Readonly<Record<MemberType, string>> = {
  text: "text",
  "caseless-text": "caseless",
  date: "text",
  number: "number",
  time: "time",
};

const columnTypes: Readonly<Record<MemberType, "text" | "bigint" | "double precision">> = {
  text: "text",
  "caseless-text": "text",
  date: "text",
  number: "double precision",
  time: "bigint",
};

/** A value, of a record or of a selection, as the columns of a type have it. */
export function toCompared<V extends string | number | null>(value: V, type: MemberType): V | string {
  return typeof value === "string" ? toReadableText(comparedValue<string>(value, type)) : value;
}

/** What puts records in the order of a column: those without a value before the others and, the other way round, after them. */
export function orderTerm({ sql, isFull }: ComparedColumn, descending: boolean): string {
  const direction = descending ? "DESC" : "ASC";
  if (isFull) return `${sql} ${direction}`;
  return `${sql} ${direction} ${descending ? "NULLS LAST" : "NULLS FIRST"}`;
}

/** What the table of a collection is made for, as it is noted beside the counters of the collection. */
export interface TableForm {
  /** The collection that owns the records. */
  readonly owner: string | null;
  /** What the columns are filled with, by their names. */
  readonly columns: Readonly<Record<string, string>>;
}

/** The form that a definition asks for, as text. Two of one form are the same text. */
export function tableForm(definition: CollectionDefinition): string {
  const columns = filledColumns(definition).map(({ name, content }) => [name, content]);
  return toText({ owner: definition.owner?.collection ?? null, columns: Object.fromEntries(columns) });
}

/** The form of a table whose columns are still to be filled, which no program stores records in. */
export const unfilledForm = ({ owner }: CollectionDefinition): string =>
  toText({ owner: owner?.collection ?? null, columns: {} });

const toText = (form: TableForm): string => JSON.stringify(form);

/**
 * What a member is told apart by where it is unique, for each of the members; null when the document lacks it. It is the JSON text of
 * the value, so that 1 and "1" differ, or a hash where that is too long.
 */
export function uniqueKeys(document: unknown, members: readonly string[]): readonly (string | null)[] {
  return members.map((member) => uniqueKey(document, member));
}

function uniqueKey(document: unknown, member: string): string | null {
  const value = valueAt(document, member) ?? null;
  if (value === null) return null;
  const key = JSON.stringify(value);
  return Buffer.byteLength(key) <= longestKey ? key : createHash("sha256").update(key).digest("hex");
}

/** In bytes: an entry of an index has at most 2,704. */
const longestKey = 2000;

/**
 * A text as the database can have it: JSON may have U+0000 and single surrogates, for which the database has no text. U+FFFD and four
 * digits stand for each of these.
 */
export function toReadableText(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, (sign) => `\ufffd${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
