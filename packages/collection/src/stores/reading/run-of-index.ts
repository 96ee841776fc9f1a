import { defaultOrder, type MemberFilter, type Selection, type SortKey } from "../contract/selection.ts";

/**
 * Returns whether every part of a selection is a run of one index, so that only the returned records are read, however many there
 * are. Otherwise other records may have to be skipped, sorted or gathered first.
 */
export function isRunOfIndex(selection: Selection, isList: (member: string) => boolean): boolean {
  const { filters = [], words = [], order = defaultOrder, after } = selection;
  if (filters.some(({ member }) => isList(member))) return false;
  if (words.length > 0 || !isOrderOfIndex(order)) return false;
  if (filters.length === 0 || isOneValue(filters, order)) return true;
  // For a made-up place outside of the range, all entries between the two would be read and skipped.
  return after === undefined && filters.every(({ member }) => member === order[0]?.member) && isOneRange(filters);
}

/** Returns whether an index has an order: that of the ids, or of a member and the ids in the same direction. */
export const isOrderOfIndex = (order: readonly SortKey[]): boolean =>
  order.length <= 2 && order[0]?.descending === order.at(-1)?.descending;

/** Returns whether a selection has one value of a member, by id: the entries of an index with the same value are in that order. */
export const isOneValue = (filters: readonly MemberFilter[], order: readonly unknown[]): boolean =>
  order.length === 1 && filters.length === 1 && filters[0]?.operator === "eq";

/**
 * Returns whether the filters of a member have at most one bound on each side: a database would use only one of several to find its
 * place in the index.
 */
function isOneRange(filters: readonly MemberFilter[]): boolean {
  const bounds = filters.flatMap(({ operator }) => boundsOf[operator]);
  return !bounds.includes("other") && new Set(bounds).size === bounds.length;
}

const boundsOf: Readonly<Record<MemberFilter["operator"], readonly ("lower" | "upper" | "other")[]>> = {
  gt: ["lower"],
  ge: ["lower"],
  lt: ["upper"],
  le: ["upper"],
  prefix: ["lower", "upper"],
  // The ranges after a place do not take the value into account.
  eq: ["other"],
  ne: ["other"],
  in: ["other"],
  exists: ["other"],
};
