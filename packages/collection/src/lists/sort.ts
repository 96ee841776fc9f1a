import { excerpt, nearestName, orNearest } from "waymark/internal";
import { defaultOrder, type SelectableMember, type SortKey } from "../stores/contract/selection.ts";
import type { Report } from "./parameters.ts";

/**
 * Reads the order in the parameter `sort`: `familyName,-birthDate`, with a minus sign for descending. Records that are equal in
 * all these members are ordered by id, in the direction of the last member.
 */
export function parseSort(text: string, members: readonly SelectableMember[], report: Report): readonly SortKey[] {
  const sent = text.split(",");
  const names = sortNames(members);
  if (sent.length > mostKeys) {
    report("sort", `names ${sent.length} members; at most ${mostKeys} are allowed`);
    return defaultOrder;
  }
  const keys: SortKey[] = [];
  for (const key of sent) {
    const descending = key.startsWith("-");
    const member = descending ? key.slice(1) : key;
    if (!names.includes(member)) {
      const [, sorted = member, direction = ""] = /^(.*?)[ :.]+(asc|desc)$/i.exec(member) ?? [];
      const nearest = nearestName(sorted, names);
      const meant = nearest && (direction.toLowerCase() === "desc" ? `-${nearest}` : nearest);
      report("sort", `cannot sort by ${excerpt(member)}${orNearest(meant)}`, names);
    } else if (keys.some((earlier) => earlier.member === member)) {
      report("sort", `names ${member} twice`);
    } else {
      keys.push({ member, descending });
    }
  }
  return toTotalOrder(keys);
}

/** Returns the names of the members that can be sorted by. */
export const sortNames = (members: readonly SelectableMember[]): readonly string[] =>
  members.flatMap(({ name, isList }) => (isList === true ? [] : [name]));

/** Ends the order with the id. Members after the id are dropped: no two records have the same id. */
function toTotalOrder(keys: readonly SortKey[]): readonly SortKey[] {
  const id = keys.findIndex(({ member }) => member === "id");
  if (id >= 0) return keys.slice(0, id + 1);
  return [...keys, { member: "id", descending: keys.at(-1)?.descending ?? false }];
}

const mostKeys = 8;
