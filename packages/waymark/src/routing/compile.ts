import type { Finding } from "../app.ts";
import type { DeclarationSite } from "../common/declaration.ts";
import { leaves } from "../condition.ts";
import type { Filter, WebFilter } from "../filter.ts";
import type { InputStep } from "../input/taken.ts";
import type { Group, RouteData } from "../route.ts";
import { type Branch, type BranchSettings, compileBranches, type PlacedRoute } from "./dispatch/branch.ts";
import { findInReach } from "./explanation/reach.ts";
import {
  findEmptyOr,
  findForeignVariables,
  findInvalid,
  findNoRoutes,
  findShadows,
  RoutingError,
} from "./findings/finding.ts";

/**
 * Compiles the branches of all routes, in the order in which they are tried, and finds what is worth a look about them.
 *
 * @param site of the router
 * @param everywhere the filters around every request
 * @throws RoutingError that lists everything invalid; with `strict`, every finding
 */
export function compileRoutes(
  routes: readonly RouteData[],
  strict: boolean,
  site: DeclarationSite,
  everywhere: readonly (Filter | WebFilter)[],
  settings: BranchSettings,
): { readonly branches: readonly Branch[]; readonly findings: readonly Finding[] } {
  const invalidConditions = findInvalid(routes);
  const found: Finding[] = [...invalidConditions.values()];
  const branches: Branch[] = [];
  const allPlaced = routes.flatMap((route) => placeRoutes(route, []));
  if (allPlaced.length === 0) found.push(findNoRoutes(site));
  for (const placed of allPlaced) {
    const conditions = [placed.route, ...placed.groups].flatMap((each) => each.conditions.flatMap(leaves));
    // What invalid conditions come to together is not known.
    if (conditions.some((condition) => invalidConditions.has(condition))) continue;
    const compiled = compileBranches(placed, branches.length, settings);
    if ("message" in compiled) {
      // What is wrong with a group is found for each of its routes, in words of each.
      if (!found.some(({ kind, site }) => kind === "invalid" && site === compiled.site)) found.push(compiled);
      continue;
    }
    if (compiled.length === 0) found.push(findEmptyOr(placed.route));
    found.push(...compiled.flatMap(findInInputs));
    branches.push(...compiled);
  }
  found.push(...findForeignVariables(routes));
  for (const answers of new Set(allPlaced.flatMap(({ route }) => route.answers ?? []))) {
    found.push(...answers.handling.find(answers).map((finding) => ({ ...finding, site: answers.site })));
  }
  found.push(...findInReach(branches, everywhere));
  const isInvalid = ({ kind }: Finding): boolean => kind === "invalid";
  if (!found.some(isInvalid)) found.push(...findShadows(branches));
  const findings = found.filter((each) => !isInvalid(each));
  const errors = [...found.filter(isInvalid), ...(strict ? findings : [])];
  // What is wrong with the input of a group is found for each of its routes.
  const distinct = new Map(errors.map((error) => [`${error.message} ${error.site}`, error]));
  if (distinct.size > 0) throw new RoutingError([...distinct.values()]);
  return { branches, findings };
}

/** Finds what is wrong with what the route and the filters around it take. */
function findInInputs({ placed: { route, groups }, pattern, furtherPatterns, methods }: Branch): readonly Finding[] {
  const steps: readonly InputStep[] = [...groups.flatMap(({ filters }) => filters), route];
  const handling = steps.find(({ taken }) => taken !== undefined)?.taken?.handling;
  return (handling?.find(steps, [pattern, ...furtherPatterns], methods) ?? []).map((fault) => ({
    kind: "invalid",
    ...fault,
  }));
}

function placeRoutes(route: RouteData, groups: readonly Group[]): readonly PlacedRoute[] {
  if (route.kind !== "group") return [{ route, groups }];
  return route.routes.flatMap((member) => placeRoutes(member, [...groups, route]));
}

/** Returns the groups around each app that is mounted, down to its own, those of apps within apps first. */
export function mountsIn(routes: readonly RouteData[], around: readonly Group[] = []): readonly (readonly Group[])[] {
  return routes.flatMap((route) => {
    if (route.kind !== "group") return [];
    const groups = [...around, route];
    return [...mountsIn(route.routes, groups), ...(route.app === undefined ? [] : [groups])];
  });
}
