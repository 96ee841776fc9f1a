import { type Person, type Value, valueAt, withValue } from "../client/fields.ts";

/** Returns whether two values of JSON are the same; of objects the order of the members says nothing. */
export function same(one: Value, other: Value): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  if (Array.isArray(one) !== Array.isArray(other) || names.length !== others.length) return false;
  return names.every((name) => same((one as Person)[name], (other as Person)[name]));
}

/** Returns the names of the members that differ. */
export const changed = (before: Person, after: Person, names: readonly string[]): readonly string[] =>
  names.filter((name) => !same(valueAt(before, name), valueAt(after, name)));

/** Returns the merge patch (RFC 7396) from one state to another: null takes a member away. Undefined where they are the same. */
export function patchBetween(before: Person, after: Person, names: readonly string[]): Person | undefined {
  const due = changed(before, after, names);
  if (due.length === 0) return undefined;
  return due.reduce<Person>((patch, name) => withValue(patch, name, valueAt(after, name) ?? null), {});
}

/** A change that two have made: what the first one read, what it has typed, and what the second one has stored meanwhile. */
export interface Meeting {
  readonly before: Person;
  readonly mine: Person;
  readonly theirs: Person;
}

/** Returns the members that the two have changed differently. */
export const contested = ({ before, mine, theirs }: Meeting, names: readonly string[]): readonly string[] => {
  const byThem = new Set(changed(before, theirs, names));
  return changed(before, mine, names).filter(
    (name) => byThem.has(name) && !same(valueAt(mine, name), valueAt(theirs, name)),
  );
};

/** Returns both changes together; where the two have changed the same member, that of the first, unless it is given up. */
export const merged = (
  { before, mine, theirs }: Meeting,
  names: readonly string[],
  givenUp: readonly string[] = [],
): Person =>
  changed(before, mine, names)
    .filter((name) => !givenUp.includes(name))
    .reduce((person, name) => withValue(person, name, valueAt(mine, name)), theirs);
