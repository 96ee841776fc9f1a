/** What becomes of the lines of a list that are about stored records. */
export interface MatchRules {
  /**
   * The member by whose value a line is a change of the record that has it. A line without the value is refused, unless the member is
   * `id`; one whose value no record has is a new record. Default: every line is a new record.
   */
  readonly upsert?: string | undefined;
  /** Whether a changed record keeps what its line lacks. Default: `keep`. */
  readonly absent?: Absent | undefined;
  /** What becomes of a new record that is likely stored already. Default: `add`, which does not look. */
  readonly onMatch?: OnMatch | undefined;
}

/** What becomes of a member that a line lacks. */
export const absentChoices = ["keep", "clear"] as const;

type Absent = (typeof absentChoices)[number];

/** What becomes of a new record that is likely stored already: it is refused or left out, or changes that one, or is added. */
export const onMatchChoices = ["refuse", "skip", "update", "add"] as const;

type OnMatch = (typeof onMatchChoices)[number];

/** What a collection says of its records, where lines of a list are compared with them. */
export interface MatchedRecords {
  /** Groups of members: two records that have the same values of all members of one are likely the same. */
  readonly alike: readonly (readonly string[])[];
  /** Adjusts what a line makes of a record, such as what is derived of other members. Default: as a merge patch makes it. */
  readonly adjust?: ((changed: ChangedDocument) => object) | undefined;
}

/** A record, a line that changes it, and what it becomes. */
export interface ChangedDocument {
  readonly before: Readonly<Record<string, unknown>>;
  /** What the record has without what the line clears. */
  readonly kept: Readonly<Record<string, unknown>>;
  readonly line: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}
