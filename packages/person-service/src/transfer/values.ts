import { isDeepStrictEqual } from "node:util";
import { parseListCell, setMember } from "@waymark/collection/internal";
import { wording } from "waymark/internal";
import { keptOfFirst, labelledDate } from "../person/cards/lines-of-person.ts";
import { isForMachines, labelled, usesOf } from "../person/cards/uses.ts";
import { looseKey } from "../person/members/loose-key.ts";
import type { MemberList } from "../person/members/member-list.ts";
import { fromValues, isObject, memberOf, plainValue, textOf } from "../person/members/member-value.ts";
import { type FurtherValues, furtherValues, mostValues, otherProperties } from "../person/members/members.ts";
import type { FurtherValue } from "../person/members/person.ts";
import { wordsForMembers } from "../person/own/column-words.ts";
import { dateParts, labelledDates, notImported } from "./columns.ts";
import { type DateReader, isNoDate, withoutMidnight } from "./dates.ts";
import { isNoValue } from "./profiles.ts";

/** By what the values of a file are made those of the schema. */
interface Reading {
  readonly members: MemberList;
  readonly dates: DateReader;
  /** Whether a cell in which nothing stands is none, unless it is of the member that may be empty. Default: false. */
  readonly isTable?: boolean;
  /** Takes what is left out of the record. */
  readonly onLeftOut?: ((detail: string) => void) | undefined;
}

/** Returns a person of a file as the schema has it: texts without white space around them, dates, codes of countries, URLs. */
export function toMembers(value: unknown, reading: Reading, prefix = ""): unknown {
  if (!isObject(value)) return value;
  const members: Record<string, unknown> = {};
  const isRow = prefix === "" && reading.isTable === true;
  const [row, properties] = isRow ? withLabelledDates(withoutNoValues(value), reading) : [value, []];
  for (const [name, member] of Object.entries(row)) {
    if (prefix === "" && notImported.has(name)) continue;
    const { kind, vcard } = reading.members.byName.get(`${prefix}${name}`) ?? {};
    if (kind === "date" && typeof member === "string" && isNoDate(member)) continue;
    if (isRow && kind === "email" && isOfExchange(member, reading)) continue;
    if (reading.isTable && kind !== "text" && typeof member === "string" && member.trim() === "") continue;
    const partial = prefix === "" && kind === "date" ? partialDate(member) : undefined;
    if (partial !== undefined) properties.push(`${vcard}:${partial}`);
    else setMember(members, name, toMember(member, `${prefix}${name}`, reading));
  }
  if (prefix !== "") return members;
  const others = members[otherProperties] ?? [];
  if (properties.length > 0 && Array.isArray(others)) members[otherProperties] = [...others, ...properties];
  return withValues(members, reading);
}

/** Returns a row without the cells in which a formula has no value. */
const withoutNoValues = (row: object): object => (meaningful(row) as object | undefined) ?? {}; // what is left of an object is one

function hasNoValue(value: unknown): boolean {
  if (typeof value === "string") return isNoValue(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasNoValue);
}

/** Leaves out what formulas without a value have written; returns undefined where that was all. */
function meaningful(value: unknown): unknown {
  if (!hasNoValue(value)) return value;
  if (Array.isArray(value)) {
    const left = value.filter((each) => !hasNoValue(each));
    return left.length === 0 ? undefined : left;
  }
  if (!isObject(value)) return undefined;
  const left = Object.entries(value).flatMap(([name, member]) => {
    const meant = meaningful(member);
    return meant === undefined ? [] : [[name, meant] as const];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

function toMember(value: unknown, path: string, reading: Reading): unknown {
  const { kind, list } = reading.members.byName.get(path) ?? {};
  if (list) return toTexts(value, kind === "line");
  if (kind === "date" && isObject(value)) return joinedDate(value);
  if (typeof value !== "string") return toMembers(value, reading, `${path}.`);
  if (kind === "date") return dateIn(value, reading.dates);
  return plainValue(kind === "line" ? inOneLine(value) : value, kind);
}

/** A street has several lines in a cell, as Outlook writes it. */
const inOneLine = (text: string): string =>
  /[\r\n]/.test(text)
    ? text
        .split(/[\r\n]/)
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join(", ")
    : text.trim();

function dateIn(text: string, dates: DateReader): string {
  const date = withoutMidnight(text);
  return dates.read(date) ?? date;
}

/**
 * Returns a row in which each date with a label is the member that the label means, and the others as properties of a card, as an iPhone
 * writes them.
 */
function withLabelledDates(row: object, { members, dates }: Reading): readonly [row: object, properties: string[]] {
  const { [labelledDates]: labelled, ...named } = row as Readonly<Record<string, unknown>>;
  const properties: string[] = [];
  const result = { ...named };
  for (const [number, event] of Object.entries(isObject(labelled) ? labelled : {})) {
    const [label = "", value = ""] = [
      textOf(event, "label")?.replace(/^\* /, "").trim(),
      textOf(event, "value")?.trim(),
    ];
    if (value === "" || isNoDate(value)) continue;
    const isMeant = ([name, words]: readonly [string, readonly string[]]): boolean =>
      members.byName.get(name)?.kind === "date" && words.includes(looseKey(label));
    const [meant = ""] = [...wordsForMembers(members)].find(isMeant) ?? [];
    if (meant !== "" && (textOf(result, meant) ?? "") === "") result[meant] = value;
    else properties.push(...labelledDate(`event${number.slice(1)}`, dateIn(value, dates), label));
  }
  return [result, properties];
}

/** Whether a text is an address within Exchange, as Outlook has in columns of e-mails: nobody else can write to it. */
function isOfExchange(value: unknown, { onLeftOut }: Reading): boolean {
  const isIt = typeof value === "string" && /^\s*\/o=/i.test(value);
  if (isIt) onLeftOut?.(`has an address of Exchange, which is left out: ${wording.excerpt(value)}`);
  return isIt;
}

/** Returns a date of which a file lacks a part, often the year, as a vCard has it (RFC 6350 §4.3.1), in which it is kept. */
function partialDate(value: unknown): string | undefined {
  if (isObject(value)) {
    const date = joinedDate(value);
    return /^--|^\d{4}(?:-\d\d)?$/.test(date) ? date : undefined;
  }
  const lacksYear = typeof value === "string" && /^\s*--\d\d-?\d\d\s*$/.test(value);
  return lacksYear ? `--${value.replaceAll(/\D/g, "")}` : undefined;
}

/** Returns a date whose parts have a column each. */
function joinedDate(parts: object): string {
  const [year = "", month = "", day = ""] = dateParts.map((part) => {
    const text = textOf(parts, part) ?? "";
    return text === "" ? text : text.padStart(2, "0");
  });
  return year === "" ? `--${month || "-"}${day}` : `${year}-${month}-${day}`.replace(/-+$/, "");
}

/** Returns a person whose first values and further ones are as the schema has them, with a name. */
function withValues(person: Readonly<Record<string, unknown>>, reading: Reading): object {
  const result: Record<string, unknown> = { ...person };
  const kept: string[] = [];
  for (const list of furtherValues) {
    const { name, single } = list;
    const given = person[name];
    const toEntry = (entry: unknown): unknown => {
      if (typeof entry === "string") return toEntry({ value: entry });
      return isObject(entry) ? { ...entry, value: toMember(entry["value"], single, reading) } : entry;
    };
    let entries: readonly unknown[] | undefined;
    if (Array.isArray(given)) {
      entries = given.map(toEntry);
      const [first] = given;
      // A list of plain texts has the first one, too.
      if (typeof first === "string" && !(single in person)) result[single] = toMember(first, single, reading);
    } else if (isObject(given) && Object.values(given).every(isObject)) {
      // The columns of a table.
      const slots = Object.entries(given)
        .flatMap(([key, slot]) => entriesOf(key, slot, list, reading))
        .map(toEntry) as readonly FurtherValue[]; // valid or not
      const first = single in person ? undefined : (slots.find((entry) => !isForMachines(entry)) ?? slots[0]);
      if (first !== undefined) {
        result[single] = first.value;
        kept.push(...keptOfFirst(first, list, reading.members));
      }
      entries = slots.filter((entry) => entry !== first);
    }
    if (entries !== undefined) result[name] = withoutRepetition(entries, result[single]);
  }
  if (kept.length > 0)
    result[otherProperties] = [...((result[otherProperties] as readonly string[] | undefined) ?? []), ...kept]; // of a table it is a list
  return result;
}

/** Returns the further values that are neither the first one nor there before. */
function withoutRepetition(entries: readonly unknown[], first: unknown): readonly unknown[] {
  const seen: unknown[] = first === undefined ? [] : [first];
  return entries.filter((entry) => {
    const value = isObject(entry) ? entry["value"] : undefined;
    const isAgain = value !== undefined && seen.some((other) => isDeepStrictEqual(other, value));
    seen.push(value);
    return !isAgain;
  });
}

/** @param key of the columns of a value: its number and uses, such as `n2 work` */
function entriesOf(key: string, slot: unknown, list: FurtherValues, reading: Reading): readonly object[] {
  const [value, label] = [memberOf(slot, "value"), textOf(slot, "label")];
  if (value === undefined) return [];
  const uses = label === undefined ? usesOf(key.split(" ").slice(1), list) : labelled(label, list);
  const isOfEmails = reading.members.byName.get(list.single)?.kind === "email";
  const values = valuesIn(value).filter((each) => !(isOfEmails && isOfExchange(each, reading)));
  return values.map((each) => ({ value: each, ...uses }));
}

/** Returns the values of one label: Google Contacts has them in a cell, those of addresses in a cell of each part. */
function valuesIn(value: unknown): readonly unknown[] {
  if (typeof value === "string") return value.split(betweenValues).map((each) => each.trim());
  const parts = Object.entries(isObject(value) ? value : {}).map(([part, text]) => [part, valuesIn(text)] as const);
  const count = Math.max(1, ...parts.map(([, texts]) => texts.length));
  if (count === 1 || count > mostValues) return [value];
  return Array.from({ length: count }, (_, i) =>
    fromValues(parts.map(([part, texts]) => [part, texts[i] || undefined])),
  );
}

const betweenValues = /(?:^| ):::(?: |$)/;

/** Returns the texts of a list, each once. */
function toTexts(value: unknown, mayBeGoogle: boolean): unknown {
  if (typeof value === "string") return toTexts(parseListCell(value), mayBeGoogle);
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) return value;
  const isGoogle = mayBeGoogle && value.some((each) => each === everybody || betweenValues.test(each));
  const texts = isGoogle ? value.flatMap(textsOfGoogle) : value;
  return [...new Set(texts.map((each) => each.trim()))].filter((each) => each !== "");
}

/** Google Contacts has these between groups, an asterisk before its own groups, and everybody in one of them. */
const textsOfGoogle = (text: string): readonly string[] =>
  text.split(betweenValues).flatMap((group) => (group === everybody ? [] : [group.replace(/^\* /, "")]));

const everybody = "* myContacts";

/** Returns a value of JSON with its members named by the map, as columns are: `{"Zip": "W1"}` as `address.postalCode`. */
export function renamed(value: unknown, map: ReadonlyMap<string, string>): unknown {
  if (!isObject(value) || map.size === 0) return value;
  const named = Object.entries(value).map(([name, member]) => [map.get(name) ?? name, member] as const);
  return fromValues(named.filter(([name]) => name !== ""));
}
