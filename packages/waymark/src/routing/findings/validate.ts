import type { Finding } from "../../app.ts";
import { type ConditionData, leaves } from "../../condition.ts";
import type { Leaf } from "../../conditions/kind.ts";
import type { RouteData } from "../../route.ts";

/** Thrown if a router cannot be built. `findings` lists every error of its routes. */
export class RoutingError extends Error {
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    const lines = findings.map(({ message, site }) => `\n- ${message} (${site})`);
    super(`The routes have ${findings.length === 1 ? "an error" : `${findings.length} errors`}:${lines.join("")}`);
    this.name = "RoutingError";
    this.findings = findings;
  }
}

/** Returns what is wrong with conditions of these routes, each of which is looked at once. */
export function findInvalid(routes: readonly RouteData[]): ReadonlyMap<ConditionData, Finding> {
  const found = new Map<ConditionData, Finding>();
  for (const leaf of new Set(routes.flatMap(leavesIn))) {
    const message = leaf.kind.findInvalid(leaf);
    if (message !== undefined) found.set(leaf, { kind: "invalid", message, site: leaf.site });
  }
  return found;
}

function leavesIn(route: RouteData): readonly Leaf[] {
  const own = route.conditions.flatMap(leaves);
  return route.kind === "group" ? [...own, ...route.routes.flatMap(leavesIn)] : own;
}
