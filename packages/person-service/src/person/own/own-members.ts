import { storeMembers } from "@waymark/collection/internal";
import { wording } from "waymark/internal";
import { looseKey } from "../members/loose-key.ts";
import type { PersonMember } from "../members/member.ts";
import { type MemberList, membersWith } from "../members/member-list.ts";
import { isObject } from "../members/member-value.ts";
import { memberEntries, ownObject } from "../members/members.ts";
import { jsonType } from "../members/value-schemas.ts";
import { wordsWithMembers } from "./column-words.ts";
import { type MemberFault, readDeclaration } from "./member-declaration.ts";

/** The members of a service's own, by their names, `custom.staffNumber`; or all that is wrong with them. */
export type OwnMembers =
  | { readonly members: Readonly<Record<string, PersonMember>>; readonly faults?: undefined }
  | { readonly faults: readonly MemberFault[] };

/**
 * Reads the members that a service declares for itself.
 *
 * ```ts
 * readOwnMembers({ staffNumber: { type: "string", pattern: "^[A-Z]-[0-9]{4}$", "x-unique": true, title: "Staff no." } });
 * ```
 */
export function readOwnMembers(declared: unknown): OwnMembers {
  if (!isObject(declared)) return { faults: [{ path: [], message: `must be an object, not ${jsonType(declared)}` }] };
  const names = Object.keys(declared);
  const faults: MemberFault[] =
    names.length > mostMembers
      ? [{ path: [], message: `has ${names.length} members; at most ${mostMembers} are allowed` }]
      : [];
  const members: [string, PersonMember][] = [];
  for (const [i, name] of names.entries()) {
    const fault = faultInName(name, names.slice(0, i));
    if (fault !== undefined) faults.push({ path: [name], message: fault });
    const { faults: others, member } = readDeclaration(name, declared[name]);
    for (const { path, message } of others) faults.push({ path: [name, ...path], message });
    if (member !== undefined) members.push([`${ownObject}.${name}`, member]);
  }
  const own = Object.fromEntries(members);
  faults.push(...faultsInAliases(own));
  return faults.length > 0 ? { faults } : { members: own };
}

/** Finds the aliases that mean another member, too: a column with such a heading would be either. */
function faultsInAliases(own: Readonly<Record<string, PersonMember>>): readonly MemberFault[] {
  const namesOf = Map.groupBy(wordsWithMembers(membersWith(own)), ([word]) => word);
  return Object.entries(own).flatMap(([name, { words }]) =>
    words.split(", ").flatMap((alias) => {
      const other = namesOf.get(looseKey(alias))?.find(([, each]) => each !== name)?.[1];
      const path = [name.slice(ownObject.length + 1), "x-aliases"];
      return other === undefined
        ? []
        : [{ path, message: `has ${wording.excerpt(alias)}, which means ${other} already` }];
    }),
  );
}

/**
 * Returns the members of people in a service that declares some of its own: see `readOwnMembers`.
 *
 * @throws TypeError with all that is wrong with them
 */
export function membersOf(declared: unknown): MemberList {
  const { members, faults } = { members: {}, ...readOwnMembers(declared) };
  if (faults === undefined) return membersWith(members);
  throw new TypeError(faults.map(({ path, message }) => `${["members", ...path].join(".")} ${message}`).join("; "));
}

/** Each has a column and an index of its own. */
const mostMembers = 50;

function faultInName(name: string, before: readonly string[]): string | undefined {
  const isSame = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
  if (!/^[A-Za-z][A-Za-z0-9]{0,39}$/.test(name))
    return "cannot name a member: it takes 1 to 40 of A-Z, a-z and 0-9, a letter first";
  if (names.some(isSame)) return "is the name of a member that every service has: choose another one";
  const twin = before.find(isSame);
  return twin === undefined ? undefined : `differs from ${wording.quote(twin)} only in its case`;
}

/** Those that a member of a service's own cannot have. */
const names: readonly string[] = [
  ...memberEntries.flatMap(([name]) => name.split(".")),
  ...storeMembers.map(({ name }) => name),
  ownObject,
];
