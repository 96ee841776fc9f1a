import type { App } from "./app.ts";
import { type ConditionData, requireCondition } from "./condition.ts";
import { type Condition, declareAt } from "./conditions/kind.ts";
import { pathKind } from "./conditions/path.ts";
import { DeclarationSite, isApp, typeName } from "./declaration.ts";
import { type Attribute, attribute, type MatchedRoute, MountedExchange } from "./exchange.ts";
import { noVariables, type PathPattern, pathSegments } from "./path/pattern.ts";
import { encodePath } from "./path/target.ts";
import { attributesOf, exchangeOf, HttpRequest } from "./request.ts";
import type { Group, Handler, MountedRoute, Route } from "./route.ts";
import { type ServedApp, served } from "./served-app.ts";

/**
 * Mounts an app in another, for a path and everything below it, with its own web filters, decoders, codings and limit.
 *
 * It is a member of a group like a route, and is tried in its turn. Filters of the groups around it and web filters of
 * the outer app run around it. Its answer is final, also a refusal. It sees the path below its own, and no variables;
 * `toPublicUrl` returns URLs with the path in front.
 *
 * ```ts
 * router(mount("/api", router({ filters: [cors(policy)], codings: nodeCodings }, personRoutes(people))), greetingRoutes)
 * ```
 *
 * @param conditionsAndApp the path, a prefix as that of a group, and conditions, in any order and both optional; then the app
 * @throws TypeError when the last argument is not an app
 */
export function mount(...conditionsAndApp: readonly [...conditions: (string | Condition)[], app: App]): Route {
  const app = conditionsAndApp.at(-1) as App; // JavaScript callers pass anything, such as the routes of the app.
  if (!isApp(app)) {
    throw new TypeError(`The last argument of mount(…) is an app, made by router(…), not ${typeName(app)}`);
  }
  const site = new DeclarationSite(mount);
  const toCondition = (member: unknown): ConditionData =>
    typeof member === "string"
      ? declareAt(pathKind, { pattern: member }, site)
      : requireCondition(member, "Before its app, mount(…) takes paths and conditions");
  const group: Group = {
    kind: "group",
    conditions: conditionsAndApp.slice(0, -1).map(toCondition),
    filters: [],
    errorClauses: [],
    descriptions: [],
    routes: [{ kind: "mount", conditions: [declareAt(pathKind, { pattern: "/**" }, site)], app, site }],
    site,
  };
  return group;
}

/** An app at its place in another. */
export interface MountedApp {
  readonly app: App;
  /** The number of segments of the path that lead to it. */
  readonly depth: number;
  /** Returns a route of the app as it is here, with the path in front; one object for each. */
  readonly routeAt: (inner: MatchedRoute) => MatchedRoute;
}

/**
 * @param pattern of the whole path; its last segment is the rest, which is the path within the app
 * @param around the route of the outer app by which the app is reached
 */
export function mountedAt({ app }: MountedRoute, { segments }: PathPattern, around: MatchedRoute): MountedApp {
  const prefix = mountPath(around.path);
  const known = new Map<MatchedRoute, MatchedRoute>();
  return {
    app,
    depth: segments.length - 1,
    routeAt(inner) {
      let route = known.get(inner);
      if (route === undefined) {
        const method = inner.method === "*" ? around.method : inner.method;
        route = { method, path: pathBelow(prefix, inner.path), name: inner.name };
        known.set(inner, route);
      }
      return route;
    },
  };
}

/** Returns the path at which an app is mounted, from that of everything below it: `/api/**`. */
export const mountPath = (path: string): string => path.slice(0, -"/**".length);

/** Returns the methods by which a route of a mounted app is reached: those of both, of which undefined takes any. */
export const methodsWithin = (
  around: readonly string[] | undefined,
  inner: readonly string[] | undefined,
): readonly string[] | undefined => inner?.filter((name) => around?.includes(name) ?? true) ?? around;

/** Returns the whole path of a route whose path within its app is this one: the root of an app has no slash at the end. */
export const pathBelow = (prefix: string, path: string): string =>
  path === "/" && prefix !== "" ? prefix : prefix + path;

/**
 * Makes the handler by which the app answers; what the app does not log itself goes to `fault`, with the request of the
 * outer app.
 */
export function mountedHandler(mounted: MountedApp, fault: ServedApp["fault"]): Handler<never> {
  return (request: HttpRequest) =>
    mounted.app[served].answer(
      requestWithin(mounted, request).withAttribute(outerFault, (error) => fault(error, request)),
    );
}

/** Returns the path within the app, which has no path without a slash: `/api` and `/api/` are both its root. */
export const pathWithin = ({ depth }: MountedApp, path: string): string =>
  `/${pathSegments(path).slice(depth).join("/")}`;

/** Returns the request as the app sees it: with the path within the app, and content that is read by its settings. */
export function requestWithin(mounted: MountedApp, request: HttpRequest): HttpRequest {
  const segments = pathSegments(request.path);
  const prefix = segments.slice(0, mounted.depth);
  const base = (request.attribute(baseUrl) ?? "") + prefix.map((segment) => `/${encodePath(segment)}`).join("");
  const { method, search, headers } = request;
  const path = pathWithin(mounted, request.path);
  const exchange = new MountedExchange(exchangeOf(request), mounted.app[served].content, mounted.routeAt);
  const isBare = segments.length === mounted.depth || (request.path === "/" && request.attribute(isBareRoot));
  const bare = { key: isBareRoot, value: isBare, outer: attributesOf(request) };
  const attributes = { key: baseUrl, value: base, outer: bare };
  return new HttpRequest(method, path, search, headers, exchange, noVariables, undefined, attributes);
}

/** Where clients reach the root of the app, without a slash at the end; empty or absent: at the root of the host. */
export const baseUrl: Attribute<string> = attribute("baseUrl");

/** Whether the request to the root of a mounted app has no slash at the end. */
export const isBareRoot: Attribute<boolean> = attribute("isBareRoot");

/** Receives the faults of a mounted app without an `onFault`. */
export const outerFault: Attribute<(error: unknown) => void> = attribute("outerFault");
