import type { StoredCollection } from "../../../database.ts";
import { foldVersion } from "../../../members/fold.ts";
import { comparedValue, toMemberValue, valueAlong } from "../../../members/value.ts";
import { type ListMember, type SelectableMember, storeMembers } from "../../contract/selection.ts";
import type { MemberSql } from "../../reading/conditions.ts";
import { listValues, storeColumn, uniqueKeys } from "../../table/filled-columns.ts";
import { wordRule } from "../../table/words.ts";
import { digestOf, nameOf, quoteName, quoteText, toReadableText } from "./sql.ts";
import { indexedValues } from "./values.ts";
import { indexedWords, longestBeginning } from "./words.ts";

// What members are compared by stands in one column, `compared`: an object of JSON with a key for each of them, which has the rule that
// makes the value; the words of a search stand in `words` alike. So another rule is another key, and versions of a program that have other members or rules can work side by side.
// Under the key "" are the digests of all rules by which a record is filled.

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

const ruleOfType = ({ type }: SelectableMember): string => (type === "text" ? `text${foldVersion}` : type);
const keyOfMember = (member: SelectableMember): string => `${ruleOfType(member)} ${member.name}`;
const keyOfUnique = (member: string): string => `unique ${member}`;
const keyOfList = (list: ListMember): string =>
  ["list", ruleOfType(list), ...(list.single === undefined ? [] : [`without ${list.single}`]), list.name].join(" ");

/** Returns the member that a key is for. */
export const memberOfKey = (key: string): string => key.slice(key.lastIndexOf(" ") + 1);

/** Writes the key by which a member is unique. */
export const uniqueSql = (member: string): string => `(${textOf(keyOfUnique(member))})`;

/** Writes `compared` without what must be unique. */
export const withoutUnique = ({ unique }: StoredCollection): string =>
  `compared - ARRAY[${unique.map((member) => quoteText(keyOfUnique(member))).join(", ")}]`;

/** The key of the words: the rule that makes them. */
const keyOfWords = ({ fullText }: StoredCollection): string => `words ${wordRule(fullText, longestBeginning)}`;

/** Writes the words of a record. They are a column of their own, since they are longer than all else that is compared. */
const wordsSql = (definition: StoredCollection): string => `(words -> ${quoteText(digestOf(keyOfWords(definition)))})`;

/** Returns the keys that a definition fills; words count as one. */
export function keysOf(definition: StoredCollection): readonly string[] {
  const { unique, selectable, lists, fullText } = definition;
  const words = fullText.length === 0 ? [] : [keyOfWords(definition)];
  return [...unique.map(keyOfUnique), ...selectable.map(keyOfMember), ...lists.map(keyOfList), ...words];
}

/** Returns the digest of the rules by which a definition fills records. */
export const ruleOf = (definition: StoredCollection): string => digestOf(JSON.stringify(keysOf(definition)));

/** Makes what a record is compared by, as the text of an object. */
export function comparedBy(definition: StoredCollection): (document: unknown) => string {
  const { unique, selectable, lists } = definition;
  const rules = [ruleOf(definition)];
  const members = selectable.map((member) => ({ key: keyOfMember(member), path: member.name.split("."), ...member }));
  return (document) => {
    const compared: Record<string, string | number | readonly string[]> = { "": rules };
    for (const [at, key] of uniqueKeys(document, unique).entries()) {
      if (key !== null) compared[keyOfUnique(unique[at] ?? "")] = toReadableText(key);
    }
    for (const { key, path, type } of members) {
      const value = toMemberValue(valueAlong(document, path), type);
      if (value !== null) compared[key] = toReadableValue(comparedValue(value, type));
    }
    for (const list of lists) {
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
    ...(fullText.length === 0
      ? []
      : [[`words ${digestOf(keyOfWords(definition))}`, `USING gin (${wordsSql(definition)})`] as const]),
  ];
  return [
    ...unique.map((member): MemberIndex => {
      const key = keyOfUnique(member);
      return { name: nameOf(collection, key), definition: `(${uniqueSql(member)})`, unique: member };
    }),
    ...all.map(([key, definition]): MemberIndex => ({ name: nameOf(collection, key), definition })),
  ];
}

/** Makes a value that the database can store: see `toReadableText`. */
export const toReadableValue = <V extends string | number | null>(value: V): V | string =>
  typeof value === "string" ? toReadableText(value) : value;

/**
 * Makes the term that orders records by a column. Records without a value come first in ascending order, last in descending order.
 */
export function orderTerm({ sql, isFull }: ComparedColumn, descending: boolean): string {
  const direction = descending ? "DESC" : "ASC";
  if (isFull) return `${sql} ${direction}`;
  return `(${sql}) ${direction} ${descending ? "NULLS LAST" : "NULLS FIRST"}`;
}
