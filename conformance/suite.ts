/** A suite of others, and how the project is held to it. */
export interface Suite {
  /** As it stands in the table of docs/architecture.md. */
  readonly name: string;
  readonly subject: string;
  /** What of the project is tried. */
  readonly tries: string;
  readonly source: Source;
  /** Tries every case of the suite, which lies in the folder. */
  run(folder: string): Promise<readonly Outcome[]>;
  /** The cases that the project decides otherwise, by name, with the reason; each of them must differ from the suite. */
  readonly decided?: Readonly<Record<string, string>>;
}

/** Where a suite comes from: a package of conformance/packages, or a commit of a repository. */
export type Source =
  | { readonly kind: "package"; readonly name: string }
  | { readonly kind: "repository"; readonly url: string; readonly commit: string };

/** What became of a case. */
export interface Outcome {
  readonly name: string;
  /** What differs from the suite's expectation, or undefined. */
  readonly fault: string | undefined;
}

/** The count of a run. */
export interface Count {
  readonly cases: number;
  readonly asExpected: number;
  /** Cases that differ for a reason that the suite's file here gives. */
  readonly decided: number;
}

/** The count of a run, and what is wrong: cases that differ without a reason, and reasons of cases that do not differ. */
export function judge({ decided = {} }: Suite, outcomes: readonly Outcome[]): { count: Count; faults: string[] } {
  const differing = outcomes.filter(({ fault }) => fault !== undefined);
  const undecided = differing.filter(({ name }) => !Object.hasOwn(decided, name));
  const stale = Object.keys(decided).filter((name) => !differing.some((outcome) => outcome.name === name));
  const faults = [
    ...(outcomes.length === 0 ? ["the suite has no cases"] : []),
    ...undecided.map(({ name, fault }) => `${name}: ${fault}`),
    ...stale.map((name) => `${name}: decided otherwise, but as the suite expects`),
  ];
  const asExpected = outcomes.length - differing.length;
  return { count: { cases: outcomes.length, asExpected, decided: differing.length - undecided.length }, faults };
}
