import { type AnswersData, isAnswers } from "./answer/answered.ts";
import type { AnsweredBy, Answers } from "./answer/answers.ts";
import type { App } from "./app.ts";
import type { Awaitable } from "./common/and-then.ts";
import { DeclarationSite, kindOf } from "./common/declaration.ts";
import { typeName } from "./common/wording.ts";
import { type BoundByAll, type ConditionData, requireCondition } from "./condition.ts";
import { type Condition, declareAt } from "./conditions/kind.ts";
import { methodKind } from "./conditions/method.ts";
import { pathKind } from "./conditions/path.ts";
import type { ContentSettings } from "./content/request-content.ts";
import type { Description, DescriptionMember } from "./description.ts";
import { type Filter, takingFilter, type WebFilter } from "./filter.ts";
import { isTakes, type TakesData, together } from "./input/taken.ts";
import type { Takes } from "./input/takes.ts";
import type { Intersection, NoVariables, PathVariables, Plain, Unmet } from "./path/pattern.ts";
import type { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";

/**
 * Answers a request with a response, a web `Response`, or a promise of one. Where its route has `answers(…)`, they are of the
 * type A.
 */
export type Handler<V, A = HttpResponse | Response> = (request: HttpRequest<V>) => Awaitable<A>;

/** A handler whose route has `takes(…)`: it gets the input, too. */
export type TakingHandler<V, I, A = HttpResponse | Response> = (request: HttpRequest<V>, input: I) => Awaitable<A>;

/** Any route or group, whatever its handlers need. */
export interface AnyRoute {
  readonly kind: RouteData["kind"];
  readonly site: DeclarationSite;
}

/**
 * A route or a group of routes: an immutable value for `router`.
 *
 * `N` is what its handlers need and nothing in it provides: a group around it must, or the router does not compile.
 */
export interface Route<N = NoVariables> extends AnyRoute {
  /** Type only. A function, so that a route which needs a variable does not pass for one which needs none. */
  readonly needs?: (provided: N) => void;
}

export type RouteData = SingleRoute | Group;

export interface SingleRoute {
  readonly kind: "route";
  readonly conditions: readonly ConditionData[];
  readonly handler: TakingHandler<never, never>;
  /** What it takes by `takes(…)`; undefined where it takes only the request. */
  readonly taken: TakesData | undefined;
  /** What it answers by `answers(…)`; undefined for anything. */
  readonly answers: AnswersData | undefined;
  /** The name from `name(…)`. */
  readonly name: string | undefined;
  /** Whether it is for what no route before it takes, and stands last. */
  readonly isFallback?: boolean;
  /** What `docs(…)` says of it. */
  readonly descriptions: readonly Description[];
  readonly site: DeclarationSite;
}

/** What an app that is mounted has for its routes and for what is refused below its path. */
export interface AppSettings {
  readonly filters?: readonly (Filter | WebFilter)[];
  /** How content is read. Default: as in the app around. */
  readonly reads?: ContentSettings;
  readonly checksAnswers?: boolean;
  /** Default: that of the app around. */
  readonly onFault?: ((error: unknown, request: HttpRequest | undefined) => void) | undefined;
}

export interface Group {
  readonly kind: "group";
  readonly conditions: readonly ConditionData[];
  readonly filters: readonly Filter[];
  readonly descriptions: readonly Description[];
  readonly routes: readonly RouteData[];
  /** Of the app whose routes these are, where it is mounted. */
  readonly app?: AppSettings;
  readonly site: DeclarationSite;
}

/** A member of a group: a path prefix, a condition, a filter, an error clause, a description or a route. */
export type Member = string | Condition | Filter<never> | DescriptionMember | TakesData | AnyRoute;

/** The members of a group where they are right; else a text that says what is wrong, for the message of the compiler. */
export type GroupMembers<M extends readonly unknown[]> = { readonly [I in keyof M]: GroupMember<M[I]> };

type GroupMember<M> = M extends Member
  ? M
  : M extends WebFilter
    ? "cors(…) and other web filters are for every request: router({ filters: [ … ] }, …)"
    : M extends (...args: never[]) => unknown
      ? "a handler stands in a route: GET(handler)"
      : M extends App
        ? UnmountedApp
        : "a group takes paths, conditions, filters, onError(…) and routes, one after another";

/** Says what to do with an app among routes. */
export type UnmountedApp = 'an app stands behind its path: mount("/path", app)';

/** Names a route; made by `name(…)`, and a member of the route like a condition. */
export interface RouteName {
  readonly kind: "name";
  readonly text: string;
}

/**
 * Names a route for metrics, logs and tables, independently of its path. Put it among the conditions of the route;
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

/**
 * Makes a route from a path, conditions, a name, descriptions and what the handler takes, all optional and in any order, and
 * last the handler.
 */
export interface RouteFunction {
  // What a route takes and answers stands in the types of these two, and the compiler looks for it nowhere else.
  <I, T, A>(
    takes: Takes<I, T>,
    answers: Answers<A>,
    handler: DeclaredHandler<NoVariables, I, A>,
  ): Route<UnmetWithin<T, NoVariables>>;
  <const P extends string, I, T, A>(
    path: P,
    takes: Takes<I, T>,
    answers: Answers<A>,
    handler: DeclaredHandler<PathVariables<P>, I, A>,
  ): Route<UnmetWithin<T, PathVariables<P>>>;
  // The compiler is done with a few members sooner than with a row of any length, for which it makes all methods of arrays.
  <const A, N = BoundByAll<A>>(a: RouteMember<A>, handler: HandlerBehind<A, N>): Route<NeededByRoute<A, N>>;
  <const A, const B, N = BoundByAll<A | B>>(
    a: RouteMember<A>,
    b: RouteMember<B>,
    handler: HandlerBehind<A | B, N>,
  ): Route<NeededByRoute<A | B, N>>;
  <const A, const B, const C, N = BoundByAll<A | B | C>>(
    a: RouteMember<A>,
    b: RouteMember<B>,
    c: RouteMember<C>,
    handler: HandlerBehind<A | B | C, N>,
  ): Route<NeededByRoute<A | B | C, N>>;
  // Of overloads that all fail, the compiler explains the last one: this one says in words what is wrong.
  <const C extends Several, N = BoundByAll<C[number]>>(
    ...conditionsAndHandler: [...conditions: RouteMembers<C>, handler: HandlerBehind<C[number], N>]
  ): Route<NeededByRoute<C[number], N>>;
}

/**
 * What is given in a row. The second type is among those of the first, and is here for the compiler: where an array is the only
 * type in this place, it makes all methods of arrays for each call.
 */
type Several = readonly unknown[] | readonly [];

/** What stands before the handler of a route. */
type RoutePart = string | Condition | RouteName | DescriptionMember | TakesData | AnswersData;

/** A handler that can answer only what is declared: the compiler infers nothing from what it returns. */
type DeclaredHandler<V, I, A> = TakingHandler<V, I, NoInfer<A>>;

/** The handler behind these members. */
type HandlerBehind<M, N> =
  Extract<M, TakesData> extends Takes<infer I, infer _>
    ? unknown extends I
      ? Handler<N, AnsweredBy<M>>
      : TakingHandler<N, I, AnsweredBy<M>>
    : never;

/** What a route of these members needs, whose handler needs N. */
type NeededByRoute<M, N> =
  Extract<M, TakesData> extends Takes<infer _, infer T> ? NeededBeyond<N, T, BoundByAll<M>> : never;

/** What a handler and what it takes need that its route does not bind: nothing, for most. */
type NeededBeyond<N, T, B> = B extends N ? UnmetWithin<T, B> : Plain<Unmet<N, B> & Unmet<T, B>>;

/** The members before a handler, as `GroupMembers`. */
export type RouteMembers<C extends readonly unknown[]> = { readonly [I in keyof C]: RouteMember<C[I]> };

type RouteMember<C> = C extends RoutePart
  ? C
  : C extends Filter<never> | WebFilter
    ? "a route takes no filters: put the filter and the route into a group"
    : C extends (...args: never[]) => unknown
      ? "the handler is the last argument of a route"
      : "before its handler, a route takes paths, conditions, name(…), takes(…), answers(…) and docs(…)";

/**
 * Makes a route for every method, or for those of a `method(…)` condition, such as HEAD, OPTIONS and QUERY. Without a path it answers exactly the path
 * of its group.
 *
 * ```ts
 * route(or(path("/people"), path("/persons")), method("GET"), list)
 * ```
 */
export const route: RouteFunction = (...rest: readonly unknown[]) =>
  declareRoute(new DeclarationSite(route), undefined, rest);

/**
 * Makes a route for GET. It also answers HEAD, unless a route of `method("HEAD")` does.
 *
 * ```ts
 * GET("/{id}", accept("application/json"), (request) => json(find(request.variables.id)))
 * ```
 */
export const GET: RouteFunction = (...rest: readonly unknown[]) => declareRoute(new DeclarationSite(GET), "GET", rest);
/** Makes a route for POST. */
export const POST: RouteFunction = (...rest: readonly unknown[]) =>
  declareRoute(new DeclarationSite(POST), "POST", rest);
/** Makes a route for PUT. */
export const PUT: RouteFunction = (...rest: readonly unknown[]) => declareRoute(new DeclarationSite(PUT), "PUT", rest);
/** Makes a route for PATCH. */
export const PATCH: RouteFunction = (...rest: readonly unknown[]) =>
  declareRoute(new DeclarationSite(PATCH), "PATCH", rest);
/** Makes a route for DELETE. */
export const DELETE: RouteFunction = (...rest: readonly unknown[]) =>
  declareRoute(new DeclarationSite(DELETE), "DELETE", rest);

/**
 * Groups routes: each gets the group's path, conditions and filters before its own. If no route of the group takes a
 * request, the routes after the group are tried.
 *
 * ```ts
 * group("/person", accept("application/json"), after(log), GET("/{id}", read), GET(list))
 * ```
 */
export function group<const M extends Several>(...members: GroupMembers<M>): Route<NeededIn<M>> {
  const site = new DeclarationSite(group);
  const conditions: ConditionData[] = [];
  const filters: Filter[] = [];
  const descriptions: Description[] = [];
  const routes: RouteData[] = [];
  // So says the type of the parameter; JavaScript callers pass anything, which the default below refuses.
  for (const member of members as readonly Member[]) {
    if (typeof member === "string") {
      conditions.push(declareAt(pathKind, { pattern: member }, site));
      continue;
    }
    switch (member?.kind) {
      case "route":
      case "group":
        // The kinds are the tags of RouteData, so a function of this package has made it.
        routes.push(member as RouteData);
        break;
      case "filter":
        filters.push(member as Filter); // What it needs is in the type of this group.
        break;
      case "takes":
        filters.push(takingFilter(member));
        break;
      case "docs":
        descriptions.push(member.description);
        break;
      default:
        conditions.push(requireCondition(member, "A group takes paths, conditions, filters, onError(…) and routes"));
    }
  }
  const declared: Group = { kind: "group", conditions, filters, descriptions, routes, site };
  requireFallbackLast("group", routes);
  return declared;
}

/** @throws TypeError when a fallback has a route behind it, which no request would reach */
export function requireFallbackLast(of: "group" | "router", routes: readonly RouteData[]): void {
  const first = routes.findIndex((route) => route.kind === "route" && route.isFallback === true);
  const behind = first < 0 ? undefined : routes[first + 1];
  if (behind === undefined) return;
  throw new TypeError(`fallback(…) is the last route of a ${of}: the one at ${behind.site} would never be reached`);
}

function declareRoute(
  site: DeclarationSite,
  method: string | undefined,
  conditionsAndHandler: readonly unknown[],
): RouteData {
  const handler = conditionsAndHandler.at(-1);
  if (typeof handler !== "function") {
    throw new TypeError(`The last argument of a route is its handler, a function, not ${typeName(handler)}`);
  }
  const conditions: ConditionData[] = method === undefined ? [] : [declareAt(methodKind, { methods: [method] }, site)];
  const derived: Description[] = [];
  const descriptions: Description[] = [];
  const taken: TakesData[] = [];
  let answered: AnswersData | undefined;
  let named: RouteName | undefined;
  for (const member of conditionsAndHandler.slice(0, -1)) {
    if (typeof member === "string") {
      conditions.push(declareAt(pathKind, { pattern: member }, site));
    } else if (isDescription(member)) {
      descriptions.push(member.description);
    } else if (isTakes(member)) {
      taken.push(member);
      derived.push(member.handling.describe(member));
    } else if (isAnswers(member)) {
      if (answered !== undefined)
        throw new TypeError(`A route has one answers(…); there is another at ${answered.site}`);
      answered = member;
      derived.push(member.handling.describe(member));
    } else if (isName(member)) {
      if (named !== undefined)
        throw new TypeError(`A route has one name, not both "${named.text}" and "${member.text}"`);
      named = member;
    } else {
      conditions.push(requireCondition(member, "Before its handler, a route takes paths and conditions"));
    }
  }
  const declared = { taken: together(taken), answers: answered, name: named?.text };
  // What is said in words adds to what is derived.
  return {
    kind: "route",
    conditions,
    handler: handler as SingleRoute["handler"], // RouteFunction says so
    ...declared,
    descriptions: [...derived, ...descriptions],
    site,
  };
}

/**
 * Returns the route and all routes in it as declared at one place, which messages and `declaredAt` name: for a function that makes
 * routes for a program, whose own lines say nothing to its caller.
 */
export function placeAt(site: DeclarationSite, route: Route): Route {
  return place(route as RouteData); // a function of this package has made it
  function place(data: RouteData): RouteData {
    return data.kind === "group" ? { ...data, routes: data.routes.map(place), site } : { ...data, site };
  }
}

const isDescription = (member: unknown): member is DescriptionMember => kindOf(member) === "docs";
const isName = (member: unknown): member is RouteName => kindOf(member) === "name";

/** What a route, a filter or `takes(…)` needs; nothing when it is something else. */
export type NeededBy<M> = M extends { readonly kind: Needy; readonly needs?: (provided: infer N) => void }
  ? unknown extends N
    ? NoVariables
    : N
  : NoVariables;

type Needy = AnyRoute["kind"] | Filter["kind"] | "takes";

/** What the routes among the members need beyond what the strings and conditions among them bind. */
export type NeededIn<M extends readonly unknown[]> = M extends readonly []
  ? NoVariables
  : UnmetWithin<Intersection<NeededBy<M[number]>>, BoundByAll<M[number]>>;

/** What is needed and not bound: nothing, for most groups. */
type UnmetWithin<N, B> = B extends N ? NoVariables : Unmet<N, B>;
