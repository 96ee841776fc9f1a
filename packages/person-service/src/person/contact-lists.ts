import { isDeepStrictEqual } from "node:util";
import { recordSchema } from "@waymark/collection";
import type { ValidationIssue, ValidationResult } from "waymark/content";
import { optional, type ValueSchema } from "waymark/schema";
import { type ListSchema, listSchema, textList } from "./lists.ts";
import type { PersonMember } from "./member.ts";
import { isObject } from "./member-value.ts";
import { memberEntries, ownObject, partNames } from "./members.ts";
import type { ContactEntry, Person } from "./person.ts";
import { oneOf } from "./rules.ts";
import { ruledString, text, truth } from "./text.ts";

/** A list of which another member is the preferred value: `emails`, of which `email` is. */
export interface ContactList {
  readonly name: string;
  readonly single: string;
  /** The names of the members of its values, where these are objects. */
  readonly parts: readonly string[];
  /** Whether it is said what its values can do. */
  readonly hasFeatures: boolean;
}

export const contactLists: readonly ContactList[] = memberEntries.flatMap(([name, { of, kind }]) =>
  of === undefined ? [] : [{ name, single: of, parts: partNames(of), hasFeatures: kind === "telephone" }],
);

/** What a value is used for, as RFC 9553 §1.5.1 has it. */
export const contexts: readonly string[] = ["private", "work"];

/** What a telephone can do (RFC 9553 §2.3.3). */
export const features: readonly string[] = [
  "fax",
  "main-number",
  "mobile",
  "pager",
  "text",
  "textphone",
  "video",
  "voice",
];

/**
 * Makes the schema of a list of values with what is said of each: at most 50, none twice, and at most one of them preferred.
 *
 * @param value that of the values
 */
export function contactListSchema(value: ValueSchema<unknown>, { kind }: PersonMember): ListSchema<unknown> {
  const members = {
    value: { schema: value },
    contexts: { schema: wordList(contexts) },
    ...(kind === "telephone" && { features: { schema: wordList(features) } }),
    label: { schema: optional(text({ min: 1, max: 100 })) },
    preferred: { schema: optional(truth) },
  };
  const entry = recordSchema(members, { noun: "an entry" });
  return listSchema(entry, {}, (entries) => [
    ...repeated(entries as ContactEntry[]),
    ...furtherPreferred(entries as ContactEntry[]),
  ]); // by their schema
}

const wordList = (words: readonly string[]): ListSchema<unknown> =>
  textList(ruledString([oneOf(words)], { enum: words }));

function repeated(entries: readonly ContactEntry[]): readonly ValidationIssue[] {
  const isThere = (value: unknown, before: number): boolean =>
    entries.slice(0, before).some((entry) => isDeepStrictEqual(entry.value, value));
  return entries.flatMap(({ value }, i) =>
    isThere(value, i) ? [{ path: [i, "value"], message: "is there twice" }] : [],
  );
}

function furtherPreferred(entries: readonly ContactEntry[]): readonly ValidationIssue[] {
  const marked = entries.flatMap(({ preferred }, i) => (preferred === true ? [i] : []));
  return marked.slice(1).map((i) => ({ path: [i, "preferred"], message: "is true for another one: one is preferred" }));
}

/**
 * Returns a valid person whose single members and lists say the same. A list has one preferred value: the marked one, else that of the
 * single member, else the first. It is left out where the single member says it all.
 */
export function withContactLists(result: ValidationResult<Person>): ValidationResult<Person> {
  if (result.issues !== undefined || !contactLists.some(({ name }) => name in result.value)) return result;
  const person: Record<string, unknown> = { ...result.value };
  const issues: ValidationIssue[] = [];
  for (const { name, single } of contactLists) {
    const entries = person[name] as readonly ContactEntry[] | undefined; // by its schema
    if (entries === undefined) continue;
    const value = person[single];
    const preferred = preferredOf(entries, value);
    if (value !== undefined && !isDeepStrictEqual(preferred.value, value)) {
      issues.push({
        path: [single],
        message: `is not the preferred one of ${name}: send one of both, or the same in both`,
      });
    }
    person[single] = preferred.value;
    if (entries.length > 1 || Object.keys(entries[0] ?? {}).some((key) => key !== "value" && key !== "preferred")) {
      person[name] = entries.map((entry) => marked(entry, entry === preferred));
    } else delete person[name];
  }
  if (issues.length > 0) return { issues };
  // The members have the places that they have in the table.
  const inOrder = order.flatMap((name) => (name in person ? [[name, person[name]] as const] : []));
  return { value: Object.fromEntries(inOrder) as unknown as Person };
}

const order: readonly string[] = [
  ...new Set([...memberEntries.map(([name]) => name.split(".")[0] ?? name), ownObject]),
];

function preferredOf(entries: readonly ContactEntry[], value: unknown): ContactEntry {
  const [first] = entries as readonly [ContactEntry, ...ContactEntry[]]; // a list is not empty
  return (
    entries.find(({ preferred }) => preferred === true) ??
    entries.find((entry) => isDeepStrictEqual(entry.value, value)) ??
    first
  );
}

function marked({ preferred: _, ...entry }: ContactEntry, isPreferred: boolean): ContactEntry {
  return isPreferred ? { ...entry, preferred: true } : entry;
}

type Members = Readonly<Record<string, unknown>>;

/** Returns a stored person with a list for each single member, as changes are made to it. */
export function withAllLists(person: Members): Members {
  const lists = contactLists.flatMap(({ name, single }) =>
    person[name] === undefined && person[single] !== undefined
      ? [[name, [{ value: person[single], preferred: true }]] as const]
      : [],
  );
  return lists.length === 0 ? person : { ...person, ...Object.fromEntries(lists) };
}

/**
 * Returns what a client has made of a person, so that a change of a single member is one of its list, and the other way round. What
 * changed both, so that they say different things, is left for the schema to refuse. An object that lost its last member is gone.
 *
 * @param before the person with all lists
 * @param isWhole whether the client has sent the whole person, so that what it left out is not what it took away
 */
export function followingChanges(changed: Members, before: Members, isWhole: boolean): Members {
  const isGone = (value: unknown): boolean => !isWhole && isObject(value) && Object.keys(value).length === 0;
  const result = { ...changed };
  for (const [name, value] of Object.entries(changed)) if (isGone(value)) delete result[name];
  for (const { name, single } of contactLists) {
    const [value, list] = [result[single] ?? undefined, result[name] ?? undefined];
    if (isWhole && (value === undefined || list === undefined)) continue;
    const keepsValue = isDeepStrictEqual(value, before[single]);
    const keepsList = isDeepStrictEqual(list, before[name]);
    if (keepsValue && !keepsList) {
      delete result[single];
      result[name] = withPreferred(list, value);
    } else if (keepsList && !keepsValue) {
      if (value === undefined) delete result[name];
      else if (list !== undefined) result[name] = withValue(list, value);
    }
  }
  return result;
}

/** Marks the value in a list of a client that marks none, if it is there. */
function withPreferred(list: unknown, value: unknown): unknown {
  if (!Array.isArray(list) || list.some((entry) => isObject(entry) && entry["preferred"] === true)) return list;
  return list.map((entry) =>
    isObject(entry) && isDeepStrictEqual(entry["value"], value) ? { ...entry, preferred: true } : entry,
  );
}

/** Makes a value the preferred one of a list: the entry that has it, or else it takes the place of the preferred one. */
function withValue(list: unknown, value: unknown): unknown {
  const entries = list as readonly ContactEntry[]; // as it was stored
  const isThere = entries.some((entry) => isDeepStrictEqual(entry.value, value));
  return entries.map((entry) => {
    if (isThere) return marked(entry, isDeepStrictEqual(entry.value, value));
    return entry.preferred === true ? { ...entry, value } : entry;
  });
}
