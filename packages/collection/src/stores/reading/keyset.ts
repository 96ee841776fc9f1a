import { comparedValue, memberValue } from "../../members/value.ts";
import type { MemberType, MemberValue, SelectableMember, SortKey } from "../contract/selection.ts";
import type { StoredRecord } from "../contract/store.ts";

/** The place of a record in an order: a value for each key. */
export type Place = readonly MemberValue[];

/** Returns the place of a record in an order by these members. */
export function placeOf(
  { id, json }: StoredRecord,
  order: readonly SortKey[],
  members: readonly SelectableMember[],
): Place {
  if (order.length === 1 && order[0]?.member === "id") return [id];
  const document: unknown = JSON.parse(json);
  const typeOf = (member: string): MemberType | undefined => members.find(({ name }) => name === member)?.type;
  return order.map(({ member }) => memberValue(document, member, typeOf(member)));
}

/**
 * Compares two places as the stores do: negative when the first comes before the second, and 0 when they are equal.
 *
 * @param types the types of the members in the order
 */
export function comparePlaces(
  order: readonly SortKey[],
  one: Place,
  other: Place,
  types: ReadonlyMap<string, MemberType>,
): number {
  for (const [i, { member, descending }] of order.entries()) {
    const type = types.get(member) ?? "text";
    const compared = compareValues(one[i] ?? null, other[i] ?? null, type);
    if (compared !== 0) return descending ? -compared : compared;
  }
  return 0;
}

function compareValues(one: MemberValue, other: MemberValue, type: MemberType): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  if (typeof one === "number" && typeof other === "number") return Math.sign(one - other);
  const [first, second] = [one, other].map((value) => Buffer.from(String(comparedValue(value, type))));
  return Buffer.compare(first as Buffer, second as Buffer); // there are two; UTF-8 has the order of code points
}

/**
 * Returns what follows a place in an order, as ranges: first the records that are equal on all keys but the last and beyond it on the
 * last, then those that are equal on one key fewer, and so on. Each is a range of an index on the keys, which a single condition for
 * all of them would not be.
 *
 * @param after a value for each key
 */
export function keysetRanges(
  order: readonly SortKey[],
  after: readonly MemberValue[],
): readonly (readonly KeyCondition[])[] {
  return order.flatMap((_key, depth) => rangesBeyond(order, after, depth)).toReversed();
}

/** A condition for the member of a key; `present` and `absent` have no value. */
export type KeyCondition =
  | { readonly member: string; readonly relation: "equal" | "greater" | "less"; readonly value: string | number }
  | { readonly member: string; readonly relation: "present" | "absent" };

/** Returns the ranges that are equal on the keys before this one and beyond it on this one, the first range last. */
function rangesBeyond(
  order: readonly SortKey[],
  after: readonly MemberValue[],
  depth: number,
): readonly (readonly KeyCondition[])[] {
  const equal = order.slice(0, depth).map(({ member }, i) => equalTo(member, after[i] ?? null));
  // The depth is that of a key.
  const { member, descending } = order[depth] as SortKey;
  const value = after[depth] ?? null;
  if (!descending) {
    return [[...equal, value === null ? { member, relation: "present" } : { member, relation: "greater", value }]];
  }
  if (value === null) return []; // what lacks the member is last
  const less: KeyCondition = { member, relation: "less", value };
  return member === "id"
    ? [[...equal, less]]
    : [
        [...equal, { member, relation: "absent" }],
        [...equal, less],
      ];
}

function equalTo(member: string, value: MemberValue): KeyCondition {
  return value === null ? { member, relation: "absent" } : { member, relation: "equal", value };
}
