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
  const byPatterns = new Map<number | string, PathRoutes>();
  const byCandidates = new Map<number | string, PathRoutes>();
  return (found, segments) => {
    const only = found[0];
    if (only === undefined) return undefined;
    const key = found.length === 1 ? only.id : found.map(({ id }) => id).join();
    const known = byPatterns.get(key);
    if (known !== undefined) return known;
    const all = found.flatMap(({ values }) => values);
    const candidates = all.filter((each) => takesPath(each, segments)).sort((a, b) => a.order - b.order);
    if (candidates.length === 0) return undefined;
    const make = (): PathRoutes => new PathRoutes(candidates, recognized);
    // Where a candidate says more of the path, its pattern alone does not tell whether it takes part.
    if (!all.some(restrictsPath)) return remember(byPatterns, key, make);
    return remember(byCandidates, candidates.map(({ order }) => order).join(), make);
  };
}

function remember(kept: Map<number | string, PathRoutes>, key: number | string, make: () => PathRoutes): PathRoutes {
  let routes = kept.get(key);
  if (routes === undefined) {
    routes = make();
    if (kept.size === mostCombinations) kept.clear();
    kept.set(key, routes);
  }
  return routes;
}

// Combinations come from the patterns, not from the requests, but there can be exponentially many of them.
const mostCombinations = 65_536;
