import { createHash } from "node:crypto";
import { type ContactList, contactLists } from "./contact-lists.ts";
import type { PersonMember } from "./member.ts";
import { type MemberList, onceFor, ourMembers } from "./member-list.ts";
import type { ContactEntry, StoredPerson } from "./person.ts";
import type { Rule } from "./text.ts";
import { parseVcardLine, splitValue, type VcardLine, vcardLineText } from "./vcard-lines.ts";

/** A member that is the value of a property of a vCard, or a part of it. */
export interface VcardMember extends Pick<PersonMember, "kind" | "list"> {
  readonly name: string;
  /** From 0; undefined for the whole value. */
  readonly part: number | undefined;
}

/** A property of a vCard. */
export interface VcardProperty {
  readonly property: string;
  /** The members that are its value, or parts of it. */
  readonly members: readonly VcardMember[];
  /** The list with all values, where a person may have several. */
  readonly list: ContactList | undefined;
}

/** Returns the properties of a vCard that members are the values of, in order. */
export const vcardProperties: (members: MemberList) => readonly VcardProperty[] = onceFor(({ entries }) =>
  Array.from(
    Map.groupBy(
      entries.flatMap(([name, { kind, list, vcard }]) => {
        const [property = "", number] = vcard.split(" ");
        const part = number === undefined ? undefined : Number(number);
        return property === "" ? [] : [{ property, name, kind, ...(list && { list }), part }];
      }),
      ({ property }) => property,
    ),
    ([property, members]) => {
      const [single] = members[0]?.name.split(".") ?? [];
      return { property, members, list: contactLists.find((each) => each.single === single) };
    },
  ),
);

/** Returns the words of TYPE (RFC 6350 §5.6) for what is said of a value. */
export const typesOf = ({ contexts = [], features = [] }: ContactEntry): readonly string[] =>
  [...contexts, ...features].map((each) => otherTypes[each] ?? each);

const otherTypes: Readonly<Record<string, string>> = { private: "home", mobile: "cell" };

/** The parts of a value that has several. Those that are empty should be: a post office box, an apartment (RFC 6350 §6.3.1). */
export const partsOf: Readonly<Record<string, number>> = { N: 5, ADR: 7, ORG: 1 };

/**
 * Whether a line says of a property what its members do not: its other parts, parameters, or a group with its label. What members say
 * is empty there, so that such a line stays true when they change: `ADR;TYPE=home:;;;;;;`.
 */
export function isRestOf({ name, value }: VcardLine, { property, members }: VcardProperty): boolean {
  if (name !== property) return false;
  const parts = splitValue(value, ";");
  return members.every(
    ({ part, list: isList }) => !isList && (part === undefined ? value : (parts[part] ?? "")) === "",
  );
}

/** The properties that a card of the service has of its own: those of another card say nothing of the person. */
export const propertiesOfCards: ReadonlySet<string> = new Set(["BEGIN", "END", "VERSION", "PRODID", "CREATED", "REV"]);

/**
 * Accepts a property of a vCard that can stand in a card of the service beside those of the members, written as `vcardLineText` writes
 * it.
 */
export const keptProperty: Rule = (text) => {
  const line = parseVcardLine(text);
  if (line === undefined || vcardLineText(line) !== text || line.parameters.has("GROUP")) {
    return "must be a property of a vCard on one line, with names in capitals, such as X-SKYPE;TYPE=home:ada";
  }
  if (propertiesOfCards.has(line.name)) return `must not be ${line.name}, which each card has of its own`;
  const { list, members: [first] = [] } =
    vcardProperties(ourMembers).find(({ property }) => property === line.name) ?? {};
  // What members do not say of an address is kept beside them.
  if (!first?.list && (list === undefined || first?.part !== undefined)) return undefined;
  return `must not be ${line.name}: its values are those of ${list?.name ?? first?.name}`;
};

/** The program that writes a card. In a card with it, UID is the one that `uniqueId` makes; without it, one that was imported. */
export const productId = "-//waymark//person-service//EN";

/**
 * Makes a UUID (RFC 9562 §5.5) from what never changes in a record: an address book recognises the person after every change, and
 * on another database. The time distinguishes people of other services with the same id.
 */
export function uniqueId({ id, createdAt }: StoredPerson): string {
  const digest = createHash("sha1").update(namespace).update(`${id} ${createdAt}`).digest();
  // The version is 5, the variant 0b10.
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const [, ...groups] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(digest.toString("hex")) ?? [];
  return `urn:uuid:${groups.join("-")}`;
}

/** The namespace of these UUIDs: a random one that never changes. */
const namespace = Buffer.from("36585e6dee9843429e74e1a8e273bd2d", "hex");
