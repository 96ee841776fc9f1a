import { contexts, features } from "../person/contact-lists.ts";
import { type JsContactMember, jsContactMembers, keyOf } from "../person/jscontact-members.ts";
import type { MemberList } from "../person/member-list.ts";
import { fromValues, isObject, jsonText, memberOf } from "../person/member-value.ts";
import { otherProperties } from "../person/members.ts";
import type { ContactEntry, ContactValue } from "../person/person.ts";
import { escapeText, parseVcardLine, type VcardLine, vcardLine, vcardLineText } from "../person/vcard-lines.ts";
import { productId, propertiesOfCards, vcardProperties } from "../person/vcard-properties.ts";
import { listed, plainText, unpreferred } from "./contact-words.ts";
import { keptText, personOfVcard } from "./vcard-person.ts";

type Json = Record<string, unknown>;

/** Whether a value of JSON is a JSContact card (RFC 9553 §2.1.1). */
export const isJsContact = (value: unknown): value is Json => isObject(value) && value["@type"] === "Card";

/**
 * Returns the person that a JSContact card says, by the rules of RFC 9555. What no member says is kept: properties of a vCard as they
 * are, and other members of the card as JSPROP, but for files within the card.
 */
export function personOfJsContact(card: Json, members: MemberList): object {
  const left: Json = structuredClone(card);
  const { uid, prodId, [otherProperties]: properties } = card;
  for (const name of ofEveryCard) delete left[name];
  if (left["kind"] === "individual") delete left["kind"];
  const values: (readonly [string, unknown])[] = [];
  const places = Map.groupBy(jsContactMembers(members), ({ top, kind }) => `${top}/${kind}`);
  for (const together of places.values()) values.push(...taken(left, together));
  const lines = (Array.isArray(properties) ? properties : []).flatMap((property) => fromJcard(property) ?? []);
  const hasUid = lines.some(({ name }) => name === "UID");
  const isOfMember = isOfMemberIn(members);
  const ofMembers = personOfVcard(lines.filter(isOfMember), members);
  const kept = [
    ...lines.filter((line) => !isOfMember(line)),
    ...(typeof uid === "string" && !hasUid && prodId !== productId ? [vcardLine("UID", uid)] : []),
    ...Object.entries(left).flatMap(toPatch),
  ].map(keptText);
  return {
    ...ofMembers,
    ...fromValues([...values, [otherProperties, kept.length === 0 ? undefined : [...new Set(kept)]]]),
  };
}

/** What says nothing of the person, or is read otherwise. */
const ofEveryCard: readonly string[] = ["@type", "version", "uid", "prodId", "created", "updated", otherProperties];

/** Returns what tells the properties of members that a card has in no other way. */
function isOfMemberIn(members: MemberList): (line: VcardLine) => boolean {
  const names = vcardProperties(members).flatMap(({ property, members: ofProperty }) =>
    ofProperty.every(({ name }) => members.byName.get(name)?.jscontact === "") ? [property] : [],
  );
  return ({ name }) => names.includes(name);
}

/** Takes the values of members that stand together out of a card. */
function taken(card: Json, together: readonly JsContactMember[]): readonly (readonly [name: string, value: unknown])[] {
  const [first] = together;
  const object = first && card[first.top];
  if (first === undefined || !isObject(object)) return [];
  const { name, top, isMap, kind, list, property } = first;
  if (!isMap && property === "") {
    delete card[top];
    return [[name, Object.keys(object).filter((value) => object[value] === true)]];
  }
  const entries: readonly (readonly [key: string, entry: Json])[] = isMap
    ? Object.entries(object).flatMap(([key, entry]) =>
        isObject(entry) && (entry["kind"] ?? kind) === kind ? [[key, { ...entry }] as const] : [],
      )
    : [["", { ...object }]];
  if (list !== undefined) {
    const found = entries.flatMap(([key, entry]) => {
      const value = memberOf(fromValues(together.map((member) => [member.name, take(entry, member)])), list.single);
      if (value === undefined) return [];
      const { contexts: _contexts, features: _features, label: _label, pref: _pref, ...others } = entry;
      const found = toListed(value as ContactValue, entry, list.hasFeatures); // of texts
      return [{ key, entry: found, preference: prefOf(entry), rest: restOf(others) }];
    });
    leave(card, top, new Map(found.map(({ key, rest }, i) => [key, { rest, to: String(i + 1) }])));
    return [[list.name, listed(found)]];
  }
  for (const [key, entry] of entries.toSorted(([, a], [, b]) => prefOf(a) - prefOf(b))) {
    const values = together.map((member) => [member.name, take(entry, member)] as const);
    if (values.every(([, value]) => value === undefined)) continue;
    const rest = restOf(entry);
    if (isMap) leave(card, top, new Map([[key, { rest, to: keyOf(first) }]]));
    else if (rest === undefined) delete card[top];
    else card[top] = rest;
    return values;
  }
  return [];
}

/**
 * Leaves of a map what was not taken of its entries: under the keys that these entries of the person will have, and the others under
 * keys that none has.
 */
function leave(
  card: Json,
  top: string,
  taken: ReadonlyMap<string, { readonly rest: Json | undefined; readonly to: string }>,
): void {
  const own = new Set(taken.values().map(({ to }) => to));
  const left = Object.entries(card[top] as Json).flatMap(([key, entry]) => {
    const found = taken.get(key);
    if (found === undefined) return [[/^\d+$/.test(key) || own.has(key) ? `x${key}` : key, entry] as const];
    return found.rest === undefined ? [] : [[found.to, found.rest] as const];
  });
  if (left.length === 0) delete card[top];
  else card[top] = Object.fromEntries(left);
}

/** Takes the text of a member out of its object or entry; undefined if no person can have what is there. */
function take(entry: Json, { property, component, memberKind }: JsContactMember): string | undefined {
  if (component !== "") return takeComponents(entry, [component, ...(furtherKinds[component] ?? [])]);
  const value = memberKind === "date" ? toDate(entry[property]) : entry[property];
  if (typeof value === "string") {
    delete entry[property];
    return plainText(value, memberKind);
  }
  return memberKind === "country" ? takeComponents(entry, ["country"]) : undefined;
}

/** Components that are more of another one. */
const furtherKinds: Readonly<Record<string, readonly string[]>> = {
  name: ["number"],
  surname: ["surname2"],
  credential: ["generation"],
};

function takeComponents(entry: Json, kinds: readonly string[]): string | undefined {
  const { components } = entry;
  if (!Array.isArray(components)) return undefined;
  const isMeant = (each: unknown): boolean =>
    isObject(each) && kinds.some((kind) => kind === each["kind"]) && typeof each["value"] === "string";
  const found = components.filter(isMeant);
  if (found.length === 0) return undefined;
  entry["components"] = components.filter(
    (each) => !isMeant(each) && !(isObject(each) && each["kind"] === "separator"),
  );
  return found.map(({ value }) => value).join(" ");
}

/** Returns a full date as a person has it. */
function toDate(date: unknown): string | undefined {
  if (!isObject(date)) return undefined;
  const { utc, year, month, day, calendarScale } = date;
  if (typeof utc === "string") return utc.slice(0, 10);
  if (calendarScale !== undefined || ![year, month, day].every(Number.isInteger)) return undefined;
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

const prefOf = ({ pref }: Json): number => (typeof pref === "number" ? pref : unpreferred);

/** Returns a value of a list with what its entry says of it: its known uses, and the others as its label. */
function toListed(value: ContactValue, entry: Json, hasFeatures: boolean): ContactEntry {
  const words = (name: string): readonly string[] =>
    isObject(entry[name]) ? Object.keys(entry[name]).filter((word) => (entry[name] as Json)[word] === true) : [];
  const [uses, abilities] = [words("contexts"), hasFeatures ? words("features") : []];
  const known = {
    contexts: uses.filter((word) => contexts.includes(word)),
    features: abilities.filter((word) => features.includes(word)),
  };
  const other = [...uses, ...abilities]
    .filter((word) => ![...known.contexts, ...known.features].includes(word))
    .join(", ");
  const label = typeof entry["label"] === "string" ? entry["label"] : other;
  return {
    value,
    ...(known.contexts.length > 0 && { contexts: known.contexts }),
    ...(known.features.length > 0 && { features: known.features }),
    ...(label !== "" && { label }),
  };
}

/** Returns what is left of an object or entry; undefined where that says nothing. */
function restOf(entry: Json): Json | undefined {
  const { "@type": _type, isOrdered: _isOrdered, defaultSeparator: _separator, ...rest } = entry;
  if (Array.isArray(rest["components"])) {
    // A text of the whole would be wrong when a component changes.
    delete rest["full"];
    if (rest["components"].length === 0) delete rest["components"];
  }
  return Object.keys(rest).every((name) => name === "kind") ? undefined : rest;
}

/** Returns a member of a card as a property of a vCard (RFC 9555 §3.2.1); none for files. */
function toPatch([top, value]: readonly [string, unknown]): readonly VcardLine[] {
  const text = JSON.stringify(value, (_, each: unknown) =>
    isObject(each) && /^data:/i.test(jsonText(each["uri"])) ? undefined : each,
  );
  if (text === undefined || text === "{}" || top.includes('"')) return [];
  const pointer = top.replaceAll("~", "~0").replaceAll("/", "~1");
  return [vcardLine("JSPROP", escapeText(text), new Map([["JSPTR", [pointer]]]))];
}

/** Reads a property of a jCard (RFC 7095 §3.3); undefined if it is malformed, or says nothing of the person. */
function fromJcard(property: unknown): VcardLine | undefined {
  const [name, said, type, ...values]: readonly unknown[] = Array.isArray(property) ? property : [];
  if (typeof name !== "string" || !isObject(said) || typeof type !== "string") return undefined;
  const { group = "", ...others } = said;
  const texts = Object.entries(others).map(([key, each]) => [key.toUpperCase(), [each].flat().map(jsonText)] as const);
  const parameters = new Map(type === "text" || type === "unknown" ? texts : [["VALUE", [type]] as const, ...texts]);
  const value = type === "unknown" ? jsonText(values[0] ?? "") : values.map((each) => jcardText(each, type)).join(",");
  const line = parseVcardLine(vcardLineText({ group: jsonText(group), name: name.toUpperCase(), parameters, value }));
  return line === undefined || propertiesOfCards.has(line.name) ? undefined : line;
}

/** Returns a value of a jCard as it stands in a vCard: the parts of an array with semicolons between them. */
function jcardText(value: unknown, type: string): string {
  if (!Array.isArray(value)) return type === "text" ? escapeText(jsonText(value)) : jsonText(value);
  return value
    .map((part) =>
      [part]
        .flat()
        .map((text) => escapeText(jsonText(text)).replaceAll(";", "\\;"))
        .join(","),
    )
    .join(";");
}
