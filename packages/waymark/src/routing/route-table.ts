import type { ConditionData } from "../condition.ts";
import { hasMalformedRange } from "../fields/accept.ts";
import { pathWithin } from "../mount.ts";
import { pathSegments } from "../path/pattern.ts";
import type { HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";
import { TextMap } from "../text-map.ts";
import { type Branch, matchesMethod, matchesPath, restrictsPath } from "./branch.ts";
import { type Check, type Consulted, consulting, stages, withVary } from "./check.ts";
import { buildPathIndex, type Entries } from "./path-index.ts";
import {
  answerOptions,
  type ReadableTypes,
  refuseAccept,
  refuseContentType,
  refuseMethod,
  refuseNotFound,
  refuseUnknownMethod,
  withReadable,
} from "./refusal.ts";

/** The routes that a path has, and the path's segments. */
export interface Located {
  readonly routes: PathRoutes;
  readonly segments: readonly string[];
}

/** Finds the routes of a canonical path; undefined when no route has it. */
export type RouteTable = (path: string) => Located | undefined;

/** Builds the table of these branches, which are in order. Paths without variables are looked up in one step. */
export function buildRouteTable(branches: readonly Branch[]): RouteTable {
  const index = buildPathIndex(branches, ({ pattern }) => pattern);
  const declared = branches.flatMap(({ methods }) => [...(methods ?? [])]);
  const routesOf = rememberRoutes(new Set([...knownMethods, "TRACE", "CONNECT", ...declared]));
  const locate: RouteTable = (path) => {
    const segments = pathSegments(path);
    const routes = routesOf(index.find(segments), segments);
    return routes && { routes, segments };
  };
  const fixed = new TextMap<Located | undefined>();
  for (const path of index.fixedPaths) fixed.add(path, locate(path));
  return (path) => fixed.get(path) ?? locate(path);
}

/** Paths on which the same patterns meet share their routes, which are then made once. */
function rememberRoutes(
  recognized: ReadonlySet<string>,
): (found: readonly Entries<Branch>[], segments: readonly string[]) => PathRoutes | undefined {
  const byPatterns = new Map<number | string, PathRoutes>();
  const byBranches = new Map<number | string, PathRoutes>();
  return (found, segments) => {
    const only = found[0];
    if (only === undefined) return undefined;
    const key = found.length === 1 ? only.id : found.map(({ id }) => id).join();
    const known = byPatterns.get(key);
    if (known !== undefined) return known;
    const all = found.flatMap(({ values }) => values);
    const branches = all.filter((each) => matchesPath(each, segments)).sort((a, b) => a.order - b.order);
    if (branches.length === 0) return undefined;
    const make = (): PathRoutes => new PathRoutes(branches, recognized);
    // Where a branch says more of the path, its pattern does not decide by itself whether it takes part.
    if (!all.some(restrictsPath)) return remember(byPatterns, key, make);
    return remember(byBranches, branches.map(({ order }) => order).join(), make);
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

/** A branch as requests of one method try it. */
export interface Attempt {
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

/** The routes of one path, or of all paths that the same routes have: what a request for it can come to. */
export class PathRoutes {
  /** The methods that some route has, in declared order: HEAD wherever GET is, and OPTIONS always. */
  readonly allow: readonly string[];
  readonly #branches: readonly Branch[];
  readonly #recognized: ReadonlySet<string>;
  readonly #attempts = new Map<string, readonly Attempt[]>();

  /**
   * @param branches those whose paths match, in order
   * @param recognized the standard methods and those of every route: another one is 501 here, and not 405
   */
  constructor(branches: readonly Branch[], recognized: ReadonlySet<string>) {
    this.#branches = branches;
    this.#recognized = recognized;
    this.allow = allowedBy(branches, ({ methods }) => [...(methods ?? knownMethods)]);
  }

  /**
   * As `allow`, at one of the paths: a mounted app answers for its own routes. Undefined where
   * only mounted apps have the path, and none of them a route for it.
   */
  methodsOf(path: string): readonly string[] | undefined {
    if (!this.#branches.some(({ mounted }) => mounted)) return this.allow;
    const namedBy = ({ methods, mounted }: Branch): readonly string[] | undefined =>
      mounted ? mounted.app.methodsOf(pathWithin(mounted, path)) : [...(methods ?? knownMethods)];
    const branches = this.#branches.filter((branch) => namedBy(branch) !== undefined);
    return branches.length === 0 ? undefined : allowedBy(branches, (branch) => namedBy(branch) ?? []);
  }

  /** Returns the branches of the method, in the order in which they are tried. */
  attempts(method: string): readonly Attempt[] {
    const known = this.#attempts.get(method);
    if (known !== undefined) return known;
    const attempts = makeAttempts(this.#branches, method);
    // Any token is a method: only those are kept that cannot be too many.
    if (knownMethods.includes(method) || this.allow.includes(method)) this.#attempts.set(method, attempts);
    return attempts;
  }

  /** Answers when none of the attempts for the method succeeded: the furthest that any got decides. */
  refuse(request: HttpRequest, segments: readonly string[]): HttpResponse {
    const { method } = request;
    const attempts = this.attempts(method);
    if (attempts.length === 0) {
      if (method === "OPTIONS") return answerOptions(this.allow, this.#readable());
      return this.#recognized.has(method) ? refuseMethod(method, this.allow) : refuseUnknownMethod(method);
    }
    const failures = attempts.map((attempt) =>
      attempt.checks.find(({ matches }) => !matches(request, attempt.method, segments)),
    );
    const furthest = Math.max(...failures.map((failure) => failure?.stage ?? stages.done));
    const failed = attempts.filter((_, i) => failures[i]?.stage === furthest);
    const refusal = this.#refuseAt(furthest, failed, request);
    return withVary(refusal, this.consulted(method));
  }

  /** Returns the header fields that have been consulted when every attempt for the method has failed. */
  consulted(method: string): Consulted {
    return this.attempts(method).at(-1)?.consulted ?? consultingNothing;
  }

  /**
   * Returns the request without its Accept, where only that field prevents an answer and has malformed members: they may
   * have named what there is. Undefined where the refusal is right.
   */
  withoutMalformedAccept(request: HttpRequest, refusal: HttpResponse): HttpRequest | undefined {
    const isUnread = refusal.status === 406 && hasMalformedRange(request.headers.get("accept"));
    return isUnread ? request.withoutHeader("Accept") : undefined;
  }

  /**
   * Completes the handler's response by `Vary`, and for content that the handler could not read by the types that the path's
   * routes read, as where the routes themselves refuse it.
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

/** Returns the methods that are named by some and taken by some: HEAD wherever GET is, and OPTIONS always. */
function allowedBy(branches: readonly Branch[], namedBy: (branch: Branch) => readonly string[]): readonly string[] {
  const taken = branches.flatMap(namedBy).filter((method) => branches.some((branch) => matchesMethod(branch, method)));
  return [...new Set([...taken.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])), "OPTIONS"])];
}
const consultingNothing = consulting([]);

function makeAttempts(branches: readonly Branch[], method: string): readonly Attempt[] {
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
  const consulted = new Map<string, string>();
  return tried.map(({ branch, method }): Attempt => {
    const checks = branch.checks.filter(({ stage }) => stage > stages.method);
    for (const name of checks.flatMap(({ consults }) => consults)) {
      if (!consulted.has(name.toLowerCase())) consulted.set(name.toLowerCase(), name);
    }
    // The type that the innermost accept chooses says whether it matches.
    const checksBesideAccept = checks.filter(({ condition }) => condition !== branch.accept);
    return { branch, method, checks, checksBesideAccept, consulted: consulting([...consulted.values()]) };
  });
}

const typesRead = (conditions: readonly ConditionData[]): readonly string[] => [
  ...new Set(conditions.flatMap((condition) => (condition.kind === "contentType" ? condition.mediaTypes : []))),
];

const typesProduced = (attempts: readonly Attempt[]): readonly string[] => [
  ...new Set(attempts.flatMap(({ branch }) => branch.accept?.mediaTypes ?? [])),
];
