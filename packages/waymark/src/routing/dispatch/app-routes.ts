import type { ContentSettings } from "../../content/request-content.ts";
import type { Filter, WebFilter } from "../../filter.ts";
import type { AppSettings, RouteData } from "../../route.ts";
import type { Branch } from "./branch.ts";

/** The routes of an app as data. */
export interface AppRoutes {
  /** As the router was given them. */
  readonly declared: readonly RouteData[];
  /** What the router was told for all of them. */
  readonly settings: AppSettings;
  /** In the order in which they are tried. */
  readonly branches: readonly Branch[];
  /** The web filters. */
  readonly filters: readonly (Filter | WebFilter)[];
  /** How the content of requests is read. */
  readonly reads: ContentSettings;
}

const routesByApp = new WeakMap<object, AppRoutes>();

/** Returns the app, and keeps its routes for what describes or mounts them. */
export function keepRoutes<A extends object>(app: A, routes: AppRoutes): A {
  routesByApp.set(app, routes);
  return app;
}

/** Returns the routes of an app; undefined when the `router` of this copy of waymark did not make it. */
export const findRoutes = (app: unknown): AppRoutes | undefined =>
  typeof app === "object" && app !== null ? routesByApp.get(app) : undefined;

/**
 * Returns the routes of an app.
 *
 * @throws TypeError when `router` did not make it
 */
export function routesOf(app: object): AppRoutes {
  const routes = findRoutes(app);
  if (routes === undefined) throw new TypeError("Only an app made by router(…) has routes to describe");
  return routes;
}
