import type { Awaitable } from "./and-then.ts";
import type { App } from "./app.ts";
import {
  type BoundByAll,
  type Condition,
  type ConditionData,
  type Intersection,
  method,
  requireCondition,
} from "./condition.ts";
import { DeclarationSite, typeName } from "./declaration.ts";
import type { Description, DescriptionMember } from "./description.ts";
import type { ErrorClause, Filter } from "./filter.ts";
import type { NoVariables } from "./path/pattern.ts";
import type { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";

/** Answers a request with a response, a web `Response`, or a promise of one. */
export type Handler<V> = (request: HttpRequest<V>) => Awaitable<HttpResponse | Response>;

/**
 * Is a route or a group of routes: an immutable value for `router`.
 *
 * `N` is what its handlers need and nothing in it provides: a group around it must, or the router does not compile.
 * `Route<unknown>` is any route.
 */
export type Route<N = NoVariables> = RouteData & {
  /** Type only. A function, so that a route which needs a variable does not pass for one which needs none. */
  readonly needs?: unknown extends N ? unknown : (provided: N) => void;
};

export type RouteData = SingleRoute | MountedRoute | Group;

export interface SingleRoute {
  readonly kind: "route";
  readonly conditions: readonly ConditionData[];
  readonly handler: Handler<never>;
  /** The name from `name(…)`. */
  readonly name: string | undefined;
  /** What `describe(…)` says of it. */
  readonly descriptions: readonly Description[];
  readonly site: DeclarationSite;
}

/** Everything below the path of its group, answered by another app. */
export interface MountedRoute {
  readonly kind: "mount";
  readonly conditions: readonly ConditionData[];
  readonly app: App;
  readonly site: DeclarationSite;
}

export interface Group {
  readonly kind: "group";
  readonly conditions: readonly ConditionData[];
  readonly filters: readonly Filter[];
  readonly errorClauses: readonly ErrorClause[];
  readonly descriptions: readonly Description[];
  readonly routes: readonly RouteData[];
  readonly site: DeclarationSite;
}

/** Is a member of a group: a path prefix, a condition, a filter, an error clause, a description or a route. */
export type Member = string | Condition | Filter | ErrorClause | DescriptionMember | Route<unknown>;

/** Names a route; made by `name(…)`, and a member of the route like a condition. */
export interface RouteName {
  readonly kind: "name";
  readonly text: string;
}

/**
 * Names a route for metrics, logs and tables, independently of its path. It stands among the conditions of the route;
 * `request.route` has it.
 *
 * ```ts
 * GET("/{id}", name("readPerson"), read)
 * ```
 *
 * @throws TypeError when the name is not a text, or empty
 */
export function name(text: string): RouteName {
  if (typeof text !== "string") throw new TypeError(`name(…) takes a text, not ${typeName(text)}`);
  if (text === "") throw new TypeError("name(…) takes a text that is not empty");
  return { kind: "name", text };
}

/** Makes a route from a path, conditions, a name and descriptions, all optional and in any order, and last a handler. */
export type RouteFunction = <
  const C extends readonly (string | Condition | RouteName | DescriptionMember)[],
  N = BoundByAll<C>,
>(
  ...conditionsAndHandler: [...C, Handler<N>]
) => Route<Unmet<N, BoundByAll<C>>>;

/**
 * Makes a route for every method, or for those of a `method(…)` condition. Without a path it answers exactly the path
 * of its group.
 *
 * ```ts
 * route(or(path("/people"), path("/persons")), method("GET"), list)
 * ```
 */
export const route: RouteFunction = (...conditionsAndHandler) => declareRoute(route, [], conditionsAndHandler);

/**
 * Makes a route for GET. It also answers HEAD, unless a `HEAD(…)` route does.
 *
 * ```ts
 * GET("/{id}", accept("application/json"), (request) => json(find(request.variables.id)))
 * ```
 */
export const GET: RouteFunction = (...rest) => declareRoute(GET, [method("GET")], rest);
/** Makes a route for HEAD, which is tried before the GET routes. */
export const HEAD: RouteFunction = (...rest) => declareRoute(HEAD, [method("HEAD")], rest);
/** Makes a route for POST. */
export const POST: RouteFunction = (...rest) => declareRoute(POST, [method("POST")], rest);
/** Makes a route for PUT. */
export const PUT: RouteFunction = (...rest) => declareRoute(PUT, [method("PUT")], rest);
/** Makes a route for PATCH. */
export const PATCH: RouteFunction = (...rest) => declareRoute(PATCH, [method("PATCH")], rest);
/** Makes a route for DELETE. */
export const DELETE: RouteFunction = (...rest) => declareRoute(DELETE, [method("DELETE")], rest);
/** Makes a route for OPTIONS, instead of the router's own answer. */
export const OPTIONS: RouteFunction = (...rest) => declareRoute(OPTIONS, [method("OPTIONS")], rest);
/** Makes a route for QUERY: safe like GET, with content like POST. */
export const QUERY: RouteFunction = (...rest) => declareRoute(QUERY, [method("QUERY")], rest);

/**
 * Groups routes: each gets the group's path, conditions and filters before its own. If no route of the group takes a
 * request, the routes after the group are tried.
 *
 * ```ts
 * group("/person", accept("application/json"), after(log), GET("/{id}", read), GET(list))
 * ```
 */
export function group<const M extends readonly Member[]>(...members: M): Route<NeededIn<M>> {
  const site = new DeclarationSite(group);
  const conditions: ConditionData[] = [];
  const filters: Filter[] = [];
  const errorClauses: ErrorClause[] = [];
  const descriptions: Description[] = [];
  const routes: RouteData[] = [];
  for (const member of members) {
    if (typeof member === "string") {
      conditions.push({ kind: "path", pattern: member, site });
      continue;
    }
    switch (member?.kind) {
      case "route":
      case "mount":
      case "group":
        routes.push(member);
        break;
      case "before":
      case "after":
      case "around":
        filters.push(member);
        break;
      case "onError":
        errorClauses.push(member);
        break;
      case "describe":
        descriptions.push(member.description);
        break;
      default:
        conditions.push(requireCondition(member, "A group takes paths, conditions, filters, onError(…) and routes"));
    }
  }
  return { kind: "group", conditions, filters, errorClauses, descriptions, routes, site };
}

function declareRoute(
  declaredBy: RouteFunction,
  implied: readonly ConditionData[],
  conditionsAndHandler: readonly (string | ConditionData | RouteName | DescriptionMember | Handler<never>)[],
): RouteData {
  const handler = conditionsAndHandler.at(-1);
  if (typeof handler !== "function") {
    throw new TypeError(`The last argument of a route is its handler, a function, not ${typeName(handler)}`);
  }
  const site = new DeclarationSite(declaredBy);
  const conditions: ConditionData[] = [...implied];
  const descriptions: Description[] = [];
  let named: RouteName | undefined;
  for (const member of conditionsAndHandler.slice(0, -1)) {
    if (typeof member === "string") {
      conditions.push({ kind: "path", pattern: member, site });
    } else if (isDescription(member)) {
      descriptions.push(member.description);
    } else if (isName(member)) {
      if (named !== undefined)
        throw new TypeError(`A route has one name, not both "${named.text}" and "${member.text}"`);
      named = member;
    } else {
      conditions.push(requireCondition(member, "Before its handler, a route takes paths and conditions"));
    }
  }
  return { kind: "route", conditions, handler, name: named?.text, descriptions, site };
}

/** JavaScript callers pass anything, such as undefined from a misspelt import. */
const isDescription = (member: unknown): member is DescriptionMember =>
  (member as { kind?: unknown } | null | undefined)?.kind === "describe";
const isName = (member: unknown): member is RouteName =>
  (member as { kind?: unknown } | null | undefined)?.kind === "name";

/** The variables of N that P does not provide, or provides as another type. Variables of any name need none in particular. */
export type Unmet<N, P> = {
  readonly [K in keyof N as string extends K ? never : P extends Record<K, N[K]> ? never : K]: N[K];
};

/** What a route needs; nothing when it is something else. */
export type NeededBy<M> = M extends RouteData & { readonly needs?: (provided: infer N) => void } ? N : NoVariables;

/** What the routes among the members need beyond what the strings and conditions among them bind. */
export type NeededIn<M extends readonly unknown[]> = M extends readonly []
  ? NoVariables
  : Unmet<Intersection<NeededBy<M[number]>>, BoundByAll<M>>;
