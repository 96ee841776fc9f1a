import type { MemberFilter } from "../../selection.ts";
import { comparedValue, endOfPrefix } from "../compared-value.ts";
import type { KeyCondition } from "../keyset.ts";
import { type ComparedColumn, indexedLength, toCompared } from "./postgres-columns.ts";
import { toArrayText } from "./postgres-names.ts";
import type { StatementValues } from "./statement-values.ts";

/** The columns of the members that can be selected by. */
export type Columns = ReadonlyMap<string, ComparedColumn>;

export const columnOf = (columns: Columns, member: string): ComparedColumn => columns.get(member) as ComparedColumn; // asserted

/** What a filter says, as a condition. */
export function filterCondition(filter: MemberFilter, columns: Columns, values: StatementValues): string {
  const column = columnOf(columns, filter.member);
  switch (filter.operator) {
    case "eq":
      return compare(column, "=", filter.value, values);
    case "ne":
      return `(${compare(column, "=", filter.value, values)}) IS NOT TRUE`;
    case "gt":
      return compare(column, ">", filter.value, values);
    case "ge":
      return compare(column, ">=", filter.value, values);
    case "lt":
      return compare(column, "<", filter.value, values);
    case "le":
      return compare(column, "<=", filter.value, values);
    case "prefix": {
      const prefix = comparedValue(filter.value, column.type);
      const end = endOfPrefix(prefix);
      const begin = compare(column, ">=", prefix, values);
      return end === undefined ? begin : `(${begin} AND ${compare(column, "<", end, values)})`;
    }
    case "in":
      return isOneOf(column, filter.values, values);
  }
}

/** What a range of a keyset says, as conditions that all hold. */
export function keyConditions(range: readonly KeyCondition[], columns: Columns, values: StatementValues): string[] {
  return range.map((condition) => {
    const column = columnOf(columns, condition.member);
    switch (condition.relation) {
      case "absent":
        return `${column.sql} IS NULL`;
      case "present":
        return `${column.sql} IS NOT NULL`;
      default: {
        // Places are told apart by what the index has.
        const { value } = condition;
        const place = typeof value === "string" ? firstCharacters(value) : value;
        return compare({ ...column, whole: undefined }, relations[condition.relation], place, values);
      }
    }
  });
}

const relations = { equal: "=", greater: ">", less: "<" } as const;

type Operator = "=" | "<" | "<=" | ">" | ">=";

function compare(column: ComparedColumn, operator: Operator, value: string | number, values: StatementValues): string {
  if (typeof value === "number" && column.isInteger) return compareInteger(column, operator, value, values);
  const compared = toCompared(value, column.type);
  return `${operand(column, [compared])} ${operator} ${values.add(compared)}`;
}

/** What is indexed or, where it may have the beginning alone of what is compared, the expression for the whole. */
function operand({ sql, whole }: ComparedColumn, compared: readonly (string | number)[]): string {
  const isLong = (value: string | number): boolean =>
    typeof value === "string" && firstCharacters(value).length >= indexedLength && isCut(value);
  return whole !== undefined && compared.some(isLong) ? whole : sql;
}

/** A column of whole numbers with any number: the server refuses to compare it with a fraction, or one that is too great. */
function compareInteger({ sql }: ComparedColumn, operator: Operator, value: number, values: StatementValues): string {
  if (operator === "=" && !(Number.isInteger(value) && Math.abs(value) <= greatest)) return "false";
  // Below 1.5 is below 2, and up to 1.5 is up to 1.
  const whole = operator === "<" || operator === ">=" ? Math.ceil(value) : Math.floor(value);
  return `${sql} ${operator} ${values.add(Math.min(greatest, Math.max(-greatest, whole)))}`;
}

/** Beyond every value of a column, and less than the server's own limit. */
const greatest = 2 ** 62;

function isOneOf(column: ComparedColumn, sought: readonly (string | number)[], values: StatementValues): string {
  const compared = sought
    .map((value) => toCompared(value, column.type))
    .filter((value) => !column.isInteger || (Number.isInteger(value) && Math.abs(Number(value)) <= greatest));
  return `${operand(column, compared)} = ANY(${values.add(toArrayText(compared))})`;
}

const firstCharacters = (text: string): string =>
  isCut(text) ? Array.from(text).slice(0, indexedLength).join("") : text;

/** Whether an index has less than the whole of it, or just that. */
const isCut = (text: string): boolean => text.length >= indexedLength && Array.from(text).length >= indexedLength;
