import type { CollectionDefinition } from "../database.ts";

/** The collections with each one behind its owner. */
export function ownersFirst(collections: readonly CollectionDefinition[]): readonly CollectionDefinition[] {
  const byName = new Map(collections.map((each) => [each.name, each]));
  const depthOf = ({ owner }: CollectionDefinition): number => {
    const above = owner && byName.get(owner.collection);
    return above === undefined ? 0 : 1 + depthOf(above);
  };
  return collections.toSorted((one, other) => depthOf(one) - depthOf(other));
}

/** The names of the collections whose records go when one of this collection goes, at any remove. */
export function ownedBy(name: string, collections: readonly CollectionDefinition[]): readonly string[] {
  const owned = collections.filter(({ owner }) => owner?.collection === name);
  return owned.flatMap((each) => [each.name, ...ownedBy(each.name, collections)]);
}
