import type { Finding } from "../app.ts";
import type { DeclarationSite } from "../common/declaration.ts";
import { leaves } from "../condition.ts";
import type { Filter, WebFilter } from "../filter.ts";
import type { InputStep } from "../input/taken.ts";
import type { Group, RouteData } from "../route.ts";
import { type Branch, type BranchSettings, compileBranches, type PlacedRoute } from "./dispatch/branch.ts";
import { findInReach } from "./explanation/reach.ts";
import { findEmptyOr, findForeignVariables, findNoRoutes, findShadows } from "./findings/finding.ts";
import { findInvalid, RoutingError } from "./findings/validate.ts";

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
  const invalid: Finding[] = [...invalidConditions.values()];
  const findings: Finding[] = [];
  const branches: Branch[] = [];
  const allPlaced = routes.flatMap((route) => placeRoutes(route, []));
  if (allPlaced.length === 0) findings.push(findNoRoutes(site));
  for (const placed of allPlaced) {
    const conditions = [placed.route, ...placed.groups].flatMap((each) => each.conditions.flatMap(leaves));
    // What invalid conditions come to together is not known.
    if (conditions.some((condition) => invalidConditions.has(condition))) continue;
    const compiled = compileBranches(placed, branches.length, settings);
    if ("message" in compiled) {
      // What is wrong with a group is found once for each of its routes.
      if (!invalid.some(({ site }) => site === compiled.site)) invalid.push(compiled);
      continue;
    }
    if (compiled.length === 0) findings.push(findEmptyOr(placed.route));
    for (const branch of compiled) {
      const inInputs = findInInputs(branch);
      const isKnown = (found: Finding): boolean =>
        invalid.some(({ message, site }) => site === found.site && message === found.message);
      invalid.push(...inInputs.filter((found) => !isKnown(found)));
    }
    branches.push(...compiled);
  }
  findings.push(...findForeignVariables(routes));
  for (const answers of new Set(allPlaced.flatMap(({ route }) => route.answers ?? []))) {
    for (const { kind, message } of answers.handling.find(answers))
      (kind === "invalid" ? invalid : findings).push({ kind, message, site: answers.site });
  }
  for (const found of findInReach(branches, everywhere)) (found.kind === "invalid" ? invalid : findings).push(found);
  if (invalid.length === 0) findings.push(...findShadows(branches));
  const errors = strict ? [...invalid, ...findings] : invalid;
  if (errors.length > 0) throw new RoutingError(errors);
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
