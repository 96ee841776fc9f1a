import {
  defaultOrder,
  type MemberFilter,
  type MemberValue,
  type Selection,
  type SortKey,
} from "../../contract/selection.ts";
import { where } from "../../reading/conditions.ts";
import { keysetRanges } from "../../reading/keyset.ts";
import { SqliteDialect } from "../table/dialect.ts";
import { countUpTo, planOf, type SelectableRecords, sortable } from "./plan.ts";
import { SqliteSelection } from "./selection.ts";

/**
 * Finds the ids of a page in an order of several members, where so many records have one value of the first member that to sort all of
 * them takes long: those of each value are found in the order of the other members, by their indexes. Undefined where no value is
 * as frequent, or where the page goes on behind such a value.
 */
export function idsByGroups(records: SelectableRecords, selection: Selection): Float64Array | undefined {
  const { filters = [], order = defaultOrder, after, limit } = selection;
  const [first, ...others] = order;
  if (first === undefined || others.length < 2 || limit === undefined) return undefined;
  const groups = groupsUpToFrequent(records, first, after, limit);
  if (groups === undefined) return undefined;
  const ids: number[] = [];
  for (const [i, group] of groups.entries()) {
    const place = i === 0 && after !== undefined ? { after: after.slice(1) } : {};
    const { after: _, ...all } = selection;
    const ofGroup = { ...all, ...place, filters: [...filters, group], order: others, limit: limit - ids.length };
    const selected = new SqliteSelection(records, ofGroup, planOf(records, ofGroup));
    ids.push(...selected.ids(ofGroup.after, ofGroup.limit));
    if (ids.length === limit) return Float64Array.from(ids);
  }
  return undefined;
}

/** Returns the first values of a member as filters, the last of which many records meet; undefined where rarer ones fill a page. */
function groupsUpToFrequent(
  records: SelectableRecords,
  key: SortKey,
  after: readonly MemberValue[] | undefined,
  limit: number,
): readonly MemberFilter[] | undefined {
  const { member } = key;
  const groups: MemberFilter[] = [];
  let value = after === undefined ? nextValue(records, key, undefined) : after[0];
  for (let count = 0; value !== undefined && count < limit; value = nextValue(records, key, value)) {
    const group: MemberFilter =
      value === null ? { member, operator: "exists", value: false } : { member, operator: "eq", value };
    groups.push(group);
    const ofGroup = countUpTo(records, sortable, member, [group]);
    if (ofGroup === sortable) return groups;
    count += ofGroup;
  }
  return undefined;
}

/** Returns the next value in the index of a member, or the first one; undefined at the end. */
function nextValue(records: SelectableRecords, key: SortKey, before: MemberValue | undefined): MemberValue | undefined {
  const { owner, statements } = records;
  for (const range of before === undefined ? [[]] : keysetRanges([key], [before])) {
    const dialect = new SqliteDialect(records);
    const { sql } = dialect.column(key.member);
    const conditions = where(dialect.conditions({ owner, range }));
    const text = `SELECT ${sql} FROM ${dialect.tableBy(key.member, owner)} ${conditions} ${dialect.orderBy([key])} LIMIT 1`;
    const row = statements.prepare(text).get(...dialect.values) as readonly [MemberValue] | undefined; // of one column
    if (row !== undefined) return row[0];
  }
  return undefined;
}
