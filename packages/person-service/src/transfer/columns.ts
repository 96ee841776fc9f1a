import { excerpt, nearestName } from "waymark/internal";
import { wordsWithMembers } from "../person/column-words.ts";
import { looseKey } from "../person/loose-key.ts";
import { type MemberList, ourMembers } from "../person/member-list.ts";
import { furtherValues, memberEntries } from "../person/members.ts";
import { serverMembers } from "../person/schema.ts";
import { type ContactColumn, contactColumn, listOf } from "./contact-words.ts";

/** The column or member in which a file of refused records says why. An import leaves it out. */
export const importErrorName = "import-error";

/** How the columns of a file became members. */
export interface ColumnNames {
  /** The member of each column; undefined for one that is left out. */
  readonly members: readonly (string | undefined)[];
  /** Why a column is left out; undefined for one that is a member, or that the map leaves out. */
  readonly leftOut: readonly (LeftOut | undefined)[];
  /** The same as a decoder takes them: several columns of one list have names of their own, such as `emails.n2 work.value`, and so has each part of a date: `birthDate.year`. */
  readonly paths: readonly (string | undefined)[];
}

/**
 * Why a column is left out: nothing knows it; nobody needs it, such as the whole of an address beside its parts; another column is its
 * member; it has no value; the map says so.
 */
export type LeftOut = "unknown" | "unneeded" | "repeated" | "empty" | "asked";

/**
 * Makes the names of columns into those of members: by the map that is given, by the name itself, or by a usual word for it. Several
 * columns that mean one member are the values of its list, where it has one, else the first one is it.
 *
 * @param map heading to member, or to nothing for a column that is left out
 */
export function columnNames(
  headings: readonly string[],
  map: ReadonlyMap<string, string>,
  known: MemberList,
): ColumnNames {
  const leftOut: (LeftOut | undefined)[] = [];
  const byWord = new Map(wordsWithMembers(known));
  const usually = (heading: string): string | undefined => byWord.get(looseKey(heading));
  const alike = Map.groupBy(new Set(headings), usually);
  const wordFor = (heading: string): string | undefined => {
    const member = usually(heading);
    const isOurs = member !== undefined && ourMembers.byName.has(member);
    const isBeside = isOurs && (alike.get(member)?.length ?? 0) > 1;
    return (isBeside ? memberBeside(heading, known) : undefined) ?? member;
  };
  const mapped = headings.map((heading) => map.get(heading) ?? map.get(heading.trim()));
  const named = headings.map((heading, i) => mapped[i] ?? ownName(heading, known));
  const contacts = headings.map((heading, i) =>
    named[i] === undefined ? contactOf(heading, wordFor) : mappedContact(heading, mapped[i], wordFor),
  );
  const slots = slotsOf(contacts, named);
  /** Google has a column for a whole address beside those for its parts, as in `Address 1 - Formatted`. */
  const hasParts = (heading: string): boolean => {
    const whole = /^(.+ - )Formatted$/.exec(heading)?.[1];
    return (
      whole !== undefined && headings.some((other, i) => other.startsWith(whole) && contacts[i]?.isLabel === false)
    );
  };
  const events = headings.map((heading, i) => (named[i] === undefined ? eventOf(heading) : undefined));
  const parts = datePartsOf(headings, (heading, i) => named[i] ?? wordFor(heading), known);
  const taken = new Map(named.map((member, i) => [member, headings[i] ?? ""]));
  for (const [i, { date }] of parts) taken.set(date, headings[i] ?? "");
  const memberOf = (heading: string, i: number): string | undefined => {
    const [member, contact, slot] = [named[i], contacts[i], slots[i]];
    if (contact !== undefined && slot !== undefined) return contact.list.name;
    if (member !== undefined) return mapped[i] === "" ? undefined : member;
    if (events[i] !== undefined) return eventMember;
    const part = parts.get(i);
    if (part !== undefined) return part.date;
    const guess = contact?.member ?? wordFor(heading);
    const isMember = guess !== undefined && contact?.isLabel !== true;
    if (isMember && !taken.has(guess)) {
      taken.set(guess, heading);
      return guess;
    }
    const isUnneeded = notImported.has(heading) || hasParts(heading);
    leftOut[i] = isMember ? "repeated" : isUnneeded ? "unneeded" : "unknown";
    return undefined;
  };
  const members = headings.map(memberOf);
  return { members, paths: members.map((member, i) => slots[i] ?? events[i] ?? parts.get(i)?.path ?? member), leftOut };
}

/** The dates of a row that have a label each, as a decoder takes them: `labelled dates.n1.value`. */
export const labelledDates = "labelled dates";

/** What a date with a label is said to be before its label is read: what cards call an anniversary. */
const eventMember = memberEntries.find(([, { vcard }]) => vcard === "ANNIVERSARY")?.[0];

/** Returns the path of a column of Google such as `Event 1 - Label`, or with `Type` in older files. */
function eventOf(heading: string): string | undefined {
  const [, number, what] = /^Event (\d{1,2}) - (Label|Type|Value)$/.exec(heading) ?? [];
  return number && `${labelledDates}.n${number}.${what === "Value" ? "value" : "label"}`;
}

/** Returns the parts of dates that have a column each, by the number of the column. */
function datePartsOf(
  headings: readonly string[],
  memberOf: (heading: string, i: number) => string | undefined,
  { entries }: MemberList,
): ReadonlyMap<number, { readonly date: string; readonly path: string }> {
  const keys = headings.map(looseKey);
  const meant = headings.map(memberOf);
  return new Map(
    entries.flatMap(([date, { partWords = [] }]) => {
      const columns = partWords.map((words) => words.split(", ").map((word) => keys.indexOf(looseKey(word))));
      // A column with all of the date is better, and one that has been named is what it is.
      const found = columns.find(
        (each) =>
          each.every((i) => i >= 0 && [undefined, date].includes(meant[i])) &&
          meant.every((member, i) => member !== date || each.includes(i)),
      );
      return (found ?? []).map((column, i) => [column, { date, path: `${date}.${dateParts[i]}` }] as const);
    }),
  );
}

/** Returns what a heading says of a value of a list, with the words for members or in another way. */
function contactOf(heading: string, wordFor: (heading: string) => string | undefined): ContactColumn | undefined {
  const member = wordFor(heading);
  const list = listOf(member);
  if (member !== undefined && list === undefined) return undefined;
  const column = contactColumn(heading, wordFor);
  if (column !== undefined || member === undefined || list === undefined) return column;
  return { list, member, number: "", uses: [], isLabel: false };
}

/** A heading that is mapped to a list is one of its values, whatever else it is. */
function mappedContact(
  heading: string,
  member: string | undefined,
  wordFor: (heading: string) => string | undefined,
): ContactColumn | undefined {
  const list = furtherValues.find(({ name }) => name === member);
  if (list === undefined) return undefined;
  const meant = contactOf(heading, wordFor);
  if (meant?.list === list) return meant;
  const [single, ...parts] = [list.single, ...list.parts.map((part) => `${list.single}.${part}`)];
  return { number: "", uses: [], isLabel: false, ...meant, member: parts[0] ?? single, list };
}

/**
 * Returns the names of the columns that are values of lists, and of their labels: one for each that is mapped to a list, or is not all
 * that there is of its list. The label of a value has its number and uses, and so have the parts of an object.
 */
function slotsOf(
  contacts: readonly (ContactColumn | undefined)[],
  named: readonly (string | undefined)[],
): readonly (string | undefined)[] {
  const paths = new Map<string, number>();
  const slots = contacts.map((contact) => {
    if (contact === undefined) return undefined;
    const { list, member, number, uses, isLabel } = contact;
    const key = `${list.name}.${[`n${number}`, ...uses].join(" ")}`;
    const part = isLabel ? "label" : `value${member.slice(list.single.length)}`;
    const count = (paths.get(`${key}.${part}`) ?? 0) + 1;
    paths.set(`${key}.${part}`, count);
    return { list, key: count === 1 ? key : `${key} +${count}`, part };
  });
  const keys = Map.groupBy(
    slots.flatMap((slot) => slot ?? []),
    ({ list }) => list,
  );
  const areSeveral = new Set(
    Array.from(keys, ([list, found]) => {
      const ofSingle = named.some((member) => listOf(member) === list) ? [""] : [];
      const different = new Set([
        ...ofSingle,
        ...found.map(({ key, part }) => (part === "label" ? `${key}.${part}` : key)),
      ]);
      return different.size > 1 ? list : undefined;
    }),
  );
  return slots.map((slot, i) => {
    if (slot === undefined || !(areSeveral.has(slot.list) || named[i] !== undefined)) return undefined;
    return `${slot.key}.${slot.part}`;
  });
}

/** Returns the member that a heading is the name of. */
const ownName = (heading: string, { names }: MemberList): string | undefined =>
  names.includes(heading) && !setByServer.has(heading) ? heading : undefined;

/** Says of a heading in `--map` that no column has what was meant. */
export function adviceOnAbsent(heading: string, headings: readonly string[]): string {
  const nearest = nearestName(heading, headings);
  const meant =
    nearest === undefined ? `. Columns: ${headings.map(excerpt).join(", ")}.` : `; did you mean ${excerpt(nearest)}?`;
  return `names the column ${excerpt(heading)}, which the file does not have${meant}`;
}

/**
 * Reads the values of `--map`: `Full Name=name`, `Shoe Size=` for a column that is left out, and `=` for those without a name.
 *
 * @throws RangeError when one does not name a heading and a member, or two name the same heading
 */
export function parseMap(values: readonly string[], { names }: MemberList): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const value of values) {
    const at = value.lastIndexOf("=");
    const [heading, member] = [value.slice(0, at), value.slice(at + 1).trim()];
    if (at < 0) throw new RangeError(`must be like "Full Name=name", not ${excerpt(value)}`);
    if (map.has(heading)) throw new RangeError(`names the column ${excerpt(heading)} twice`);
    if (member !== "" && !names.includes(member)) {
      const nearest = nearestName(member, names);
      const meant = nearest === undefined ? `; members are ${names.join(", ")}` : `; did you mean "${nearest}"?`;
      throw new RangeError(`names ${excerpt(member)}, which is not a member of a person${meant}`);
    }
    map.set(heading, member);
  }
  return map;
}

/** A stored person has them, and the service sets them again. */
const setByServer: ReadonlySet<string> = new Set(serverMembers.filter((name) => !ourMembers.byName.has(name)));

/** What an export or a file of refused records has beside the members: an import leaves it out. */
export const notImported: ReadonlySet<string> = new Set([...setByServer, importErrorName]);

/** The parts of a date that may have a column each, in the order of `partWords`. */
export const dateParts = ["year", "month", "day"] as const;

/** Returns the member that a heading is beside a column of what it usually is. */
const memberBeside = (heading: string, { entries }: MemberList): string | undefined =>
  entries.find(([, { wordBeside }]) => wordBeside !== undefined && wordBeside === looseKey(heading))?.[0];
