import { parseListCell, setMember } from "@waymark/collection";
import { type ContactList, contactLists } from "../person/contact-lists.ts";
import type { PersonMember } from "../person/member.ts";
import type { MemberList } from "../person/member-list.ts";
import { fromValues, isObject, memberOf, textOf, typedValue } from "../person/member-value.ts";
import type { ContactEntry } from "../person/person.ts";
import { leftOut } from "./columns.ts";
import { labelled, listed, unpreferred, usesOf } from "./contact-words.ts";
import { countryCodeOf } from "./countries.ts";
import type { DateReader } from "./dates.ts";

/** By what the values of a file are made those of the schema. */
interface Reading {
  readonly members: MemberList;
  readonly dates: DateReader;
}

/** Returns a person of a file as the schema has it: texts without white space around them, dates, codes of countries, URLs. */
export function toMembers(value: unknown, reading: Reading, prefix = ""): unknown {
  if (!isObject(value)) return value;
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (prefix === "" && leftOut.has(name)) continue;
    setMember(members, name, toMember(member, `${prefix}${name}`, reading));
  }
  return prefix === "" ? withEntries(members, reading) : members;
}

function toMember(value: unknown, path: string, reading: Reading): unknown {
  const { kind, list } = reading.members.byName.get(path) ?? {};
  if (list) return toTexts(value, kind === "line");
  return typeof value === "string" ? toValue(value, kind, reading.dates) : toMembers(value, reading, `${path}.`);
}

/** Returns a person with what a file has of lists such as `emails` as the schema has it. */
function withEntries(person: Readonly<Record<string, unknown>>, reading: Reading): object {
  if (!contactLists.some(({ name }) => name in person)) return person;
  const result: Record<string, unknown> = { ...person };
  for (const list of contactLists) {
    const { name, single } = list;
    const given = person[name];
    const toEntry = (entry: unknown): unknown => {
      if (typeof entry === "string") return toEntry({ value: entry });
      return isObject(entry) ? { ...entry, value: toMember(entry["value"], single, reading) } : entry;
    };
    if (Array.isArray(given)) result[name] = given.map(toEntry);
    else if (isObject(given) && Object.values(given).every(isObject)) {
      // The columns of a table; a column with the name of the single member is one more.
      const first = single in person ? [{ value: person[single] }] : [];
      const others = Object.entries(given)
        .flatMap(([key, slot]) => entriesOf(key, slot, list))
        .map(toEntry);
      const found = [...first, ...others] as readonly ContactEntry[]; // valid or not
      result[name] = listed(found.map((entry) => ({ entry, preference: unpreferred }))) ?? [];
    }
  }
  return result;
}

/** @param key of the columns of a value: its number and uses, such as `n2 work` */
function entriesOf(key: string, slot: unknown, list: ContactList): readonly object[] {
  const [value, label] = [memberOf(slot, "value"), textOf(slot, "label")];
  if (value === undefined) return [];
  const uses = label === undefined ? usesOf(key.split(" ").slice(1), list) : labelled(label, list);
  if (typeof value !== "string") return [{ value, ...uses }];
  // Google Contacts has several values of one label in a cell.
  return value.split(" ::: ").map((each) => ({ value: each.trim(), ...uses }));
}

/** Returns the texts of a list, each once. */
function toTexts(value: unknown, mayBeGoogle: boolean): unknown {
  if (typeof value === "string") return toTexts(parseListCell(value), mayBeGoogle);
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) return value;
  const isGoogle = mayBeGoogle && value.some((each) => each === everybody || each.includes(" ::: "));
  const texts = isGoogle ? value.flatMap(textsOfGoogle) : value;
  return [...new Set(texts.map((each) => each.trim()))].filter((each) => each !== "");
}

/** Google Contacts has these between groups, an asterisk before its own groups, and everybody in one of them. */
const textsOfGoogle = (text: string): readonly string[] =>
  text.split(" ::: ").flatMap((group) => (group === everybody ? [] : [group.replace(/^\* /, "")]));

const everybody = "* myContacts";

function toValue(value: string, kind: PersonMember["kind"] | undefined, dates: DateReader): string | number | boolean {
  // The only text that may have white space around it, and lines, which end in CRLF in files of Windows.
  if (kind === "text") return value.replaceAll(/\r\n?/g, "\n");
  const text = value.trim();
  if (kind === "date") return dates.read(text) ?? text;
  if (kind === "country") return countryCodeOf(text) ?? text;
  if (kind === "url") return webAddress(text);
  return kind === undefined ? text : typedValue(text, kind);
}

/** Returns the URL that a text such as `www.example.org/ada` stands for; other text as it is. */
export const webAddress = (text: string): string =>
  /^(?:[\p{L}\p{N}-]+\.)+\p{L}[\p{L}\p{N}-]+(?:[:/?#]\S*)?$/u.test(text) ? `https://${text}` : text;

/** Returns a value of JSON with its members named by the map, as columns are: `{"Zip": "W1"}` as `address.postalCode`. */
export function renamed(value: unknown, map: ReadonlyMap<string, string>): unknown {
  if (!isObject(value) || map.size === 0) return value;
  const named = Object.entries(value).map(([name, member]) => [map.get(name) ?? name, member] as const);
  return fromValues(named.filter(([name]) => name !== ""));
}
