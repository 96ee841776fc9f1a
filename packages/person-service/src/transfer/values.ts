import { parseListCell, setMember } from "@waymark/collection";
import { fromValues, isObject } from "../person/member-value.ts";
import { listMembers, memberTable, type PersonMember } from "../person/members.ts";
import { importErrorName } from "./columns.ts";
import { countryCodeOf } from "./countries.ts";
import type { DateReader } from "./dates.ts";

/** Returns a person of a file as the schema has it: texts without white space around them, dates, codes of countries. */
export function toMembers(value: unknown, dates: DateReader, prefix = ""): unknown {
  if (!isObject(value)) return value;
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (prefix === "" && ignored.has(name)) continue;
    setMember(members, name, toMember(member, name, dates, prefix));
  }
  return members;
}

function toMember(value: unknown, name: string, dates: DateReader, prefix: string): unknown {
  if (prefix === "" && listMembers.includes(name)) return toTexts(value);
  if (typeof value !== "string") return toMembers(value, dates, `${prefix}${name}.`);
  return toText(value, kindOf(`${prefix}${name}`), dates);
}

/** Returns the texts of a list, each once. */
function toTexts(value: unknown): unknown {
  if (typeof value === "string") return toTexts(parseListCell(value));
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) return value;
  const isGoogle = value.some((each) => each === everybody || each.includes(" ::: "));
  const texts = isGoogle ? value.flatMap(textsOfGoogle) : value;
  return [...new Set(texts.map((each) => each.trim()))].filter((each) => each !== "");
}

/** Google Contacts has these between groups, an asterisk before its own groups, and everybody in one of them. */
const textsOfGoogle = (text: string): readonly string[] =>
  text.split(" ::: ").flatMap((group) => (group === everybody ? [] : [group.replace(/^\* /, "")]));

const everybody = "* myContacts";

/** Set by the service, and by an import before. */
const ignored: ReadonlySet<string> = new Set(["createdAt", "updatedAt", importErrorName]);

/** Returns the kind of a member; undefined for a name that no member has. */
export const kindOf = (name: string): PersonMember["kind"] | undefined =>
  (memberTable as Readonly<Record<string, PersonMember>>)[name]?.kind; // any name

function toText(value: string, kind: PersonMember["kind"] | undefined, dates: DateReader): string {
  // The only text that may have white space around it, and lines, which end in CRLF in files of Windows.
  if (kind === "text") return value.replaceAll(/\r\n?/g, "\n");
  const text = value.trim();
  if (kind === "date") return dates.read(text) ?? text;
  return kind === "country" ? (countryCodeOf(text) ?? text) : text;
}

/** Returns a value of JSON with its members named by the map, as columns are: `{"Zip": "W1"}` as `address.postalCode`. */
export function renamed(value: unknown, map: ReadonlyMap<string, string>): unknown {
  if (!isObject(value) || map.size === 0) return value;
  const named = Object.entries(value).map(([name, member]) => [map.get(name) ?? name, member] as const);
  return fromValues(named.filter(([name]) => name !== ""));
}
