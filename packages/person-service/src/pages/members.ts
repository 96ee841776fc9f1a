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

const fields = memberEntries.map(([name, { label, kind, list, of, hint, group }]) => ({
  name,
  label,
  kind,
  group,
  ...(list !== undefined && { list }),
  ...(of !== undefined && { of }),
  ...(hint !== undefined && { hint }),
}));

/** The members that people edit, in the order of the page. */
export const memberGroups: readonly MemberGroup[] = Array.from(
  Map.groupBy(fields, ({ group }) => group),
  ([title, members]) => ({ title, members }),
).filter(({ title }) => title !== "");

/** Every member of a stored person. */
export const memberFields: readonly MemberField[] = [
  ...fields,
  { name: "createdAt", label: "Created", kind: "time" },
  { name: "updatedAt", label: "Changed", kind: "time" },
];

const byName = new Map(memberFields.map((field) => [field.name, field]));

/** Returns the field of a member; a member without one is a text under its own name. */
export const fieldOf = (name: string): MemberField => byName.get(name) ?? { name, label: name, kind: "line" };

/** The members that a list shows where nobody chose others, and those that a person has below the name. */
export const listColumns: readonly string[] = memberEntries.flatMap(([name, { column }]) => (column ? [name] : []));
export const headlines: readonly string[] = memberEntries.flatMap(([name, { headline }]) => (headline ? [name] : []));

/** The member that a person is called by. */
export const titleMember: string = memberEntries.find(([, { always }]) => always)?.[0] ?? "";
export const titleOf = (person: unknown): string | undefined => textOf(person, titleMember);
