import { storeMembers } from "@waymark/collection/internal";
import type { PersonMember } from "./member.ts";
import { memberEntries } from "./members.ts";

/** The members of the people of a service, from which all that depends on them is made: those of the table, and the service's own. */
export interface MemberList {
  /** In the order in which they are stored and sent. */
  readonly entries: readonly (readonly [name: string, member: PersonMember])[];
  readonly byName: ReadonlyMap<string, PersonMember>;
  /** The names of the members of a stored person, also of those that the store sets; those of the address as `address.postalCode`. */
  readonly names: readonly string[];
  /** The members that no two people share, by which people can be found. */
  readonly unique: readonly string[];
}

/** Makes the members of a service from those of its own, by name: `custom.staffNumber`. */
export function membersWith(own: Readonly<Record<string, PersonMember>>): MemberList {
  const entries = [...memberEntries, ...Object.entries(own)];
  return {
    entries,
    byName: new Map(entries),
    names: [...new Set([...entries.map(([name]) => name), ...storeMembers.map(({ name }) => name)])],
    unique: entries.flatMap(([name, { unique }]) => (unique ? [name] : [])),
  };
}

/** Those of a service that has none of its own. */
export const ourMembers: MemberList = membersWith({});

/** Makes something of the members of a service at the first question, and returns the same then on. */
export function onceFor<T>(make: (members: MemberList) => T): (members: MemberList) => T {
  const made = new WeakMap<MemberList, { readonly value: T }>();
  return (members) => {
    const known = made.get(members) ?? { value: make(members) };
    made.set(members, known);
    return known.value;
  };
}
