import { wording } from "waymark/internal";
import { looseKey } from "../person/members/loose-key.ts";
import { type MemberList, ourMembers } from "../person/members/member-list.ts";
import { type FurtherValues, furtherValues, memberEntries } from "../person/members/members.ts";
import { wordsWithMembers } from "../person/own/column-words.ts";
import { serverMembers } from "../person/schema.ts";
import { type ColumnMeaning, meaningInProfiles } from "./profiles.ts";

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

/** What a column is; undefined for an unknown one. Without a member, it is left out. */
type Column = (ColumnMeaning & { readonly isNamed?: boolean }) | undefined;

/**
 * Makes the names of columns into those of members: by the map that is given, by the name itself, by the profiles of programs, or by a
 * usual word for it. Several columns that mean one member are the values of its list, where it has one, else the first one is it.
 *
 * @param map heading to member, or to nothing for a column that is left out
 */
export function columnNames(
  headings: readonly string[],
  map: ReadonlyMap<string, string>,
  known: MemberList,
): ColumnNames {
  const words = new Map(wordsWithMembers(known));
  const meant = headings.map((heading) => columnOf(heading, map.get(heading) ?? map.get(heading.trim()), known, words));
  const dates = datesInParts(meant);
  const columns = meant.map((column, i) =>
    isDatePart(column) && !dates.has(column.member) ? byWord(headings[i] ?? "", words) : column,
  );
  const slots = slotsOf(columns);
  const singles = Map.groupBy(columns, (column) => column && singleOf(column));
  const taken = new Set([...dates, ...columns.flatMap((column) => (column?.isNamed ? column.member : []))]);
  const leftOut: (LeftOut | undefined)[] = [];
  const paths = columns.map((column, i): string | undefined => {
    if (column?.member === "") {
      leftOut[i] = column.isNamed ? "asked" : "unneeded";
      return undefined;
    }
    if (column === undefined || slots[i] !== undefined) return slots[i];
    const { member, part, number, isNamed } = column;
    if (member === eventName) return `${labelledDates}.n${number}.${part}`;
    if (isDatePart(column)) return `${member}.${part}`;
    if (isNamed) return member;
    const single = singleOf(column);
    const isAgain = (singles.get(single)?.length ?? 0) > 1;
    const guess =
      (isAgain && ourMembers.names.includes(member) ? memberBeside(headings[i] ?? "", known) : undefined) ?? single;
    if (guess === undefined || !taken.has(guess)) return guess && taken.add(guess) && guess;
    leftOut[i] = "repeated";
    return undefined;
  });
  const members = paths.map((path, i) => {
    const { member = "" } = columns[i] ?? {};
    if (path === undefined) leftOut[i] ??= "unknown";
    if (path === undefined || member === eventName) return path && eventMember;
    return slots[i] !== undefined || isDatePart(columns[i]) ? member : path;
  });
  return { members, paths, leftOut };
}

function columnOf(heading: string, mapped: string | undefined, known: MemberList, words: Words): Column {
  if (mapped === "") return { ...whole(""), isNamed: true };
  const isName = known.names.includes(heading) && !setByServer.has(heading);
  const named = mapped ?? (isName ? heading : undefined);
  const meant = meaningInProfiles(heading);
  const list = mapped === undefined ? undefined : furtherValues.find(({ name }) => name === mapped);
  // What is mapped to a list is one of its values.
  if (list !== undefined)
    return { ...(meant !== undefined && meant.member === mapped ? meant : ofList(list)), isNamed: true };
  if (named !== undefined) return { ...whole(named), isNamed: true };
  if (notImported.has(heading)) return whole("");
  const ofWord = byWord(heading, words);
  const isOwn = ofWord !== undefined && ourMembers.byName.get(ofWord.member) === undefined;
  return isOwn ? ofWord : (meant ?? ofWord ?? numbered(heading, words));
}

type Words = ReadonlyMap<string, string>;

const whole = (member: string): ColumnMeaning => ({ member, number: "", uses: [] });

const ofList = ({ name, parts: [part = "value"] }: FurtherValues): ColumnMeaning => ({ ...whole(name), part });

/** Returns what a heading means by a word for a member, or the value of a list of which that is the first. */
function byWord(heading: string, words: Words): Column {
  const member = words.get(looseKey(heading));
  const list = listOf(member);
  if (member === undefined || list === undefined) return member === undefined ? undefined : whole(member);
  return { ...whole(list.name), part: member.slice(list.single.length + 1) || "value" };
}

/** `Website 2`: another value of a list. `Street 2` is a further line of an address. */
function numbered(heading: string, words: Words): Column {
  const [number] = /\b\d{1,2}\b/.exec(heading) ?? [];
  const column = number === undefined ? undefined : byWord(heading.replace(number, ""), words);
  return column?.part === "value" ? { ...column, number: number ?? "" } : undefined;
}

/** Returns the list of which a member, or the object that it is a part of, is the first value. */
const listOf = (member: string | undefined): FurtherValues | undefined =>
  furtherValues.find(({ single }) => single === member?.split(".")[0]);

/** Returns the member that a column is where it is the only one of its list; undefined for a label. */
function singleOf({ member, part }: ColumnMeaning): string | undefined {
  const list = furtherValues.find(({ name }) => name === member);
  if (list === undefined || part === undefined) return member;
  if (part === "label") return undefined;
  return part === "value" ? list.single : `${list.single}.${part}`;
}

/** Returns the paths of the columns that are values of lists, unless all of a list is one value. Those that are mapped are always. */
function slotsOf(columns: readonly Column[]): readonly (string | undefined)[] {
  const counts = new Map<string, number>();
  const slots = columns.map((column) => {
    const list = furtherValues.find(({ name }) => name === column?.member);
    if (list === undefined || column?.part === undefined) return undefined;
    const { number, uses, part, isNamed } = column;
    const key = `${list.name}.${[`n${number}`, ...uses].join(" ")}`;
    const last = part === "value" || part === "label" ? part : `value.${part}`;
    const count = (counts.get(`${key}.${last}`) ?? 0) + 1;
    counts.set(`${key}.${last}`, count);
    return { list, key: count === 1 ? key : `${key} +${count}`, last, isNamed };
  });
  const several = new Map<FurtherValues, Set<string>>();
  for (const [list, key] of [
    ...columns.map((column) => [column?.isNamed ? listOf(column.member) : undefined, ""] as const),
    ...slots.map((slot) => [slot?.list, slot?.last === "label" ? "label" : (slot?.key ?? "")] as const),
  ])
    if (list !== undefined) several.set(list, (several.get(list) ?? new Set()).add(key));
  return slots.map((slot) => {
    if (slot === undefined) return undefined;
    return slot.isNamed || (several.get(slot.list)?.size ?? 0) > 1 ? `${slot.key}.${slot.last}` : undefined;
  });
}

const isDatePart = (column: Column): column is ColumnMeaning => dateParts.some((part) => part === column?.part);

/** Returns the dates of which each part has a column, and all of it has none. */
function datesInParts(columns: readonly Column[]): ReadonlySet<string> {
  const parts = Map.groupBy(
    columns.filter((column) => column !== undefined),
    ({ member }) => member,
  );
  const isInParts = (of: readonly ColumnMeaning[]): boolean =>
    of.every(isDatePart) && dateParts.every((each) => of.some(({ part }) => part === each));
  return new Set([...parts].filter(([, of]) => isInParts(of)).map(([member]) => member));
}

/** The dates of a row that have a label each, as a decoder takes them: `labelled dates.n1.value`. */
export const labelledDates = "labelled dates";

/** What profiles call them. */
const eventName = "event";

/** What a date with a label is said to be before its label is read: what cards call an anniversary. */
const eventMember = memberEntries.find(([, { vcard }]) => vcard === "ANNIVERSARY")?.[0];

/** Says of a heading in `--map` that no column has what was meant. */
export function adviceOnAbsent(heading: string, headings: readonly string[]): string {
  const nearest = wording.nearestName(heading, headings);
  const meant =
    nearest === undefined
      ? `. Columns: ${headings.map(wording.excerpt).join(", ")}.`
      : `; did you mean ${wording.excerpt(nearest)}?`;
  return `names the column ${wording.excerpt(heading)}, which the file does not have${meant}`;
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
    if (at < 0) throw new RangeError(`must be like "Full Name=name", not ${wording.excerpt(value)}`);
    if (map.has(heading)) throw new RangeError(`names the column ${wording.excerpt(heading)} twice`);
    if (member !== "" && !names.includes(member)) {
      const nearest = wording.nearestName(member, names);
      const meant = nearest === undefined ? `; members are ${names.join(", ")}` : `; did you mean "${nearest}"?`;
      throw new RangeError(`names ${wording.excerpt(member)}, which is not a member of a person${meant}`);
    }
    map.set(heading, member);
  }
  return map;
}

/** A stored person has them, and the service sets them again. */
const setByServer: ReadonlySet<string> = new Set(serverMembers.filter((name) => !ourMembers.byName.has(name)));

/** What an export or a file of refused records has beside the members: an import leaves it out. */
export const notImported: ReadonlySet<string> = new Set([...setByServer, importErrorName]);

/** The parts of a date that may have a column each. */
export const dateParts = ["year", "month", "day"] as const;

/** Returns the member that a heading is beside a column of what it usually is. */
const memberBeside = (heading: string, { entries }: MemberList): string | undefined =>
  entries.find(([, { wordBeside }]) => wordBeside !== undefined && wordBeside === looseKey(heading))?.[0];
