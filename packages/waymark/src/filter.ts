import type { Awaitable } from "./and-then.ts";
import { DeclarationSite, typeName } from "./declaration.ts";
import type { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";

/**
 * The next step of the way to the handler: a filter further in, or the handler. It never throws an HttpError; that of a web
 * filter throws nothing at all.
 */
export type Next = (request: HttpRequest) => Awaitable<HttpResponse>;

/**
 * Something done around every route of the group in which it is written, nested groups included, and nothing outside.
 * Within a group the first declared is the outermost; an outer group is around an inner one.
 */
export type Filter = BeforeFilter | AfterFilter | AroundFilter;

export interface BeforeFilter {
  readonly kind: "before";
  readonly apply: (request: HttpRequest) => Awaitable<HttpRequest>;
  readonly site: DeclarationSite;
}

export interface AfterFilter {
  readonly kind: "after";
  readonly apply: (request: HttpRequest, response: HttpResponse) => Awaitable<HttpResponse>;
  readonly site: DeclarationSite;
}

export interface AroundFilter {
  readonly kind: "around";
  readonly apply: (request: HttpRequest, next: Next) => Awaitable<HttpResponse>;
  readonly site: DeclarationSite;
}

/**
 * A filter around the choice of a route, which may ask what the routes take: only a router has it, among its web filters.
 * `cors(…)` is one.
 */
export interface WebFilter {
  readonly kind: "web";
  readonly apply: (request: HttpRequest, next: Next, methodsOf: MethodsOf) => Awaitable<HttpResponse>;
  readonly site: DeclarationSite;
}

/** The methods that the routes of a canonical path take, as `Allow` names them; undefined where no route has the path. */
export type MethodsOf = (path: string) => readonly string[] | undefined;

/** What becomes of the faults of one type, or of all, that are thrown in a group, by its handlers or its filters. */
export interface ErrorClause {
  readonly kind: "onError";
  /** undefined: whatever is thrown, also what is not an error. */
  readonly type: ErrorType | undefined;
  readonly apply: (error: never, request: HttpRequest) => Awaitable<HttpResponse>;
  readonly site: DeclarationSite;
}

/** A class of errors, as `instanceof` takes it; abstract ones too. */
export type ErrorType<E = unknown> = abstract new (...args: never[]) => E;

/**
 * Makes a filter of a function that takes the request and returns the one that goes on, perhaps changed.
 *
 * ```ts
 * before((request) => request.withHeader("X-RequestHeader", "seen"))
 * ```
 */
export function before(apply: BeforeFilter["apply"]): BeforeFilter {
  requireFunction("before(…) takes a function", apply);
  return { kind: "before", apply, site: new DeclarationSite(before) };
}

/**
 * Makes a filter of a function that takes the response and returns the one that goes out, perhaps changed. The request is the
 * one that this filter got.
 *
 * ```ts
 * after((request, response) => response.withHeader("Cache-Control", "no-cache"))
 * ```
 */
export function after(apply: AfterFilter["apply"]): AfterFilter {
  requireFunction("after(…) takes a function", apply);
  return { kind: "after", apply, site: new DeclarationSite(after) };
}

/**
 * Makes a filter of a function that takes the request and the next step, and may answer without it.
 *
 * ```ts
 * around((request, next) => (request.header("Authorization") === undefined ? empty(401) : next(request)))
 * ```
 */
export function around(apply: AroundFilter["apply"]): AroundFilter {
  requireFunction("around(…) takes a function", apply);
  return { kind: "around", apply, site: new DeclarationSite(around) };
}

/**
 * Answers for errors of the type; without a type, for whatever is thrown, such as a text. The clauses of a group are tried in
 * declared order and stand around all its filters, wherever in the group they are written; what none of them takes goes on to
 * the group around. An `HttpError` never gets here: it is a response.
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
function requireFunction(expected: string, value: unknown): void {
  if (typeof value !== "function") throw new TypeError(`${expected}, not ${typeName(value)}`);
}
