import type { MemberList } from "../members/member-list.ts";
import { fromValues, jsonText, memberOf, valuesOf } from "../members/member-value.ts";
import { type FurtherValues, otherProperties } from "../members/members.ts";
import type { FurtherValue, MemberValue, StoredPerson } from "../members/person.ts";
import { escapeText, parseVcardLine, type VcardLine, vcardLine, vcardLineText } from "./vcard-lines.ts";
import {
  completed,
  isRestOf,
  partsOf,
  productId,
  saysMore,
  uniqueId,
  type VcardMember,
  type VcardProperty,
  vcardProperties,
  without,
} from "./vcard-properties.ts";

export type Version = "3.0" | "4.0";

/** Returns the properties of a card that say a person, without its beginning and its end. */
export function* linesOf(
  person: StoredPerson,
  known: MemberList,
  version: Version,
): Generator<VcardLine, void, undefined> {
  const kept = valuesOf(person, otherProperties).flatMap((line) => parseVcardLine(String(line)) ?? []);
  const used = new Set<VcardLine>();
  const groups = new Set(kept.map(({ group }) => group));
  for (const property of vcardProperties(known)) {
    const { property: name, members, further } = property;
    const value = propertyValue(person, property, version) ?? (version === "3.0" ? neededIn3[name] : undefined);
    const rest = kept.find((line) => isRestOf(line, property));
    if (rest !== undefined) used.add(rest);
    const entries = further === undefined ? [] : ((memberOf(person, further.name) ?? []) as readonly FurtherValue[]); // by its schema
    if (value !== undefined) {
      const line = rest === undefined ? vcardLine(name, value, typeOf(name)) : completed(rest, value);
      const isPreferred = further !== undefined && (entries.length > 0 || rest?.parameters.has("TYPE") === true);
      yield isPreferred ? preferred(line, version) : line;
    } else if (rest !== undefined && /[^;]/.test(rest.value)) yield rest;
    for (const entry of entries) {
      yield* linesOfEntry(entry, property, { version, groups, isAfterFirst: value !== undefined });
    }
    if (members[0]?.list === true && value === undefined && rest !== undefined) used.add(rest);
  }
  for (const line of kept) if (!used.has(line)) yield line;
  if (!kept.some(({ name }) => name === "UID")) {
    yield vcardLine("PRODID", productId);
    yield vcardLine("UID", uniqueId(person));
  }
  // RFC 9554 §3.1
  if (version === "4.0") yield vcardLine("CREATED", timestamp(person.createdAt));
  yield vcardLine("REV", timestamp(person.updatedAt));
}

/** Every card of version 3.0 has a name in parts (RFC 2426 §3.1.2). */
const neededIn3: Readonly<Record<string, string>> = { N: ";;;;" };

/** In whole seconds (RFC 6350 §4.3.5): `20260615T120000Z`. */
const timestamp = (time: string): string => time.replaceAll(/[:-]|\.\d+/g, "");

/** vCard does not know the type of a property that is not its own. */
const typeOf = (property: string): VcardLine["parameters"] =>
  new Map(property.startsWith("X-") ? [["VALUE", ["text"]]] : []);

interface EntryPlace {
  readonly version: Version;
  /** Those that are used in the card. */
  readonly groups: Set<string>;
  readonly isAfterFirst: boolean;
}

function* linesOfEntry(
  {
    value,
    contexts = [],
    features = [],
    label,
    preferred: isPreferred,
    vCardProp,
  }: FurtherValue<MemberValue | undefined>,
  property: VcardProperty,
  { version, groups, isAfterFirst }: EntryPlace,
): Generator<VcardLine, void, undefined> {
  const { single = "" } = property.further ?? {};
  const rest = (vCardProp === undefined ? undefined : parseVcardLine(vCardProp)) ?? vcardLine(property.property, "");
  const types = [...contexts, ...features].map((each) => otherTypes[each] ?? each);
  const all = [...types, ...(rest.parameters.get("TYPE") ?? [])];
  const parameters = new Map([
    ...(all.length > 0 ? [["TYPE", all] as const] : []),
    ...without(rest.parameters, new Set(["TYPE"])),
    ...(isAfterFirst ? [] : [["X-FURTHER", ["1"]] as const]),
  ]);
  const text = value === undefined ? undefined : propertyValue(fromValues([[single, value]]), property, version);
  const filled = text === undefined ? rest : completed(rest, text);
  const line = isPreferred ? preferred({ ...filled, parameters }, version) : { ...filled, parameters };
  if (label === undefined) {
    yield line;
    return;
  }
  const group = line.group || newGroup(groups);
  yield { ...line, group };
  yield { ...vcardLine("X-ABLabel", escapeText(label)), group };
}

/** Returns what is kept of a value that is the first one, whose member says the value only: its property, and its label. */
export function linesOfFirst(entry: FurtherValue, property: VcardProperty, groups: Set<string>): readonly VcardLine[] {
  const place = { version: "4.0", groups, isAfterFirst: true } as const;
  const lines = [...linesOfEntry({ ...entry, value: undefined, preferred: false }, property, place)];
  // As cards are read, with names in capitals.
  return lines.some(saysMore) ? lines.map((line) => ({ ...line, name: line.name.toUpperCase() })) : [];
}

/** Returns what a file says of a first value as a person keeps it. */
export function keptOfFirst(entry: FurtherValue, { single }: FurtherValues, known: MemberList): readonly string[] {
  const property = vcardProperties(known).find(({ further }) => further?.single === single);
  return property === undefined ? [] : linesOfFirst(entry, property, new Set([single])).map(keptText);
}

/** Returns a date that no member is as a person keeps it: in a group with its label. */
export function labelledDate(group: string, date: string, label: string): readonly string[] {
  const lines = [vcardLine("X-ABDATE", date), ...(label === "" ? [] : [vcardLine("X-ABLABEL", escapeText(label))])];
  return lines.map((line) => keptText({ ...line, group }));
}

/** In characters. */
export const longestKept = 4000;

/** Returns a property as a person keeps it. */
export const keptText = (line: VcardLine): string =>
  vcardLineText(line)
    .replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, " ")
    .trim();

/** What version 3.0 and 4.0 call a use (RFC 6350 §5.6). */
const otherTypes: Readonly<Record<string, string>> = { private: "home", mobile: "cell" };

/** Says that a value is the preferred one, unless it is said how much. */
function preferred(line: VcardLine, version: Version): VcardLine {
  const parameters = new Map(line.parameters);
  if (parameters.has("PREF")) return line;
  if (version === "4.0") parameters.set("PREF", ["1"]);
  else parameters.set("TYPE", [...(parameters.get("TYPE") ?? []), "pref"]);
  return { ...line, parameters };
}

function newGroup(groups: Set<string>): string {
  let number = 1;
  while (groups.has(`item${number}`)) number++;
  groups.add(`item${number}`);
  return `item${number}`;
}

/** Returns the value of a property; undefined when the person has none of its members. */
function propertyValue(person: object, { property, members }: VcardProperty, version: Version): string | undefined {
  const texts = members.map((member) => {
    const values = valuesOf(person, member.name).map((value) => toText(jsonText(value), member, version));
    return values.length === 0 ? undefined : values.join(",");
  });
  if (texts.every((text) => text === undefined)) return undefined;
  const count = partsOf[property];
  if (count === undefined) return texts[0];
  const parts = Array.from({ length: count }, () => "");
  for (const [i, text] of texts.entries()) parts[members[i]?.part ?? 0] = (text ?? "").replaceAll(";", "\\;");
  // An organisation without a department ends with its name.
  while (property === "ORG" && parts.at(-1) === "") parts.pop();
  return parts.join(";");
}

function toText(value: string, { kind }: VcardMember, version: Version): string {
  // RFC 6350 §4.3.1: the basic format, without hyphens. Programs for version 3.0 expect the other.
  if (kind === "date") return version === "4.0" ? value.replaceAll("-", "") : value;
  return kind === "url" || kind === "language" ? value : escapeText(value);
}
