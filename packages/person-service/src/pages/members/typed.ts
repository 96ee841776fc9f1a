import { countryCodeOf } from "../../person/countries.ts";
import {
  fromValues,
  isObject,
  preferredMark,
  textOf,
  typedValue,
  webAddress,
  withSaid,
} from "../../person/member-value.ts";
import {
  contexts,
  derivedName,
  features,
  memberTable,
  nameParts,
  type PersonMemberName,
  partNames,
} from "../../person/members.ts";
import type { FurtherValue, MemberValue, Person } from "../../person/person.ts";
import { splitValue } from "../../person/vcard-lines.ts";
import { typedDate } from "../../transfer/dates.ts";
import type { Reader } from "../frame/reader.ts";
import type { MemberField, MemberFields } from "./fields.ts";

/** What the fields of a form have, by member: text, which is empty for what a person does not have; of a list, a line for each value. */
export type Values = Readonly<Record<string, string>>;

/** Returns the members of a person as a form has them. */
export const formValuesOf = (person: unknown, { edited }: MemberFields): Values =>
  Object.fromEntries(edited.map(({ name }) => [name, textOf(person, name, "\n") ?? ""]));

/** Reads the values that a form had before, as JSON of those that it showed. Returns empty values for any other text. */
export function valuesIn(text: string, { edited }: MemberFields, reader: Reader): Values {
  const given = parseObject(text);
  return Object.fromEntries(
    edited.map((field) => {
      const value = isObject(given) ? given[field.name] : undefined;
      return [field.name, typeof value === "string" ? normal(reader, field, value) : ""];
    }),
  );
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads the fields that a form was sent with; of those that it does not have, the values are the given ones. */
export function typedIn(form: URLSearchParams, others: Values, { edited }: MemberFields, reader: Reader): Values {
  return Object.fromEntries(
    edited.map((field) => {
      const sent = form.get(field.name);
      return [field.name, sent === null ? (others[field.name] ?? "") : normal(reader, field, sent)];
    }),
  );
}

/** Returns what a field stands for: lines that end by LF; or text without white space around it, of a date as it is stored, of a country its code. */
function normal(reader: Reader, { kind, list, of }: MemberField, text: string): string {
  if (list) return linesOf(text).join("\n");
  if (of !== undefined)
    return linesOf(text)
      .map((line) => withUses(line, reader.usesOf))
      .join("\n");
  if (kind === "text") return text.replaceAll("\r\n", "\n");
  const trimmed = text.trim();
  if (kind === "date") return typedDate(trimmed, reader.dateForm) ?? trimmed;
  if (kind === "url") return webAddress(trimmed);
  return kind === "country" ? (countryCodeOf(trimmed) ?? trimmed) : trimmed;
}

/** Returns a value as a field shows it to a reader, who types it so: `normal` takes it back. */
export function shownIn(reader: Reader, { kind, of }: MemberField, value: string): string {
  if (of !== undefined)
    return value
      .split("\n")
      .map((line) => withUses(line, reader.wordsFor))
      .join("\n");
  if (kind === "date") return reader.dateText(value);
  return kind === "country" ? (reader.countries.get(value) ?? value) : value;
}

/** Puts the words for what a value is for, `ada@example.org (work, preferred)`, into others. */
function withUses(line: string, others: ReadonlyMap<string, string>): string {
  const { value, words } = saidIn(line);
  return withSaid(
    value,
    words.map((word) => others.get(word) ?? word),
  );
}

/** Parts a value from what is said of it. */
function saidIn(line: string): { readonly value: string; readonly words: readonly string[] } {
  const [, value = line, said] = /^(.*\S)\s+\((\p{L}[^()]*)\)$/u.exec(line) ?? [];
  return { value, words: said?.split(",").map((word) => word.trim()) ?? [] };
}

const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Returns the value of a member that a field stands for; undefined for none. */
function memberFrom(
  { kind, list, of }: MemberField,
  text: string | undefined,
): ReturnType<typeof typedValue> | readonly (string | FurtherValue)[] | undefined {
  if (text === undefined || text === "") return undefined;
  if (of !== undefined) return linesOf(text).map((line) => toEntry(line, of));
  if (list) return linesOf(text);
  return kind === "time" ? text : typedValue(text, kind);
}

/** Reads a value with what is said of it, `ada@example.org (work, preferred)`, as `textOf` writes it. */
function toEntry(line: string, single: string): FurtherValue {
  const { value, words } = saidIn(line);
  const among = (known: readonly string[]): readonly string[] => words.filter((word) => known.includes(word));
  const [uses, abilities] = [among(contexts), among(features)];
  const isUse = (word: string): boolean => contexts.includes(word) || features.includes(word);
  const label = words.filter((word) => !isUse(word) && word !== preferredMark && word !== "").join(", ");
  return {
    value: valueFrom(value, single),
    ...(uses.length > 0 && { contexts: uses }),
    ...(abilities.length > 0 && { features: abilities }),
    ...(label !== "" && { label }),
    ...(words.includes(preferredMark) && { preferred: true }),
  };
}

/** Reads the value of an entry, which may be an object: text that is too much is of its last part. */
function valueFrom(text: string, single: string): MemberValue {
  const parts = partNames(single);
  if (parts.length === 0) return memberTable[single as PersonMemberName].kind === "url" ? webAddress(text) : text; // a name of the table
  const texts = splitValue(text, ";").map((each) => each.replaceAll(/\\([\\;])/g, "$1").trim());
  const last = texts.splice(parts.length - 1).join("; ");
  const values = parts.map((part, i): readonly [string, string | undefined] => {
    const typed = texts[i] ?? (i === parts.length - 1 ? last : "");
    const { kind } = memberTable[`${single}.${part}` as PersonMemberName]; // a name of the table
    return [part, (kind === "country" && countryCodeOf(typed)) || typed || undefined];
  });
  return fromValues(values) as MemberValue; // of texts
}

/** Returns the person that the values say: members without a value are absent. */
export function personOf(values: Values, { fieldOf }: MemberFields): Partial<Person> {
  return fromValues(Object.entries(values).map(([name, text]) => [name, memberFrom(fieldOf(name), text)])); // valid or not
}

/** Returns the merge patch (RFC 7396) from one state to another: null takes a member away. Undefined where they are the same. */
export function patchBetween(before: Values, after: Values, fields: MemberFields): object | undefined {
  const changed = Object.entries(after).filter(([name, value]) => value !== before[name]);
  if (changed.length === 0) return undefined;
  const patch = fromValues(changed.map(([name, text]) => [name, memberFrom(fields.fieldOf(name), text) ?? null]));
  const present: Readonly<Record<string, unknown>> = personOf(after, fields);
  // A name that was made of its parts is made again of what they are now.
  const { name, ...parts } = personOf(before, fields);
  const isDue = !("name" in patch) && nameParts.some((part) => part in patch);
  if (isDue && name === derivedName(parts) && derivedName(present) !== "") patch["name"] = null;
  return patch;
}

/** A change that two have made: what the first one read, what it has typed, and what the second one has stored meanwhile. */
interface Meeting {
  readonly before: Values;
  readonly mine: Values;
  readonly theirs: Values;
}

/** Returns both changes together; where the two have changed the same member, that of the first. */
export const merged = ({ before, mine, theirs }: Meeting): Values =>
  Object.fromEntries(
    Object.entries(theirs).map(([name, value]) => [name, mine[name] === before[name] ? value : (mine[name] ?? value)]),
  );

/** Returns whether the two have changed a member differently. */
export const areContested = ({ before, mine, theirs }: Meeting): boolean =>
  Object.entries(theirs).some(
    ([name, value]) => value !== mine[name] && value !== before[name] && mine[name] !== before[name],
  );
