/**
 * A choice of records of a store, their order, and where to start. Without any part: all, by ascending id.
 *
 * ```ts
 * const selection: Selection = {
 *   filters: [{ member: "birthDate", operator: "ge", value: "1950-01-01" }],
 *   order: [{ member: "familyName", descending: false }, { member: "id", descending: false }],
 *   limit: 50,
 * };
 * ```
 */
export interface Selection {
  /** The filters; all must hold. */
  readonly filters?: readonly MemberFilter[];
  /**
   * Words from `toWords`. A record must have all of them; the last may be the beginning of a word. In place of neighbouring words of
   * digits, it may have a number with them.
   */
  readonly words?: readonly string[];
  /** The order. No member may occur twice, and the last must be `id`, so that the order is total. */
  readonly order?: readonly SortKey[];
  /**
   * The position behind which to start: a value for each key of the order, with a number for `id`. No record has to be
   * there. For the next page, pass the values of the last record.
   */
  readonly after?: readonly MemberValue[];
  /** The maximum of records, an integer from 1. */
  readonly limit?: number;
}

/**
 * A filter of records by a member.
 *
 * `ne` is the complement of `eq`: it holds for a record without the member. No other operator does, but `exists` with false, which holds
 * for no other record. A list meets a filter by any of
 * its values; it takes `eq`, `ne`, `in` and `prefix`.
 */
export type MemberFilter =
  | { readonly member: string; readonly operator: Comparison; readonly value: string | number }
  | { readonly member: string; readonly operator: "prefix"; readonly value: string }
  | { readonly member: string; readonly operator: "in"; readonly values: readonly (string | number)[] }
  | { readonly member: string; readonly operator: "exists"; readonly value: boolean };

/** A comparison: equal, not equal, less, less or equal, greater, greater or equal. */
export type Comparison = "eq" | "ne" | "lt" | "le" | "gt" | "ge";

/** One key of an order. Records without the member come first, and last in descending order. */
export interface SortKey {
  readonly member: string;
  readonly descending: boolean;
}

/** The value of a member in an order; null if the record lacks it. Times are in milliseconds since the epoch. */
export type MemberValue = string | number | null;

/** A member that is searched: for its words, or for the digits of a number. */
export interface SearchedMember {
  readonly name: string;
  readonly by: "words" | "digits";
}

/** A member to filter and sort by, and its type. */
export interface SelectableMember<Name extends string = string> {
  /** `familyName`, or `address.postalCode` for a member of an object. */
  readonly name: Name;
  readonly type: MemberType;
  /** Whether it is a list, of which a filter is met by any value, and by which nothing is sorted. */
  readonly isList?: true;
}

/** A member that is a list, to filter by. */
export interface ListMember extends SelectableMember {
  readonly isList: true;
  /** The member that is one of its values; undefined without one. */
  readonly single: string | undefined;
}

/** Whether an operator compares with each value of a list; others need an order, which a list has none of. */
export const comparesValues = (operator: MemberFilter["operator"]): boolean =>
  operator === "eq" || operator === "ne" || operator === "in" || operator === "prefix";

/** Whether a filter may hold for records without its member. */
export const takesAbsent = ({ operator, value }: { readonly operator: string; readonly value?: unknown }): boolean =>
  operator === "ne" || (operator === "exists" && value === false);

/**
 * How the values of a member compare, the same in every store.
 *
 * - `text`: as people compare it, without case, width, accents and points; what is left by code points.
 * - `exact`: by code points, for codes.
 * - `date`: `YYYY-MM-DD`, as text.
 * - `number`: by size.
 * - `boolean`: true or false in the record, `true` or `false` in a selection, as text.
 * - `time`: RFC 3339 in the record, milliseconds since the epoch in a selection; by size.
 */
export type MemberType = "text" | "exact" | "date" | "number" | "boolean" | "time";

/** By ascending id. */
export const defaultOrder: readonly SortKey[] = [{ member: "id", descending: false }];

/** Lists the members that every record has, and by which every collection can be selected. */
export const storeMembers: readonly SelectableMember[] = [
  { name: "id", type: "number" },
  { name: "createdAt", type: "time" },
  { name: "updatedAt", type: "time" },
];
