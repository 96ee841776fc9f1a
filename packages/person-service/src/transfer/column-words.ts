import { memberEntries } from "../person/members.ts";

/** Returns what a heading or a name is compared by: its letters and digits, in small letters and without marks. */
export const toLooseKey = (name: string): string =>
  name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");

/**
 * Returns the headings that mean a member, as `toLooseKey` has them: its own name in any case, `postal_code` for one of an object, and
 * what the page calls it, and the words of the table for it.
 */
export function wordsForMembers(): ReadonlyMap<string, readonly string[]> {
  headings ??= new Map(
    memberEntries.map(([name, { words, label, group }]) => {
      const shown = group === "" ? "" : label;
      const all = [name, name.slice(name.indexOf(".") + 1), shown, ...words.split(", ")].map(toLooseKey);
      return [name, [...new Set(all)].filter((word) => word !== "")];
    }),
  );
  return headings;
}

/** Made at the first question, since a start takes 2 ms longer with it. */
let headings: ReadonlyMap<string, readonly string[]> | undefined;
