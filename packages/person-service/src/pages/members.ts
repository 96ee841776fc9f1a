import { type MemberList, onceFor } from "../person/member-list.ts";
import { textOf } from "../person/member-value.ts";
import { memberEntries, type PersonMember } from "../person/members.ts";

/** How a member of a person is shown and asked for. */
export interface MemberField extends Pick<PersonMember, "label" | "hint" | "list" | "of"> {
  /** `familyName`, or `address.postalCode` for a member of the address. */
  readonly name: string;
  readonly kind: PersonMember["kind"] | "time";
}

/** Members that are shown together. */
export interface MemberGroup {
  readonly title: string;
  readonly members: readonly MemberField[];
}

/** The fields of the members of a service. */
export interface MemberFields {
  /** The members that people edit, in the order of the page. */
  readonly groups: readonly MemberGroup[];
  /** Those of the groups: what a form has. */
  readonly edited: readonly MemberField[];
  /** Returns the field of a member; a member without one is a text under its own name. */
  fieldOf(name: string): MemberField;
}

export const fieldsOf: (members: MemberList) => MemberFields = onceFor(({ entries }) => {
  const fields = entries.map(([name, { label, kind, list, of, hint, group }]) => ({
    name,
    label,
    kind,
    group,
    ...(list !== undefined && { list }),
    ...(of !== undefined && { of }),
    ...(hint !== undefined && { hint }),
  }));
  const groups = Array.from(
    Map.groupBy(fields, ({ group }) => group),
    ([title, members]) => ({ title, members }),
  ).filter(({ title }) => title !== "");
  const byName = new Map<string, MemberField>([...fields, ...times].map((field) => [field.name, field]));
  return {
    groups,
    edited: groups.flatMap(({ members }) => members),
    fieldOf: (name) => byName.get(name) ?? { name, label: name, kind: "line" },
  };
});

const times: readonly MemberField[] = [
  { name: "createdAt", label: "Created", kind: "time" },
  { name: "updatedAt", label: "Changed", kind: "time" },
];

/** Returns the members that a list shows where nobody chose others. */
export const listColumns: (members: MemberList) => readonly string[] = onceFor(({ entries }) =>
  entries.flatMap(([name, { column }]) => (column ? [name] : [])),
);

/** The members that a person has below the name. */
export const headlines: readonly string[] = memberEntries.flatMap(([name, { headline }]) => (headline ? [name] : []));

/** The member that a person is called by. */
export const titleMember: string = memberEntries.find(([, { always }]) => always)?.[0] ?? "";
export const titleOf = (person: unknown): string | undefined => textOf(person, titleMember);
