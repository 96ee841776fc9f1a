import { hash } from "node:crypto";
import type { DatabaseOptions, StoredCollection } from "../../database.ts";
import { foldVersion } from "../../members/fold.ts";
import { formerPath, type RenamedMember } from "../../members/renamed.ts";
import { comparedValue, toMemberValue, valueAlong, valueAt, valuesAt } from "../../members/value.ts";
import { damagedReason, StoreDamaged } from "../contract/errors.ts";
import type { ListMember, SelectableMember } from "../contract/selection.ts";
import { wordRule } from "./words.ts";

// Each thing that records are compared by has a key with the rule that makes its value, so that another rule is another key. On PostgreSQL
// the keys are those of an object of JSON, the column `compared`; on SQLite each one is a column.

/** The key of a member that records can be selected by. */
export const keyOfMember = (member: SelectableMember): string => `${ruleOfType(member)} ${member.name}`;

/** The key by which a member is unique. */
export const keyOfUnique = (member: string): string => `unique ${member}`;

/** The key of the values of a list. */
export const keyOfList = (list: ListMember): string =>
  ["list", ruleOfType(list), ...(list.single === undefined ? [] : [`without ${list.single}`]), list.name].join(" ");

/** The key of the words of a search. */
export const keyOfWords = ({ fullText }: StoredCollection): string => `words ${wordRule(fullText)}`;

const ruleOfType = ({ type }: SelectableMember): string => (type === "text" ? `text${foldVersion}` : type);

/** The key of a member that is stored by its present name. */
const keyOfRenamed = ({ name, former }: RenamedMember): string => `renamed ${former} ${name}`;

/** Whether a key is that of a member which is stored by its present name. */
export const isOfRenamed = (key: string): boolean => key.startsWith("renamed ");

/** Returns the keys that a definition fills, in an order of their own. */
export function keysOf(definition: StoredCollection): readonly string[] {
  const { unique, selectable, lists, fullText, renamed } = definition;
  const words = fullText.length === 0 ? [] : [keyOfWords(definition)];
  const members = [
    unique.map(keyOfUnique),
    selectable.map(keyOfMember),
    lists.map(keyOfList),
    renamed.map(keyOfRenamed),
  ];
  return [...members.flat(), ...words].toSorted();
}

/**
 * Reads the keys that a database has noted as JSON.
 *
 * @throws StoreDamaged when another program has written the text
 */
export function parseKeys(text: string): readonly string[] {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StoreDamaged(damagedReason, { cause: error });
  }
}

/** Reports the members of the keys that a definition does not have any more. */
export function reportForgotten(
  definition: StoredCollection,
  declared: readonly string[],
  onForgotten: DatabaseOptions["onForgotten"],
): void {
  const members = (keys: readonly string[]): Set<string> =>
    new Set(
      keys
        .filter((key) => !(key.startsWith("words ") || isOfRenamed(key)))
        .map((key) => key.slice(key.lastIndexOf(" ") + 1)),
    );
  const former = new Set(definition.renamed.map(formerPath));
  const forgotten = members(declared)
    .difference(members(keysOf(definition)))
    .difference(former);
  if (forgotten.size > 0) onForgotten?.(definition.name, [...forgotten].toSorted());
}

/** What a unique or selectable member of a document is compared by. */
interface ComparedMember {
  readonly key: string;
  /** Returns null where the document lacks the member. */
  readonly toValue: (document: unknown) => string | number | null;
}

/** Returns what the unique and then the selectable members of a document are compared by. */
export function comparedMembers({ unique, selectable }: StoredCollection): readonly ComparedMember[] {
  return [
    ...unique.map((member): ComparedMember => {
      return { key: keyOfUnique(member), toValue: (document) => uniqueKey(document, member) };
    }),
    ...selectable.map((member): ComparedMember => {
      const { name, type } = member;
      const path = name.split(".");
      const toValue = (document: unknown): string | number | null => {
        const value = toMemberValue(valueAlong(document, path), type);
        return value === null ? null : toReadableValue(comparedValue(value, type));
      };
      return { key: keyOfMember(member), toValue };
    }),
  ];
}

/** Returns the values of a list as they are compared, each once, and without that of its single member. */
export function listValues(document: unknown, { name, type, single }: ListMember): readonly string[] {
  const compared = new Set<string>();
  for (const value of valuesAt(document, name)) {
    if (typeof value === "string") compared.add(comparedValue(value, type));
  }
  if (compared.size === 0) return [];
  const one = single && valueAt(document, single);
  if (typeof one === "string") compared.delete(comparedValue(one, type));
  return [...compared].map(toReadableText);
}

/** Returns the keys by which the unique members of a document are compared. */
export function uniqueKeys(document: unknown, members: readonly string[]): readonly (string | null)[] {
  return members.map((member) => uniqueKey(document, member));
}

/**
 * Returns the key of a unique member; null where the document lacks it. The key is the JSON text of the value, so that 1 and "1"
 * differ, or a hash of a long text.
 */
function uniqueKey(document: unknown, member: string): string | null {
  const value = valueAt(document, member) ?? null;
  if (value === null) return null;
  const key = JSON.stringify(value);
  return Buffer.byteLength(key) <= longestKey ? key : hash("sha256", key);
}

/** In bytes: PostgreSQL allows 2,704 in an entry of an index. */
const longestKey = 2000;

/**
 * Makes a text that a database can store. JSON may contain U+0000 and single surrogates, which PostgreSQL cannot store: each becomes
 * U+FFFD and four hexadecimal digits.
 */
export function toReadableText(text: string): string {
  if (text.isWellFormed() && !text.includes("\0")) return text; // which is faster
  return text.replace(/\0|\p{Surrogate}/gu, (sign) => `\ufffd${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Makes a value that a database can store: see `toReadableText`. */
export const toReadableValue = <V extends string | number | null>(value: V): V | string =>
  typeof value === "string" ? toReadableText(value) : value;
