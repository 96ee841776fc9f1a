/** One kind of request that every server is measured with. */
export interface Scenario {
  /** Names it in the results. */
  readonly name: string;
  /** The request line's path for a database of this many records, whose ids are 1, 2, 3 …. */
  readonly path: (records: number) => string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the answer must have for the measurement to mean anything. */
  readonly status: number;
}

/** What is measured, in this order. */
export const scenarios: readonly Scenario[] = [
  {
    name: "read one person",
    path: (records) => `/person/${Math.ceil(records / 2)}`,
    headers: { Accept: "application/json" },
    status: 200,
  },
];
