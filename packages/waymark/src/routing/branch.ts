import type { RouteSummary } from "../app.ts";
import { type AcceptCondition, type ConditionData, describeCondition, leaves } from "../condition.ts";
import type { Next } from "../filter.ts";
import { type MountedApp, mountedAt } from "../mount.ts";
import {
  compileBinding,
  joinPatterns,
  matchPattern,
  mistakeInRests,
  type PathPattern,
  type Variables,
  variableNames,
  withEverythingBelow,
} from "../path/pattern.ts";
import { parsePattern } from "../path/template.ts";
import { HttpRequest } from "../request.ts";
import type { Group, MountedRoute, SingleRoute } from "../route.ts";
import { type Check, compileCheck, compileNegotiation, type Place, stages } from "./check.ts";
import type { Mistake } from "./mistake.ts";

/** A route with the groups around it, the outermost first. */
export interface PlacedRoute {
  readonly route: SingleRoute | MountedRoute;
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
  /** The app that answers, if it is not a handler. */
  readonly mounted: MountedApp | undefined;
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

const tooMany = ({ site }: Group | PlacedRoute["route"]): Mistake => ({
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
  const { route } = placed;
  return {
    placed,
    pattern: fromRoot(pattern),
    furtherPatterns: furtherPatterns.map(fromRoot),
    methods: draft.methods,
    checks: draft.checks.toSorted((a, b) => a.stage - b.stage),
    accept: draft.accept,
    mounted: route.kind === "mount" ? mountedAt(route, pattern) : undefined,
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

/** An alternative made ready to be tried. */
export interface Candidate {
  readonly alternative: Alternative;
  /** Among all candidates of the router, which are tried in this order. */
  readonly order: number;
  /** The filters and the handler. */
  readonly run: Next;
  readonly bind: (segments: readonly string[]) => Variables;
  /** The media type that Accept chooses; undefined when the route names none. */
  readonly negotiate: ((request: HttpRequest) => string | undefined) | undefined;
}

export function toCandidate(alternative: Alternative, order: number, run: Next): Candidate {
  const { accept, pattern, furtherPatterns } = alternative;
  const bind = compileBinding([pattern, ...furtherPatterns]);
  return { alternative, order, run, bind, negotiate: accept && negotiator(accept.mediaTypes) };
}

/** Whether all that it says of the path, beside the pattern that it was found by, holds. */
export function takesPath({ alternative }: Candidate, segments: readonly string[]): boolean {
  return (
    alternative.checks.every(({ stage, holds }) => stage !== stages.path || holds(anyRequest, "", segments)) &&
    alternative.furtherPatterns.every((pattern) => matchPattern(pattern, segments) !== undefined)
  );
}

/** Whether `takesPath` can differ between paths that the pattern takes. */
export function restrictsPath({ alternative }: Candidate): boolean {
  return alternative.furtherPatterns.length > 0 || alternative.checks.some(({ stage }) => stage === stages.path);
}

export function takesMethod({ alternative }: Candidate, method: string): boolean {
  if (alternative.methods !== undefined && !alternative.methods.has(method)) return false;
  return alternative.checks.every(({ stage, holds }) => stage !== stages.method || holds(anyRequest, method, []));
}

// The checks of the stages path and method read nothing of a request but those, and they are given beside it.
const anyRequest = HttpRequest.of();

function negotiator(mediaTypes: readonly string[]): (request: HttpRequest) => string | undefined {
  const choose = compileNegotiation(mediaTypes);
  return (request) => mediaTypes[choose(request.headers.get("accept"))];
}

/** The table of the candidates, in their order; a mounted app has the rows of its own. */
export function summarize(candidates: readonly Candidate[]): readonly RouteSummary[] {
  return candidates.flatMap(({ alternative }) => {
    const { mounted } = alternative;
    const row = summarizeOne(alternative);
    return mounted === undefined ? [row] : mounted.app.routes.map((inner) => within(row, inner));
  });
}

function summarizeOne({ methods, pattern, furtherPatterns, checks, accept, placed }: Alternative): RouteSummary {
  const conditions = checks.map(({ condition }) => condition);
  return {
    methods: methods && [...methods],
    path: pattern.text,
    produces: accept?.mediaTypes ?? [],
    consumes: conditions.flatMap((condition) => (condition.kind === "contentType" ? condition.mediaTypes : [])),
    conditions: [
      ...furtherPatterns.map(({ text }) => `path "${text}"`),
      ...conditions.filter(isFurther).map(describeCondition),
    ],
    filters: placed.groups.flatMap(({ filters }) => filters.map(({ kind, site }) => `${kind} (${site})`)),
    declaredAt: String(placed.route.site),
  };
}

/** The row of a route in a mounted app, whose own row is that of everything below its path. */
function within(mounted: RouteSummary, { methods, path, ...inner }: RouteSummary): RouteSummary {
  const prefix = mounted.path.slice(0, -"/**".length);
  return {
    methods: methods?.filter((name) => mounted.methods?.includes(name) ?? true) ?? mounted.methods,
    path: path === "/" && prefix !== "" ? prefix : prefix + path,
    produces: inner.produces.length > 0 ? inner.produces : mounted.produces,
    consumes: [...mounted.consumes, ...inner.consumes],
    conditions: [...mounted.conditions, ...inner.conditions],
    filters: [...mounted.filters, ...inner.filters],
    declaredAt: inner.declaredAt,
  };
}

/** `GET /person/{id}`; a star where every method will do. */
export function describeAlternative({ methods, pattern }: Alternative): string {
  return `${methods === undefined ? "*" : [...methods].join("|") || "(no method)"} ${pattern.text}`;
}

const isFurther = ({ kind }: ConditionData): boolean => kind !== "accept" && kind !== "contentType";
