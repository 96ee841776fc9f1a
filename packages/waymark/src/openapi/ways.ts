import type { App } from "../app.ts";
import { type ConditionData, describeCondition } from "../condition.ts";
import { acceptKind } from "../conditions/accept.ts";
import { contentTypeKind, typesReadBy } from "../conditions/content-type.ts";
import { type ConditionParameter, isConditionKind, isOfKind } from "../conditions/kind.ts";
import { describePath, pathKind } from "../conditions/path.ts";
import type { DeclarationSite } from "../declaration.ts";
import { type Description, docsOf, docsOfFilter, type FilterDescription, mergeDescriptions } from "../description.ts";
import type { Filter, WebFilter } from "../filter.ts";
import { describeTakes } from "../input/parameters.ts";
import type { DeclaredInputs } from "../input/takes.ts";
import { matchPattern } from "../path/pattern.ts";
import { parsePattern } from "../path/template.ts";
import type { ProblemType } from "../problem-types.ts";
import { HttpRequest } from "../request.ts";
import { routesOf } from "../routing/app-routes.ts";
import type { Branch } from "../routing/branch.ts";
import type { Check } from "../routing/check.ts";

/** One way to a handler: a branch as far as a document speaks of it. */
export interface Way {
  /** undefined: every method. */
  readonly methods: readonly string[] | undefined;
  /** The whole template. */
  readonly template: string;
  readonly name: string | undefined;
  /** What a request must meet besides path and method. */
  readonly conditions: readonly ConditionData[];
  /** Other templates that the path must match too. */
  readonly furtherTemplates: readonly string[];
  /** The types that `accept` names; undefined where the route names none. */
  readonly produces: readonly string[] | undefined;
  /** The types that its conditions name, or else those that the router decodes, where the route takes content. */
  readonly reads: readonly string[];
  /** What is said of it: of the filters and groups around it, the outermost first, of its handler, and of the route. */
  readonly descriptions: readonly FilterDescription[];
  /** Whether the route, its groups or its handler say what is answered. */
  readonly saysAnswers: boolean;
  /** What it takes by `takes(…)`, also for its groups and in their filters. */
  readonly taken: readonly DeclaredInputs[];
  /** Of the route. */
  readonly site: DeclarationSite;
}

/** Returns every way to a handler, in the order in which they are tried. */
export function waysOf(app: App): readonly Way[] {
  const { branches, filters } = routesOf(app);
  const everywhere = describesOf(filters);
  return branches.map((branch) => {
    const checks = branch.checks.filter((check) => !leavesPath(check, branch, branches));
    return wayOf({ ...branch, checks }, everywhere);
  });
}

function wayOf(branch: Branch, everywhere: readonly FilterDescription[]): Way {
  const { route, methods, pattern, furtherPatterns, checks, accept, reads, placed } = branch;
  const around = placed.groups.flatMap(({ app, filters, descriptions }) => [
    ...describesOf([...(app?.filters ?? []), ...filters]),
    ...descriptions,
  ]);
  const { route: declared } = placed;
  const template = pattern.text;
  const own: readonly Description[] = [docsOf(declared.handler, template) ?? {}, ...declared.descriptions];
  return {
    methods: methods && [...methods],
    template,
    name: route.name,
    conditions: checks.map(({ condition }) => condition),
    furtherTemplates: furtherPatterns.map(({ text }) => text),
    produces: accept?.mediaTypes,
    reads,
    descriptions: [...everywhere, ...around, ...own],
    saysAnswers: [...placed.groups.flatMap(({ descriptions }) => descriptions), ...own].some(
      ({ responses }) => responses,
    ),
    taken: [
      ...placed.groups.flatMap(({ app, filters }) => [...(app?.filters ?? []), ...filters].flatMap(takenBy)),
      ...(declared.taken?.declared ?? []),
    ],
    site: declared.site,
  };
}

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

/** One of the routes that share a method and a path, as it is described. */
export interface Alternative {
  readonly way: Way;
  readonly said: Said;
  readonly consumes: readonly string[];
  /** Conditions that are parameters. */
  readonly parameters: readonly ConditionParameter[];
  /** Other conditions, in words. */
  readonly provisos: readonly string[];
}

/** Takes a way apart for the operation that a sample request is of. */
export function toAlternative(way: Way, sample: HttpRequest): Alternative {
  const named = typesReadBy(way.conditions);
  const conditions = way.conditions.filter((each) => !isOfKind(each, acceptKind) && !isOfKind(each, contentTypeKind));
  return {
    way,
    said: combine(way.descriptions, sample),
    consumes: named.length > 0 ? named : way.reads,
    parameters: conditions.flatMap((each) => parameterOf(each) ?? []),
    provisos: [
      ...way.furtherTemplates.map(describePath),
      ...conditions.filter((each) => parameterOf(each) === undefined).map(describeCondition),
    ],
  };
}

const parameterOf = (condition: ConditionData): ConditionParameter | undefined =>
  isConditionKind(condition.kind) ? condition.kind.parameter(condition) : undefined;

/** Returns what filters say, and what is said by what they take. */
export const describesOf = (filters: readonly (Filter | WebFilter)[]): readonly FilterDescription[] =>
  filters.flatMap((filter) => {
    const ofTaken =
      filter.kind === "filter" && filter.taken ? [{ ...filter, describes: describeTakes(filter.taken) }] : [];
    return [...ofTaken, filter].map((each) => (sample: HttpRequest) => docsOfFilter(each, sample));
  });

/** What is said of an operation by all that is around its handler, and by itself. */
export interface Said extends Description {
  /** The media types in which problems are sent, by problem: a filter changes the form of those that come from further in. */
  readonly problemForms: ReadonlyMap<ProblemType, readonly string[]>;
}

/** Puts together all that is said of an operation, the outermost first. */
export function combine(all: readonly FilterDescription[], sample: HttpRequest): Said {
  const descriptions = all.map((each) => (typeof each === "function" ? each(sample) : each));
  const types: string[] = ["application/problem+json"];
  const forms = descriptions.map(({ problems = [], problemTypes = [] }) => {
    const known = [...types];
    types.push(...problemTypes);
    return new Map(problems.map((type) => [type, known]));
  });
  return { ...mergeDescriptions(descriptions), problemForms: mergeForms(forms) };
}

/** Puts together what is said of the routes of one operation. */
export const mergeSaid = (all: readonly Said[]): Said => ({
  ...mergeDescriptions(all),
  problemForms: mergeForms(all.map(({ problemForms }) => problemForms)),
});

function mergeForms(all: readonly Said["problemForms"][]): Said["problemForms"] {
  const merged = new Map<ProblemType, readonly string[]>();
  for (const [type, forms] of all.flatMap((each) => [...each])) {
    merged.set(type, [...new Set([...(merged.get(type) ?? []), ...forms])]);
  }
  return merged;
}
