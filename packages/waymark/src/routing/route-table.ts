import type { ConditionData } from "../condition.ts";
import { hasMalformedRange } from "../fields/accept.ts";
import { pathWithin } from "../mount.ts";
import { pathSegments } from "../path/pattern.ts";
import type { HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";
import { type Candidate, restrictsPath, takesMethod, takesPath } from "./branch.ts";
import { type Check, stages } from "./check.ts";
import { buildPathIndex, type Entries } from "./path-index.ts";
import {
  answerOptions,
  type Consulted,
  consulting,
  type ReadableTypes,
  refuseAccept,
  refuseContentType,
  refuseMethod,
  refuseNotFound,
  refuseUnknownMethod,
  withReadable,
  withVary,
} from "./refusal.ts";

/** The routes that a path has, and the path's segments. */
export interface Located {
  readonly routes: PathRoutes;
  readonly segments: readonly string[];
}

/** Finds the routes of a canonical path; undefined when there are none. */
export type RouteTable = (path: string) => Located | undefined;

/** The table of these candidates, which are in order. Paths without variables are looked up in one step. */
export function buildRouteTable(candidates: readonly Candidate[]): RouteTable {
  const index = buildPathIndex(candidates, ({ alternative }) => alternative.pattern);
  const declared = candidates.flatMap(({ alternative }) => [...(alternative.methods ?? [])]);
  const routesOf = rememberRoutes(new Set([...knownMethods, "TRACE", "CONNECT", ...declared]));
  const locate: RouteTable = (path) => {
    const segments = pathSegments(path);
    const routes = routesOf(index.find(segments), segments);
    return routes && { routes, segments };
  };
  const fixed = new Map(index.fixedPaths.map((path) => [path, locate(path)]));
  return (path) => fixed.get(path) ?? locate(path);
}

/** Paths on which the same patterns meet share their routes, which are then made once. */
function rememberRoutes(
  recognized: ReadonlySet<string>,
): (found: readonly Entries<Candidate>[], segments: readonly string[]) => PathRoutes | undefined {
  const byPatterns = new Map<number | string, PathRoutes>();
  const byCandidates = new Map<number | string, PathRoutes>();
  return (found, segments) => {
    const only = found[0];
    if (only === undefined) return undefined;
    const key = found.length === 1 ? only.id : found.map(({ id }) => id).join();
    const known = byPatterns.get(key);
    if (known !== undefined) return known;
    const all = found.flatMap(({ values }) => values);
    const candidates = all.filter((each) => takesPath(each, segments)).sort((a, b) => a.order - b.order);
    if (candidates.length === 0) return undefined;
    const make = (): PathRoutes => new PathRoutes(candidates, recognized);
    // Where a candidate says more of the path, its pattern alone does not tell whether it takes part.
    if (!all.some(restrictsPath)) return remember(byPatterns, key, make);
    return remember(byCandidates, candidates.map(({ order }) => order).join(), make);
  };
}

function remember(kept: Map<number | string, PathRoutes>, key: number | string, make: () => PathRoutes): PathRoutes {
  let routes = kept.get(key);
  if (routes === undefined) {
    routes = make();
    if (kept.size === mostCombinations) kept.clear();
    kept.set(key, routes);
  }
  return routes;
}

// Combinations come from the patterns, not from the requests, but there can be exponentially many of them.
const mostCombinations = 65_536;

/** The methods that a route without a condition on the method is said to answer; it answers any other too. */
const knownMethods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"];

/** A candidate as it is tried for one method. */
export interface Attempt {
  readonly candidate: Candidate;
  /** GET where a HEAD is answered as GET. */
  readonly method: string;
  /** What is not yet known to hold when path and method do. */
  readonly checks: readonly Check[];
  /** Those of the checks that do not hold for the mere reason that the candidate can negotiate a type. */
  readonly gate: readonly Check[];
  /** The header fields that have been consulted when the choice falls on this candidate. */
  readonly consulted: Consulted;
}

/** The routes of one path, or of all paths that the same routes have: what a request for it can come to. */
export class PathRoutes {
  /** The methods that some route has, in declared order: HEAD wherever GET is, and OPTIONS always. */
  readonly allow: readonly string[];
  readonly #candidates: readonly Candidate[];
  readonly #recognized: ReadonlySet<string>;
  readonly #attempts = new Map<string, readonly Attempt[]>();

  /**
   * @param candidates those whose paths match, in order
   * @param recognized the standard methods and those of every route: another one is 501 here, and not 405
   */
  constructor(candidates: readonly Candidate[], recognized: ReadonlySet<string>) {
    this.#candidates = candidates;
    this.#recognized = recognized;
    this.allow = allowedBy(candidates, ({ alternative }) => [...(alternative.methods ?? knownMethods)]);
  }

  /**
   * As `allow`, at one of the paths: a mounted app answers for its own routes. Undefined where
   * only mounted apps have the path, and none of them a route for it.
   */
  methodsOf(path: string): readonly string[] | undefined {
    if (!this.#candidates.some(({ alternative }) => alternative.mounted)) return this.allow;
    const namedBy = ({ alternative: { methods, mounted } }: Candidate): readonly string[] | undefined =>
      mounted ? mounted.app.methodsOf(pathWithin(mounted, path)) : [...(methods ?? knownMethods)];
    const candidates = this.#candidates.filter((candidate) => namedBy(candidate) !== undefined);
    return candidates.length === 0 ? undefined : allowedBy(candidates, (candidate) => namedBy(candidate) ?? []);
  }

  /** The candidates that the method leaves, in the order in which they are tried. */
  attempts(method: string): readonly Attempt[] {
    const known = this.#attempts.get(method);
    if (known !== undefined) return known;
    const attempts = makeAttempts(this.#candidates, method);
    // Any token is a method: only those are kept that cannot be too many.
    if (knownMethods.includes(method) || this.allow.includes(method)) this.#attempts.set(method, attempts);
    return attempts;
  }

  /** The answer when none of the attempts for the method succeeded: the furthest that any got decides. */
  refuse(request: HttpRequest, segments: readonly string[]): HttpResponse {
    const { method } = request;
    const attempts = this.attempts(method);
    if (attempts.length === 0) {
      if (method === "OPTIONS") return answerOptions(this.allow, this.#readable());
      return this.#recognized.has(method) ? refuseMethod(method, this.allow) : refuseUnknownMethod(method);
    }
    const failures = attempts.map((attempt) =>
      attempt.checks.find(({ holds }) => !holds(request, attempt.method, segments)),
    );
    const furthest = Math.max(...failures.map((failure) => failure?.stage ?? stages.done));
    const failed = attempts.filter((_, i) => failures[i]?.stage === furthest);
    const refusal = this.#refuseAt(furthest, failed, request);
    return withVary(refusal, this.consulted(method));
  }

  /** The header fields that have been consulted when every attempt for the method has failed. */
  consulted(method: string): Consulted {
    return this.attempts(method).at(-1)?.consulted ?? consultingNothing;
  }

  /**
   * The request without its Accept, where that field alone stands against an answer and has malformed members: they may
   * have named what there is. Undefined where the refusal is right.
   */
  withoutMalformedAccept(request: HttpRequest, refusal: HttpResponse): HttpRequest | undefined {
    const isUnread = refusal.status === 406 && hasMalformedRange(request.headers.get("accept"));
    return isUnread ? request.withoutHeader("Accept") : undefined;
  }

  /**
   * The handler's response with what it rests on: `Vary`, and for content that the handler could not read the types that the path's
   * routes do, as where the routes themselves refuse it.
   */
  complete(response: HttpResponse, consulted: Consulted): HttpResponse {
    const isUnread = response.status === 415 && response.headers.has("Accept");
    return withVary(isUnread ? withReadable(response, this.#readable()) : response, consulted);
  }

  #refuseAt(stage: number, failed: readonly Attempt[], request: HttpRequest): HttpResponse {
    const conditions = failed.flatMap(({ checks }) => checks.map(({ condition }) => condition));
    switch (stage) {
      case stages.contentType:
        return refuseContentType(request.headers.get("content-type"), typesRead(conditions), this.#readable());
      case stages.accept:
        return refuseAccept(request.headers.get("accept"), typesProduced(failed));
      default:
        return refuseNotFound;
    }
  }

  #readable(): ReadableTypes {
    const readBy = (method: string): readonly string[] =>
      typesRead(this.attempts(method).flatMap(({ checks }) => checks.map(({ condition }) => condition)));
    return { POST: readBy("POST"), PATCH: readBy("PATCH") };
  }
}

/** The methods that are named by some and taken by some: HEAD wherever GET is, and OPTIONS always. */
function allowedBy(
  candidates: readonly Candidate[],
  namedBy: (candidate: Candidate) => readonly string[],
): readonly string[] {
  const taken = candidates
    .flatMap(namedBy)
    .filter((method) => candidates.some((candidate) => takesMethod(candidate, method)));
  return [...new Set([...taken.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])), "OPTIONS"])];
}
const consultingNothing = consulting([]);

function makeAttempts(candidates: readonly Candidate[], method: string): readonly Attempt[] {
  const taken = candidates.filter((candidate) => takesMethod(candidate, method));
  if (method !== "HEAD") return inOrder(taken.map((candidate) => ({ candidate, method })));
  // RFC 9110 §9.3.2: HEAD is GET without the content. What is declared for HEAD comes before, and what every method
  // reaches but GET comes after.
  return inOrder([
    ...taken.filter(({ alternative }) => alternative.methods !== undefined).map((candidate) => ({ candidate, method })),
    ...candidates.filter((each) => takesMethod(each, "GET")).map((candidate) => ({ candidate, method: "GET" })),
    ...taken.filter(({ alternative }) => alternative.methods === undefined).map((candidate) => ({ candidate, method })),
  ]);
}

function inOrder(tried: readonly Pick<Attempt, "candidate" | "method">[]): readonly Attempt[] {
  const consulted = new Map<string, string>();
  return tried.map(({ candidate, method }): Attempt => {
    const checks = candidate.alternative.checks.filter(({ stage }) => stage > stages.method);
    for (const name of checks.flatMap(({ consults }) => consults)) {
      if (!consulted.has(name.toLowerCase())) consulted.set(name.toLowerCase(), name);
    }
    // The innermost accept is judged by the type that it chooses.
    const gate = checks.filter(({ condition }) => condition !== candidate.alternative.accept);
    return { candidate, method, checks, gate, consulted: consulting([...consulted.values()]) };
  });
}

const typesRead = (conditions: readonly ConditionData[]): readonly string[] => [
  ...new Set(conditions.flatMap((condition) => (condition.kind === "contentType" ? condition.mediaTypes : []))),
];

const typesProduced = (attempts: readonly Attempt[]): readonly string[] => [
  ...new Set(attempts.flatMap(({ candidate }) => candidate.alternative.accept?.mediaTypes ?? [])),
];
