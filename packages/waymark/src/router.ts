import { handleFetch } from "./adapter/fetch.ts";
import type { App } from "./app.ts";
import { isPromise } from "./common/and-then.ts";
import { DeclarationSite, foundName, isApp, kindOf } from "./common/declaration.ts";
import { requireOptions } from "./common/known-options.ts";
import * as problemTypes from "./common/problem-types.ts";
import { typeName } from "./common/wording.ts";
import type { ContentCoding } from "./content/coding.ts";
import type { Decoder } from "./content/decoder.ts";
import { type ContentSettings, defaultContentSettings, requireLimit } from "./content/request-content.ts";
import { type Filter, type MethodsOf, requireFunction, type WebFilter } from "./filter.ts";
import { problem } from "./problem.ts";
import { exchangeOf, HttpRequest } from "./request.ts";
import {
  type AnyRoute,
  type NeededBy,
  type Route,
  type RouteData,
  requireFallbackLast,
  type UnmountedApp,
} from "./route.ts";
import { compileRoutes } from "./routing/compile.ts";
import { keepRoutes } from "./routing/dispatch/app-routes.ts";
import { failing, faultLog, logFault, wrapWeb } from "./routing/dispatch/pipeline.ts";
import { refused } from "./routing/dispatch/refusal.ts";
import { repeatableRoutes } from "./routing/dispatch/repeatable-routes.ts";
import { buildRouteTable, dispatcher } from "./routing/dispatch/route-table.ts";
import { explain } from "./routing/explanation/explain.ts";
import { describeFilter } from "./routing/explanation/reach.ts";
import { summarize } from "./routing/explanation/summary.ts";
import { refusalsBelow } from "./routing/mount-refusals.ts";
import { appMark, type ServedApp, served } from "./serving/served-app.ts";

/** The options of `router`. */
export interface RouterOptions {
  /**
   * Filters for every request and every response, refusals and 500s included; the first is the outermost. Error clauses
   * handle what handlers and these filters throw.
   */
  readonly filters?: readonly (Filter | WebFilter)[];
  /** Whether to throw if `findings` is not empty, for instance because a route is never reached. Default: false. */
  readonly strict?: boolean;
  /**
   * Whether what handlers really send is compared with their `answers(…)`, and with what `docs(…)` says of them, streams included:
   * a difference is a fault that names the place of the declaration. For tests. Default: false.
   */
  readonly checkAnswers?: boolean;
  /** The decoders for `request.body`. Default: JSON. */
  readonly decoders?: readonly Decoder[];
  /** The content codings that requests may use, such as `nodeCodings`. Default: none. */
  readonly codings?: readonly ContentCoding[];
  /** The maximum of bytes in the content of a request, also decoded. A handler can set another one. Default: 1 MiB. */
  readonly contentLimit?: number;
  /** Logs what became a 500. Default: that of the app around, or else `console.error`, with the route of what is no error. */
  readonly onFault?: (error: unknown, request: HttpRequest | undefined) => void;
}

/** An argument of `router` where it is right; else a text that says what is wrong, for the message of the compiler. */
type RouterArgument<A, I> = A extends AnyRoute
  ? keyof NeededBy<A> extends never
    ? A
    : Unprovided<keyof NeededBy<A> & string>
  : A extends Filter<never> | WebFilter
    ? "filters stand in the options, router({ filters: [ … ] }, …), or in a group"
    : A extends string | readonly unknown[] | ((...args: never[]) => unknown)
      ? "router takes options and then routes, one after another: router({ … }, GET(…), group(…), ...more)"
      : A extends App
        ? UnmountedApp
        : I extends "0"
          ? {
              readonly [K in keyof A]: K extends keyof RouterOptions
                ? RouterOptions[K]
                : `a router has no option "${K & string}"`;
            }
          : "options stand first, before the routes";

/** Says of a variable or a provided value that a route needs it. */
type Unprovided<Name extends string> = Name extends `input.${infer Value}`
  ? `no group around the route provides "${Value}": put the filter that does, provide("${Value}", …), into one`
  : `no route or group around the handler provides the path variable {${Name}}`;

type RouterArguments<A extends readonly unknown[]> = { readonly [I in keyof A]: RouterArgument<A[I], I> };
type RoutesBehindOptions<R extends readonly unknown[]> = { readonly [I in keyof R]: RouterArgument<R[I], "behind"> };

/**
 * Compiles routes into an app. The first route that takes a request answers it. If none does, the router answers 404,
 * 405, 406, 415 or 501.
 *
 * ```ts
 * const app = router(personRoutes(people), greetingRoutes);
 * const app = router({ filters: [after(log)], strict: true }, personRoutes(people), greetingRoutes);
 * ```
 *
 * @throws RoutingError that lists everything that is wrong with the routes, each with the place that declared it
 * @throws TypeError when an argument is neither options in the first place nor a route
 */
export function router<const R extends readonly unknown[]>(
  options: RouterOptions | Route,
  ...routes: RoutesBehindOptions<R>
): App;
// Of overloads that all fail, the compiler explains the last one: this one takes options too, and says it in words.
export function router<const A extends readonly unknown[]>(...optionsAndRoutes: RouterArguments<A>): App;
export function router(...optionsAndRoutes: readonly unknown[]): App {
  const site = new DeclarationSite(router);
  const [first, ...rest] = optionsAndRoutes;
  if (isOptions(first)) {
    // The environment of a process has no numbers: without this, requests would fail.
    requireOptions("router({ … })", first, optionTypes);
    if (first.contentLimit !== undefined) requireLimit(first.contentLimit);
    return compileRouter(first, rest.map(requireRoute), site);
  }
  return compileRouter({}, optionsAndRoutes.map(requireRoute), site);
}

const optionTypes: requireOptions.Types<RouterOptions> = {
  filters: "array",
  strict: "boolean",
  checkAnswers: "boolean",
  decoders: "array",
  codings: "array",
  contentLimit: "number",
  onFault: "function",
};

/** Options have no `kind`; every other valid argument, and many invalid ones, have one or are not objects. */
const isOptions = (value: unknown): value is RouterOptions =>
  typeName(value) === "object" && // The name says so: neither null nor an array.
  !("kind" in (value as object)) &&
  !isApp(value) &&
  !isPromise(value);

function requireRoute(value: unknown): RouteData {
  const kind = kindOf(value);
  // The kinds are the tags of RouteData, so a value that has one was made by a function of route.ts.
  if (kind === "route" || kind === "group") return value as RouteData;
  throw new TypeError(`router(…) takes options, which can be left out, and then routes, not ${foundName(value)}`);
}

function compileRouter(options: RouterOptions, routes: readonly RouteData[], site: DeclarationSite): App {
  requireFallbackLast("router", routes);
  const filters = requireFilters(options.filters ?? []);
  const { onFault, checkAnswers = false } = options;
  const fault = faultLog(onFault ?? logFault);
  const content: ContentSettings = {
    decoders: options.decoders ?? defaultContentSettings.decoders,
    codings: options.codings ?? defaultContentSettings.codings,
    limit: options.contentLimit ?? defaultContentSettings.limit,
  };
  const methodsOf: MethodsOf = (path) => locate(path)?.routes.allow;
  const scope = { methodsOf, fault };
  const { branches, findings } = compileRoutes(routes, options.strict ?? false, site, filters, {
    ...scope,
    checksAnswers: checkAnswers,
    decoders: content.decoders,
    bindings: new Map(),
  });
  const locate = buildRouteTable(branches);
  const answer = wrapWeb(filters, methodsOf, failing(fault), dispatcher(locate, refusalsBelow(routes, scope)));
  const answerRefused = wrapWeb(
    filters,
    methodsOf,
    failing(fault),
    (request) => request.attribute(refused)?.response ?? malformedTarget,
  );
  const servedApp: ServedApp = {
    answer,
    refuse: (request, response, malformed) => answerRefused(request.withAttribute(refused, { malformed, response })),
    isRepeatable: repeatableRoutes(filters, branches),
    content,
    fault,
  };
  const app: App = {
    handle(request) {
      requireRequest("handle", request);
      const exchange = exchangeOf(request);
      exchange.content.readBy(content);
      exchange.route = undefined;
      return answer(request);
    },
    fetch: (request, init) => handleFetch(servedApp, isUrl(request) ? new Request(request, init) : request),
    fetchHandler: (clientOf) => {
      requireFunction("fetchHandler(…) takes a function that returns what the runtime knows of the client", clientOf);
      return (request, ...given) => handleFetch(servedApp, request, () => clientOf(request, ...given));
    },
    explain: (request) => {
      requireRequest("explain", request);
      return explain(branches, locate, request);
    },
    get routes() {
      return summarize(branches, filters);
    },
    filters: filters.filter((each) => !("takesError" in each)).map(describeFilter),
    findings,
    methodsOf,
    [served]: servedApp,
    [appMark]: true,
  };
  const settings = { filters, onFault, checksAnswers: checkAnswers, reads: content };
  return keepRoutes(app, { declared: routes, settings, branches, filters, reads: content });
}

/** Runtimes pass further arguments of their own behind a request. */
const isUrl = (request: Request | string | URL): request is string | URL =>
  typeof request === "string" || request instanceof URL;

/** JavaScript callers pass a path, or what `app.fetch` takes. */
function requireRequest(method: "handle" | "explain", request: unknown): void {
  if (request instanceof HttpRequest) return;
  const found = request instanceof Request ? "a web Request, which app.fetch(…) takes" : typeName(request);
  throw new TypeError(`app.${method}(…) takes a request, such as HttpRequest.of({ target: "/" }), not ${found}`);
}

function requireFilters(members: readonly (Filter | WebFilter)[]): readonly (Filter | WebFilter)[] {
  const wrong = members.findIndex((member) => !filterKinds.has(kindOf(member)));
  if (wrong < 0) return members;
  const taken = "before(…), after(…), around(…), onError(…) and web filters such as cors({ … })";
  throw new TypeError(`router({ filters }) takes ${taken}, not ${foundName(members[wrong])}`);
}

const filterKinds: ReadonlySet<unknown> = new Set(["filter", "web"]);

// For a filter that goes on with a request that it has made.
const malformedTarget = problem(problemTypes.malformedTarget);
