import { type Awaitable, andThen } from "../../common/and-then.ts";
import { TextMap } from "../../common/text-map.ts";
import { stages } from "../../conditions/kind.ts";
import { knownMethods } from "../../conditions/method.ts";
import { hasMalformedRange } from "../../fields/accept.ts";
import type { Next } from "../../filter.ts";
import { pathSegments } from "../../path/pattern.ts";
import { exchangeOf, type HttpRequest, matchedRequest } from "../../request.ts";
import type { HttpResponse } from "../../response.ts";
import { type Attempt, makeAttempts, typesProduced, typesRead } from "./attempt.ts";
import { type Branch, matchesMethod, matchesPath, restrictsPath } from "./branch.ts";
import { type Consulted, consultingNothing, withVary } from "./check.ts";
import { type NamedRepresentation, representationNamed } from "./named-representation.ts";
import { buildPathIndex, type Entries } from "./path-index.ts";
import {
  answerOptions,
  type ReadableTypes,
  refuseAccept,
  refuseContentType,
  refuseMethod,
  refuseNotFound,
  refusePath,
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

/** Sends a refusal through the filters that apps which are mounted have for it. */
export type Refuse = (request: HttpRequest, refusal: HttpResponse) => Awaitable<HttpResponse>;

/** Returns the innermost step: the choice of a route, or the refusal. */
export function dispatcher(locate: RouteTable, refuse: Refuse): Next {
  return (request) => {
    exchangeOf(request).route = undefined; // For a filter that calls its next step twice.
    const located = locate(request.path);
    return located === undefined
      ? refuse(request, refusePath(request, locate))
      : located.routes.answer(request, located.segments, refuse);
  };
}

/** Branches whose patterns meet, in order. */
interface Meeting {
  readonly branches: readonly Branch[];
  /** Those that say more of the path: their pattern does not decide by itself whether they take part. */
  readonly restricted: readonly Branch[];
  /** What is made already, by which of the restricted take part; null where no branch does. */
  readonly made: Map<string, PathRoutes | null>;
}

/** Paths on which the same patterns meet share their routes, which are then made once. */
function rememberRoutes(
  recognized: ReadonlySet<string>,
): (found: readonly Entries<Branch>[], segments: readonly string[]) => PathRoutes | undefined {
  const meetings = new Map<number | string, Meeting>();
  /** The routes of entries that meet no others, by their number. As good as all paths come to these. */
  const alone: (PathRoutes | undefined)[] = [];
  let kept = 0;
  return (found, segments) => {
    const only = found[0];
    if (only === undefined) return undefined;
    const isAlone = found.length === 1;
    if (isAlone && alone[only.id] !== undefined) return alone[only.id];
    const key = isAlone ? only.id : found.map(({ id }) => id).join();
    const meeting = meetings.get(key) ?? meetingOf(found);
    const choice = meeting.restricted.map((branch) => (matchesPath(branch, segments) ? "+" : "-")).join("");
    let routes = meeting.made.get(choice);
    if (routes === undefined) {
      const taking = meeting.branches.filter((branch) => matchesPath(branch, segments));
      routes = taking.length === 0 ? null : new PathRoutes(taking, recognized);
      if (isAlone && meeting.restricted.length === 0) {
        alone[only.id] = routes ?? undefined;
        return alone[only.id];
      }
      kept += taking.length + 1;
      if (kept > mostKept) {
        meetings.clear();
        meeting.made.clear();
        kept = taking.length + 1;
      }
      meeting.made.set(choice, routes);
      meetings.set(key, meeting);
    }
    return routes ?? undefined;
  };
}

function meetingOf(found: readonly Entries<Branch>[]): Meeting {
  const branches = found.flatMap(({ values }) => values).sort((a, b) => a.order - b.order);
  return { branches, restricted: branches.filter(restrictsPath), made: new Map() };
}

// Branches, counted once for each combination of them that paths have asked for. Combinations come from the patterns, not from the
// requests, but there can be exponentially many of them.
const mostKept = 65_536;

/** The routes of one path, or of all paths that the same routes have: what a request for it can come to. */
export class PathRoutes {
  /** The methods that some route has, in declared order: HEAD wherever GET is, and OPTIONS always. */
  readonly allow: readonly string[];
  readonly #branches: readonly Branch[];
  readonly #recognized: ReadonlySet<string>;
  readonly #attempts = new Map<string, readonly Attempt[]>();
  // As good as all requests for a path have one method, and a look at these two takes a tenth of one at the map.
  #method: string | undefined;
  #last: readonly Attempt[] = [];

  /**
   * @param branches those whose paths match, in order
   * @param recognized the standard methods and those of every route: another one is 501 here, and not 405
   */
  constructor(branches: readonly Branch[], recognized: ReadonlySet<string>) {
    this.#branches = branches;
    this.#recognized = recognized;
    this.allow = allowedBy(branches);
  }

  /** Returns how a GET asks for the representation that a file extension stands for; undefined where the routes give none. */
  representationNamed(extension: string): NamedRepresentation | undefined {
    return representationNamed(extension, this.attempts("GET"));
  }

  /** Returns the branches of the method, in the order in which they are tried. */
  attempts(method: string): readonly Attempt[] {
    if (method === this.#method) return this.#last;
    this.#last = this.#attempts.get(method) ?? makeAttempts(this.#branches, method);
    this.#method = method;
    // Any token is a method: only those are kept that cannot be too many.
    if (knownMethods.includes(method) || this.allow.includes(method)) this.#attempts.set(method, this.#last);
    return this.#last;
  }

  /** Answers with the first branch that takes the request, or with the refusal. */
  answer(request: HttpRequest, segments: readonly string[], refuse: Refuse): Awaitable<HttpResponse> {
    const response = this.#dispatch(request, request, segments);
    if (response !== undefined) return response;
    const refusal = this.refuse(request, segments);
    const judged = this.withoutMalformedAccept(request, refusal);
    if (judged === undefined) return refuse(request, refusal);
    const all = this.#consulted(request.method);
    return this.#dispatch(request, judged, segments, all) ?? refuse(request, this.refuse(judged, segments));
  }

  /**
   * Returns the response of the first branch whose checks match the request as it is judged; undefined when none does.
   *
   * @param rest what the choice rests on; without it, what was consulted up to the branch
   */
  #dispatch(
    request: HttpRequest,
    judged: HttpRequest,
    segments: readonly string[],
    rest?: Consulted,
  ): Awaitable<HttpResponse> | undefined {
    for (const attempt of this.attempts(request.method)) {
      const { method, checksBesideAccept, consulted, negotiate } = attempt;
      if (!checksBesideAccept.every(({ matches }) => matches(judged, method, segments))) continue;
      const type = negotiate?.(judged);
      if (type === undefined && negotiate !== undefined) continue;
      exchangeOf(request).route = attempt.route;
      const response = attempt.run(matchedRequest(request, attempt.bind(segments), type));
      return andThen(response, (settled) => this.#complete(settled, rest ?? consulted));
    }
    return undefined;
  }

  /** Answers when none of the attempts for the method succeeded: the furthest that any got decides. */
  refuse(request: HttpRequest, segments: readonly string[]): HttpResponse {
    const { method } = request;
    const attempts = this.attempts(method);
    if (attempts.length === 0) {
      if (method === "OPTIONS") return answerOptions(this.allow, this.#readable());
      return this.#recognized.has(method)
        ? refuseMethod(method, this.allow, this.#readable())
        : refuseUnknownMethod(method);
    }
    const failures = attempts.map((attempt) =>
      attempt.checks.find(({ matches }) => !matches(request, attempt.method, segments)),
    );
    const furthest = Math.max(...failures.map((failure) => failure?.stage ?? stages.done));
    const failed = attempts.filter((_, i) => failures[i]?.stage === furthest);
    const refusal = this.#refuseAt(furthest, failed, request);
    return withVary(refusal, this.#consulted(method));
  }

  /** Returns the header fields that have been consulted when every attempt for the method has failed. */
  #consulted(method: string): Consulted {
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
  #complete(response: HttpResponse, consulted: Consulted): HttpResponse {
    const isUnread = response.status === 415 && response.headers.has("Accept");
    return withVary(isUnread ? withReadable(response, this.#readable()) : response, consulted);
  }

  #refuseAt(stage: number, failed: readonly Attempt[], request: HttpRequest): HttpResponse {
    switch (stage) {
      case stages.contentType:
        return refuseContentType(request.headers.get("content-type"), typesRead(failed), this.#readable());
      case stages.accept:
        return refuseAccept(request.headers.get("accept"), typesProduced(failed));
      default:
        return refuseNotFound;
    }
  }

  #readable(): ReadableTypes {
    const read = (method: string): readonly string[] => typesRead(this.attempts(method));
    return { POST: read("POST"), PATCH: read("PATCH"), QUERY: read("QUERY") };
  }
}

/** Returns the methods that are named by some and taken by some: HEAD wherever GET is, and OPTIONS always. */
function allowedBy(branches: readonly Branch[]): readonly string[] {
  const named = branches.flatMap(({ methods }) => [...(methods ?? knownMethods)]);
  const taken = named.filter((method) => branches.some((branch) => matchesMethod(branch, method)));
  return [...new Set([...taken.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])), "OPTIONS"])];
}
