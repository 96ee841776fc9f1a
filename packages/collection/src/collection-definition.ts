import type { CollectionDefinition } from "./database.ts";

/**
 * Sees that the names in the definitions are names, since they become part of statements.
 *
 * @throws TypeError naming what is none, or what there is twice
 */
export function assertDefinitions(collections: readonly CollectionDefinition[]): void {
  for (const { name, unique = [] } of collections) {
    if (!/^(?!sqlite_|waymark_)[a-z][a-z0-9_]{0,62}$/.test(name)) {
      throw new TypeError(
        `${JSON.stringify(name)} cannot name a collection: it takes 1 to 63 of a-z, 0-9 and _, a letter first, and no sqlite_ or waymark_ before them`,
      );
    }
    for (const member of unique) {
      if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(member)) {
        throw new TypeError(
          `${JSON.stringify(member)} cannot be unique: such a member takes 1 to 63 of A-Z, a-z, 0-9 and _`,
        );
      }
    }
    // SQLite's names of columns compare without case.
    if (new Set(unique.map((member) => member.toLowerCase())).size < unique.length) {
      throw new TypeError(`Two unique members have one name: ${unique.join(", ")}`);
    }
  }
  const names = collections.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new TypeError(`Two collections have one name: ${names.join(", ")}`);
}
