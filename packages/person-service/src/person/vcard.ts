import type { ItemRepresentation, ListRepresentation, StoredRecord } from "@waymark/collection";
import type { PersonMember } from "./member.ts";
import { type MemberList, onceFor } from "./member-list.ts";
import { memberOf, valuesOf } from "./member-value.ts";
import { otherProperties } from "./members.ts";
import type { ContactEntry, StoredPerson } from "./person.ts";
import { escapeText, parseVcardLine, splitValue, type VcardLine, vcardLine, vcardLineText } from "./vcard-lines.ts";
import {
  isRestOf,
  partsOf,
  productId,
  typesOf,
  uniqueId,
  type VcardProperty,
  vcardProperties,
} from "./vcard-properties.ts";

type Version = "3.0" | "4.0";

/** Sends a person as a vCard 4.0 (RFC 6350) for address books; a list is a sequence of cards. */
export const vcard: (members: MemberList) => ItemRepresentation & ListRepresentation = onceFor((members) =>
  cards("vcard", "4.0", members),
);

/** Sends a person as a vCard 3.0 (RFC 2426), for older programs and phones. */
export const vcard3: (members: MemberList) => ItemRepresentation & ListRepresentation = onceFor((members) =>
  cards("vcard3", "3.0", members),
);

function cards(name: string, version: Version, members: MemberList): ItemRepresentation & ListRepresentation {
  const properties = vcardProperties(members);
  const item = (record: StoredRecord): string => toCard(record, properties, version);
  return {
    name,
    extension: "vcf",
    mediaType: `text/vcard;version=${version}`,
    contentType: `text/vcard; charset=utf-8${version === "4.0" ? "" : `; version=${version}`}`,
    item,
    list: () => ({ item }),
    // A card needs a name (FN), and its UID and REV identify a person and a state.
    whole: true,
  };
}

function toCard({ json }: StoredRecord, properties: readonly VcardProperty[], version: Version): string {
  const person: StoredPerson = JSON.parse(json); // the schema has validated every stored person
  let card = contentLine(vcardLine("BEGIN", "VCARD")) + contentLine(vcardLine("VERSION", version));
  for (const line of linesOf(person, properties, version)) card += contentLine(line);
  return card + contentLine(vcardLine("END", "VCARD"));
}

function* linesOf(
  person: StoredPerson,
  properties: readonly VcardProperty[],
  version: Version,
): Generator<VcardLine, void, undefined> {
  const kept = otherLines(person);
  const used = new Set<VcardLine>();
  const groups = new Set(kept.map(({ group }) => group));
  /** Returns what is kept of a property, once: of one with these types, or with any. */
  const takeRest = (property: VcardProperty, types?: readonly string[]): VcardLine | undefined => {
    const isMeant = ({ parameters }: VcardLine): boolean =>
      types === undefined || String(parameters.get("TYPE") ?? "") === String(types);
    const rest = kept.find((line) => !used.has(line) && isRestOf(line, property) && isMeant(line));
    if (rest !== undefined) used.add(rest);
    return rest;
  };
  for (const property of properties) {
    const entries = property.list && (memberOf(person, property.list.name) as readonly ContactEntry[] | undefined); // by its schema
    if (entries !== undefined) {
      yield* linesOfEntries(entries, property, { version, groups, takeRest });
      continue;
    }
    const value =
      propertyValue(person, property, version) ?? (version === "3.0" ? neededIn3[property.property] : undefined);
    const rest = takeRest(property);
    if (value !== undefined)
      yield rest ? completed(rest, value) : vcardLine(property.property, value, typeParameter(property));
    else if (rest !== undefined && /[^;]/.test(rest.value)) yield rest;
  }
  // What is kept of an address that is not there any more says nothing where all its parts are empty.
  for (const line of kept) if (!used.has(line) && !/^;+$/.test(line.value)) yield line;
  if (!kept.some(({ name }) => name === "UID")) {
    yield vcardLine("PRODID", productId);
    yield vcardLine("UID", uniqueId(person));
  }
  // RFC 9554 §3.1
  if (version === "4.0") yield vcardLine("CREATED", timestamp(person.createdAt));
  yield vcardLine("REV", timestamp(person.updatedAt));
}

/** Returns what cards have said of a person that no member says. */
export const otherLines = (person: object): readonly VcardLine[] =>
  valuesOf(person, otherProperties).flatMap((line) => parseVcardLine(String(line)) ?? []);

/** Every card of version 3.0 has a name in parts (RFC 2426 §3.1.2). */
const neededIn3: Readonly<Record<string, string>> = { N: ";;;;" };

interface EntryLines {
  readonly version: Version;
  /** Those that are used in the card. */
  readonly groups: Set<string>;
  readonly takeRest: (property: VcardProperty, types: readonly string[]) => VcardLine | undefined;
}

function* linesOfEntries(
  entries: readonly ContactEntry[],
  property: VcardProperty,
  { version, groups, takeRest }: EntryLines,
): Generator<VcardLine, void, undefined> {
  const { single = "" } = property.list ?? {};
  for (const entry of entries) {
    const { value, label, preferred } = entry;
    const own = typesOf(entry);
    const rest = takeRest(property, own) ?? vcardLine(property.property, "");
    const types = preferred && version === "3.0" ? [...own, "pref"] : own;
    const parameters = new Map(rest.parameters);
    if (types.length > 0) parameters.set("TYPE", types);
    if (preferred && version === "4.0") parameters.set("PREF", ["1"]);
    const line = { ...completed(rest, propertyValue({ [single]: value }, property, version) ?? ""), parameters };
    if (label === undefined) {
      yield line;
      continue;
    }
    const group = line.group || newGroup(groups);
    yield { ...line, group };
    yield { ...vcardLine("X-ABLabel", escapeText(label)), group };
  }
}

function newGroup(groups: Set<string>): string {
  let number = 1;
  while (groups.has(`item${number}`)) number++;
  groups.add(`item${number}`);
  return `item${number}`;
}

/** Returns the property of vCard 4.0 that members without a list are; undefined when the person has none of them. */
export function propertyLine(person: object, property: VcardProperty): VcardLine | undefined {
  const value = propertyValue(person, property, "4.0");
  return value === undefined ? undefined : vcardLine(property.property, value, typeParameter(property));
}

/** vCard does not know the type of a property that is not its own. */
const typeParameter = ({ property }: VcardProperty): VcardLine["parameters"] =>
  new Map(property.startsWith("X-") ? [["VALUE", ["text"]]] : []);

/** Returns the value of a property; undefined when the person has none of its members. */
function propertyValue(person: object, { property, members }: VcardProperty, version: Version): string | undefined {
  const texts = members.map(({ name, kind }) => {
    const values = valuesOf(person, name).map((value) => toText(String(value), kind, version));
    return values.length === 0 ? undefined : values.join(",");
  });
  if (texts.every((text) => text === undefined)) return undefined;
  const count = partsOf[property];
  if (count === undefined) return texts[0];
  const parts = Array.from({ length: count }, () => "");
  for (const [i, text] of texts.entries()) parts[members[i]?.part ?? 0] = (text ?? "").replaceAll(";", "\\;");
  return parts.join(";");
}

/** Puts the value of members into what is kept of their property. */
function completed(rest: VcardLine, value: string): VcardLine {
  if (partsOf[rest.name] === undefined) return { ...rest, value };
  const [ours, others] = [splitValue(value, ";"), splitValue(rest.value, ";")];
  const length = Math.max(ours.length, others.length);
  const parts = Array.from({ length }, (_, i) => ours[i] || others[i] || "");
  while (parts.length > ours.length && parts.at(-1) === "") parts.pop();
  return { ...rest, value: parts.join(";") };
}

function toText(value: string, kind: PersonMember["kind"], version: Version): string {
  // RFC 6350 §4.3.1: the basic format, without hyphens. Programs for version 3.0 expect the other.
  if (kind === "date") return version === "4.0" ? value.replaceAll("-", "") : value;
  return kind === "url" || kind === "language" ? value : escapeText(value);
}

/** In whole seconds (RFC 6350 §4.3.5): `20260615T120000Z`. */
const timestamp = (time: string): string => time.replaceAll(/[:-]|\.\d+/g, "");

/**
 * Renders a property of a vCard as a line (RFC 6350 §3.2) that ends with CRLF. Folds lines of more than 75 octets: the rest follows
 * on the next line after a space. Splits no character.
 */
function contentLine(property: VcardLine): string {
  const line = vcardLineText(property);
  let folded = "";
  let start = 0;
  let octets = 0;
  for (let i = 0; i < line.length; ) {
    const code = line.codePointAt(i) ?? 0; // i is within the line
    const size = octetsOf(code);
    if (octets + size > maxOctets) {
      folded += `${line.slice(start, i)}\r\n `;
      start = i;
      octets = 1;
    }
    octets += size;
    i += code > 0xffff ? 2 : 1;
  }
  return `${folded}${line.slice(start)}\r\n`;
}

const maxOctets = 75;

/** Returns the length of a character in UTF-8. */
function octetsOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
