import type { Finding } from "../../app.ts";
import { findingInPath } from "../../common/path-check.ts";
import { type ConditionData, leaves } from "../../condition.ts";
import { type AcceptData, acceptKind, typeChooser } from "../../conditions/accept.ts";
import { typesReadBy } from "../../conditions/content-type.ts";
import { isOfKind, type Leaf, type Place, stages } from "../../conditions/kind.ts";
import { methodKind } from "../../conditions/method.ts";
import { pathKind } from "../../conditions/path.ts";
import type { Decoder } from "../../content/decoder.ts";
import { decodersOf } from "../../content/request-content.ts";
import type { MatchedRoute } from "../../exchange/exchange.ts";
import { withoutParameters } from "../../fields/media-type.ts";
import type { Next } from "../../filter.ts";
import {
  type Binding,
  compileBinding,
  findingInRests,
  joinPatterns,
  matchPattern,
  type PathPattern,
  variableNames,
  withEverythingBelow,
} from "../../path/pattern.ts";
import { parsePattern } from "../../path/template.ts";
import { HttpRequest } from "../../request.ts";
import type { Group, SingleRoute } from "../../route.ts";
import { type Check, compileCheck } from "./check.ts";
import { type AppScope, compilePipeline } from "./pipeline.ts";

/** A route with the groups around it, the outermost first. */
export interface PlacedRoute {
  readonly route: SingleRoute;
  readonly groups: readonly Group[];
}

/**
 * One way to a handler, compiled: a conjunction of all the conditions of a route and its groups. A route has a branch for
 * each way through its `or`s, from left to right; most have a single one.
 */
export interface Branch {
  readonly placed: PlacedRoute;
  /** As requests, explanations and findings name it. */
  readonly route: MatchedRoute;
  /** The whole path; it is what routes are looked up by. */
  readonly pattern: PathPattern;
  /** Other paths of the route, which must match too. */
  readonly furtherPatterns: readonly PathPattern[];
  /** undefined: every method. */
  readonly methods: ReadonlySet<string> | undefined;
  /** What else must hold, in the order of the stages. */
  readonly checks: readonly Check[];
  /** The innermost `accept`, which chooses the type of the response. */
  readonly accept: Leaf<AcceptData> | undefined;
  /** The media ranges of its conditions; without any, of what the router decodes where the route takes content. */
  readonly reads: readonly string[];
  /** Its number among all branches of the router, which are tried in this order. */
  readonly order: number;
  /** The filters and the handler. */
  readonly run: Next;
  readonly bind: Binding;
  /** Chooses the media type of the response by Accept; undefined when the route names none. */
  readonly negotiate: ((request: HttpRequest) => string | undefined) | undefined;
}

/** What a router says of all its branches. */
export interface BranchSettings extends AppScope {
  /** Whether what handlers answer is compared with what they declare. */
  readonly checksAnswers: boolean;
  /** What reads content that a route takes by a schema. */
  readonly decoders: readonly Decoder[];
  readonly bindings: Map<string, Binding>;
}

/**
 * Compiles the branches of a route whose conditions are well formed; a finding says what is wrong with them together.
 *
 * @param order of the first branch
 */
export function compileBranches(
  placed: PlacedRoute,
  order: number,
  settings: BranchSettings,
): readonly Branch[] | Finding {
  const found = expandGroups(placed.groups);
  if ("message" in found) return found;
  const { route } = placed;
  const drafts = route.conditions.reduce<readonly PartialBranch[]>(
    (sofar, condition) => expand(sofar, condition, false),
    found,
  );
  if (drafts.length > mostBranches) return tooMany(route);
  const namesPath = route.conditions.flatMap(leaves).some((leaf) => isOfKind(leaf, pathKind));
  const branches = drafts.map((draft, i) => toBranch(placed, draft, namesPath, order + i, settings));
  const message = branches.map(findingInPaths).find((finding) => finding !== undefined);
  return message === undefined ? branches : invalid(message, route);
}

/** Expands the conditions of these groups, the outermost first; a finding says what is wrong with them together. */
function expandGroups(groups: readonly Group[]): readonly PartialBranch[] | Finding {
  let drafts: readonly PartialBranch[] = [
    { prefix: root, patterns: [], methods: undefined, checks: [], accept: undefined, mounts: [] },
  ];
  for (const group of groups) {
    drafts = group.conditions.reduce((sofar, condition) => expand(sofar, condition, true), drafts);
    if (drafts.length > mostBranches) return tooMany(group);
    if (drafts.some(({ patterns }) => patterns.length > 1)) {
      return invalid("A group has two paths; for a path below a path, put a group in a group", group);
    }
    const slashed = drafts.map(({ patterns }) => patterns[0]?.text).find((text) => text?.endsWith("/"));
    if (slashed !== undefined) {
      return invalid(`The path "${slashed}" of a group ends in a slash; the paths of its routes begin with one`, group);
    }
    drafts = drafts.map((draft): PartialBranch => {
      const prefix = draft.patterns[0] ?? draft.prefix;
      if (group.app === undefined) return { ...draft, prefix, patterns: [] };
      const mounts = [...draft.mounts, prefix.segments.length];
      return { ...draft, prefix: { ...prefix, isMount: true }, patterns: [], mounts };
    });
  }
  return drafts;
}

/** Where an app is mounted in another, as far as refusals below it go. */
export interface MountPlace {
  /** Of everything below the path. */
  readonly pattern: PathPattern;
  readonly methods: ReadonlySet<string> | undefined;
  readonly checks: readonly Check[];
  /** How many segments of the path lead to each app of the groups, the outermost first. */
  readonly mounts: readonly number[];
}

/** Returns the places of the innermost of these groups; none where something is wrong with them, which their routes report. */
export function placesOf(groups: readonly Group[]): readonly MountPlace[] {
  const drafts = expandGroups(groups);
  if ("message" in drafts) return [];
  return drafts.map(({ prefix, methods, checks, mounts }) => ({
    pattern: withEverythingBelow(prefix),
    methods,
    checks,
    mounts,
  }));
}

/** A branch with the conditions up to here. */
interface PartialBranch extends Pick<Branch, "methods" | "checks" | "accept"> {
  /** Of the groups passed so far. */
  readonly prefix: PathPattern;
  /** What this group or route has named, below the prefix. */
  readonly patterns: readonly PathPattern[];
  /** How many segments lead to each app that is mounted on the way. */
  readonly mounts: readonly number[];
}

const root: PathPattern = { text: "", segments: [] };

// `and` of many `or`s multiplies; the bound keeps the memory of the router small.
const mostBranches = 1024;

const tooMany = (declared: Group | PlacedRoute["route"]): Finding =>
  invalid(`The "or" conditions up to here have more than ${mostBranches} combinations`, declared);

const invalid = (message: string, { site }: Group | PlacedRoute["route"]): Finding => ({
  kind: "invalid",
  message,
  site,
});

function expand(
  drafts: readonly PartialBranch[],
  condition: ConditionData,
  inGroup: boolean,
): readonly PartialBranch[] {
  // Once there are too many, there is nothing to gain from more.
  if (drafts.length > mostBranches) return drafts;
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

function extend(draft: PartialBranch, condition: Literal, place: Place): PartialBranch {
  if (isOfKind(condition, pathKind)) {
    const pattern = joinPatterns(draft.prefix, parsePattern(condition.pattern));
    return { ...draft, patterns: [...draft.patterns, pattern] };
  }
  if (isOfKind(condition, methodKind)) {
    const { methods } = draft;
    return { ...draft, methods: new Set(condition.methods.filter((name) => methods?.has(name) ?? true)) };
  }
  const checks = [...draft.checks, compileCheck(condition, place)];
  return isOfKind(condition, acceptKind) ? { ...draft, accept: condition, checks } : { ...draft, checks };
}

/** @param namesPath whether the route names a path; in a branch that names none, any path below will do */
function toBranch(
  placed: PlacedRoute,
  draft: PartialBranch,
  namesPath: boolean,
  order: number,
  settings: BranchSettings,
): Branch {
  const implied = namesPath ? withEverythingBelow(draft.prefix) : draft.prefix;
  const [first = implied, ...further] = draft.patterns;
  const [pattern, furtherPatterns] = [fromRoot(first), further.map(fromRoot)];
  const { methods, checks, accept, mounts } = draft;
  const { route: declared, groups } = placed;
  const apps = groups.flatMap(({ app = [] }) => app);
  const decoders = apps.findLast(({ reads }) => reads)?.reads?.decoders ?? settings.decoders;
  const reads = typesReadBy(checks.map(({ condition }) => condition));
  const jsonTypes = reads.filter((type) => withoutParameters(type).endsWith("+json"));
  const { taken } = declared;
  const checked = settings.checksAnswers || apps.some(({ checksAnswers }) => checksAnswers);
  return {
    placed,
    route: { method: methods === undefined ? "*" : [...methods].join("|"), path: pattern.text, name: declared.name },
    pattern,
    furtherPatterns,
    methods,
    checks: checks.toSorted((a, b) => a.stage - b.stage),
    accept,
    reads: reads.length > 0 || taken === undefined ? reads : taken.handling.contentTypes(taken, decoders),
    order,
    run: compilePipeline(
      declared,
      groups,
      checked ? { template: pattern.text, produces: accept?.mediaTypes } : undefined,
      { ...settings, mounts },
      decodersOf(decoders, jsonTypes),
    ),
    bind: compileBinding([pattern, ...furtherPatterns], settings.bindings),
    negotiate: accept && typeChooser(accept.mediaTypes),
  };
}

/** Outside of all groups, "" is the path "/". */
const fromRoot = ({ text, segments }: PathPattern): PathPattern =>
  segments.length > 0 ? { text, segments } : { text: "/", segments: [{ kind: "literal", text: "" }] };

function findingInPaths({ pattern, furtherPatterns, placed: { route } }: Branch): string | undefined {
  for (const whole of [pattern, ...furtherPatterns]) {
    const finding = findingInRests(whole);
    if (finding !== undefined) return finding;
  }
  // Two paths of one route lie below the same groups, whose segments they share.
  const names = variableNames(pattern);
  const further = furtherPatterns.flatMap(({ text, segments }) =>
    variableNames({ text, segments: segments.filter((segment) => !pattern.segments.includes(segment)) }),
  );
  const twice = [...names, ...further].find((name, i, all) => all.indexOf(name) !== i);
  if (twice !== undefined) return `The path "${pattern.text}" has the variable {${twice}} twice`;
  // Where a route has two paths, either may have what the handler needs.
  return furtherPatterns.length > 0 ? undefined : findingInPath(route.handler, pattern.text);
}

/** Returns whether the path meets all conditions of the branch on paths, beside the pattern by which it was found. */
export function matchesPath(branch: Branch, segments: readonly string[]): boolean {
  return (
    branch.checks.every(({ stage, matches }) => stage !== stages.path || matches(anyRequest, "", segments)) &&
    branch.furtherPatterns.every((pattern) => matchPattern(pattern, segments) !== undefined)
  );
}

/** Returns whether `matchesPath` can differ between paths that the pattern takes. */
export function restrictsPath(branch: Branch): boolean {
  return branch.furtherPatterns.length > 0 || branch.checks.some(({ stage }) => stage === stages.path);
}

export function matchesMethod(branch: Branch, method: string): boolean {
  if (branch.methods !== undefined && !branch.methods.has(method)) return false;
  return branch.checks.every(({ stage, matches }) => stage !== stages.method || matches(anyRequest, method, []));
}

// The checks of the stages path and method read only these two, which are passed beside the request.
const anyRequest = HttpRequest.of();

/** Describes the route as `GET /person/{id}`; a star means every method. */
export const describeRoute = ({ method, path }: MatchedRoute): string => `${method || "(no method)"} ${path}`;
