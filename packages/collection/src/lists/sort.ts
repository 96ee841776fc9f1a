import { wording } from "waymark/internal";
import { defaultOrder, type SelectableMember, type SortKey } from "../stores/contract/selection.ts";
import type { Parameter, ReportFault } from "./parameter-table.ts";

/**
 * The order of a list, in the parameter `sort`: `familyName,-birthDate`, with a minus sign for descending. Records that are equal in
 * all these members are ordered by id, in the direction of the last member.
 */
export function sortParameter(members: readonly SelectableMember[]): Parameter<readonly SortKey[]> {
  const names = members.flatMap(({ name, isList }) => (isList === true ? [] : [name]));
  return {
    description: `The members to sort by, with \`-\` for descending, separated by commas: ${names.join(", ")}. Default: \`id\`.`,
    schema: { type: "string", pattern: "^-?[^,]+(?:,-?[^,]+)*$" },
    parse: (text, report) => parseSort(text, names, report),
  };
}

function parseSort(text: string, names: readonly string[], report: ReportFault): readonly SortKey[] {
  const sent = text.split(",");
  if (sent.length > mostKeys) {
    report(`names ${sent.length} members; at most ${mostKeys} are allowed`);
    return defaultOrder;
  }
  const keys: SortKey[] = [];
  for (const key of sent) {
    const descending = key.startsWith("-");
    const member = descending ? key.slice(1) : key;
    if (!names.includes(member)) {
      const [, sorted = member, direction = ""] = /^(.*?)[ :.]+(asc|desc)$/i.exec(member) ?? [];
      const nearest = wording.nearestName(sorted, names);
      const meant = nearest && (direction.toLowerCase() === "desc" ? `-${nearest}` : nearest);
      report(`cannot sort by ${wording.excerpt(member)}${wording.orNearest(meant)}`, names);
    } else if (keys.some((earlier) => earlier.member === member)) {
      report(`names ${member} twice`);
    } else {
      keys.push({ member, descending });
    }
  }
  return toTotalOrder(keys);
}

/** Ends the order with the id. Members after the id are dropped: no two records have the same id. */
function toTotalOrder(keys: readonly SortKey[]): readonly SortKey[] {
  const id = keys.findIndex(({ member }) => member === "id");
  if (id >= 0) return keys.slice(0, id + 1);
  return [...keys, { member: "id", descending: keys.at(-1)?.descending ?? false }];
}

const mostKeys = 8;
