import { DeclarationSite } from "../common/declaration.ts";
import { isToken } from "../fields/syntax.ts";
import type { NoVariables } from "../path/pattern.ts";
import { type Condition, type ConditionKind, conditionKind, declareAt } from "./kind.ts";
import { findInvalidIn } from "./names.ts";

export const methodKind: ConditionKind<{ readonly methods: readonly string[] }> = conditionKind({
  name: "method",
  stage: "method",
  repeatable: true,
  findInvalid: ({ methods }) =>
    findInvalidIn("method", methods, isToken, "is not a method") ??
    findInvalidIn("method", methods, isInCapitals, "is in capitals as a method: methods are case-sensitive"),
  compile: ({ methods }) => {
    const taken = new Set(methods);
    return (_, method) => taken.has(method);
  },
  consults: () => [],
  describe: ({ methods }) => methods.join("|"),
  find: (_, { method }) => method,
  implies: (given, wanted) => given.methods.every((name) => wanted.methods.includes(name)),
  parameter: () => undefined,
});

/** The methods that a route without a condition on the method is said to answer; it answers any other too. */
export const knownMethods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"];

const isInCapitals = (name: string): boolean =>
  knownMethods.includes(name) || !knownMethods.includes(name.toUpperCase());

/** Matches requests with one of these methods. HEAD also matches GET if no other route takes it (RFC 9110 §9.3.2). */
export function method(...methods: readonly string[]): Condition<NoVariables> {
  return declareAt(methodKind, { methods }, new DeclarationSite(method));
}
