import type { App } from "../app.ts";
import type { DeclarationSite } from "../common/declaration.ts";
import { type ConditionData, describeCondition } from "../condition.ts";
import { acceptKind } from "../conditions/accept.ts";
import { contentTypeKind } from "../conditions/content-type.ts";
import { type ConditionParameter, isConditionKind, isOfKind } from "../conditions/kind.ts";
import { describePath, pathKind } from "../conditions/path.ts";
import { type Description, docsOf, docsOfFilter, type FilterDescription, mergeDescriptions } from "../description.ts";
import type { Filter, WebFilter } from "../filter.ts";
import { describeTakes } from "../input/parameters.ts";
import type { DeclaredInputs } from "../input/taken.ts";
import { matchPattern } from "../path/pattern.ts";
import { parsePattern } from "../path/template.ts";
import { HttpRequest } from "../request.ts";
import { routesOf } from "../routing/dispatch/app-routes.ts";
import type { Branch } from "../routing/dispatch/branch.ts";
import type { Check } from "../routing/dispatch/check.ts";
import { type Reach, reachOf } from "../routing/explanation/reach.ts";
import { type DocumentPath, toDocumentPath } from "./path.ts";

/** One way to a handler: a branch of a route, with all that is said of it. A document and the tests of an app are made of these. */
export interface Way {
  /** undefined: every method. */
  readonly methods: readonly string[] | undefined;
  readonly path: DocumentPath;
  readonly name: string | undefined;
  /** The types that `accept` names; undefined where the route names none. */
  readonly produces: readonly string[] | undefined;
  /** The types that its conditions name, or else those that the router decodes, where the route takes content. */
  readonly consumes: readonly string[];
  /** The conditions beside path, method and types that are parameters. */
  readonly parameters: readonly ConditionParameter[];
  /** The others, in words. */
  readonly provisos: readonly string[];
  /** What is said of it: of the filters and groups around it, the outermost first, of its handler, and of the route. */
  readonly descriptions: readonly FilterDescription[];
  /** Whether the route, its groups or its handler say what is answered. */
  readonly saysAnswers: boolean;
  /** What it takes by `takes(…)`, also for its groups and in their filters. */
  readonly taken: readonly DeclaredInputs[];
  readonly reach: Reach;
  /** Of the route. */
  readonly site: DeclarationSite;
}

/** A method on a path, with the ways to it: one at least, in the order in which they are tried. */
export interface Ways {
  readonly method: string;
  readonly path: DocumentPath;
  readonly ways: readonly [Way, ...Way[]];
}

/** Returns the methods and paths of an app with the ways to each: paths that differ only in the names of variables are one. */
export function waysOf(app: App): readonly Ways[] {
  const { branches, filters } = routesOf(app);
  const everywhere = describesOf(filters);
  const all = branches.map((branch) => ({ ...wayOf(branch, everywhere, branches), reach: reachOf(branch, filters) }));
  return [...Map.groupBy(all, ({ path }) => path.shape).values()].flatMap((group) => {
    const [{ path }] = group as [Way, ...Way[]]; // groupBy makes no empty group
    const methods = new Set(group.flatMap((way) => way.methods ?? anyMethod));
    return [...methods].map((method): Ways => {
      const ways = group.filter((way) => (way.methods ?? anyMethod).includes(method));
      return { method, path, ways: ways as [Way, ...Way[]] }; // each method is that of one
    });
  });
}

/** The methods that a route of every method has in the document. */
export const anyMethod: readonly string[] = ["GET", "PUT", "POST", "DELETE", "PATCH"];

function wayOf(
  branch: Branch,
  everywhere: readonly FilterDescription[],
  branches: readonly Branch[],
): Omit<Way, "reach"> {
  const { route, methods, pattern, furtherPatterns, accept, reads, placed } = branch;
  const { route: declared, groups } = placed;
  const conditions = branch.checks
    .filter((check) => !leavesPath(check, branch, branches))
    .map(({ condition }) => condition)
    .filter((each) => !isOfKind(each, acceptKind) && !isOfKind(each, contentTypeKind));
  const own = [docsOf(declared.handler, pattern.text) ?? {}, ...declared.descriptions];
  const around = groups.map(({ app, filters, descriptions }) => ({
    filters: [...(app?.filters ?? []), ...filters],
    descriptions,
  }));
  return {
    methods: methods && [...methods],
    path: toDocumentPath(pattern.text),
    name: route.name,
    produces: accept?.mediaTypes,
    consumes: reads,
    parameters: conditions.flatMap((each) => parameterOf(each) ?? []),
    provisos: [
      ...furtherPatterns.map(({ text }) => describePath(text)),
      ...conditions.filter((each) => parameterOf(each) === undefined).map(describeCondition),
    ],
    descriptions: [
      ...everywhere,
      ...around.flatMap(({ filters, descriptions }) => [...describesOf(filters), ...descriptions]),
      ...own,
    ],
    saysAnswers: [...around.flatMap(({ descriptions }) => descriptions), ...own].some(({ responses }) => responses),
    taken: [...around.flatMap(({ filters }) => filters.flatMap(takenBy)), ...(declared.taken?.declared ?? [])],
    site: declared.site,
  };
}

const parameterOf = (condition: ConditionData): ConditionParameter | undefined =>
  isConditionKind(condition.kind) ? condition.kind.parameter(condition) : undefined;

const takenBy = (filter: Filter | WebFilter): readonly DeclaredInputs[] =>
  filter.kind === "filter" ? (filter.taken?.declared ?? []) : [];

/**
 * Returns whether the check only leaves a path to other routes. A document need not say so: there, too, a path comes before another
 * that has a variable in its place (OpenAPI 3.1 §4.8.8.2).
 */
function leavesPath({ condition, matches }: Check, { pattern }: Branch, branches: readonly Branch[]): boolean {
  if (condition.kind !== "not" || !isOfKind(condition.condition, pathKind)) return false;
  if (parsePattern(condition.condition.pattern).segments.some(({ kind }) => kind !== "literal")) return false;
  return branches.some((other) => {
    const sample = other.pattern.segments.map((segment) => (segment.kind === "literal" ? segment.text : "-"));
    return matchPattern(pattern, sample) !== undefined && !matches(HttpRequest.of(), "", sample);
  });
}

/** Returns what filters say, and what is said by what they take. */
export const describesOf = (filters: readonly (Filter | WebFilter)[]): readonly FilterDescription[] =>
  filters.flatMap((filter) => {
    const ofTaken =
      filter.kind === "filter" && filter.taken ? [{ ...filter, describes: describeTakes(filter.taken) }] : [];
    return [...ofTaken, filter].map((each) => (sample: HttpRequest) => docsOfFilter(each, sample));
  });

/** Puts together what is said of an operation, the outermost first. */
export const sayAll = (descriptions: Way["descriptions"], sample: HttpRequest): Description =>
  mergeDescriptions(descriptions.map((each) => (typeof each === "function" ? each(sample) : each)));

/** One of the ways to an operation, with what is said of it. */
export interface Alternative {
  readonly way: Way;
  readonly said: Description;
}
