import { excerpt } from "waymark";
import type { SelectableMember, SortKey } from "../selection.ts";
import type { Report } from "./query-parameters.ts";

/** By ascending id. */
export const defaultOrder: readonly SortKey[] = [{ member: "id", descending: false }];

/**
 * The order that the parameter `sort` states: `familyName,-birthDate`, the minus sign for descending. The id decides
 * between records that are equal in all of it, in the direction of the last member.
 */
export function parseSort(text: string, members: readonly SelectableMember[], report: Report): readonly SortKey[] {
  const sent = text.split(",");
  if (sent.length > mostKeys) {
    report("sort", `names ${sent.length} members, and may name ${mostKeys}`);
    return defaultOrder;
  }
  const keys: SortKey[] = [];
  for (const key of sent) {
    const descending = key.startsWith("-");
    const member = descending ? key.slice(1) : key;
    if (!members.some(({ name }) => name === member)) {
      report(
        "sort",
        `names ${excerpt(member)}, and the members to sort by are ${members.map(({ name }) => name).join(", ")}`,
      );
    } else if (keys.some((earlier) => earlier.member === member)) {
      report("sort", `names ${member} more than once`);
    } else {
      keys.push({ member, descending });
    }
  }
  return toTotalOrder(keys);
}

/** No two records have one id: what is named behind it decides nothing. */
function toTotalOrder(keys: readonly SortKey[]): readonly SortKey[] {
  const id = keys.findIndex(({ member }) => member === "id");
  if (id >= 0) return keys.slice(0, id + 1);
  return [...keys, { member: "id", descending: keys.at(-1)?.descending ?? false }];
}

const mostKeys = 8;
