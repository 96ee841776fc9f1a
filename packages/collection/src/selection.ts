/**
 * Which records of a store are wanted, in which order, and from where on. Without any part: all, by ascending id.
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
  /** All of these hold. */
  readonly filters?: readonly MemberFilter[];
  /** Words as `toWords` gives them. The full text has each of them; the last may be the beginning of one there. */
  readonly words?: readonly string[];
  /** No member occurs twice, and the last is `id`: so any two records have an order. */
  readonly order?: readonly SortKey[];
  /**
   * The place to begin behind: a value for each key of the order, and for `id` a number. No record need have them. What a
   * page begins behind are the values of the last record of the page before it.
   */
  readonly after?: readonly MemberValue[];
  /** At most so many records: an integer from 1. */
  readonly limit?: number;
}

/**
 * What a record must be like.
 *
 * `eq` and `ne` are each other's complement: a record without the member is not equal to any value. None of the other
 * operators holds for it.
 */
export type MemberFilter =
  | { readonly member: string; readonly operator: Comparison; readonly value: string | number }
  | { readonly member: string; readonly operator: "prefix"; readonly value: string }
  | { readonly member: string; readonly operator: "in"; readonly values: readonly (string | number)[] };

export type Comparison = "eq" | "ne" | "lt" | "le" | "gt" | "ge";

/** One key of an order. A record that lacks the member comes before those that have it, and descending after them. */
export interface SortKey {
  readonly member: string;
  readonly descending: boolean;
}

/** The value of a member by which records are put in order; null when the record lacks it. Times are in milliseconds since the epoch. */
export type MemberValue = string | number | null;

/** A member that records can be selected and sorted by. */
export interface SelectableMember {
  /** `familyName`, or `address.postalCode` for a member of an object. */
  readonly name: string;
  readonly type: MemberType;
}

/**
 * How the values of a member compare, the same in every store.
 *
 * - `text`: by code points.
 * - `caseless-text`: as text in which A to Z are a to z.
 * - `date`: `YYYY-MM-DD`, as text.
 * - `number`: by size.
 * - `time`: RFC 3339 in the record, milliseconds since the epoch in a selection; by size.
 */
export type MemberType = "text" | "caseless-text" | "date" | "number" | "time";

/** By ascending id. */
export const defaultOrder: readonly SortKey[] = [{ member: "id", descending: false }];

/** What every record has, and every collection can be selected by. */
export const storeMembers: readonly SelectableMember[] = [
  { name: "id", type: "number" },
  { name: "createdAt", type: "time" },
  { name: "updatedAt", type: "time" },
];
