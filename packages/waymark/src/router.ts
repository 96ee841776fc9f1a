import { handleFetch } from "./adapters/fetch.ts";
import { expandRoute, type PlacedRoute } from "./alternative.ts";
import { type Candidate, toCandidate } from "./candidate.ts";
import type { Decoder } from "./decoder.ts";
import { type Explanation, explain } from "./explain.ts";
import type { ErrorClause, Filter, Next } from "./filter.ts";
import { type Finding, findShadows } from "./finding.ts";
import { findMistakes, type Mistake, RoutingMistakes } from "./mistake.ts";
import { compilePipeline, isPromise, wrapGroup } from "./pipeline.ts";
import { problem } from "./problem.ts";
import { problemTypes } from "./problem-types.ts";
import { refuseNotFound, withVary } from "./refusal.ts";
import type { HttpRequest } from "./request.ts";
import { type ContentSettings, defaultContentSettings } from "./request-content.ts";
import { empty, type HttpResponse } from "./response.ts";
import type { Group, Route, RouteData } from "./route.ts";
import { type RouteSummary, summarize } from "./route-summary.ts";
import { buildRouteTable, type RouteTable } from "./route-table.ts";

export interface RouterOptions {
  /** Filters that see every request, the refused and the unmatched too, the first outermost; `onError` likewise. */
  readonly filters?: readonly (Filter | ErrorClause)[];
  /** Refuse to build when a route can never be reached. Default: false, and `findings` lists them. */
  readonly strict?: boolean;
  /** What `request.body` reads. Default: JSON. */
  readonly decoders?: readonly Decoder[];
  /** The most bytes of content that a request may have, unless the handler says otherwise. Default: 1 MiB. */
  readonly contentLimit?: number;
  /** Told of each error that became a 500. Default: `console.error`. */
  readonly onFault?: (error: unknown, request: HttpRequest | undefined) => void;
}

/** Routes, compiled. */
export interface App {
  /** Answers a request; never throws and never rejects. It is synchronous when the filters and the handler are. */
  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
  /** Answers a web request: for tests, and for runtimes that serve by a fetch function. */
  fetch(request: Request): Promise<Response>;
  /** Tells for each route, in order, whether it takes the request, and what first stood against it. */
  explain(request: HttpRequest): Explanation;
  /** Every route, flat, in the order in which they are tried. */
  readonly routes: readonly RouteSummary[];
  /** Routes that are legal and yet never reached. */
  readonly findings: readonly Finding[];
  /** How adapters read the content of requests. */
  readonly content: ContentSettings;
  /** Reports an error that no response can tell, for adapters: a stream of content that broke. */
  fault(error: unknown, request?: HttpRequest): void;
}

/** Routes whose handlers need a path variable that nothing around them provides do not compile; the message names it. */
type Complete<N> = keyof N extends never
  ? unknown
  : `no route or group around the handler provides the path variable {${keyof N & string}}`;

type AllComplete<R extends readonly Route<unknown>[]> = {
  readonly [I in keyof R]: R[I] extends Route<infer N> ? Complete<N> : never;
};

/**
 * Compiles routes. The first route that takes a request answers it; when none does, how far the closest got makes the
 * refusal.
 *
 * ```ts
 * const app = router(personRoutes(people), greetingRoutes);
 * const app = router({ filters: [after(log)], strict: true }, personRoutes(people), greetingRoutes);
 * ```
 *
 * @throws RoutingMistakes that lists every mistake in the routes, each with the place that declared it
 */
export function router<const R extends readonly Route<unknown>[]>(...routes: R & AllComplete<R>): App;
export function router<const R extends readonly Route<unknown>[]>(
  options: RouterOptions,
  ...routes: R & AllComplete<R>
): App;
export function router(...optionsAndRoutes: readonly (RouterOptions | RouteData)[]): App {
  const [first, ...rest] = optionsAndRoutes;
  // The overloads let only the first argument be options, and options have no `kind`.
  if (first !== undefined && !("kind" in first)) return compileRouter(first, rest as readonly RouteData[]);
  return compileRouter({}, optionsAndRoutes as readonly RouteData[]);
}

function compileRouter(options: RouterOptions, routes: readonly RouteData[]): App {
  const { candidates, findings } = compileRoutes(routes, options.strict ?? false);
  const locate = buildRouteTable(candidates);
  const filters = options.filters ?? [];
  const entry = wrapGroup(
    filters.filter((filter) => filter.kind !== "onError"),
    filters.filter((filter) => filter.kind === "onError"),
    dispatcher(locate),
  );
  const fault: App["fault"] = (error, request) => {
    try {
      (options.onFault ?? logFault)(error, request);
    } catch (fromLog) {
      logFault(fromLog);
    }
  };
  const fail = (error: unknown, request: HttpRequest): HttpResponse => {
    fault(error, request);
    return internalError;
  };
  const app: App = {
    handle(request) {
      try {
        const response = entry(request);
        return isPromise(response) ? response.catch((error: unknown) => fail(error, request)) : response;
      } catch (error) {
        return fail(error, request);
      }
    },
    fetch: (request) => handleFetch(app, request),
    explain: (request) => explain(candidates, locate, request),
    get routes() {
      return summarize(candidates);
    },
    findings,
    content: {
      decoders: options.decoders ?? defaultContentSettings.decoders,
      limit: options.contentLimit ?? defaultContentSettings.limit,
    },
    fault,
  };
  return app;
}

function compileRoutes(
  routes: readonly RouteData[],
  strict: boolean,
): { readonly candidates: readonly Candidate[]; readonly findings: readonly Finding[] } {
  const mistakes: Mistake[] = [...findMistakes(routes)];
  const candidates: Candidate[] = [];
  if (mistakes.length === 0) {
    for (const placed of routes.flatMap((route) => placeRoutes(route, []))) {
      const alternatives = expandRoute(placed);
      if ("message" in alternatives) {
        // What is wrong with a group is found once for each of its routes.
        if (!mistakes.some(({ site }) => site === alternatives.site)) mistakes.push(alternatives);
        continue;
      }
      const run = compilePipeline(placed.route, placed.groups);
      for (const alternative of alternatives) candidates.push(toCandidate(alternative, candidates.length, run));
    }
  }
  const findings = mistakes.length === 0 ? findShadows(candidates) : [];
  if (strict) mistakes.push(...findings);
  if (mistakes.length > 0) throw new RoutingMistakes(mistakes);
  return { candidates, findings };
}

function placeRoutes(route: RouteData, groups: readonly Group[]): readonly PlacedRoute[] {
  if (route.kind === "route") return [{ route, groups }];
  return route.routes.flatMap((member) => placeRoutes(member, [...groups, route]));
}

/** The innermost step: the choice of a route, or the refusal. */
function dispatcher(locate: RouteTable): Next {
  return (request) => {
    const located = locate(request.path);
    if (located === undefined) return request.path === "*" ? answerServer(request) : refuseNotFound;
    const { routes, segments } = located;
    for (const { candidate, method, checks, vary } of routes.attempts(request.method)) {
      if (!checks.every(({ holds }) => holds(request, method, segments))) continue;
      const response = candidate.run(request.matched(candidate.bind(segments), candidate.negotiate?.(request)));
      if (vary.length === 0) return response;
      return isPromise(response) ? response.then((settled) => withVary(settled, vary)) : withVary(response, vary);
    }
    return routes.refuse(request, segments);
  };
}

/** `*` is the server as a whole, which only OPTIONS asks about (RFC 9110 §9.3.7). */
const answerServer = ({ method }: HttpRequest): HttpResponse =>
  method === "OPTIONS"
    ? empty(204)
    : problem(problemTypes.malformedTarget, { detail: 'The target "*" is for OPTIONS alone.' });

const internalError = problem(problemTypes.internalError);

function logFault(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: the default where the program names no log of its own
  console.error(error);
}
