import type { MemberList } from "../members/member-list.ts";
import { fromValues, jsonText, memberOf, valuesOf } from "../members/member-value.ts";
import { contexts, type FurtherValues, features, mostValues, otherProperties } from "../members/members.ts";
import type { FurtherValue, MemberValue, StoredPerson } from "../members/person.ts";
import { meaningOf } from "./uses.ts";
import {
  escapeText,
  parseVcardLine,
  splitValue,
  unescapeText,
  type VcardLine,
  vcardLine,
  vcardLineText,
} from "./vcard-lines.ts";
import {
  completed,
  emptied,
  isRestOf,
  partsOf,
  productId,
  propertiesOfCards,
  propertyRuleFor,
  saysMore,
  uniqueId,
  type VcardMember,
  type VcardProperty,
  valuesIn,
  vcardProperties,
  without,
} from "./vcard-properties.ts";

export type Version = "3.0" | "4.0";

/** A person that a card says, and what it says that no person can hold: so many such properties, or one that is so long. */
export interface ReadCard {
  readonly person: Readonly<Record<string, unknown>>;
  readonly left: readonly string[];
}

/**
 * Returns the person that the properties of a vCard say. Of a property that occurs several times, such as BDAY, the first one counts,
 * unless there are further values. What no member can hold is kept as it stands, but for photos and the like within the card.
 */
export function personOfCard(properties: readonly VcardLine[], known: MemberList): ReadCard {
  const version = firstText(properties, "VERSION")?.trim();
  const isOurs = firstText(properties, "PRODID") === productId;
  const card = withAnniversary(properties)
    .flatMap((line) =>
      line.name === "NICKNAME" ? splitValue(line.value, ",").map((value) => ({ ...line, value })) : line,
    )
    .filter(
      (line) =>
        !propertiesOfCards.has(line.name) &&
        // The country of an address, as iPhones have it beside its name.
        line.name !== "X-ABADR" &&
        !(isOurs && line.name === "UID") &&
        (line.name === "NOTE" || (partsOf[line.name] === undefined ? /\S/ : /[^;\s]/).test(line.value)) &&
        !isFile(line),
    );
  const groups = Map.groupBy(card, ({ group }) => group);
  const labels = new Map(
    card.flatMap((line) => (line.name === "X-ABLABEL" && line.group !== "" ? [[line.group, line] as const] : [])),
  );
  const isAlone = (line: VcardLine): boolean => groups.get(line.group)?.length === 1;
  const taken = new Set<VcardLine>();
  const values: (readonly [name: string, value: unknown])[] = [];
  const rests: VcardLine[] = [];
  const usedGroups = new Set(groups.keys());
  /** Keeps what is left of a property that a member has taken. */
  const leave = (line: VcardLine, rest: VcardLine): void => {
    taken.add(line);
    const left = { ...rest, group: isAlone(line) ? "" : rest.group, parameters: without(rest.parameters, ofValues) };
    if (saysMore(left)) rests.push(left);
  };
  for (const property of vcardProperties(known)) {
    const found = card.filter(({ name }) => name === property.property);
    const { members, further } = property;
    const [first] = members;
    if (first?.list) {
      const texts: unknown[] = [];
      for (const line of found) {
        const [good, bad] = partition(splitValue(line.value, ","), (value) => first.read(value) !== undefined);
        for (const text of good.map(first.read)) if (!texts.includes(text)) texts.push(text);
        if (good.length > 0) leave(line, { ...line, value: bad.join(",") });
      }
      values.push([first.name, texts.slice(0, mostValues)]);
      continue;
    }
    if (further === undefined) {
      const line = found.find((each) => says(valuesIn(each, members)));
      if (line === undefined) continue;
      const read = valuesIn(line, members);
      for (const [i, { name }] of members.entries()) values.push([name, read[i]]);
      leave(line, emptied(line, members, read));
      continue;
    }
    const entries = distinct(
      found.flatMap((line) => entryOf(line, { property, further, label: labels.get(line.group), version }) ?? []),
    );
    for (const { lines } of entries) for (const line of lines) taken.add(line);
    const chosen = firstOf(entries);
    if (chosen !== undefined) {
      values.push([further.single, chosen.entry.value]);
      const entry = furtherOf(chosen, further, { isAlone: isAloneBut(groups, chosen), isFirst: true });
      rests.push(...linesOfFirst(entry, property, usedGroups));
    }
    values.push([
      further.name,
      entries
        .filter((each) => each !== chosen)
        .map((each) => furtherOf(each, further, { isAlone: isAloneBut(groups, each), isFirst: false })),
    ]);
  }
  const others = card.filter((line) => !taken.has(line) && line.value !== "");
  const kept = [...rests, ...others].map(keptText);
  const left: string[] = [];
  const rule = propertyRuleFor(undefined);
  const texts = [...new Set(kept)].filter((text, i) => {
    const isRight = i < mostValues && text.length <= longestKept && rule(text) === undefined;
    if (!isRight) left.push(text);
    return isRight;
  });
  return { person: fromValues([...values.filter(([, value]) => !isEmpty(value)), ...keep(texts)]), left };
}

const keep = (texts: readonly string[]): readonly (readonly [string, unknown])[] =>
  texts.length === 0 ? [] : [[otherProperties, texts]];

const isEmpty = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

const says = (values: readonly unknown[]): boolean => values.some((value) => value !== undefined);

const firstText = (lines: readonly VcardLine[], name: string): string | undefined =>
  lines.find((line) => line.name === name)?.value;

function partition<T>(values: readonly T[], isFirst: (value: T) => boolean): readonly [T[], T[]] {
  const { yes = [], no = [] } = Object.groupBy(values, (value) => (isFirst(value) ? "yes" : "no"));
  return [yes, no];
}

/** In characters. */
const longestKept = 4000;

/** Returns a property as a person keeps it. */
const keptText = (line: VcardLine): string =>
  vcardLineText(line)
    .replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, " ")
    .trim();

const isFile = ({ parameters, value }: VcardLine): boolean =>
  parameters.get("ENCODING")?.some((each) => /^(?:b|base64)$/i.test(each)) === true || /^data:/i.test(value);

/** Has the anniversary of an iPhone, a date with a label, as one. */
function withAnniversary(card: readonly VcardLine[]): readonly VcardLine[] {
  const label = card.find(({ name, value }) => name === "X-ABLABEL" && /^_\$!<Anniversary>!\$_$/i.test(value));
  const date = card.find(({ name, group }) => name === "X-ABDATE" && group === label?.group);
  if (date === undefined || card.some(({ name }) => name === "ANNIVERSARY")) return card;
  return card.flatMap((line) =>
    line === label ? [] : line === date ? [{ ...line, name: "ANNIVERSARY", group: "", parameters: new Map() }] : [line],
  );
}

/** A value of a list in a card. */
interface FoundEntry {
  /** Its property, and its label. */
  readonly lines: readonly [VcardLine, ...VcardLine[]];
  readonly entry: FurtherValue;
  /** What TYPE says, in small letters. */
  readonly types: readonly string[];
  /** How much it is preferred: less is more. */
  readonly preference: number;
  /** Whether it is said to be no first one. */
  readonly isFurther: boolean;
  /** What is left of its property, without TYPE. */
  readonly rest: VcardLine;
}

interface EntrySource {
  readonly property: VcardProperty;
  readonly further: FurtherValues;
  readonly label: VcardLine | undefined;
  readonly version: string | undefined;
}

/** Returns the value of a property with what its parameters say of it; undefined where no member can be it. */
function entryOf(line: VcardLine, { property, further, label, version }: EntrySource): FoundEntry | undefined {
  const { members } = property;
  const read = valuesIn(line, members);
  const value = memberOf(fromValues(members.map(({ name }, i) => [name, read[i]] as const)), further.single);
  if (value === undefined) return undefined;
  const said = (line.parameters.get("TYPE") ?? []).flatMap((type) => type.toLowerCase().split(","));
  const pref = Number(line.parameters.get("PREF")?.[0]);
  const isPreferred = said.includes("pref") || pref === 1;
  // Version 3.0 says of nearly every telephone that it has a voice, and of every e-mail that it is one of the Internet.
  const types = [...new Set(said)].filter(
    (type) => !(silent.has(type) || type === "" || (type === "voice" && version !== "4.0")),
  );
  const parameters = without(line.parameters, isPreferred ? ofPreferred : ofEntries);
  return {
    lines: label === undefined ? [line] : [line, label],
    entry: { value: value as MemberValue }, // made of texts
    types,
    preference: isPreferred ? 1 : pref > 0 ? pref : unpreferred,
    isFurther: line.parameters.has("X-FURTHER"),
    rest: { ...emptied(line, members, read), parameters },
  };
}

/** More than the greatest (RFC 6350 §5.3). */
const unpreferred = 101;

/** They say how a value is written, not what it means. */
const ofValues: ReadonlySet<string> = new Set(["VALUE", "CHARSET", "ENCODING"]);
const ofEntries: ReadonlySet<string> = new Set([...ofValues, "TYPE", "X-FURTHER"]);
const ofPreferred: ReadonlySet<string> = new Set([...ofEntries, "PREF"]);

/** The last four say how mail gets to an address, and version 4.0 has them no more. */
const silent: ReadonlySet<string> = new Set(["pref", "internet", "dom", "intl", "postal", "parcel"]);

function distinct(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  const seen = new Set<string>();
  const kept: FoundEntry[] = [];
  for (const each of entries) {
    const key = JSON.stringify(each.entry.value);
    // What says the same in another property is there already.
    if (!seen.has(key) && kept.length <= mostValues) kept.push(each);
    seen.add(key);
  }
  return kept;
}

/** Returns the preferred one; nobody is called by a fax, where there is another. */
const firstOf = (entries: readonly FoundEntry[]): FoundEntry | undefined =>
  entries
    .filter(({ isFurther }) => !isFurther)
    .toSorted((a, b) => a.preference - b.preference || Number(isForMachines(a)) - Number(isForMachines(b)))[0];

const isForMachines = ({ types }: FoundEntry): boolean => types.includes("fax") || types.includes("pager");

/** Whether nothing stands in the group of an entry but itself and its label. */
const isAloneBut = (groups: ReadonlyMap<string, readonly VcardLine[]>, { lines }: FoundEntry): boolean =>
  groups.get(lines[0].group)?.every((line) => lines.includes(line)) === true;

/** Makes a further value of what a card says of it: the uses that are known, a label, and the rest as it stands. */
function furtherOf(
  found: FoundEntry,
  { hasFeatures }: FurtherValues,
  { isAlone, isFirst }: { readonly isAlone: boolean; readonly isFirst: boolean },
): FurtherValue {
  const { lines, entry, types, preference, rest } = found;
  const [, label] = lines;
  const own = label && /^_\$!<(.*)>!\$_$/.exec(label.value)?.[1];
  const ofLabel = own === undefined ? [] : (own.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []);
  const words = [...types, ...ofLabel].map(meaningOf);
  const among = (known: readonly string[]): readonly string[] => [
    ...new Set(words.filter((word) => known.includes(word))),
  ];
  const [uses, abilities] = [among(contexts), hasFeatures ? among(features) : []];
  const isKnown = (word: string): boolean => uses.includes(meaningOf(word)) || abilities.includes(meaningOf(word));
  const unknown = types.filter((type) => !isKnown(type));
  const text =
    label === undefined || own === "HomePage" || (own !== undefined && ofLabel.length > 0 && ofLabel.every(isKnown))
      ? ""
      : (own ?? unescapeText(label.value)).replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, " ").trim();
  const parameters = new Map([...(unknown.length > 0 ? [["TYPE", unknown] as const] : []), ...rest.parameters]);
  // The first one keeps its label in its group.
  const left = { ...rest, parameters, group: isAlone && !(isFirst && text !== "") ? "" : rest.group };
  const kept = keptText(left);
  return {
    ...entry,
    ...(uses.length > 0 && { contexts: uses }),
    ...(abilities.length > 0 && { features: abilities }),
    ...(text !== "" && { label: Array.from(text).slice(0, 100).join("") }),
    ...(preference === 1 && { preferred: true }),
    ...(saysMore(left) && kept.length <= longestKept && { vCardProp: kept }),
  };
}

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
function linesOfFirst(entry: FurtherValue, property: VcardProperty, groups: Set<string>): readonly VcardLine[] {
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
