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
import type { ErrorClause, Filter } from "./filter.ts";
import type { NoVariables } from "./path/pattern.ts";
import type { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";

/** Answers a request, with a web `Response` too. */
export type Handler<V> = (request: HttpRequest<V>) => Awaitable<HttpResponse | Response>;

/**
 * A route, or a group of them: a value that nothing registers and nothing changes.
 *
 * `N` is what its handlers need and no pattern in it provides yet: a group around it must, or the router refuses to
 * compile. A `Route<unknown>` is any route, whatever it needs.
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
  /** What `name(…)` gave it. */
  readonly name: string | undefined;
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
  readonly routes: readonly RouteData[];
  readonly site: DeclarationSite;
}

/** What may stand in a group, in any mixture: a string is a path prefix. */
export type Member = string | Condition | Filter | ErrorClause | Route<unknown>;

/** The name of a route, which stands among its conditions. */
export interface RouteName {
  readonly kind: "name";
  readonly text: string;
}

/**
 * Names a route for metrics, logs and tables, whatever becomes of its path. It stands among the conditions of the route, and
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

/** A path, conditions and a name in any order, all optional, and the handler last. */
export type RouteFunction = <const C extends readonly (string | Condition | RouteName)[], N = BoundByAll<C>>(
  ...conditionsAndHandler: [...C, Handler<N>]
) => Route<Unmet<N, BoundByAll<C>>>;

/**
 * Makes a route with any conditions. One that names no path at all answers exactly the path of its group, and one that names
 * no method answers every method.
 *
 * ```ts
 * route(or(path("/people"), path("/persons")), method("GET"), list)
 * ```
 */
export const route: RouteFunction = (...conditionsAndHandler) => declareRoute(route, [], conditionsAndHandler);

/**
 * Makes a route for GET, and for HEAD when nothing else answers it.
 *
 * ```ts
 * GET("/{id}", accept("application/json"), (request) => json(find(request.variables.id)))
 * ```
 */
export const GET: RouteFunction = (...rest) => declareRoute(GET, [method("GET")], rest);
/** Makes a route for HEAD only, tried before the GET routes. */
export const HEAD: RouteFunction = (...rest) => declareRoute(HEAD, [method("HEAD")], rest);
export const POST: RouteFunction = (...rest) => declareRoute(POST, [method("POST")], rest);
export const PUT: RouteFunction = (...rest) => declareRoute(PUT, [method("PUT")], rest);
export const PATCH: RouteFunction = (...rest) => declareRoute(PATCH, [method("PATCH")], rest);
export const DELETE: RouteFunction = (...rest) => declareRoute(DELETE, [method("DELETE")], rest);
/** Makes a route for OPTIONS in place of the answer that the router would make from the other routes. */
export const OPTIONS: RouteFunction = (...rest) => declareRoute(OPTIONS, [method("OPTIONS")], rest);
/** Makes a route for QUERY: safe like GET, with content like POST. */
export const QUERY: RouteFunction = (...rest) => declareRoute(QUERY, [method("QUERY")], rest);

/**
 * Makes one route of several, which share the group's conditions and filters, if it has any: each of its routes has the
 * group's conditions before its own. A group does not commit: when none of its routes take the request, the routes after
 * the group are tried.
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
      default:
        conditions.push(requireCondition(member, "A group takes paths, conditions, filters, onError(…) and routes"));
    }
  }
  return { kind: "group", conditions, filters, errorClauses, routes, site };
}

function declareRoute(
  declaredBy: RouteFunction,
  implied: readonly ConditionData[],
  conditionsAndHandler: readonly (string | ConditionData | RouteName | Handler<never>)[],
): RouteData {
  const handler = conditionsAndHandler.at(-1);
  if (typeof handler !== "function") {
    throw new TypeError(`The last argument of a route is its handler, a function, not ${typeName(handler)}`);
  }
  const site = new DeclarationSite(declaredBy);
  const conditions: ConditionData[] = [...implied];
  let named: RouteName | undefined;
  for (const member of conditionsAndHandler.slice(0, -1)) {
    if (typeof member === "string") {
      conditions.push({ kind: "path", pattern: member, site });
    } else if (isName(member)) {
      if (named !== undefined)
        throw new TypeError(`A route has one name, not both "${named.text}" and "${member.text}"`);
      named = member;
    } else {
      conditions.push(requireCondition(member, "Before its handler, a route takes paths and conditions"));
    }
  }
  return { kind: "route", conditions, handler, name: named?.text, site };
}

/** JavaScript callers pass anything, such as undefined from a misspelt import. */
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
