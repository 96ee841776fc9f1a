import type { MemberList } from "../members/member-list.ts";
import { fromValues, memberOf } from "../members/member-value.ts";
import { type FurtherValues, mostValues, otherProperties } from "../members/members.ts";
import type { FurtherValue, MemberValue } from "../members/person.ts";
import { keptText, linesOfFirst, longestKept } from "./lines-of-person.ts";
import { meaningOf, usesOf } from "./uses.ts";
import { splitValue, unescapeText, type VcardLine } from "./vcard-lines.ts";
import {
  emptied,
  partsOf,
  productId,
  propertiesOfCards,
  propertyRuleFor,
  saysMore,
  type VcardProperty,
  valuesIn,
  vcardProperties,
  without,
} from "./vcard-properties.ts";

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
      const line = found.find((each) => valuesIn(each, members).some((value) => value !== undefined));
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

const firstText = (lines: readonly VcardLine[], name: string): string | undefined =>
  lines.find((line) => line.name === name)?.value;

function partition<T>(values: readonly T[], isFirst: (value: T) => boolean): readonly [T[], T[]] {
  const { yes = [], no = [] } = Object.groupBy(values, (value) => (isFirst(value) ? "yes" : "no"));
  return [yes, no];
}

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
  list: FurtherValues,
  { isAlone, isFirst }: { readonly isAlone: boolean; readonly isFirst: boolean },
): FurtherValue {
  const { lines, entry, types, preference, rest } = found;
  const [, label] = lines;
  const own = label && /^_\$!<(.*)>!\$_$/.exec(label.value)?.[1];
  const ofLabel = own === undefined ? [] : (own.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []);
  const uses = usesOf([...types, ...ofLabel], list);
  const known = [...(uses.contexts ?? []), ...(uses.features ?? [])];
  const isKnown = (word: string): boolean => known.includes(meaningOf(word));
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
    ...uses,
    ...(text !== "" && { label: Array.from(text).slice(0, 100).join("") }),
    ...(preference === 1 && { preferred: true }),
    ...(saysMore(left) && kept.length <= longestKept && { vCardProp: kept }),
  };
}
