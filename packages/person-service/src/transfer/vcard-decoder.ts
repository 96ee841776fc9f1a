import type { ListedValue } from "@waymark/collection";
import ICAL from "ical.js";
import { ContentError } from "waymark/content";
import type { ContactList } from "../person/contact-lists.ts";
import type { MemberList } from "../person/member-list.ts";
import { fromValues } from "../person/member-value.ts";
import type { PersonMember } from "../person/members.ts";
import { type VcardProperty, vcardProperties } from "../person/vcard-properties.ts";
import { labelled, usesOf } from "./contact-words.ts";

/**
 * Reads vCards (RFC 6350, and the 3.0 of RFC 2426), one after another. Of a property that occurs several times, such as BDAY, the
 * first one counts, unless there is a list for all; what a person has no member for is left out.
 *
 * @throws ContentError when the file contains no card, the last one has no end, or one is longer than a card may be
 */
export async function* decodeVcards(
  pieces: AsyncIterable<Uint8Array>,
  members: MemberList,
): AsyncGenerator<ListedValue, void, undefined> {
  let card: string[] | undefined;
  let [line, first, count, length] = [0, 0, 0, 0];
  for await (const text of linesOf(pieces)) {
    line++;
    if (/^BEGIN:VCARD\s*$/i.test(text)) {
      if (card !== undefined) yield { line: first, issues: [{ message: "has no END:VCARD" }] };
      card = [];
      first = line;
      length = 0;
    }
    card?.push(text);
    length += text.length;
    if (card !== undefined && length > longestCard) throw tooLong(first);
    if (card === undefined || !/^END:VCARD\s*$/i.test(text)) continue;
    yield toValue(card.join("\r\n"), first, vcardProperties(members));
    count++;
    card = undefined;
  }
  if (card !== undefined) throw new ContentError("A vCard has no END:VCARD", { line: first, column: 1 });
  if (count === 0) throw new ContentError("The content has no vCards");
}

/** In characters: a card with a large photo is shorter. */
const longestCard = 8_388_608;

const tooLong = (line: number): ContentError =>
  new ContentError(`A vCard is longer than ${longestCard} characters, or has no end`, { line, column: 1 });

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const utf8 = new TextDecoder();
  let rest = "";
  let line = 1;
  for await (const piece of pieces) {
    const lines = (rest + utf8.decode(piece, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? "";
    yield* lines;
    line += lines.length;
    if (rest.length > longestCard) throw tooLong(line);
  }
  if (rest !== "") yield rest;
}

function toValue(card: string, line: number, known: readonly VcardProperty[]): ListedValue {
  const unfolded = card.replaceAll(/\r\n[ \t]/g, "");
  if (!unfolded.split("\r\n").every(hasShortStart)) return { line, issues: [{ message: startTooLong }] };
  try {
    return { line, value: toPerson(propertiesOf(unfolded), known) };
  } catch (error) {
    // The parser throws its own errors, whose messages repeat the content.
    if (!(error instanceof Error)) throw error;
    return { line, issues: [{ message: "is not a vCard of version 3.0 or 4.0" }] };
  }
}

/** In characters. The time of the parser grows with the square of what stands before a value: 8 MiB would take 90 s. */
const longestStart = 4_096;

const startTooLong = `has more than ${longestStart.toLocaleString("en")} characters before a value`;

/** Whether the name and the parameters of a property are no longer than they may be; what lacks a value is for the parser. */
const hasShortStart = (property: string): boolean =>
  property.length <= longestStart || /^(?:[^":]|"[^"]*")*:/.test(property.slice(0, longestStart));

/** A property as jCard (RFC 7095) has it. */
interface Property {
  readonly parameters: Readonly<Record<string, string | readonly string[]>>;
  readonly values: readonly unknown[];
}

/** The properties of a card by name, each in its order. */
type Properties = ReadonlyMap<string, readonly Property[]>;

function propertiesOf(unfolded: string): Properties {
  const escaped = unfolded.replaceAll("\\\\", backslash);
  const [, properties]: readonly [string, readonly JcardProperty[]] = ICAL.parse(escaped);
  const read = properties.map(([name, parameters, type, ...values]) => {
    const asRead = values.map((value) => withBackslashes(value, type === "text" ? "\\" : "\\\\"));
    return { name, property: { parameters, values: asRead } };
  });
  const byName = Map.groupBy(read, ({ name }) => name);
  return new Map(Array.from(byName, ([name, each]) => [name, each.map(({ property }) => property)]));
}

type JcardProperty = readonly [
  name: string,
  parameters: Property["parameters"],
  type: string,
  ...values: readonly unknown[],
];

/**
 * Stands for an escaped backslash while a card is parsed: the parser takes a separator after one for an escaped separator. Half a
 * character, which no decoded text contains.
 */
const backslash = "\ud800";

/** Matches them, and not the first half of a whole character, which U+10000 to U+103FF begin with. */
const backslashes = /\ud800/gu;

function withBackslashes(value: unknown, replacement: string): unknown {
  if (Array.isArray(value)) return value.map((part) => withBackslashes(part, replacement));
  return typeof value === "string" ? value.replaceAll(backslashes, replacement) : value;
}

function toPerson(properties: Properties, known: readonly VcardProperty[]): object {
  const ofApple = properties.get("x-ablabel") ?? [];
  const labels = new Map(ofApple.map(({ parameters, values }) => [parameters["group"], values[0]]));
  const version = properties.get("version")?.[0]?.values[0];
  return fromValues(
    known.flatMap(({ property, members, list }): readonly (readonly [name: string, value: unknown])[] => {
      const found = properties.get(property.toLowerCase()) ?? [];
      if (list !== undefined) return [[list.name, entriesOf(found, { members, list, labels, version })] as const];
      const values = found.flatMap((each) => each.values);
      return members.map(({ name, kind, list: isList, part }) => {
        if (isList) return [name, values.flatMap((value) => toMember(value, kind) ?? [])] as const;
        return [name, toMember(partOf(values[0], part), kind)] as const;
      });
    }),
  );
}

/** What the entries of a list are made of. */
interface ListSource extends Pick<VcardProperty, "members"> {
  readonly list: ContactList;
  /** The labels of Apple, by the groups that have them. */
  readonly labels: ReadonlyMap<unknown, unknown>;
  readonly version: unknown;
}

/** Returns the values of a property with what its parameters say of them, each value once; undefined without any. */
function entriesOf(found: readonly Property[], { members, list, labels, version }: ListSource): unknown {
  const entries = new Map<string, object>();
  let [preferred, least] = ["", Number.POSITIVE_INFINITY];
  for (const { parameters, values } of found) {
    const said = fromValues(members.map(({ name, kind, part }) => [name, toMember(partOf(values[0], part), kind)]));
    const value = said[list.single];
    const key = JSON.stringify(value);
    if (value === undefined || entries.has(key)) continue;
    const types = [parameters["type"] ?? []].flat().flatMap((type) => type.toLowerCase().split(","));
    // Version 3.0 says of nearly every telephone that it has a voice.
    const uses = usesOf(version === "3.0" ? types.filter((type) => type !== "voice") : types, list);
    entries.set(key, { value, ...uses, ...labelOf(labels.get(parameters["group"]), list) });
    const preference = types.includes("pref") ? 1 : Number(parameters["pref"] ?? 101); // more than the greatest
    if (preference < least) [preferred, least] = [key, preference];
  }
  if (entries.size === 0) return undefined;
  return Array.from(entries, ([key, entry]) => (key === preferred ? { ...entry, preferred: true } : entry));
}

/** Returns what a label says: one of Apple's own, `_$!<Home>!$_`, or a text. */
function labelOf(label: unknown, list: ContactList): ReturnType<typeof labelled> {
  if (typeof label !== "string" || label.trim() === "") return {};
  const own = /^_\$!<(.*)>!\$_$/.exec(label)?.[1];
  if (own === undefined) return { label: unescaped(label) };
  return own === "HomePage" ? {} : labelled(own, list);
}

/** Undoes the escapes in a property that the parser does not know. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\([\\,;n])/g, (_, escaped: string) => (escaped === "n" ? " " : escaped)).trim();

/** A property with parts may have only the first one. */
function partOf(value: unknown, part: number | undefined): unknown {
  if (part === undefined) return value;
  return Array.isArray(value) ? value[part] : part === 0 ? value : undefined;
}

function toMember(value: unknown, kind: PersonMember["kind"]): string | undefined {
  // Several values of one part are one text: `Main St 1, 2nd floor`.
  const text = Array.isArray(value) ? value.join(", ") : value === undefined ? undefined : String(value);
  // Only a text of several lines may be empty.
  if (text === undefined || (text === "" && kind !== "text")) return undefined;
  if (kind === "email") return text.replace(/^mailto:/i, "");
  if (kind === "telephone") return text.replace(/^tel:/i, "");
  // Apple escapes the colon, too.
  if (kind === "url") return text.replaceAll("\\:", ":");
  // A time of birth is left out.
  return kind === "date" ? text.replace(/T.*$/, "").replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3") : text;
}
