import { comparedValue, endOfPrefix } from "../../members/value.ts";
import {
  defaultOrder,
  type ListMember,
  type MemberFilter,
  type MemberType,
  type Selection,
} from "../contract/selection.ts";
import { toReadableValue } from "../table/compared.ts";
import type { KeyCondition } from "./keyset.ts";

export type Operator = "=" | "<" | "<=" | ">" | ">=";

/** The column in which the values of a member are compared. */
export interface MemberSql {
  readonly type: MemberType;
  /** The expression for the value. */
  readonly sql: string;
  /** The member, where it is a list. */
  readonly list?: ListMember;
}

/** A filter of a list, with values as they are compared. */
export type ListFilter = Extract<MemberFilter, { readonly operator: "prefix" | "in" }> | EqualFilter;
interface EqualFilter {
  readonly member: string;
  readonly operator: "eq";
  readonly value: string | number;
}

/** The conditions for the records to read. */
export interface Conditions extends Pick<Selection, "filters" | "words"> {
  readonly owner: number | undefined;
  /** A range of a keyset. */
  readonly range?: readonly KeyCondition[];
}

/** Writes the parts of a statement that selects records, and collects its values. Each database has a dialect. */
export abstract class Dialect<Column extends MemberSql> {
  /** In the order of their parameters. */
  readonly values: (string | number)[] = [];

  /** Adds a value, and returns its parameter. */
  abstract add(value: string | number): string;
  protected abstract column(member: string): Column;
  protected abstract compare(member: string, operator: Operator, value: string | number): string;
  /** Writes a comparison with a value of a place in an order. */
  protected abstract comparePlace(member: string, operator: Operator, value: string | number): string;
  protected abstract exists(member: string, isPresent: boolean): string;
  protected abstract isOneOf(member: string, values: readonly (string | number)[]): string;
  /** Writes that one of the values in the index of a list meets a filter. */
  protected abstract hasValue(list: ListMember, filter: ListFilter): string;
  protected abstract hasWords(words: readonly string[]): string;
  protected abstract orderTerm(column: Column, descending: boolean): string;

  /** Writes conditions that all hold. */
  conditions({ owner, filters = [], words = [], range = [] }: Conditions): readonly string[] {
    return [
      ...(owner === undefined ? [] : [`owner = ${this.add(owner)}`]),
      ...filters.flatMap((filter) => this.#filterConditions(filter)),
      ...(words.length > 0 ? [this.hasWords(words)] : []),
      ...range.map((condition) => this.#keyCondition(condition)),
    ];
  }

  orderBy(order: Selection["order"] = defaultOrder): string {
    const terms = order.map(({ member, descending }) => this.orderTerm(this.column(member), descending));
    return `ORDER BY ${terms.join(", ")}`;
  }

  #filterConditions(filter: MemberFilter): readonly string[] {
    const { member } = filter;
    const { type, list } = this.column(member);
    if (list !== undefined) return [this.#listCondition(list, filter)];
    const compared = (value: string | number): string | number => toComparable(value, type);
    switch (filter.operator) {
      case "in":
        return [this.isOneOf(member, filter.values.map(compared))];
      case "prefix": {
        const prefix = String(compared(filter.value));
        const end = endOfPrefix(prefix);
        const begin = this.compare(member, ">=", prefix);
        return end === undefined ? [begin] : [begin, this.compare(member, "<", end)];
      }
      case "ne":
        return [this.differs(member, compared(filter.value))];
      case "exists":
        return [this.exists(member, filter.value)];
      default:
        return [this.compare(member, operators[filter.operator], compared(filter.value))];
    }
  }

  /** Writes an inequality, which also holds for records without the member, as ranges of an index: few records may differ. */
  protected differs(member: string, value: string | number): string {
    const ranges = (["<", ">"] as const).map((operator) => this.compare(member, operator, value));
    return `(${[...ranges, this.exists(member, false)].join(" OR ")})`;
  }

  #listCondition(list: ListMember, filter: MemberFilter): string {
    const sought = toListFilter(list, filter);
    const inList = this.hasValue(list, sought);
    const isMet = `(${[inList, ...this.singleConditions(list, sought)].join(" OR ")})`;
    return filter.operator === "ne" ? `${isMet} IS NOT TRUE` : isMet;
  }

  /** Writes that the single member of a list, if it has one, meets a filter of the list. */
  protected singleConditions({ single }: ListMember, filter: ListFilter): readonly string[] {
    if (single === undefined) return [];
    return [`(${this.#filterConditions({ ...filter, member: single }).join(" AND ")})`];
  }

  #keyCondition(condition: KeyCondition): string {
    const { sql, type } = this.column(condition.member);
    if (!("value" in condition)) return `${sql} IS ${condition.relation === "absent" ? "NULL" : "NOT NULL"}`;
    const value = toComparable(condition.value, type);
    return this.comparePlace(condition.member, operators[condition.relation], value);
  }
}

/** Makes a value in the form in which the database has it. */
const toComparable = (value: string | number, type: MemberType): string | number =>
  toReadableValue(comparedValue(value, type));

/** Returns the filter that `ne` is the complement of, and any other as it is, with the values as they are compared. */
export function toListFilter({ name: member, type }: ListMember, filter: MemberFilter): ListFilter {
  switch (filter.operator) {
    case "in":
      return { member, operator: "in", values: filter.values.map((value) => toComparable(value, type)) };
    case "prefix":
      return { member, operator: "prefix", value: String(toComparable(filter.value, type)) };
    default:
      return { member, operator: "eq", value: toComparable(filter.value as string | number, type) }; // no list takes exists
  }
}

const operators = {
  ...{ eq: "=", lt: "<", le: "<=", gt: ">", ge: ">=" },
  ...{ equal: "=", less: "<", greater: ">" },
} as const satisfies Readonly<Record<string, Operator>>;

/** Returns `WHERE` with all of the conditions, or an empty text without conditions. */
export const where = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
