import { comparedValue, endOfPrefix } from "../member-value.ts";
import { defaultOrder, type MemberFilter, type MemberType, type Selection } from "../selection.ts";
import type { KeyCondition } from "./keyset.ts";

/** Writes the parts of one statement as a database has them, and gathers the values of the statement in their order. */
export interface Dialect {
  readonly values: readonly (string | number)[];
  /** Adds a value, and returns the parameter that stands for it. */
  add(value: string | number): string;
  typeOf(member: string): MemberType;
  /** The expression for the value of a member. */
  column(member: string): string;
  compare(member: string, operator: Operator, value: string | number): string;
  /** Compares with a value of a place in an order, which may be cut as that of an index is. */
  comparePlace(member: string, operator: Operator, value: string | number): string;
  /** Holds for records without the member too. */
  differs(member: string, value: string | number): string;
  isOneOf(member: string, values: readonly (string | number)[]): string;
  hasWords(words: readonly string[]): string;
  orderTerm(member: string, descending: boolean): string;
}

export type Operator = "=" | "<" | "<=" | ">" | ">=";

/** What a record must be like to be read. */
export interface Conditions extends Pick<Selection, "filters" | "words"> {
  readonly owner: number | undefined;
  /** A range of a keyset. */
  readonly range?: readonly KeyCondition[];
}

/** Writes conditions that all hold. */
export function conditionsOf(
  dialect: Dialect,
  { owner, filters = [], words = [], range = [] }: Conditions,
): readonly string[] {
  return [
    ...(owner === undefined ? [] : [`owner = ${dialect.add(owner)}`]),
    ...filters.flatMap((filter) => filterConditions(dialect, filter)),
    ...(words.length > 0 ? [dialect.hasWords(words)] : []),
    ...range.map((condition) => keyCondition(dialect, condition)),
  ];
}

function filterConditions(dialect: Dialect, filter: MemberFilter): readonly string[] {
  const { member } = filter;
  const type = dialect.typeOf(member);
  switch (filter.operator) {
    case "in":
      return [
        dialect.isOneOf(
          member,
          filter.values.map((value) => comparedValue(value, type)),
        ),
      ];
    case "prefix": {
      const prefix = comparedValue(filter.value, type);
      const end = endOfPrefix(prefix);
      const begin = dialect.compare(member, ">=", prefix);
      return end === undefined ? [begin] : [begin, dialect.compare(member, "<", end)];
    }
    case "ne":
      return [dialect.differs(member, comparedValue(filter.value, type))];
    default:
      return [dialect.compare(member, operators[filter.operator], comparedValue(filter.value, type))];
  }
}

function keyCondition(dialect: Dialect, condition: KeyCondition): string {
  const { member } = condition;
  switch (condition.relation) {
    case "absent":
      return `${dialect.column(member)} IS NULL`;
    case "present":
      return `${dialect.column(member)} IS NOT NULL`;
    default: {
      const value = comparedValue(condition.value, dialect.typeOf(member));
      return dialect.comparePlace(member, operators[condition.relation], value);
    }
  }
}

const operators = {
  ...{ eq: "=", lt: "<", le: "<=", gt: ">", ge: ">=" },
  ...{ equal: "=", less: "<", greater: ">" },
} as const satisfies Readonly<Record<string, Operator>>;

/** Returns `WHERE` with all of the conditions; an empty text when there are none. */
export const where = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;

export function orderBy(dialect: Dialect, order: Selection["order"] = defaultOrder): string {
  return `ORDER BY ${order.map(({ member, descending }) => dialect.orderTerm(member, descending)).join(", ")}`;
}

/** Returns the columns, each behind a comma, of the keys of an order but `id`. */
export function keyColumns(dialect: Dialect, order: Selection["order"] = defaultOrder): string {
  return order
    .slice(0, -1)
    .map(({ member }) => `, ${dialect.column(member)}`)
    .join("");
}
