import { DeclarationSite } from "../common/declaration.ts";
import { joinPatterns, matchPattern, type PathVariables, withEverythingBelow } from "../path/pattern.ts";
import { PatternError, parsePattern } from "../path/template.ts";
import { type Condition, type ConditionKind, conditionKind, declareAt } from "./kind.ts";

export const pathKind: ConditionKind<{ readonly pattern: string }> = conditionKind({
  name: "path",
  stage: "path",
  repeatable: true,
  findInvalid: ({ pattern }) => {
    try {
      parsePattern(pattern);
      return undefined;
    } catch (error) {
      if (error instanceof PatternError) return error.message;
      throw error;
    }
  },
  compile: ({ pattern }, { prefix, inGroup }) => {
    const joined = joinPatterns(prefix, parsePattern(pattern));
    const whole = inGroup ? withEverythingBelow(joined) : joined;
    return (_, __, segments) => matchPattern(whole, segments) !== undefined;
  },
  consults: () => [],
  describe: ({ pattern }) => describePath(pattern),
  find: (_, { path }) => `"${path}"`,
  // What a path means depends on its place, and one condition can be in two places.
  implies: () => false,
  parameter: () => undefined,
});

/** Describes a condition on the path, for tables and explanations. */
export const describePath = (pattern: string): string => `path "${pattern}"`;

/**
 * Matches a path template: in a route exactly this path below its groups, in a group this path and everything below it.
 * `{id}` is a variable, `{id:[0-9]+}` one with an expression, `{*rest}` all segments that are left.
 */
export function path<const P extends string>(pattern: P): Condition<PathVariables<P>> {
  return declareAt(pathKind, { pattern }, new DeclarationSite(path));
}
