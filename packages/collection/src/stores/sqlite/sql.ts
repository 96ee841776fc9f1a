import { comparedValue, endOfPrefix } from "../../member-value.ts";
import type { MemberFilter, SortKey } from "../../selection.ts";
import type { KeyCondition } from "../keyset.ts";
import { ownerIndex, type SqliteColumn } from "./columns.ts";
import { matching, wordsTable } from "./words.ts";

/** A part of a statement with the values of its parameters. */
export interface Sql {
  readonly text: string;
  readonly values: readonly (string | number)[];
}

/** The columns of the members that can be selected by. */
export type Columns = ReadonlyMap<string, SqliteColumn>;

export const columnOf = (columns: Columns, member: string): SqliteColumn => columns.get(member) as SqliteColumn; // asserted

/**
 * What a filter says, as conditions that all hold.
 *
 * @param kept which of these may choose the place in an index; the others are put so that they cannot
 */
export function filterConditions(
  filter: MemberFilter,
  columns: Columns,
  kept: (bound: Bound) => boolean,
): readonly Sql[] {
  const { sql, type } = columnOf(columns, filter.member);
  const compared = (value: string | number): string | number => comparedValue(value, type);
  const put = (bound: Bound, rest: string, value: string | number): Sql => ({
    text: `${kept(bound) ? "" : "+"}${sql} ${rest}`,
    values: [value],
  });
  switch (filter.operator) {
    case "eq":
      return [put("equal", "= ?", compared(filter.value))];
    case "ne":
      return [put("none", "IS NOT ?", compared(filter.value))];
    case "gt":
      return [put("lower", "> ?", compared(filter.value))];
    case "ge":
      return [put("lower", ">= ?", compared(filter.value))];
    case "lt":
      return [put("upper", "< ?", compared(filter.value))];
    case "le":
      return [put("upper", "<= ?", compared(filter.value))];
    case "prefix": {
      const prefix = comparedValue(filter.value, type);
      const end = endOfPrefix(prefix);
      const begin = put("lower", ">= ?", prefix);
      return end === undefined ? [begin] : [begin, put("upper", "< ?", end)];
    }
    case "in":
      // One parameter, so that the statement is the same for any number of values.
      return [put("equal", `IN (${valuesOfJson})`, JSON.stringify(filter.values.map(compared)))];
  }
}

/** The numbers as those of JavaScript, of which none is an integer of 64 bits. */
const valuesOfJson = "SELECT iif(type = 'text', value, CAST(value AS REAL)) FROM json_each(?)";

/** What a condition bounds the values to. */
export type Bound = "equal" | "lower" | "upper" | "none";

/** What a range of a keyset says, as conditions that all hold. */
export function keyConditions(range: readonly KeyCondition[], columns: Columns): readonly Sql[] {
  return range.map((condition) => {
    const { sql, type } = columnOf(columns, condition.member);
    if (!("value" in condition)) {
      return { text: `${sql} IS ${condition.relation === "absent" ? "NULL" : "NOT NULL"}`, values: [] };
    }
    return {
      text: `${sql} ${relations[condition.relation]} ?`,
      values: [comparedValue(condition.value, type)],
    };
  });
}

const relations = { equal: "=", greater: ">", less: "<" } as const;

/** That a record has all of the words, of all that have them. */
export const wordsCondition = (collection: string, words: readonly string[], isStoppable: boolean): Sql => ({
  text: `id IN (SELECT rowid FROM "${wordsTable(collection)}" (?)${isStoppable ? ` WHERE ${goOnAt("rowid")}` : ""})`,
  values: [matching(words)],
});

/** The same, looked up for the record alone. */
export const eachWordsCondition = (collection: string, words: readonly string[]): Sql => ({
  text: `EXISTS (SELECT 1 FROM "${wordsTable(collection)}" (?) AS found WHERE found.rowid = id)`,
  values: [matching(words)],
});

/** That a record is of the owner, if there is to be one. */
export const ownerCondition = (owner: number | undefined): readonly Sql[] =>
  owner === undefined ? [] : [{ text: "owner = ?", values: [owner] }];

/** A function of a connection whose statements can be stopped: it says 1, or throws when the statement is to end. */
export const goOnFunction = "waymark_go_on";

/** Asks it at one record of 251 that are come upon, at 50 ns each: a prime, so that it is met among ids with gaps too. */
const goOnAt = (id: string): string => `(${id} % 251 OR ${goOnFunction}())`;

/** What stops a statement, where the connection has the function for it. */
export const stopCondition = ({ columns, isStoppable }: { columns: Columns; isStoppable: boolean }): readonly Sql[] =>
  isStoppable ? [{ text: goOnAt(columnOf(columns, "id").sql), values: [] }] : [];

export function orderBy(order: readonly SortKey[], columns: Columns): string {
  const terms = order.map(({ member, descending }) => `${columnOf(columns, member).sql}${descending ? " DESC" : ""}`);
  return `ORDER BY ${terms.join(", ")}`;
}

/** `WHERE` with all of the conditions; nothing when there is none. */
export function where(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return { text: "", values: [] };
  return {
    text: `WHERE ${conditions.map(({ text }) => text).join(" AND ")}`,
    values: conditions.flatMap(({ values }) => values),
  };
}

/** The table, to be read by the index on a column, or in the order of the ids; of one owner, by the index on these. */
export function tableBy(collection: string, column: SqliteColumn, owner: number | undefined): string {
  const index = column.index ?? (owner === undefined ? undefined : ownerIndex(collection));
  return `"${collection}" ${index === undefined ? "NOT INDEXED" : `INDEXED BY "${index}"`}`;
}
