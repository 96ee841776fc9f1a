import type { App } from "../app.ts";
import { DeclarationSite, foundName, isApp } from "../common/declaration.ts";
import { type ConditionData, requireCondition } from "../condition.ts";
import { type Condition, declareAt } from "../conditions/kind.ts";
import { pathKind } from "../conditions/path.ts";
import type { Group, Route } from "../route.ts";
import { findRoutes } from "../routing/dispatch/app-routes.ts";
import { type FetchHandler, fetchRoute } from "./fetch-handler.ts";

/**
 * Takes the routes of an app into another one, below a path: as those of a group, and with the filters, decoders, codings, limit
 * and log of faults that the app has. Its filters also run for what is refused below the path, pre-flights among it.
 *
 * What the routes of the app do not take goes on to the routes behind. `toPublicUrl` puts the path in front of its URLs.
 *
 * ```ts
 * router(mount("/api", router({ filters: [cors(policy)], codings: nodeCodings }, personRoutes(people))), greetingRoutes)
 * ```
 *
 * In the place of the app, any function that takes a web `Request` and returns a `Response` answers everything below the path. It
 * sees the path below its own.
 *
 * ```ts
 * router(personRoutes(people), mount("/old", hono.fetch))
 * ```
 *
 * @param conditionsAndApp the path, a prefix as that of a group, and conditions, in any order and both optional; then the app
 * @throws TypeError when the last argument is neither an app nor a function
 */
export function mount(
  ...conditionsAndApp: readonly [...conditions: (string | Condition)[], app: App | FetchHandler]
): Route {
  const app: unknown = conditionsAndApp.at(-1); // JavaScript callers pass anything, such as the routes of the app.
  const site = new DeclarationSite(mount);
  const toCondition = (member: unknown): ConditionData =>
    typeof member === "string"
      ? declareAt(pathKind, { pattern: member }, site)
      : requireCondition(member, "Before its app, mount(…) takes paths and conditions");
  const group: Group = {
    kind: "group",
    conditions: conditionsAndApp.slice(0, -1).map(toCondition),
    filters: [],
    descriptions: [],
    ...contentsOf(app, site),
    site,
  };
  return group;
}

function contentsOf(app: unknown, site: DeclarationSite): Pick<Group, "routes" | "app"> {
  if (typeof app === "function") {
    return { app: {}, routes: [fetchRoute(app as FetchHandler, "mount", site)] }; // so says the type of the parameter
  }
  const declared = findRoutes(app);
  if (declared !== undefined) return { routes: declared.declared, app: declared.settings };
  // One of another copy of waymark has other values: only the web's are common to both.
  if (isApp(app)) return { app: {}, routes: [fetchRoute((request) => app.fetch(request), "mount", site)] };
  const taken = "an app, made by router(…), or a fetch function, such as hono.fetch";
  throw new TypeError(`The last argument of mount(…) is ${taken}, not ${foundName(app)}`);
}
