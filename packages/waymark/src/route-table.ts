import { type Candidate, restrictsPath, takesPath } from "./candidate.ts";
import { buildPathIndex, type Entries } from "./path-index.ts";
import { pathSegments } from "./path-pattern.ts";
import { knownMethods, PathRoutes } from "./path-routes.ts";

/** The routes that a path has, and the path's segments. */
export interface Located {
  readonly routes: PathRoutes;
  readonly segments: readonly string[];
}

/** Finds the routes of a canonical path; undefined when there are none. */
export type RouteTable = (path: string) => Located | undefined;

/** The table of these candidates, which are in order. Paths without variables are looked up in one step. */
export function buildRouteTable(candidates: readonly Candidate[]): RouteTable {
  const index = buildPathIndex(candidates, ({ alternative }) => alternative.pattern);
  const declared = candidates.flatMap(({ alternative }) => [...(alternative.methods ?? [])]);
  const routesOf = rememberRoutes(new Set([...knownMethods, "TRACE", "CONNECT", ...declared]));
  const locate: RouteTable = (path) => {
    const segments = pathSegments(path);
    const routes = routesOf(index.find(segments), segments);
    return routes && { routes, segments };
  };
  const fixed = new Map(index.fixedPaths.map((path) => [path, locate(path)]));
  return (path) => fixed.get(path) ?? locate(path);
}

/** Paths on which the same patterns meet share their routes, which are then made once. */
function rememberRoutes(
  recognized: ReadonlySet<string>,
): (found: readonly Entries<Candidate>[], segments: readonly string[]) => PathRoutes | undefined {
  const alone = new Map<number, PathRoutes>();
  let together = new Map<string, PathRoutes>();
  return (found, segments) => {
    const [only] = found;
    if (only === undefined) return undefined;
    const simple = found.length === 1 ? alone.get(only.id) : undefined;
    if (simple !== undefined) return simple;
    const candidates = found
      .flatMap(({ values }) => values)
      .filter((candidate) => takesPath(candidate, segments))
      .sort((a, b) => a.order - b.order);
    if (candidates.length === 0) return undefined;
    if (found.length === 1 && !only.values.some(restrictsPath)) {
      const routes = new PathRoutes(candidates, recognized);
      alone.set(only.id, routes);
      return routes;
    }
    const key = candidates.map(({ order }) => order).join();
    let routes = together.get(key);
    if (routes === undefined) {
      routes = new PathRoutes(candidates, recognized);
      if (together.size === mostCombinations) together = new Map();
      together.set(key, routes);
    }
    return routes;
  };
}

// Combinations come from the patterns, not from the requests, but there can be exponentially many of them.
const mostCombinations = 4096;
