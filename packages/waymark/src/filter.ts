import type { Awaitable } from "./and-then.ts";
import { DeclarationSite, typeName } from "./declaration.ts";
import type { FilterDescription } from "./description.ts";
import { compileInputs } from "./input/read.ts";
import { isTakes, type Takes, type TakesData } from "./input/takes.ts";
import { requireKnownOptions } from "./known-options.ts";
import type { NoVariables, Unmet } from "./path/pattern.ts";
import type { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";

/** Calls the next filter further in, or the handler. Never throws an HttpError; in a web filter it never throws at all. */
export type Next = (request: HttpRequest) => Awaitable<HttpResponse>;

/**
 * Runs around every route of its group, nested groups included, and nowhere else. In a group, the
 * first declared filter is the outermost; the filters of an outer group are around those of an inner one.
 *
 * `N` is what it needs of its group and the groups around: path variables, and values that other filters provide.
 */
export type Filter<N = NoVariables> = BeforeFilter<N> | AfterFilter<N> | AroundFilter<N>;

/** What a filter needs whose function takes a request with these variables. One of variables of any name needs none. */
export type NeededByFilter<V> = Unmet<V, NoVariables>;

/** What every filter has. */
interface FilterParts {
  /** What it adds to the OpenAPI document of the operations that it covers: header fields, problems. */
  readonly describes?: FilterDescription;
  readonly site: DeclarationSite;
  /**
   * Whether answers from memory may pass the filter by: what it does depends only on the head of the request, and on sources that
   * it names by `dependsOn`; what it does besides, it does by `onRepeat`. Default: no, so that the answers to requests that reach it
   * never come from memory.
   */
  readonly repeatable?: true | undefined;
}

/** What every filter of a group has. */
interface GroupFilterParts<N> extends FilterParts {
  /** Type only. */
  readonly needs?: (provided: N) => void;
}

/** A filter made by `before`, or an object like it. */
export interface BeforeFilter<N = NoVariables> extends GroupFilterParts<N> {
  readonly kind: "before";
  /** Returns the request for the inner filters and the handler. */
  readonly apply: (request: HttpRequest) => Awaitable<HttpRequest>;
}

/** A filter made by `after`, or an object like it. */
export interface AfterFilter<N = NoVariables> extends GroupFilterParts<N> {
  readonly kind: "after";
  /** Returns the response for the outer filters. */
  readonly apply: (request: HttpRequest, response: HttpResponse) => Awaitable<HttpResponse>;
  /** The least status of the responses that it gets, such as 400 for a filter of refusals. Default: it gets all. */
  readonly leastStatus?: number;
}

/** A filter made by `around`, or an object like it. */
export interface AroundFilter<N = NoVariables> extends GroupFilterParts<N> {
  readonly kind: "around";
  /** Returns the response, that of `next` or its own. */
  readonly apply: (request: HttpRequest, next: Next) => Awaitable<HttpResponse>;
  /** The methods of the requests that pass it by, such as GET for a filter of changes. Default: it gets all. */
  readonly exceptMethods?: ReadonlySet<string>;
  /** What it takes of the request, by `takes(…)`. */
  readonly taken?: TakesData;
  /** Whether what it takes is for the routes inside, as `takes(…)` among the members of their group. */
  readonly isForRoutes?: boolean;
}

/**
 * Runs around the choice of a route, and can read which methods the routes take. Only `router` accepts it; `cors(…)`
 * makes one.
 */
export interface WebFilter extends FilterParts {
  readonly kind: "web";
  /** Returns the response, that of `next` or its own; `methodsOf` returns the methods of a path. */
  readonly apply: (request: HttpRequest, next: Next, methodsOf: MethodsOf) => Awaitable<HttpResponse>;
}

/** Returns the methods that the routes of a canonical path take, as in `Allow`; undefined if no route has the path. */
export type MethodsOf = (path: string) => readonly string[] | undefined;

/** Handles the faults of one type, or all faults, that handlers and filters of a group throw. */
export interface ErrorClause {
  readonly kind: "onError";
  /** The class of errors; undefined for everything that is thrown, errors or not. */
  readonly type: ErrorType | undefined;
  /** Returns the response for what was thrown. */
  readonly apply: (error: never, request: HttpRequest) => Awaitable<HttpResponse>;
  readonly site: DeclarationSite;
}

/** A class of errors for `instanceof`, also an abstract one. */
export type ErrorType<E = unknown> = abstract new (...args: never[]) => E;

/**
 * Makes a filter from a function that takes the request and returns the one that goes on.
 *
 * ```ts
 * before((request) => request.withHeader("X-RequestHeader", "seen"))
 * ```
 */
export function before<N = NoVariables>(
  apply: (request: HttpRequest<N>) => Awaitable<HttpRequest>,
  options: Pick<BeforeFilter, "describes" | "repeatable"> = {},
): BeforeFilter<NeededByFilter<N>> {
  requireFunction("before(…) takes a function", apply);
  requireKnownOptions("before(…)", options, ["describes", "repeatable"]);
  // The groups around provide N: that is what `needs` says.
  return { ...options, kind: "before", apply: apply as BeforeFilter["apply"], site: new DeclarationSite(before) };
}

/**
 * Makes a filter from a function that takes the request, as it reached this filter, and the response, and returns the
 * response that goes out.
 *
 * ```ts
 * after((request, response) => response.withHeader("Cache-Control", "no-cache"))
 * after((request, refusal) => refusal.withHeader("Link", help), { leastStatus: 400 })
 * ```
 */
export function after<N = NoVariables>(
  apply: (request: HttpRequest<N>, response: HttpResponse) => Awaitable<HttpResponse>,
  options: Pick<AfterFilter, "leastStatus" | "describes" | "repeatable"> = {},
): AfterFilter<NeededByFilter<N>> {
  requireFunction("after(…) takes a function", apply);
  requireKnownOptions("after(…)", options, ["leastStatus", "describes", "repeatable"]);
  // As in `before`.
  return { ...options, kind: "after", apply: apply as AfterFilter["apply"], site: new DeclarationSite(after) };
}

/**
 * Makes a filter from a function that takes the request and `next`, and returns a response with or without calling
 * `next`. With `takes(…)` in front it gets a third argument: its input.
 *
 * ```ts
 * around((request, next) => (request.header("Authorization") === undefined ? empty(401) : next(request)))
 * around(takes(signedIn, { variables: { userId: integer() } }), (request, next, { caller, variables }) =>
 *   caller.id === variables.userId ? next(request) : empty(403))
 * ```
 */
export function around<N = NoVariables>(
  apply: (request: HttpRequest<N>, next: Next) => Awaitable<HttpResponse>,
  options?: AroundOptions,
): AroundFilter<NeededByFilter<N>>;
export function around<I, N>(
  taken: Takes<I, N>,
  apply: (request: HttpRequest, next: Next, input: I) => Awaitable<HttpResponse>,
  options?: AroundOptions,
): AroundFilter<N>;
export function around(...given: readonly unknown[]): AroundFilter<never> {
  return aroundTaking(new DeclarationSite(around), given, (apply) => apply);
}

/** What can be said of an around filter. */
export type AroundOptions = Pick<AroundFilter, "exceptMethods" | "describes" | "repeatable">;

/** The function of an around filter, with its input where it takes any. */
export type ApplyTaking = (request: HttpRequest, next: Next, input: never) => Awaitable<HttpResponse>;

/**
 * Makes an around filter of what a public function is given: what the filter takes, which can be left out, its function, and
 * options.
 *
 * @param adapt makes the function of the filter of the one that was given
 */
export function aroundTaking(
  site: DeclarationSite,
  given: readonly unknown[],
  adapt: (apply: ApplyTaking) => ApplyTaking,
): AroundFilter<never> {
  const { declaredBy } = site;
  const [taken, apply, options = {}] = isTakes(given[0]) ? given : [undefined, ...given];
  requireFunction(`${declaredBy}(…) takes a function`, apply);
  requireKnownOptions(`${declaredBy}(…)`, options as object, ["exceptMethods", "describes", "repeatable"]);
  // The overloads say of which types the function is: the pipeline and the router check what they cannot.
  const adapted = adapt(apply as ApplyTaking) as (...args: readonly unknown[]) => Awaitable<HttpResponse>;
  if (!isTakes(taken)) return { ...(options as AroundOptions), kind: "around", apply: adapted, site };
  const withInputs = compileInputs(taken);
  return {
    ...(options as AroundOptions), // as the overloads say
    kind: "around",
    apply: (request, next) => withInputs(request, (input) => adapted(request, next, input)),
    taken,
    site,
  };
}

/**
 * Answers errors of the type, or without a type everything that is thrown. The clauses of a group are tried in declared
 * order and are outside all its filters, wherever they are written. What none of them handles goes to the group
 * around. A clause never gets an `HttpError`, which is a response.
 *
 * ```ts
 * onError(StoreUnavailable, () => problem(unavailable, { detail: "Try again in a second." }))
 * onError((thrown) => problem(broken, { detail: thrown instanceof Error ? thrown.message : String(thrown) }))
 * ```
 */
export function onError<E>(
  type: ErrorType<E>,
  apply: (error: E, request: HttpRequest) => Awaitable<HttpResponse>,
): ErrorClause;
export function onError(apply: (thrown: unknown, request: HttpRequest) => Awaitable<HttpResponse>): ErrorClause;
export function onError(...typeAndApply: readonly unknown[]): ErrorClause {
  if (typeAndApply.length === 1) return declareClause(undefined, typeAndApply[0], "onError(…) takes a function");
  const [type, apply] = typeAndApply;
  // A class that is undefined, such as a misspelt import, must not become a clause for everything.
  requireFunction("onError(…) takes a class of errors first", type);
  return declareClause(type, apply, "onError(…) takes a function second");
}

function declareClause(type: unknown, apply: unknown, expected: string): ErrorClause {
  requireFunction(expected, apply);
  // The overloads of onError say of which types these two functions are.
  return {
    kind: "onError",
    type: type as ErrorClause["type"],
    apply: apply as ErrorClause["apply"],
    site: new DeclarationSite(onError),
  };
}

/** JavaScript callers pass anything, such as undefined from a misspelt import. */
export function requireFunction(expected: string, value: unknown): void {
  if (typeof value !== "function") throw new TypeError(`${expected}, not ${typeName(value)}`);
}
