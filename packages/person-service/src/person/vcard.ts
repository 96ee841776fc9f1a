import { createHash } from "node:crypto";
import type { ItemRepresentation, ListRepresentation, StoredRecord } from "@waymark/collection";
import { type MemberList, onceFor } from "./member-list.ts";
import { memberOf, valuesOf } from "./member-value.ts";
import type { ContactEntry, PersonMember, StoredPerson } from "./members.ts";
import { type VcardMember, type VcardProperty, vcardProperties, vcardTypes } from "./vcard-properties.ts";

/** Sends a person as a vCard 4.0 (RFC 6350) for address books; a list is a sequence of cards. */
export const vcard: (members: MemberList) => ItemRepresentation & ListRepresentation = onceFor((members) => {
  const item = (record: StoredRecord): string => toCard(record, vcardProperties(members));
  return {
    name: "vcard",
    extension: "vcf",
    mediaType: "text/vcard;version=4.0",
    contentType: "text/vcard; charset=utf-8",
    item,
    list: () => ({ item }),
    // A card needs a name (FN), and its UID and REV identify a person and a state.
    whole: true,
  };
});

function toCard({ json }: StoredRecord, properties: readonly VcardProperty[]): string {
  const person: StoredPerson = JSON.parse(json); // the schema has validated every stored person
  let lines = contentLine("BEGIN", "VCARD");
  for (const [name, value] of toProperties(person, properties)) {
    if (value !== undefined) lines += contentLine(name, value);
  }
  return lines + contentLine("END", "VCARD");
}

/** A property; it is left out when its value is undefined. */
type Property = readonly [name: string, value: string | undefined];

function toProperties(person: StoredPerson, properties: readonly VcardProperty[]): readonly Property[] {
  return [
    ["VERSION", "4.0"],
    ...contactProperties(person, properties),
    ["UID", uniqueId(person)],
    // RFC 9554 §3.1
    ["CREATED", timestamp(person.createdAt)],
    ["REV", timestamp(person.updatedAt)],
  ];
}

function contactProperties(person: StoredPerson, properties: readonly VcardProperty[]): readonly Property[] {
  let group = 0;
  return properties.flatMap(({ property, members, list }): readonly Property[] => {
    const entries = list && (memberOf(person, list.name) as readonly ContactEntry[] | undefined); // by its schema
    if (list === undefined || entries === undefined) {
      return [[parametersOf(property), propertyOf(person, property, members)]];
    }
    return entries.flatMap(({ value, contexts = [], features = [], label, preferred }) => {
      const types = [...contexts, ...features].map((each) => vcardTypes[each] ?? each);
      const name = `${property}${types.length === 0 ? "" : `;TYPE=${types.join(",")}`}${preferred ? ";PREF=1" : ""}`;
      const said = propertyOf({ [list.single]: value }, property, members);
      if (label === undefined) return [[name, said]];
      group++;
      return [
        [`item${group}.${name}`, said],
        [`item${group}.X-ABLabel`, escapeText(label)],
      ];
    });
  });
}

/** vCard does not know the type of a property that is not its own. */
const parametersOf = (property: string): string => (property.startsWith("X-") ? `${property};VALUE=text` : property);

function propertyOf(person: object, property: string, members: readonly VcardMember[]): string | undefined {
  const texts = members.map(({ name, kind }) => {
    const values = valuesOf(person, name).map((value) => toText(String(value), kind));
    return values.length === 0 ? undefined : values.join(",");
  });
  if (texts.every((text) => text === undefined)) return undefined;
  const count = partsOf[property];
  if (count === undefined) return texts[0];
  const parts = Array.from({ length: count }, () => "");
  for (const [i, text] of texts.entries()) parts[members[i]?.part ?? 0] = (text ?? "").replaceAll(";", "\\;");
  return parts.join(";");
}

/** The parts of a value that has several. Those that are empty should be: a post office box, an apartment (RFC 6350 §6.3.1). */
const partsOf: Readonly<Record<string, number>> = { N: 5, ADR: 7, ORG: 1 };

function toText(value: string, kind: PersonMember["kind"]): string {
  // RFC 6350 §4.3.1: the basic format, without hyphens.
  if (kind === "date") return value.replaceAll("-", "");
  return kind === "url" || kind === "language" ? value : escapeText(value);
}

/** In whole seconds (RFC 6350 §4.3.5): `20260615T120000Z`. */
const timestamp = (time: string): string => time.replaceAll(/[:-]|\.\d+/g, "");

/**
 * Makes a UUID (RFC 9562 §5.5) from what never changes in a record: an address book recognises the person after every change, and
 * on another database. The time distinguishes people of other services with the same id.
 */
function uniqueId({ id, createdAt }: StoredPerson): string {
  const digest = createHash("sha1").update(namespace).update(`${id} ${createdAt}`).digest();
  // The version is 5, the variant 0b10.
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const [, ...groups] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(digest.toString("hex")) ?? [];
  return `urn:uuid:${groups.join("-")}`;
}

/** The namespace of these UUIDs: a random one that never changes. */
const namespace = Buffer.from("36585e6dee9843429e74e1a8e273bd2d", "hex");

/**
 * Renders a property of a vCard as a line (RFC 6350 §3.2) that ends with CRLF. Folds lines of more than 75 octets: the rest follows
 * on the next line after a space. Splits no character.
 *
 * @param value escaped according to its type
 */
function contentLine(name: string, value: string): string {
  const line = `${name}:${value}`;
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

/** Escapes a text value (RFC 6350 §3.4). Semicolons stay: they separate nothing here, and some readers would keep a backslash. */
function escapeText(text: string): string {
  return text.replaceAll(/[\\,\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}
