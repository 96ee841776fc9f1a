import { type Check, compileCheck, type Place } from "./check.ts";
import { type AcceptCondition, type ConditionData, leaves } from "./condition.ts";
import type { Mistake } from "./mistake.ts";
import { joinPatterns, mistakeInRests, type PathPattern, variableNames, withEverythingBelow } from "./path-pattern.ts";
import { parsePattern } from "./path-template.ts";
import type { Group, SingleRoute } from "./route.ts";

/** A route with the groups around it, the outermost first. */
export interface PlacedRoute {
  readonly route: SingleRoute;
  readonly groups: readonly Group[];
}

/**
 * One way in which a request can meet all the conditions of a route and its groups: a conjunction. A route has one for
 * each way through its `or`s, from left to right; most have a single one.
 */
export interface Alternative {
  readonly placed: PlacedRoute;
  /** The whole path; it is what routes are looked up by. */
  readonly pattern: PathPattern;
  /** Other paths that a route has named beside it, which must match too. */
  readonly furtherPatterns: readonly PathPattern[];
  /** undefined: every method. */
  readonly methods: ReadonlySet<string> | undefined;
  /** What else must hold, in the order of the stages. */
  readonly checks: readonly Check[];
  /** The innermost `accept`, which chooses the type of the response. */
  readonly accept: AcceptCondition | undefined;
}

/** The alternatives of a route whose conditions are well formed, or what is wrong with them together. */
export function expandRoute(placed: PlacedRoute): readonly Alternative[] | Mistake {
  let drafts: readonly Draft[] = [{ prefix: root, patterns: [], methods: undefined, checks: [], accept: undefined }];
  for (const group of placed.groups) {
    drafts = group.conditions.reduce((sofar, condition) => expand(sofar, condition, true), drafts);
    if (drafts.length > mostAlternatives) return tooMany(group);
    if (drafts.some(({ patterns }) => patterns.length > 1)) {
      return { message: "A group has two paths at once; a path below a path is a group in a group", site: group.site };
    }
    const slashed = drafts.map(({ patterns }) => patterns[0]?.text).find((text) => text?.endsWith("/"));
    if (slashed !== undefined) {
      const message = `The path "${slashed}" of a group ends in a slash; the paths of its routes begin with one`;
      return { message, site: group.site };
    }
    drafts = drafts.map((draft) => ({ ...draft, prefix: draft.patterns[0] ?? draft.prefix, patterns: [] }));
  }
  const { route } = placed;
  drafts = route.conditions.reduce((sofar, condition) => expand(sofar, condition, false), drafts);
  if (drafts.length > mostAlternatives) return tooMany(route);
  const namesPath = route.conditions.flatMap(leaves).some(({ kind }) => kind === "path");
  const alternatives = drafts.map((draft) => toAlternative(placed, draft, namesPath));
  const message = alternatives.map(mistakeInPaths).find((found) => found !== undefined);
  return message === undefined ? alternatives : { message, site: route.site };
}

/** An alternative that has not met all of the conditions yet. */
interface Draft {
  /** Of the groups passed so far. */
  readonly prefix: PathPattern;
  /** What this group or route has named, below the prefix. */
  readonly patterns: readonly PathPattern[];
  readonly methods: ReadonlySet<string> | undefined;
  readonly checks: readonly Check[];
  readonly accept: AcceptCondition | undefined;
}

const root: PathPattern = { text: "", segments: [] };

// `and` of many `or`s multiplies; beyond this somebody has written a puzzle, and the router should not spend memory on it.
const mostAlternatives = 1024;

const tooMany = ({ site }: Group | SingleRoute): Mistake => ({
  message: `There are more than ${mostAlternatives} ways through the "or" conditions up to here`,
  site,
});

function expand(drafts: readonly Draft[], condition: ConditionData, inGroup: boolean): readonly Draft[] {
  // Once there are too many, there is nothing to gain from more.
  if (drafts.length > mostAlternatives) return drafts;
  switch (condition.kind) {
    case "and":
      return condition.conditions.reduce((sofar, member) => expand(sofar, member, inGroup), drafts);
    case "or":
      return drafts.flatMap((draft) => condition.conditions.flatMap((member) => expand([draft], member, inGroup)));
    default:
      return drafts.map((draft) => extend(draft, condition, { prefix: draft.prefix, inGroup }));
  }
}

type Literal = Exclude<ConditionData, { kind: "and" | "or" }>;

function extend(draft: Draft, condition: Literal, place: Place): Draft {
  switch (condition.kind) {
    case "path": {
      const pattern = joinPatterns(draft.prefix, parsePattern(condition.pattern));
      return { ...draft, patterns: [...draft.patterns, pattern] };
    }
    case "method": {
      const { methods } = draft;
      return { ...draft, methods: new Set(condition.methods.filter((name) => methods?.has(name) ?? true)) };
    }
    case "accept":
      return { ...draft, accept: condition, checks: [...draft.checks, compileCheck(condition, place)] };
    default:
      return { ...draft, checks: [...draft.checks, compileCheck(condition, place)] };
  }
}

/** @param namesPath whether the route names a path; in a branch of its `or`s that names none, any path below will do */
function toAlternative(placed: PlacedRoute, draft: Draft, namesPath: boolean): Alternative {
  const implied = namesPath ? withEverythingBelow(draft.prefix) : draft.prefix;
  const [pattern = implied, ...furtherPatterns] = draft.patterns;
  return {
    placed,
    pattern: fromRoot(pattern),
    furtherPatterns: furtherPatterns.map(fromRoot),
    methods: draft.methods,
    checks: draft.checks.toSorted((a, b) => a.stage - b.stage),
    accept: draft.accept,
  };
}

/** Outside of all groups, "" is the path "/". */
const fromRoot = (pattern: PathPattern): PathPattern =>
  pattern.segments.length === 0 ? { text: "/", segments: [{ kind: "literal", text: "" }] } : pattern;

function mistakeInPaths({ pattern, furtherPatterns }: Alternative): string | undefined {
  for (const whole of [pattern, ...furtherPatterns]) {
    const mistake = mistakeInRests(whole);
    if (mistake !== undefined) return mistake;
  }
  // Two paths of one route lie below the same groups, whose segments they share.
  const names = variableNames(pattern);
  const further = furtherPatterns.flatMap(({ text, segments }) =>
    variableNames({ text, segments: segments.filter((segment) => !pattern.segments.includes(segment)) }),
  );
  const twice = [...names, ...further].find((name, i, all) => all.indexOf(name) !== i);
  return twice === undefined ? undefined : `The path "${pattern.text}" has the variable {${twice}} twice`;
}
