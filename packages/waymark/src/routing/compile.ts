import { leaves } from "../condition.ts";
import type { DeclarationSite } from "../declaration.ts";
import type { Group, RouteData } from "../route.ts";
import { type Candidate, expandRoute, type PlacedRoute, toCandidate } from "./branch.ts";
import { type Finding, findEmptyOr, findNoRoutes, findShadows } from "./finding.ts";
import { findMalformed, type Mistake, RoutingMistakes } from "./mistake.ts";
import { compilePipeline } from "./pipeline.ts";

/**
 * The candidates of all routes, in the order in which they are tried, and what was found about them.
 *
 * @param site of the router
 * @throws RoutingMistakes that lists every mistake; with `strict`, every finding too
 */
export function compileRoutes(
  routes: readonly RouteData[],
  strict: boolean,
  site: DeclarationSite,
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
    const run = compilePipeline(placed.route, placed.groups);
    for (const alternative of alternatives) candidates.push(toCandidate(alternative, candidates.length, run));
  }
  if (mistakes.length === 0) findings.push(...findShadows(candidates));
  if (strict) mistakes.push(...findings);
  if (mistakes.length > 0) throw new RoutingMistakes(mistakes);
  return { candidates, findings };
}

function placeRoutes(route: RouteData, groups: readonly Group[]): readonly PlacedRoute[] {
  if (route.kind === "route") return [{ route, groups }];
  return route.routes.flatMap((member) => placeRoutes(member, [...groups, route]));
}
