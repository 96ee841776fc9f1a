import { looseKey } from "../members/loose-key.ts";
import { namesFor } from "../members/member.ts";
import { type MemberList, onceFor } from "../members/member-list.ts";

/**
 * Returns the headings that mean a member, as `looseKey` has them: its own name in any case, `postal_code` for one of an object, and
 * what the table says that others call it.
 */
export const wordsForMembers: (members: MemberList) => ReadonlyMap<string, readonly string[]> = onceFor(
  ({ entries }) =>
    new Map(
      entries.map(([name, member]) => {
        const called = member.group === "" ? [] : namesFor(member);
        const all = [name, name.slice(name.indexOf(".") + 1), ...called].map(looseKey);
        return [name, [...new Set(all)].filter((word) => word !== "")];
      }),
    ),
);

/** Returns what means members, a pair for each such word of each member. */
export const wordsWithMembers = (members: MemberList): readonly (readonly [word: string, member: string])[] =>
  Array.from(wordsForMembers(members), ([member, words]) => words.map((word) => [word, member] as const)).flat();
