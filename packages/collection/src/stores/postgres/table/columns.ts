import type { StoredCollection } from "../../../database.ts";
import { storeMembers } from "../../contract/selection.ts";
import type { MemberSql } from "../../reading/conditions.ts";
import {
  comparedMembers,
  keyOfList,
  keyOfMember,
  keyOfUnique,
  keyOfWords,
  keysOf,
  listValues,
} from "../../table/compared.ts";
import { storeColumn } from "../../table/rows.ts";
import { indexedValues, indexedWords } from "./elements.ts";
import { digestOf, nameOf, quoteName, quoteText } from "./sql.ts";

// The column `compared` also has the values of lists, and under the key "" the digests of all rules by which a record is filled, so that
// versions of a program that have other members or rules can work side by side. The words of a search stand in `words` alike.

/** What is compared for a member: an expression that has an index. */
export interface ComparedColumn extends MemberSql {
  /** The key in `compared`; undefined for a column of the store. */
  readonly key: string | undefined;
  /** The expression for the whole text, where `sql` has only its beginning. */
  readonly whole: string | undefined;
  /** Whether its values are whole numbers, which the server compares only with whole numbers. */
  readonly isInteger: boolean;
  /** Whether every record has a value. */
  readonly isFull: boolean;
}

/** An index on a collection's table. The definition follows the name of the table in the statement that makes the index. */
export interface MemberIndex {
  readonly name: string;
  readonly definition: string;
  /** The member of which no two records may have the same value. */
  readonly unique?: string;
}

/** How many characters of a text an index has. Even at four bytes each, they fit into an entry, which has 2,704 bytes. */
export const indexedLength = 600;

/** Returns what is compared for the members that records can be selected by, by the names of the members; the words have no name. */
export function comparedColumns(definition: StoredCollection): ReadonlyMap<string, ComparedColumn> {
  const { selectable, lists, fullText } = definition;
  const own = storeMembers.map(({ name, type }): readonly [string, ComparedColumn] => {
    const sql = quoteName(storeColumn(name));
    return [name, { key: undefined, type, sql, whole: undefined, isInteger: true, isFull: true }];
  });
  const others = selectable.map((member): readonly [string, ComparedColumn] => {
    const { name, type } = member;
    const key = keyOfMember(member);
    const number = type === "number" ? "double precision" : type === "time" ? "bigint" : undefined;
    const whole = number === undefined ? textOf(key) : undefined;
    const sql = whole === undefined ? `(compared -> ${quoteText(key)})::${number}` : `left(${whole}, ${indexedLength})`;
    return [name, { key, type, sql, whole, isInteger: type === "time", isFull: false }];
  });
  const ofLists = lists.map((list): readonly [string, ComparedColumn] => {
    const key = keyOfList(list);
    const sql = `(compared -> ${quoteText(key)})`;
    return [list.name, { key, type: list.type, sql, whole: undefined, isInteger: false, isFull: false, list }];
  });
  const words: ComparedColumn = {
    ...{ key: keyOfWords(definition), type: "text", sql: wordsSql(definition) },
    ...{ whole: undefined, isInteger: false, isFull: false },
  };
  return new Map([...own, ...others, ...ofLists, ...(fullText.length === 0 ? [] : [["", words] as const])]);
}

/** Writes the text under a key. It compares by code points, also where the database compares it by the rules of a language. */
const textOf = (key: string): string => `(compared ->> ${quoteText(key)}) COLLATE "C"`;

/** Writes the key by which a member is unique. */
export const uniqueSql = (member: string): string => `(${textOf(keyOfUnique(member))})`;

/** Writes `compared` without what must be unique. */
export const withoutUnique = ({ unique }: StoredCollection): string =>
  `compared - ARRAY[${unique.map((member) => quoteText(keyOfUnique(member))).join(", ")}]`;

/** Writes the words of a record. They are a column of their own, since they are longer than all else that is compared. */
const wordsSql = (definition: StoredCollection): string =>
  `((words ->> ${quoteText(digestOf(keyOfWords(definition)))})::tsvector)`;

/** Returns the digest of the rules by which a definition fills records. */
export const ruleOf = (definition: StoredCollection): string => digestOf(JSON.stringify(keysOf(definition)));

/** Makes what a record is compared by, as the text of an object. */
export function comparedBy(definition: StoredCollection): (document: unknown) => string {
  const members = comparedMembers(definition);
  const rules = [ruleOf(definition)];
  return (document) => {
    const compared: Record<string, unknown> = { "": rules };
    for (const { key, toValue } of members) {
      const value = toValue(document);
      if (value !== null) compared[key] = value;
    }
    for (const list of definition.lists) {
      const elements = indexedValues(listValues(document, list));
      if (elements.length > 0) compared[keyOfList(list)] = elements;
    }
    return JSON.stringify(compared);
  };
}

/** Makes the words of a record, as the text of an object. */
export function wordsBy(definition: StoredCollection): (document: unknown) => string {
  const { fullText } = definition;
  const key = digestOf(keyOfWords(definition));
  return (document) => (fullText.length === 0 ? "{}" : JSON.stringify({ [key]: indexedWords(document, fullText) }));
}

/** Returns all indexes of a collection's table but that of the ids: those that are unique first. */
export function indexesOf(definition: StoredCollection): readonly MemberIndex[] {
  const { name: collection, owner, unique, selectable, lists, fullText } = definition;
  const ofOwner = owner === undefined ? "" : "owner ASC, ";
  const compared = comparedColumns(definition);
  const termOf = (member: string): string => orderTerm(compared.get(member) as ComparedColumn, false); // it has every member
  const all: readonly (readonly [key: string, definition: string])[] = [
    ...["created_at", "updated_at"].map((column) => [column, `(${ofOwner}${column} ASC, id ASC)`] as const),
    ["changes", "(tx ASC, revision ASC)"],
    ...(owner === undefined
      ? []
      : [
          ["owner", "(owner ASC, id ASC)"] as const,
          ["changes_of_owner", "(owner ASC, tx ASC, revision ASC)"] as const,
        ]),
    ...selectable.map((member) => [keyOfMember(member), `(${ofOwner}${termOf(member.name)}, id ASC)`] as const),
    ...lists.map((list) => [keyOfList(list), `USING gin (${compared.get(list.name)?.sql})`] as const),
    ...(fullText.length === 0 ? [] : [[keyOfWords(definition), `USING gin (${wordsSql(definition)})`] as const]),
  ];
  return [
    ...unique.map((member): MemberIndex => {
      const name = indexOfKey(collection, keyOfUnique(member));
      return { name, definition: `(${uniqueSql(member)})`, unique: member };
    }),
    ...all.map(([key, definition]): MemberIndex => ({ name: indexOfKey(collection, key), definition })),
  ];
}

/** Returns the name of the index on the values of a key. */
export const indexOfKey = (collection: string, key: string): string =>
  nameOf(collection, key.startsWith("words ") ? `words ${digestOf(key)}` : key);

/** Returns whether an index of a collection's table is named after a key. */
export const isOfKey = (collection: string, index: string): boolean =>
  /^(?:unique|list|text\d+|exact|date|number|boolean|time|words) /.test(index.slice(collection.length + 1));

/**
 * Makes the term that orders records by a column. Records without a value come first in ascending order, last in descending order.
 */
export function orderTerm({ sql, isFull }: ComparedColumn, descending: boolean): string {
  const direction = descending ? "DESC" : "ASC";
  if (isFull) return `${sql} ${direction}`;
  return `(${sql}) ${direction} ${descending ? "NULLS LAST" : "NULLS FIRST"}`;
}
