import type { ItemRepresentation, ListRepresentation, StoredRecord } from "@waymark/collection";
import { type JsContactMember, jsContactMembers, keyOf } from "./jscontact-members.ts";
import { type MemberList, onceFor } from "./member-list.ts";
import { isObject, memberOf, valuesOf } from "./member-value.ts";
import { otherProperties } from "./members.ts";
import type { ContactEntry, StoredPerson } from "./person.ts";
import { otherLines, propertyLine } from "./vcard.ts";
import { unescapeText, type VcardLine, vcardLineText } from "./vcard-lines.ts";
import { productId, uniqueId, vcardProperties } from "./vcard-properties.ts";

/** Sends a person as a JSContact card (RFC 9553); a list is an array. What has no place there is as RFC 9555 says for a vCard. */
export const jsContact: (members: MemberList) => ItemRepresentation & ListRepresentation = onceFor((members) => {
  const item = ({ json }: StoredRecord): string => JSON.stringify(toCard(JSON.parse(json), members));
  return {
    name: "jscontact",
    extension: "json",
    mediaType: "application/jscontact+json",
    contentType: "application/jscontact+json",
    schema: cardSchema,
    item,
    list: () => ({ before: "[", item, between: ",", after: "]" }),
    // A card needs a name, and its uid identifies a person.
    whole: true,
  };
});

const cardSchema = {
  type: "object",
  additionalProperties: true,
  required: ["@type", "name"],
  properties: {
    "@type": { const: "Card" },
    name: {
      type: "object",
      additionalProperties: true,
      required: ["full"],
      properties: { full: { type: "string" } },
    },
  },
};

type Card = Record<string, unknown>;

function toCard(person: StoredPerson, members: MemberList): Card {
  const others = otherLines(person);
  const [uid, further] = others.filter(({ name }) => name === "UID");
  const card: Card = {
    "@type": "Card",
    version: "1.0",
    uid: uid?.value ?? uniqueId(person),
    ...(uid === undefined && { prodId: productId }),
    created: withoutFraction(person.createdAt),
    updated: withoutFraction(person.updatedAt),
  };
  for (const member of jsContactMembers(members)) place(card, person, member);
  const ofMembers = vcardProperties(members).flatMap((property) =>
    property.members.every(({ name }) => members.byName.get(name)?.jscontact === "")
      ? (propertyLine(person, property) ?? [])
      : [],
  );
  // The card's own uid says all of one without parameters.
  const isSaid = uid && further === undefined && vcardLineText(uid) === `UID:${uid.value}`;
  const ofCards = others.filter((line) => !(line === uid && isSaid) && !addPatch(card, line));
  const properties = [...ofMembers, ...ofCards].map(toJcard);
  return properties.length === 0 ? card : { ...card, [otherProperties]: properties };
}

const withoutFraction = (time: string): string => time.replace(/\.\d+/, "");

/** Puts the value of a member into its place, or those of its list. */
function place(card: Card, person: StoredPerson, { name, part, list, ...at }: JsContactMember): void {
  const entries = list && (memberOf(person, list.name) as readonly ContactEntry[] | undefined); // by its schema
  if (entries !== undefined) {
    for (const [i, entry] of entries.entries()) {
      const value = part === "" ? entry.value : memberOf(entry.value, part);
      if (value !== undefined) put(card, at, String(i + 1), toEntry({ ...entry, value: String(value) }, at));
    }
    return;
  }
  const values = valuesOf(person, name).map(String);
  if (values.length === 0) return;
  if (at.property === "") card[at.top] = Object.fromEntries(values.map((value) => [value, true]));
  else put(card, at, keyOf(at), toEntry({ value: values[0] ?? "" }, at));
}

type Place = Omit<JsContactMember, "name" | "part" | "list">;

function toEntry({ value, contexts, features, label, preferred }: ContactEntry<string>, place: Place): object {
  const { property, component, memberKind, kind } = place;
  return {
    ...(kind !== "" && { kind }),
    ...(component === ""
      ? { [property]: memberKind === "date" ? toPartialDate(value) : value }
      : { components: [{ kind: component, value }] }),
    ...(contexts && { contexts: toSet(contexts) }),
    ...(features && { features: toSet(features) }),
    ...(label !== undefined && { label }),
    ...(preferred && { pref: 1 }),
  };
}

const toSet = (words: readonly string[]): object => Object.fromEntries(words.map((word) => [word, true]));

function toPartialDate(date: string): object {
  const [year, month, day] = date.split("-").map(Number);
  return { "@type": "PartialDate", year, month, day };
}

/** Puts what a member says into its object, or into an entry of a map of them. */
function put(card: Card, { top, isMap }: Place, key: string, said: object): void {
  card[top] = merged(card[top], isMap ? { [key]: said } : said);
}

/** Returns both values together: members of objects, elements of arrays, and else the first one. */
function merged(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second)) return [...first, ...second];
  if (!isObject(first) || !isObject(second)) return first ?? second;
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  return Object.fromEntries(names.map((name) => [name, merged(first[name], second[name])]));
}

/** Adds what a JSPROP says of a member of the card (RFC 9555 §3.2.1); returns false for any other property, or one that cannot be added. */
function addPatch(card: Card, { name, parameters, value }: VcardLine): boolean {
  const [pointer = ""] = parameters.get("JSPTR") ?? [];
  if (name !== "JSPROP" || pointer === "" || pointer.includes("/")) return false;
  const top = pointer.replaceAll("~1", "/").replaceAll("~0", "~");
  const before = Object.hasOwn(card, top) ? card[top] : undefined;
  if (before !== undefined && !isObject(before)) return false;
  try {
    const said: unknown = JSON.parse(unescapeText(value));
    if (before !== undefined && !isObject(said)) return false;
    Object.defineProperty(card, top, {
      value: merged(before, said),
      enumerable: true,
      writable: true,
      configurable: true,
    });
    return true;
  } catch {
    return false;
  }
}

/** Returns a property as jCard has it (RFC 7095 §3.3), with its value as it stands in a vCard. */
function toJcard({ group, name, parameters, value }: VcardLine): readonly unknown[] {
  const said = Array.from(parameters, ([key, values]) => [key.toLowerCase(), values.length === 1 ? values[0] : values]);
  return [name.toLowerCase(), { ...(group !== "" && { group }), ...Object.fromEntries(said) }, "unknown", value];
}
