import type { Language } from "../../person/languages.ts";
import type { PersonMember } from "../../person/member.ts";
import { type MemberList, onceFor } from "../../person/member-list.ts";
import { textOf } from "../../person/member-value.ts";
import { memberEntries } from "../../person/members.ts";
import { type Reader, readerFor } from "../frame/reader.ts";

/** How a member of a person is shown and asked for. */
export interface MemberField extends Pick<PersonMember, "list" | "of"> {
  /** `familyName`, or `address.postalCode` for a member of the address. */
  readonly name: string;
  readonly kind: PersonMember["kind"] | "time";
  readonly label: string;
  readonly hint?: string;
  /** The values that it may have, each with what it is called; undefined for a member that may have any. */
  readonly choices?: readonly (readonly [value: string, label: string])[];
}

/** Members that are shown together. */
export interface MemberGroup {
  readonly title: string;
  readonly members: readonly MemberField[];
}

/** The fields of the members of a service, in the words of a reader. */
export interface MemberFields {
  /** The members that people edit, in the order of the page. */
  readonly groups: readonly MemberGroup[];
  /** Those of the groups: what a form has. */
  readonly edited: readonly MemberField[];
  /** Returns the field of a member; a member without one is a text under its own name. */
  fieldOf(name: string): MemberField;
}

export const fieldsOf = (members: MemberList, { language }: Reader): MemberFields => inEachLanguage(members)[language];

const inEachLanguage: (members: MemberList) => Readonly<Record<Language, MemberFields>> = onceFor((members) => ({
  en: fieldsFor(members, readerFor("en")),
  de: fieldsFor(members, readerFor("de")),
  fr: fieldsFor(members, readerFor("fr")),
  es: fieldsFor(members, readerFor("es")),
}));

function fieldsFor({ entries }: MemberList, { language, words }: Reader): MemberFields {
  const fields = entries.map(([name, { label, kind, list, of, hint, values, group }]) => ({
    name,
    label: label[language],
    kind,
    group,
    ...(list !== undefined && { list }),
    ...(of !== undefined && { of }),
    ...(hint !== undefined && { hint: hint[language] }),
    ...(kind === "boolean" && { choices: Object.entries(words.truths) }),
    ...(values !== undefined && { choices: values.map((value) => [value, value] as const) }),
  }));
  const groups = [...Map.groupBy(fields, ({ group }) => group)].flatMap(([group, members]) =>
    group === "" ? [] : [{ title: words.groups[group], members }],
  );
  const times = ["createdAt", "updatedAt"] as const;
  const ofStore = times.map((name) => ({ name, label: words.times[name], kind: "time" }) as const);
  const byName = new Map<string, MemberField>([...fields, ...ofStore].map((field) => [field.name, field]));
  return {
    groups,
    edited: groups.flatMap(({ members }) => members),
    fieldOf: (name) => byName.get(name) ?? { name, label: name, kind: "line" },
  };
}

/** Returns the members that a list shows where nobody chose others. */
export const usualColumns: (members: MemberList) => readonly string[] = onceFor(({ entries }) =>
  entries.flatMap(([name, { column }]) => (column ? [name] : [])),
);

/** The members that a person has below the name. */
export const headlines: readonly string[] = memberEntries.flatMap(([name, { headline }]) => (headline ? [name] : []));

/** The member that a person is called by. */
export const titleMember: string = memberEntries.find(([, { always }]) => always)?.[0] ?? "";
export const titleOf = (person: unknown): string | undefined => textOf(person, titleMember);
