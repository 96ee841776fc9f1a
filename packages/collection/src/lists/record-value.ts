import { memberValue } from "../member-value.ts";
import type { MemberValue, SelectableMember, SortKey } from "../selection.ts";
import type { StoredRecord } from "../store.ts";

/** The values by which a record has its place in an order: one for each key. */
export function placeOf(
  record: StoredRecord,
  order: readonly SortKey[],
  members: readonly SelectableMember[],
): readonly MemberValue[] {
  const document: unknown = JSON.parse(record.json);
  const types = new Map(members.map(({ name, type }) => [name, type]));
  return order.map(({ member }) => memberValue(document, member, types.get(member)));
}
