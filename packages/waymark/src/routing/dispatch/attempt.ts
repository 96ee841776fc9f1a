import { stages } from "../../conditions/kind.ts";
import { type Branch, matchesMethod } from "./branch.ts";
import { type Check, type Consulted, consulting } from "./check.ts";

/** A branch as requests of one method try it. */
export interface Attempt extends Pick<Branch, "route" | "run" | "bind" | "negotiate"> {
  readonly branch: Branch;
  /** GET where a HEAD is answered as GET. */
  readonly method: string;
  /** What is left to check when path and method match. */
  readonly checks: readonly Check[];
  /** Those but the innermost `accept`, which the branch negotiates. */
  readonly checksBesideAccept: readonly Check[];
  /** The header fields that have been consulted when the choice falls on this branch. */
  readonly consulted: Consulted;
}

/** Returns how requests of the method try these branches, in order. */
export function makeAttempts(branches: readonly Branch[], method: string): readonly Attempt[] {
  const taken = branches.filter((branch) => matchesMethod(branch, method));
  if (method !== "HEAD") return inOrder(taken.map((branch) => ({ branch, method })));
  // RFC 9110 §9.3.2: HEAD is GET without the content. What is declared for HEAD comes before, and what every method
  // reaches but GET comes after.
  return inOrder([
    ...taken.filter(({ methods }) => methods !== undefined).map((branch) => ({ branch, method })),
    ...branches.filter((each) => matchesMethod(each, "GET")).map((branch) => ({ branch, method: "GET" })),
    ...taken.filter(({ methods }) => methods === undefined).map((branch) => ({ branch, method })),
  ]);
}

function inOrder(tried: readonly Pick<Attempt, "branch" | "method">[]): readonly Attempt[] {
  const names = new Map<string, string>();
  return tried.map(({ branch, method }): Attempt => {
    const checks = branch.checks.filter(({ stage }) => stage > stages.method);
    for (const name of checks.flatMap(({ consults }) => consults)) {
      if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
    }
    // The type that the innermost accept chooses says whether it matches.
    const checksBesideAccept = checks.filter(({ condition }) => condition !== branch.accept);
    const { route, run, bind, negotiate } = branch; // which a request then finds in one place
    const consulted = consulting([...names.values()]);
    return { branch, method, checks, checksBesideAccept, consulted, route, run, bind, negotiate };
  });
}

/** Returns the media ranges that the routes of these attempts read, each once. */
export function typesRead(attempts: readonly Attempt[]): readonly string[] {
  return [...new Set(attempts.flatMap(({ branch }) => branch.reads))];
}

/** Returns the media types that the routes of these attempts produce, each once. */
export function typesProduced(attempts: readonly Attempt[]): readonly string[] {
  return [...new Set(attempts.flatMap(({ branch }) => branch.accept?.mediaTypes ?? []))];
}
