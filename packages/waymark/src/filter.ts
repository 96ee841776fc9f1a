import { type Awaitable, andThen, isPromise } from "./common/and-then.ts";
import { DeclarationSite, foundName } from "./common/declaration.ts";
import { requireOptions } from "./common/known-options.ts";
import { typeName } from "./common/wording.ts";
import type { FilterDescription } from "./description.ts";
import { isTakes, type TakesData, withInput } from "./input/taken.ts";
import type { Takes } from "./input/takes.ts";
import type { NoVariables, Unmet } from "./path/pattern.ts";
import { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";

/** Calls the next filter further in, or the handler. Never throws an HttpError; in a web filter it never throws at all. */
export type Next = (request: HttpRequest) => Awaitable<HttpResponse>;

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

/**
 * Runs around every route of its group, nested groups included, and nowhere else. In a group, the
 * first declared filter is the outermost; the filters of an outer group are around those of an inner one.
 *
 * `before`, `after`, `around`, `provide` and `onError` make one. `N` is what it needs of its group and the groups around: path
 * variables, and values that other filters provide.
 */
export interface Filter<N = NoVariables> extends FilterParts {
  readonly kind: "filter";
  /** Returns the response, that of `next` or its own. */
  readonly apply: (request: HttpRequest, next: Next) => Awaitable<HttpResponse>;
  /** The name of the function that it was made from, for tables of routes. */
  readonly name?: string | undefined;
  /** The methods of the requests that pass it by, such as GET for a filter of changes. Default: it gets all. */
  readonly exceptMethods?: ReadonlySet<string>;
  /** The least status of the responses that it looks at, such as 400 for a filter of refusals. Default: it looks at all. */
  readonly leastStatus?: number;
  /** Returns whether it answers for what was thrown. Filters that have this stand outside the others of their group. */
  readonly takesError?: (error: unknown) => boolean;
  /** What it takes of the request, by `takes(…)`. */
  readonly taken?: TakesData;
  /** Whether what it takes is for the routes inside, as `takes(…)` among the members of their group. */
  readonly isForRoutes?: boolean;
  /** Type only. */
  readonly needs?: (provided: N) => void;
}

/** What a filter needs whose function takes a request with these variables. One of variables of any name needs none. */
export type NeededByFilter<V> = Unmet<V, NoVariables>;

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
  change: (request: HttpRequest<N>) => Awaitable<HttpRequest>,
  options: Pick<Filter, "describes" | "repeatable"> = {},
): Filter<NeededByFilter<N>> {
  requireFunction("before(…) takes a function", change);
  requireOptions("before(…)", options, ["describes", "repeatable"]);
  const site = new DeclarationSite(before);
  // The groups around provide N: that is what `needs` says.
  const changed = change as unknown as (request: HttpRequest) => Awaitable<unknown>;
  return {
    ...options,
    kind: "filter",
    name: change.name,
    apply: (request, next) => andThen(changed(request), (passed) => next(requireRequest(passed, site, "gave"))),
    site,
  };
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
  change: (request: HttpRequest<N>, response: HttpResponse) => Awaitable<HttpResponse>,
  options: Pick<Filter, "leastStatus" | "describes" | "repeatable"> = {},
): Filter<NeededByFilter<N>> {
  requireFunction("after(…) takes a function", change);
  requireOptions("after(…)", options, ["leastStatus", "describes", "repeatable"]);
  const { leastStatus = 0 } = options;
  // As in `before`.
  const changed = change as (request: HttpRequest, response: HttpResponse) => Awaitable<HttpResponse>;
  return {
    ...options,
    kind: "filter",
    name: change.name,
    apply: (request, next) =>
      andThen(next(request), (response) => (response.status < leastStatus ? response : changed(request, response))),
    site: new DeclarationSite(after),
  };
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
): Filter<NeededByFilter<N>>;
export function around<I, N>(
  taken: Takes<I, N>,
  apply: (request: HttpRequest, next: Next, input: I) => Awaitable<HttpResponse>,
  options?: AroundOptions,
): Filter<N>;
export function around(...given: readonly unknown[]): Filter<never> {
  return aroundTaking(new DeclarationSite(around), given, (apply) => apply);
}

/** What can be said of an around filter. */
export type AroundOptions = Pick<Filter, "exceptMethods" | "describes" | "repeatable">;

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
): Filter<never> {
  const { declaredBy } = site;
  const [taken, apply, options = {}] = isTakes(given[0]) ? given : [undefined, ...given];
  requireFunction(`${declaredBy}(…) takes a function`, apply);
  requireOptions(`${declaredBy}(…)`, options as object, ["exceptMethods", "describes", "repeatable"]);
  // The overloads say of which types the function is: the pipeline and the router check what they cannot.
  const adapted = adapt(apply as ApplyTaking) as (...args: readonly unknown[]) => Awaitable<HttpResponse>;
  const { name } = apply as ApplyTaking;
  if (!isTakes(taken)) return { ...(options as AroundOptions), kind: "filter", name, apply: adapted, site };
  const withInputs = taken.handling.compile(taken);
  return {
    ...(options as AroundOptions), // as the overloads say
    kind: "filter",
    name,
    apply: (request, next) => withInputs(request, (input) => adapted(request, next, input)),
    taken,
    site,
  };
}

/** Makes the filter that reads what is taken for all routes of a group. */
export function takingFilter(taken: TakesData): Filter {
  const withInputs = taken.handling.compile(taken);
  return {
    kind: "filter",
    apply: (request, next) => withInputs(request, (input) => next(withInput(request, input))),
    taken,
    isForRoutes: true,
    site: taken.site,
  };
}

/**
 * Makes a filter that answers errors of the type, or without a type everything that is thrown. Those of a group are tried in
 * declared order and are outside all its other filters, wherever they are written. What none of them answers, and what they throw,
 * goes to the group around. They never get an `HttpError`, which is a response.
 *
 * ```ts
 * onError(StoreUnavailable, () => problem(unavailable, { detail: "Try again in a second." }))
 * onError((thrown) => problem(broken, { detail: thrown instanceof Error ? thrown.message : String(thrown) }))
 * ```
 */
export function onError<E>(
  type: ErrorType<E>,
  answer: (error: E, request: HttpRequest) => Awaitable<HttpResponse>,
): Filter;
export function onError(answer: (thrown: unknown, request: HttpRequest) => Awaitable<HttpResponse>): Filter;
export function onError(...typeAndAnswer: readonly unknown[]): Filter {
  const site = new DeclarationSite(onError);
  const [type, answer] = typeAndAnswer.length === 1 ? [undefined, typeAndAnswer[0]] : typeAndAnswer;
  // A class that is undefined, such as a misspelt import, must not become a clause for everything.
  if (typeAndAnswer.length !== 1) requireFunction("onError(…) takes a class of errors first", type);
  requireFunction(`onError(…) takes a function${typeAndAnswer.length === 1 ? "" : " second"}`, answer);
  // The overloads say of which types these two are.
  const [handled, handle] = [type as ErrorType | undefined, answer as (error: unknown, request: HttpRequest) => never];
  const takesError = (error: unknown): boolean => handled === undefined || error instanceof handled;
  const settle = (error: unknown, request: HttpRequest): Awaitable<HttpResponse> => {
    if (takesError(error)) return handle(error, request);
    throw error;
  };
  return {
    kind: "filter",
    takesError,
    apply: (request, next) => {
      let response: Awaitable<HttpResponse>;
      try {
        response = next(request);
      } catch (error) {
        return settle(error, request);
      }
      return isPromise(response) ? response.catch((error: unknown) => settle(error, request)) : response;
    },
    site,
  };
}

/** Returns the value where it is a request; otherwise the fault says what the filter declared at the site did. */
export function requireRequest(value: unknown, site: DeclarationSite, did: string): HttpRequest {
  if (value instanceof HttpRequest) return value;
  throw new TypeError(`The filter declared at ${site} ${did} ${typeName(value)}, not a request`);
}

/** JavaScript callers pass anything, such as undefined from a misspelt import. */
export function requireFunction(expected: string, value: unknown): void {
  if (typeof value !== "function") throw new TypeError(`${expected}, not ${foundName(value)}`);
}
