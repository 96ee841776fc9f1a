import { requireOptions, wording } from "waymark/internal";
import type { CollectionDefinition, DatabaseOptions, Ownership, StoredCollection } from "../../database.ts";
import { formerPath, type RenamedMember } from "../../members/renamed.ts";
import type { Member, MemberUse } from "../../members/table.ts";
import {
  type ListMember,
  type MemberType,
  type SearchedMember,
  type SelectableMember,
  storeMembers,
} from "../contract/selection.ts";

/** The types of the options that every database has. */
export const databaseOptionTypes: requireOptions.Types<DatabaseOptions> = {
  collections: undefined,
  now: "function",
  forRestore: "boolean",
  lateIndexes: "boolean",
  onForgotten: "function",
  observer: "object",
};

/**
 * Checks definitions, because the names in them become part of statements, and returns them as the stores use them.
 *
 * @throws TypeError with the name that is malformed or used twice
 */
export function toStoredCollections(collections: readonly CollectionDefinition[]): readonly StoredCollection[] {
  const isList: boolean = Array.isArray(collections); // JavaScript callers pass anything, or nothing.
  if (!isList) {
    throw new TypeError('A database needs the list of its collections: { collections: [{ name: "book" }] }');
  }
  for (const each of collections) requireOptions("A definition of a collection", each, knownOptions);
  const stored = collections.map(toStoredCollection);
  for (const { name, owner } of stored) {
    if (!/^(?!sqlite_|waymark_)[a-z][a-z0-9_]{0,62}$/.test(name)) {
      throw new TypeError(
        `${JSON.stringify(name)} cannot name a collection: it takes 1 to 63 of a-z, 0-9 and _, a letter first, and no sqlite_ or waymark_ before them`,
      );
    }
    if (owner !== undefined) assertOwner(name, owner, stored);
  }
  const names = stored.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new TypeError(`Two collections have one name: ${names.join(", ")}`);
  return stored;
}

// Records, so that none is forgotten here.
const knownOptions: requireOptions.Types<CollectionDefinition> = {
  name: undefined,
  members: undefined,
  owner: undefined,
};
const knownUses: requireOptions.Types<Member> = {
  filter: undefined,
  list: undefined,
  single: undefined,
  search: undefined,
  unique: undefined,
  renamed: undefined,
  schema: undefined,
  label: undefined,
  aliases: undefined,
  example: undefined,
};

/** Returns a definition as the stores use it. */
export function toStoredCollection({ members = {}, ...others }: CollectionDefinition): StoredCollection {
  if (typeof members !== "object" || Array.isArray(members)) {
    throw new TypeError(
      `The members of ${others.name} are a table such as { title: { filter: "text" } }, not a list or a ${typeof members}`,
    );
  }
  const uses: readonly (readonly [name: string, use: MemberUse])[] = Object.entries(members).flatMap(([name, use]) =>
    use === undefined ? [] : [[name, use] as const],
  );
  for (const [name, use] of uses) {
    requireOptions(`The member ${JSON.stringify(name)} of a collection`, use, knownUses);
    if (use.filter !== undefined && !memberTypes.includes(use.filter)) {
      throw new TypeError(
        `The filter of ${name} is one of ${memberTypes.join(", ")}, not ${wording.excerpt(use.filter)}`,
      );
    }
    if (typeof use.search === "string" && use.search !== "digits") {
      throw new TypeError(`The search of ${name} is true, false or "digits", not ${wording.excerpt(use.search)}`);
    }
  }
  const named = (isMeant: (use: MemberUse) => boolean): readonly string[] =>
    uses.filter(([, use]) => isMeant(use)).map(([name]) => name);
  const selectable = uses.flatMap(([name, { filter, list }]) =>
    filter === undefined || list === true ? [] : [{ name, type: filter }],
  );
  const lists = uses.flatMap(([name, { filter, list, single }]) =>
    filter === undefined || list !== true ? [] : [{ name, type: filter, isList: list, single }],
  );
  const unique = named((use) => use.unique === true);
  const fullText = uses.flatMap(([name, { search }]): readonly SearchedMember[] =>
    search === true || search === "digits" ? [{ name, by: search === true ? "words" : search }] : [],
  );
  const renamed = uses.flatMap(([name, use]) => (use.renamed === undefined ? [] : [{ name, former: use.renamed }]));
  const searched = fullText.map(({ name }) => name);
  const roles = { unique, selectable: named(({ filter }) => filter !== undefined), searched };
  for (const [role, names] of Object.entries(roles)) assertMembers(names, memberPath, role);
  for (const [name, use] of uses) assertList(name, use, selectable);
  assertSingles(lists);
  assertRenamed(renamed, [...Object.keys(members), others.owner?.member]);
  const ofStore = storeMembers.find((member) => selectable.some((other) => other.name === member.name));
  if (ofStore !== undefined) throw new TypeError(`${ofStore.name} is selectable in every collection`);
  return { ...others, unique, selectable, lists, fullText, renamed };
}

/** Checks that what is said of lists makes sense. */
function assertList(
  name: string,
  { list, single, filter, unique }: MemberUse,
  others: readonly SelectableMember[],
): void {
  if (list !== true) {
    if (single !== undefined) throw new TypeError(`${name} is not a list, of which ${single} could be a value`);
    return;
  }
  if (unique === true) throw new TypeError(`${name} is a list, and cannot be unique`);
  if (filter === "number" || filter === "boolean" || filter === "time")
    throw new TypeError(`${name} is a list, whose filter cannot be ${filter}`);
  if (single !== undefined && !others.some((each) => each.name === single && each.type === filter)) {
    throw new TypeError(`${single} is a value of the list ${name}, so it needs the filter ${filter}, and is no list`);
  }
}

function assertSingles(lists: readonly ListMember[]): void {
  const singles = lists.flatMap(({ single = [] }) => single);
  const repeated = singles.find((name, i) => singles.indexOf(name) < i);
  if (repeated !== undefined) throw new TypeError(`${repeated} is a value of two lists`);
}

/** Checks that each former name is one of its own, which no member has now. */
function assertRenamed(renamed: readonly RenamedMember[], members: readonly unknown[]): void {
  const formers = renamed.map(formerPath);
  for (const [i, { name, former }] of renamed.entries()) {
    const path = formers[i] as string; // there are as many
    assertMembers([name], memberPath, "renamed");
    if (!/^(?!(?:id|createdAt|updatedAt)$)[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(former)) {
      throw new TypeError(
        `The former name of ${name} takes 1 to 63 of A-Z, a-z, 0-9 and _, and is not ${wording.quote(former)}`,
      );
    }
    if (members.includes(path)) throw new TypeError(`${name} was ${path}, which is a member, too`);
    if (formers.indexOf(path) < i) throw new TypeError(`Two members were ${path}`);
  }
}

const memberTypes: readonly MemberType[] = ["text", "exact", "date", "number", "boolean", "time"];

/** Checks the owner, the owner's owner, and so on. */
function assertOwner(name: string, owner: Ownership, collections: readonly StoredCollection[]): void {
  requireOptions(`The owner of ${name}`, owner, ["collection", "member"]);
  if (typeof owner.member !== "string") {
    throw new TypeError(
      `The owner of ${name} needs the member that has its id: { collection: "user", member: "userId" }`,
    );
  }
  assertMembers([owner.member], /^(?!(?:id|createdAt|updatedAt)$)[A-Za-z_][A-Za-z0-9_]{0,62}$/, "that of an owner");
  const path = [name];
  for (let above: string | undefined = owner.collection; above !== undefined; ) {
    const definition: StoredCollection | undefined = collections.find((each) => each.name === above);
    if (definition === undefined)
      throw new TypeError(`The owner of ${path.at(-1)}, ${above}, is not a collection of the database`);
    if (path.includes(above)) throw new TypeError(`${path.join(", ")} own one another`);
    path.push(above);
    above = definition.owner?.collection;
  }
}

/** A member, or a member of an object: `address.postalCode`. */
const memberPath = /^(?=.{1,63}$)[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;

function assertMembers(names: readonly string[], form: RegExp, role: string): void {
  const none = names.find((name) => !form.test(name));
  if (none !== undefined) {
    const points = form === memberPath ? ", with points before members of objects" : "";
    throw new TypeError(
      `${JSON.stringify(none)} cannot be ${role}: such a member takes 1 to 63 of A-Z, a-z, 0-9 and _${points}`,
    );
  }
  // SQLite compares names of columns without case.
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) {
    throw new TypeError(`Two members that are to be ${role} have one name: ${names.join(", ")}`);
  }
}

/** Sorts the collections so that each comes after its owner. */
export function ownersFirst(collections: readonly StoredCollection[]): readonly StoredCollection[] {
  const byName = new Map(collections.map((each) => [each.name, each]));
  const depthOf = ({ owner }: StoredCollection): number => {
    const above = owner && byName.get(owner.collection);
    return above === undefined ? 0 : 1 + depthOf(above);
  };
  return collections.toSorted((one, other) => depthOf(one) - depthOf(other));
}

/** Returns the names of the collections that this collection owns, directly or through others. */
export function ownedBy(name: string, collections: readonly StoredCollection[]): readonly string[] {
  const owned = collections.filter(({ owner }) => owner?.collection === name);
  return owned.flatMap((each) => [each.name, ...ownedBy(each.name, collections)]);
}
