import type { CollectionDefinition, Ownership } from "../database.ts";
import { storeMembers } from "../selection.ts";

/**
 * Sees that the names in the definitions are names, since they become part of statements.
 *
 * @throws TypeError naming what is none, or what there is twice
 */
export function assertDefinitions(collections: readonly CollectionDefinition[]): void {
  for (const { name, unique = [], selectable = [], fullText = [], owner } of collections) {
    if (!/^(?!sqlite_|waymark_)[a-z][a-z0-9_]{0,62}$/.test(name)) {
      throw new TypeError(
        `${JSON.stringify(name)} cannot name a collection: it takes 1 to 63 of a-z, 0-9 and _, a letter first, and no sqlite_ or waymark_ before them`,
      );
    }
    assertMembers(unique, /^[A-Za-z_][A-Za-z0-9_]{0,62}$/, "unique");
    assertMembers(
      selectable.map((member) => member.name),
      memberPath,
      "selectable",
    );
    assertMembers(fullText, memberPath, "searched for words");
    const ofStore = storeMembers.find((member) => selectable.some((other) => other.name === member.name));
    if (ofStore !== undefined) throw new TypeError(`${ofStore.name} is selectable in every collection`);
    if (owner !== undefined) assertOwner(name, owner, collections);
  }
  const names = collections.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new TypeError(`Two collections have one name: ${names.join(", ")}`);
}

/** Goes up from owner to owner, until there is none. */
function assertOwner(name: string, owner: Ownership, collections: readonly CollectionDefinition[]): void {
  assertMembers([owner.member], /^(?!(?:id|createdAt|updatedAt)$)[A-Za-z_][A-Za-z0-9_]{0,62}$/, "that of an owner");
  const path = [name];
  for (let above: string | undefined = owner.collection; above !== undefined; ) {
    const definition: CollectionDefinition | undefined = collections.find((each) => each.name === above);
    if (definition === undefined) throw new TypeError(`The owner of ${path.at(-1)}, ${above}, is no collection`);
    if (path.includes(above)) throw new TypeError(`${path.join(", ")} own one another`);
    path.push(above);
    above = definition.owner?.collection;
  }
}

/** A member, or one of an object: `address.postalCode`. */
const memberPath = /^(?=.{1,63}$)[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;

function assertMembers(names: readonly string[], form: RegExp, role: string): void {
  const none = names.find((name) => !form.test(name));
  if (none !== undefined) {
    const points = form === memberPath ? ", with points before members of objects" : "";
    throw new TypeError(
      `${JSON.stringify(none)} cannot be ${role}: such a member takes 1 to 63 of A-Z, a-z, 0-9 and _${points}`,
    );
  }
  // SQLite's names of columns compare without case.
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) {
    throw new TypeError(`Two members that are to be ${role} have one name: ${names.join(", ")}`);
  }
}
