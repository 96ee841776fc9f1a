import type { MemberType, MemberValue, SelectableMember, SortKey } from "../selection.ts";
import type { StoredRecord } from "../store.ts";

/** The values by which a record has its place in an order: one for each key. */
export function placeOf(
  record: StoredRecord,
  order: readonly SortKey[],
  members: readonly SelectableMember[],
): readonly MemberValue[] {
  const document: unknown = JSON.parse(record.json);
  const types = new Map(members.map(({ name, type }) => [name, type]));
  return order.map(({ member }) => comparable(valueAt(document, member.split(".")), types.get(member)));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let inner = value;
  for (const name of path) {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, name)) return undefined;
    inner = (inner as Readonly<Record<string, unknown>>)[name]; // has the member, as was asked
  }
  return inner;
}

/** A value that is not of the member's type is taken for none. */
function comparable(value: unknown, type: MemberType | undefined): MemberValue {
  switch (type) {
    case "number":
      return typeof value === "number" ? value : null;
    case "time": {
      const time = typeof value === "string" && timePattern.test(value) ? Date.parse(value.toUpperCase()) : Number.NaN;
      return Number.isNaN(time) ? null : time;
    }
    default:
      return typeof value === "string" ? value : null;
  }
}

/** RFC 3339 §5.6. */
const timePattern = /^[0-9]{4}(?:-[0-9]{2}){2}T[0-9]{2}(?::[0-9]{2}){2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})$/i;
