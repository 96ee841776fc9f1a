import type { Alternative } from "./alternative.ts";
import type { Candidate } from "./candidate.ts";
import type { ConditionData } from "./condition.ts";
import { type MediaType, matchesMediaType, parseMediaRange } from "./media-type.ts";
import type { Mistake } from "./mistake.ts";
import { buildPathIndex } from "./path-index.ts";
import { describeAlternative } from "./route-summary.ts";

/** Something legal that is worth a look: a route that no request reaches. */
export interface Finding extends Mistake {
  readonly kind: "shadowed" | "impossible";
}

/**
 * The routes that are never reached, because earlier ones take every request they would, or because no method meets all
 * that they and their groups say of it. Only what is certain is found: that two tests say the same is not known.
 */
export function findShadows(candidates: readonly Candidate[]): readonly Finding[] {
  const index = buildPathIndex(candidates, ({ alternative }) => alternative.pattern);
  const byRoute = Map.groupBy(candidates, ({ alternative }) => alternative.placed);
  return [...byRoute.values()].flatMap((ways): readonly Finding[] => {
    const [first] = ways as [Candidate, ...Candidate[]]; // groupBy makes no empty group
    const { site } = first.alternative.placed.route;
    const name = describeAlternative(first.alternative);
    if (ways.every(({ alternative }) => alternative.methods?.size === 0)) {
      return [{ kind: "impossible", message: `${name} is never reached: no method is all that is asked of it`, site }];
    }
    const earlier = ways.map((way) =>
      index
        .findCovering(way.alternative.pattern)
        .flatMap(({ values }) => values)
        .find((other) => other.order < first.order && takesAll(other.alternative, way.alternative)),
    );
    if (earlier.includes(undefined)) return [];
    const culprits = [...new Set((earlier as Candidate[]).map(({ alternative }) => alternative))].map(
      (alternative) => `${describeAlternative(alternative)} (${alternative.placed.route.site})`,
    );
    const message = `${name} is never reached: ${culprits.join(" and ")} before it takes every request it would`;
    return [{ kind: "shadowed", message, site }];
  });
}

/** Whether one whose pattern covers the other's is sure to take whatever the other takes. */
function takesAll(earlier: Alternative, later: Alternative): boolean {
  const { methods } = later;
  return (
    earlier.furtherPatterns.length === 0 &&
    (earlier.methods === undefined || methods?.isSubsetOf(earlier.methods) === true) &&
    earlier.checks.every(({ condition }) => later.checks.some((check) => implies(check.condition, condition)))
  );
}

/** Whether the second is sure to hold when the first does. */
function implies(given: ConditionData, wanted: ConditionData): boolean {
  if (given === wanted) return true;
  if (given.kind === "accept" && wanted.kind === "accept") {
    return given.mediaTypes.every((type) => wanted.mediaTypes.includes(type));
  }
  if (given.kind === "contentType" && wanted.kind === "contentType") {
    return given.mediaTypes.every((range) => wanted.mediaTypes.some((wider) => containsRange(wider, range)));
  }
  if ((given.kind === "header" && wanted.kind === "header") || (given.kind === "query" && wanted.kind === "query")) {
    const sameName =
      given.kind === "query" ? given.name === wanted.name : given.name.toLowerCase() === wanted.name.toLowerCase();
    return sameName && (wanted.value === undefined || String(wanted.value) === String(given.value));
  }
  return false;
}

function containsRange(wider: string, range: string): boolean {
  // Both are well formed: findings are looked for where there are no mistakes. A range matches as a type does.
  return matchesMediaType(parseMediaRange(wider) as MediaType, parseMediaRange(range) as MediaType);
}
