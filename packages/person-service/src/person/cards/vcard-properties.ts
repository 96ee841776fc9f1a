import { createHash } from "node:crypto";
import type { PersonMember } from "../members/member.ts";
import { type MemberList, onceFor, ourMembers } from "../members/member-list.ts";
import { plainValue } from "../members/member-value.ts";
import { type FurtherValues, furtherValues } from "../members/members.ts";
import type { StoredPerson } from "../members/person.ts";
import { type Fault, type Rule, valueSchemaOf } from "../members/value-schemas.ts";
import {
  parseVcardLine,
  splitValue,
  unescapeText,
  type VcardLine,
  type VcardParameters,
  vcardLineText,
} from "./vcard-lines.ts";

/** A member that is the value of a property of a vCard, or a part of it. */
export interface VcardMember extends Pick<PersonMember, "kind" | "list"> {
  readonly name: string;
  /** From 0; undefined for the whole value. */
  readonly part: number | undefined;
  /** Returns what a text of a card is as its value; undefined where it can be none. */
  readonly read: (escaped: string) => unknown;
}

/** A property of a vCard that members are the values of. */
export interface VcardProperty {
  readonly property: string;
  readonly members: readonly VcardMember[];
  /** Where a person may have several, the further ones. */
  readonly further: FurtherValues | undefined;
}

/** Returns the properties of a vCard that members are the values of, in order: the column `vcard` of the table. */
export const vcardProperties: (members: MemberList) => readonly VcardProperty[] = onceFor(({ entries }) =>
  Array.from(
    Map.groupBy(
      entries.flatMap(([name, member]) => {
        const [property = "", number] = member.vcard.split(" ");
        const part = number === undefined ? undefined : Number(number);
        const { kind, list } = member;
        return property === "" ? [] : [{ property, name, kind, ...(list && { list }), part, read: readerOf(member) }];
      }),
      ({ property }) => property,
    ),
    ([property, members]) => {
      const [single] = members[0]?.name.split(".") ?? [];
      return { property, members, further: furtherValues.find((each) => each.single === single) };
    },
  ),
);

function readerOf(member: PersonMember): VcardMember["read"] {
  const { validate } = valueSchemaOf(member, { now: () => new Date(), property: () => undefined })["~standard"];
  return (escaped) => {
    const value = plainValue(lineOf(unescapeText(escaped), member.kind), member.kind);
    if (value === "" && member.kind !== "text") return undefined;
    const result = validate(value);
    return !("issues" in result) || result.issues === undefined ? value : undefined;
  };
}

/** Returns a text as members have it: only notes have several lines, and a date is without a time of birth. */
function lineOf(text: string, kind: PersonMember["kind"]): string {
  const legal = text.replaceAll(/(?![\t\n])\p{Cc}|[\p{Cs}\uFFFE\uFFFF]/gu, "");
  if (kind === "text") return legal;
  const line = legal
    .split(/[\t\n]/)
    .map((each) => each.trim())
    .filter((each) => each !== "")
    .join(", ");
  return kind === "date" ? line.replace(/T.*$/, "").replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3") : line;
}

/** How many parts a value has that has several. Those that are empty should be: a post office box, an apartment (RFC 6350 §6.3.1). */
export const partsOf: Readonly<Record<string, number>> = { N: 5, ADR: 7, ORG: 2 };

/** Returns what a property says of each of its members; undefined where it says nothing, or what none can have. */
export function valuesIn({ value, name, parameters }: VcardLine, members: readonly VcardMember[]): readonly unknown[] {
  // The year is one that Apple writes in the place of none.
  if (parameters.has("X-APPLE-OMIT-YEAR")) return members.map(() => undefined);
  const parts = partsOf[name] === undefined ? undefined : splitValue(value, ";");
  // Several texts of one part are one: `Main St 1, 2nd floor`.
  const textOf = (part: string): string =>
    splitValue(part, ",")
      .map((text) => text.trim())
      .join(", ");
  return members.map(({ part, read }) => read(parts === undefined ? value : textOf(parts[part ?? 0] ?? "")));
}

/** Returns a property without what its members take of it: their parts are empty. */
export function emptied(line: VcardLine, members: readonly VcardMember[], taken: readonly unknown[]): VcardLine {
  if (partsOf[line.name] === undefined) return { ...line, value: "" };
  const parts = new Set(members.flatMap(({ part }, i) => (taken[i] === undefined ? [] : [part])));
  const texts = splitValue(line.value, ";");
  const length = Math.max(texts.length, partsOf[line.name] ?? 0);
  return { ...line, value: Array.from({ length }, (_, i) => (parts.has(i) ? "" : texts[i])).join(";") };
}

/** Puts the value of members into what is left of their property. */
export function completed(rest: VcardLine, value: string): VcardLine {
  if (partsOf[rest.name] === undefined) return { ...rest, value };
  const [ours, others] = [splitValue(value, ";"), splitValue(rest.value, ";")];
  const length = Math.max(ours.length, others.length);
  const parts = Array.from({ length }, (_, i) => ours[i] || others[i] || "");
  while (parts.length > ours.length && parts.at(-1) === "") parts.pop();
  return { ...rest, value: parts.join(";") };
}

/** Whether what is left of a property says something. */
export const saysMore = ({ value, parameters, group }: VcardLine): boolean =>
  /[^;]/.test(value) || parameters.size > 0 || group !== "";

/**
 * Whether a line says of a property what its members do not: its other parts, parameters, or a group with its label. What members say
 * is empty there, so that such a line stays true when they change: `ADR;TYPE=home:;;;;;;`.
 */
export function isRestOf({ name, value }: VcardLine, { property, members }: VcardProperty): boolean {
  if (name !== property) return false;
  const parts = splitValue(value, ";");
  return members.every(({ part, read }) => {
    const text = part === undefined ? value : (parts[part] ?? "");
    return text === "" || (part !== undefined && read(text) === undefined);
  });
}

/** Returns the parameters without some of them. */
export const without = (parameters: VcardParameters, names: ReadonlySet<string>): Map<string, readonly string[]> =>
  new Map([...parameters].filter(([name]) => !names.has(name)));

/** The properties that a card of the service has of its own: those of another card say nothing of the person. */
export const propertiesOfCards: ReadonlySet<string> = new Set(["BEGIN", "END", "VERSION", "PRODID", "CREATED", "REV"]);

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

/**
 * Makes the rule of a property of a vCard that a person keeps, as `vcardLineText` writes it: one that can stand in a card of the service
 * beside those of the members; or, for a further value of a member such as `email`, its own property without what the value says.
 */
export function propertyRuleFor(single: string | undefined): Rule {
  return (text) => {
    const line = parseVcardLine(text);
    if (line === undefined || vcardLineText(line) !== text || line.parameters.has("GROUP")) {
      return fault("must be a property of a vCard on one line, with names in capitals, such as X-SKYPE;TYPE=home:ada");
    }
    if (propertiesOfCards.has(line.name)) return fault(`must not be ${line.name}, which each card has of its own`);
    const property = propertyNamed(ourMembers).get(line.name);
    if (single !== undefined) {
      const own = vcardProperties(ourMembers).find(({ further }) => further?.single === single);
      if (own !== undefined && isRestOf(line, own)) return undefined;
      return fault(`must be ${own?.property} without what the entry says, such as ${own?.property};X-LOGIN=ada:`);
    }
    if (property === undefined || isRestOf(line, property)) return undefined;
    const { further, members } = property;
    const isList = members[0]?.list === true;
    const says = isList
      ? splitValue(line.value, ",").some((value) => members[0]?.read(value) !== undefined)
      : further !== undefined && valuesIn(line, members).some((value) => value !== undefined);
    if (!says) return undefined;
    const whose = further === undefined ? members[0]?.name : `${further.single} and ${further.name}`;
    return fault(`must not be ${line.name}: its values are those of ${whose}`);
  };
}

const propertyNamed: (members: MemberList) => ReadonlyMap<string, ReturnType<typeof vcardProperties>[number]> = onceFor(
  (members) => new Map(vcardProperties(members).map((each) => [each.property, each])),
);

const fault = (message: string): Fault => ({ code: "property", message });
