import type { Finding } from "../app.ts";
import { leaves } from "../condition.ts";
import type { DeclarationSite } from "../declaration.ts";
import { mountedAt, mountedHandler } from "../mount.ts";
import type { Group, RouteData } from "../route.ts";
import type { ServedApp } from "../served-app.ts";
import { type Candidate, expandRoute, type PlacedRoute, toCandidate } from "./branch.ts";
import { findEmptyOr, findNoRoutes, findShadows } from "./finding.ts";
import { findMalformed, type Mistake, RoutingMistakes } from "./mistake.ts";
import { compilePipeline } from "./pipeline.ts";

/**
 * The candidates of all routes, in the order in which they are tried, and what was found about them.
 *
 * @param site of the router
 * @param fault takes what mounted apps do not log themselves
 * @throws RoutingMistakes that lists every mistake; with `strict`, every finding too
 */
export function compileRoutes(
  routes: readonly RouteData[],
  strict: boolean,
  site: DeclarationSite,
  fault: ServedApp["fault"],
): { readonly candidates: readonly Candidate[]; readonly findings: readonly Finding[] } {
  const malformed = findMalformed(routes);
  const mistakes: Mistake[] = [...malformed.values()];
  const findings: Finding[] = [];
  const candidates: Candidate[] = [];
  const allPlaced = routes.flatMap((route) => placeRoutes(route, []));
  if (allPlaced.length === 0) findings.push(findNoRoutes(site));
  for (const placed of allPlaced) {
    const conditions = [placed.route, ...placed.groups].flatMap((each) => each.conditions.flatMap(leaves));
    // Its own mistakes are told; what its conditions come to together is not known.
    if (conditions.some((condition) => malformed.has(condition))) continue;
    const alternatives = expandRoute(placed);
    if ("message" in alternatives) {
      // What is wrong with a group is found once for each of its routes.
      if (!mistakes.some(({ site }) => site === alternatives.site)) mistakes.push(alternatives);
      continue;
    }
    if (alternatives.length === 0) findings.push(findEmptyOr(placed.route));
    const { route, groups } = placed;
    for (const alternative of alternatives) {
      const handler =
        route.kind === "route" ? route.handler : mountedHandler(mountedAt(route, alternative.pattern), fault);
      candidates.push(toCandidate(alternative, candidates.length, compilePipeline(handler, route.site, groups)));
    }
  }
  const apps = new Set(allPlaced.flatMap(({ route }) => (route.kind === "mount" ? [route.app] : [])));
  findings.push(...[...apps].flatMap((app) => app.findings));
  if (mistakes.length === 0) findings.push(...findShadows(candidates));
  if (strict) mistakes.push(...findings);
  if (mistakes.length > 0) throw new RoutingMistakes(mistakes);
  return { candidates, findings };
}

function placeRoutes(route: RouteData, groups: readonly Group[]): readonly PlacedRoute[] {
  if (route.kind !== "group") return [{ route, groups }];
  return route.routes.flatMap((member) => placeRoutes(member, [...groups, route]));
}
