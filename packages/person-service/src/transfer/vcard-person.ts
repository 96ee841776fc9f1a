import type { ContactList } from "../person/contact-lists.ts";
import { mostValues } from "../person/lists.ts";
import type { PersonMember } from "../person/member.ts";
import type { MemberList } from "../person/member-list.ts";
import { fromValues, memberOf, typedValue } from "../person/member-value.ts";
import { otherProperties } from "../person/members.ts";
import type { ContactValue } from "../person/person.ts";
import { splitValue, unescapeText, type VcardLine, vcardLineText } from "../person/vcard-lines.ts";
import {
  partsOf,
  productId,
  propertiesOfCards,
  typesOf,
  type VcardMember,
  type VcardProperty,
  vcardProperties,
} from "../person/vcard-properties.ts";
import { type FoundEntry, labelled, listed, plainText, unpreferred, usesOf, wordsWithoutUse } from "./contact-words.ts";

/**
 * Returns the person that the properties of a vCard say. Of a property that occurs several times, such as BDAY, the first one counts,
 * unless there is a list for all. What no member says is kept as it stands, but for photos and the like within the card.
 */
export function personOfVcard(properties: readonly VcardLine[], known: MemberList): object {
  const card = properties.flatMap((line) =>
    textLists.has(line.name) ? splitValue(line.value, ",").map((value) => ({ ...line, value })) : line,
  );
  const byName = Map.groupBy(card, ({ name }) => name);
  const isOurs = byName.get("PRODID")?.[0]?.value === productId;
  const version = byName.get("VERSION")?.[0]?.value.trim();
  const ofApple = byName.get("X-ABLABEL")?.filter(({ group }) => group !== "") ?? [];
  const labels = new Map(ofApple.map((label) => [label.group, label]));
  const inGroup = Map.groupBy(card, ({ group }) => group);
  /** What is left of the properties that members have taken. */
  const rests = new Map<VcardLine, VcardLine | undefined>();
  const values = vcardProperties(known).flatMap((property): readonly (readonly [name: string, value: unknown])[] => {
    const found = byName.get(property.property) ?? [];
    const { members, list } = property;
    const [first] = members;
    if (list !== undefined) {
      const entries = entriesOf(found, { members, list, labels, version });
      const seen = new Set<string>();
      const lefts = Array.from(entries, ([line, { entry }]) => {
        const value = JSON.stringify(entry.value);
        const isAgain = seen.has(value);
        seen.add(value);
        const label = labels.get(line.group);
        const isAlone = inGroup.get(line.group)?.every((each) => each === line || each === label);
        const left = emptied(isAlone ? { ...line, group: "" } : line, members, parametersOfEntries);
        return { line, left, types: typesOf(entry), isAgain };
      });
      for (const line of found) {
        if (!entries.has(line) && isOfPerson(line)) continue;
        const label = labels.get(line.group);
        for (const each of [line, label]) if (each !== undefined) rests.set(each, undefined);
      }
      // An address finds what is left of it by its types, and among those of the same types by its place.
      const kept = new Set<string>();
      for (const { line, left, types, isAgain } of first?.part === undefined ? [] : lefts.toReversed()) {
        if (saysMore(left)) kept.add(String(types));
        if (!kept.has(String(types)) || (isAgain && !saysMore(left))) continue;
        const type = types.length === 0 ? [] : [["TYPE", types] as const];
        rests.set(line, { ...left, parameters: new Map([...type, ...left.parameters]) });
      }
      return [[list.name, listed(entries.values())]];
    }
    if (first?.list) {
      for (const line of found) rests.set(line, undefined);
      return [
        [
          first.name,
          found.flatMap(({ value }) => splitValue(value, ",").flatMap((each) => toMember(each, first.kind) ?? [])),
        ],
      ];
    }
    const line = found.find((each) => valuesIn(each, members).some((value) => value !== undefined));
    if (line === undefined) return [];
    const isAlone = inGroup.get(line.group)?.length === 1;
    const left = emptied(isAlone ? { ...line, group: "" } : line, members);
    rests.set(line, saysMore(left) ? left : undefined);
    const taken = valuesIn(line, members);
    return members.map(({ name, kind }, i) => {
      const text = taken[i];
      return [name, text === undefined ? undefined : typedValue(text, kind)];
    });
  });
  const others = card.filter((line) => !rests.has(line) && isOfPerson(line) && !(isOurs && line.name === "UID"));
  const texts: string[] = [];
  const taken = new Set<string>();
  for (const rest of rests.values()) {
    if (rest === undefined) continue;
    let text = keptText(rest);
    // Of two addresses, the same may be left: an empty part more is another text that says as much. Too many are refused.
    while (taken.size <= mostValues && taken.has(text)) text += ";";
    taken.add(text);
    texts.push(text);
  }
  for (const text of others.map(keptText)) {
    if (!taken.has(text)) texts.push(text);
    taken.add(text);
  }
  return fromValues([...values, [otherProperties, texts.length === 0 ? undefined : texts]]);
}

/** Returns a property as a person keeps it. */
export const keptText = (line: VcardLine): string =>
  vcardLineText(line)
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, " ")
    .trim();

/** Whether a property that no member takes says something of the person, and is not a file. */
const isOfPerson = (line: VcardLine): boolean =>
  !propertiesOfCards.has(line.name) &&
  /[^;\s]/.test(line.value) &&
  !isEncoded(line, /^(?:b|base64)$/i) &&
  !/^data:/i.test(line.value);

/** Whether a property has an encoding. */
export const isEncoded = ({ parameters }: VcardLine, encoding: RegExp): boolean =>
  parameters.get("ENCODING")?.some((each) => encoding.test(each)) === true;

/** Returns what a property says of each of the members. */
function valuesIn(
  { value, name, parameters }: VcardLine,
  members: readonly VcardMember[],
): readonly (string | undefined)[] {
  // The year is one that Apple writes in the place of none.
  if (parameters.has("X-APPLE-OMIT-YEAR")) return [];
  const parts = partsOf[name] === undefined ? undefined : splitValue(value, ";");
  return members.map(({ kind, part }) => {
    if (parts !== undefined) return toMember(textsOf(parts[part ?? 0] ?? "").join(", "), kind);
    return toMember(value, kind);
  });
}

/** Several texts of one part are one: `Main St 1, 2nd floor`. */
const textsOf = (part: string): readonly string[] => splitValue(part, ",").map((text) => text.trim());

/** The properties with several values on a line, of which a person has one (RFC 6350 §6.2.3). */
const textLists: ReadonlySet<string> = new Set(["NICKNAME"]);

/** Returns a property without what members take of it: their parts are empty. */
function emptied(line: VcardLine, members: readonly VcardMember[], taken = parametersOfValues): VcardLine {
  const parts = new Set(members.map(({ part }) => part));
  const count = partsOf[line.name];
  const texts = count === undefined ? [] : splitValue(line.value, ";");
  const length = Math.max(texts.length, count ?? 0);
  const value = Array.from({ length }, (_, i) => (parts.has(i) ? "" : texts[i])).join(";");
  return { ...line, parameters: new Map([...line.parameters].filter(([name]) => !taken.has(name))), value };
}

/** Whether what is left of a property says something. */
const saysMore = ({ value, parameters, group }: VcardLine): boolean =>
  /[^;]/.test(value) || parameters.size > 0 || group !== "";

/** They say how a value is written, not what it means. */
const parametersOfValues: ReadonlySet<string> = new Set(["VALUE", "CHARSET", "ENCODING"]);

/** What they say is in an entry. */
const parametersOfEntries: ReadonlySet<string> = new Set([...parametersOfValues, "TYPE", "PREF"]);

/** What the entries of a list are made of. */
interface ListSource extends Pick<VcardProperty, "members"> {
  readonly list: ContactList;
  /** The labels of Apple, by the groups that have them. */
  readonly labels: ReadonlyMap<string, VcardLine>;
  readonly version: string | undefined;
}

/** Returns the values of the properties that have one, with what their parameters say of them. */
function entriesOf(
  found: readonly VcardLine[],
  { members, list, labels, version }: ListSource,
): ReadonlyMap<VcardLine, FoundEntry> {
  const entries = new Map<VcardLine, FoundEntry>();
  for (const line of found) {
    const texts = valuesIn(line, members);
    const value = memberOf(fromValues(members.map(({ name }, i) => [name, texts[i]] as const)), list.single);
    if (value === undefined) continue;
    const types = (line.parameters.get("TYPE") ?? []).flatMap((type) => type.toLowerCase().split(","));
    // Version 3.0 says of nearly every telephone that it has a voice, and of every e-mail that it is one of the Internet.
    const said = types.filter((type) => !silent.has(type) && (version === "4.0" || type !== "voice"));
    const other = wordsWithoutUse(said);
    const entry = {
      value: value as ContactValue, // made of texts
      ...(other !== "" && { label: other }),
      ...usesOf(said, list),
      ...labelOf(labels.get(line.group)?.value, list),
    };
    const preference = types.includes("pref") ? 1 : Number(line.parameters.get("PREF")?.[0] ?? unpreferred);
    entries.set(line, { entry, preference });
  }
  return entries;
}

/** The last four say how mail gets to an address, and version 4.0 has them no more. */
const silent: ReadonlySet<string> = new Set(["pref", "internet", "dom", "intl", "postal", "parcel"]);

/** Returns what a label says: one of Apple's own, `_$!<Home>!$_`, or a text. */
function labelOf(label: string | undefined, list: ContactList): ReturnType<typeof labelled> {
  if (label === undefined || label.trim() === "") return {};
  const own = /^_\$!<(.*)>!\$_$/.exec(label)?.[1];
  if (own === undefined) return { label: unescapeText(label).replaceAll("\n", " ").trim() };
  return own === "HomePage" ? {} : labelled(own, list);
}

function toMember(escaped: string, kind: PersonMember["kind"]): string | undefined {
  const text = plainText(unescapeText(escaped), kind);
  if (kind === "text") return text;
  const lines = text.split("\n").map((each) => each.trim());
  const line = lines.filter((each) => each !== "").join(", ");
  if (line === "") return undefined;
  if (kind !== "date") return line;
  // A time of birth is left out, and what is no full date is kept as it stands.
  const date = line.replace(/T.*$/, "").replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3");
  return /^-|^\d{4}(?:-\d\d)?$/.test(date) ? undefined : date;
}
