import type { Finding } from "../../app.ts";
import type { DeclarationSite } from "../../common/declaration.ts";
import { quote } from "../../common/wording.ts";
import { type ConditionData, leaves } from "../../condition.ts";
import { isOfKind, type Leaf } from "../../conditions/kind.ts";
import { pathKind } from "../../conditions/path.ts";
import { matchPattern } from "../../path/pattern.ts";
import type { RouteData, SingleRoute } from "../../route.ts";
import { type Branch, describeRoute } from "../dispatch/branch.ts";
import { buildPathIndex } from "../dispatch/path-index.ts";

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

/**
 * Finds the routes that are never reached, because earlier ones take every request they would, or because no method meets all
 * that they and their groups say of it. Only what is certain is found: that two tests say the same is not known.
 */
export function findShadows(branches: readonly Branch[]): readonly Finding[] {
  const index = buildPathIndex(branches, ({ pattern }) => pattern);
  const byRoute = Map.groupBy(branches, ({ placed }) => placed);
  return [...byRoute.values()].flatMap((ways): readonly Finding[] => {
    const [first] = ways as [Branch, ...Branch[]]; // groupBy makes no empty group
    const { site } = first.placed.route;
    const name = describeRoute(first.route);
    const impossible = ways.every(({ methods }) => methods?.size === 0)
      ? "its conditions exclude every method"
      : ways.every(haveOtherPaths) && "it has two paths, and no request has both";
    if (impossible) return [{ kind: "impossible", message: `${name} is never reached: ${impossible}`, site }];
    const earlier = ways.map((way) =>
      index
        .findCovering(way.pattern)
        .flatMap(({ values }) => values)
        .find((other) => other.order < first.order && covers(other, way)),
    );
    if (earlier.includes(undefined)) return [];
    const culprits = [...new Set(earlier as Branch[])].map(
      (branch) => `${describeRoute(branch.route)} (${branch.placed.route.site})`,
    );
    const message = `${name} is never reached: ${culprits.join(" and ")} before it takes every request that it would take`;
    return [{ kind: "shadowed", message, site }];
  });
}

/** Returns whether one of the paths of a branch is plain text, and another does not take it. */
const haveOtherPaths = ({ pattern, furtherPatterns }: Branch): boolean =>
  furtherPatterns.some(({ segments }) => {
    const texts = segments.flatMap((segment) => (segment.kind === "literal" ? [segment.text] : []));
    return texts.length === segments.length && matchPattern(pattern, texts) === undefined;
  });

/**
 * Finds what other routers would take for a variable, `:id`, `[id]` or `<id>`, and what is plain text here, and types of variables,
 * `{id:int}`: a route that has one answers hardly any request that it is meant for.
 */
export function findForeignVariables(routes: readonly RouteData[]): readonly Finding[] {
  return routes.flatMap((route): readonly Finding[] => {
    const found = route.conditions.flatMap(leaves).flatMap((leaf) => {
      if (!isOfKind(leaf, pathKind)) return [];
      const [, text, plain] = /(?:^|\/)((?::|\[(?:\.{3})?|<(?:\w+:)?)([A-Za-z_]\w*)[\]>]?)/.exec(leaf.pattern) ?? [];
      const [, name, type] =
        /\{(\w+):(int|integer|long|number|float|bool|boolean|str|string|uuid|guid|date|path)\}/.exec(leaf.pattern) ??
        [];
      if (plain === undefined && name === undefined) return [];
      const message =
        plain === undefined
          ? `takes only "${type}" for {${name}}: behind the colon is a regular expression, such as [0-9]+`
          : `takes "${text}" as plain text: a variable is {${plain}}`;
      return [{ kind: "foreign" as const, message: `The path ${quote(leaf.pattern)} ${message}`, site: leaf.site }];
    });
    return route.kind === "group" ? [...found, ...findForeignVariables(route.routes)] : found;
  });
}

/** Finds that a route is left without any branch. */
export function findEmptyOr({ site }: SingleRoute): Finding {
  return { kind: "impossible", message: "This route is never reached: an or() around it or in it is empty", site };
}

/** Finds that a router has no routes, its groups being empty or left out. */
export function findNoRoutes(site: DeclarationSite): Finding {
  return { kind: "empty", message: "The router has no routes, so it refuses every request", site };
}

/** Returns whether a branch whose pattern covers the other's is sure to take every request that the other takes. */
function covers(earlier: Branch, later: Branch): boolean {
  const { methods } = later;
  return (
    earlier.furtherPatterns.length === 0 &&
    // A branch that names HEAD is tried before those of every method.
    (earlier.methods === undefined ? methods?.has("HEAD") !== true : methods?.isSubsetOf(earlier.methods) === true) &&
    earlier.checks.every(({ condition }) => later.checks.some((check) => implies(check.condition, condition)))
  );
}

/** Returns whether the second condition is sure to match when the first does. */
function implies(given: ConditionData, wanted: ConditionData): boolean {
  // The meaning of a path under `not` depends on its place, and one condition can be in two places.
  if (given === wanted) return leaves(given).every((leaf) => !isOfKind(leaf, pathKind));
  if (given.kind === "and" || given.kind === "or" || given.kind === "not") return false;
  return isOfKind(wanted, given.kind) && given.kind.implies(given, wanted);
}
