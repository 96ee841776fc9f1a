import type { Alternative } from "./alternative.ts";
import type { Candidate } from "./candidate.ts";
import { type ConditionData, describeCondition } from "./condition.ts";

/** A row of the route table: one way to a handler. */
export interface RouteSummary {
  /** undefined: every method. */
  readonly methods: readonly string[] | undefined;
  /** The whole path, groups and all. */
  readonly path: string;
  /** The media types that its responses can have, the preferred first. */
  readonly produces: readonly string[];
  /** The media ranges that its requests can have. */
  readonly consumes: readonly string[];
  /** What else must hold, in words. */
  readonly conditions: readonly string[];
  /** The filters around the handler, the outermost first: what they are and where they were declared. */
  readonly filters: readonly string[];
  /** `file:line:column` of the route. */
  readonly declaredAt: string;
}

/** The table of the candidates, in their order. */
export function summarize(candidates: readonly Candidate[]): readonly RouteSummary[] {
  return candidates.map(({ alternative }) => {
    const { methods, pattern, furtherPatterns, checks, accept, placed } = alternative;
    const conditions = checks.map(({ condition }) => condition);
    return {
      methods: methods && [...methods],
      path: pattern.text,
      produces: accept?.mediaTypes ?? [],
      consumes: conditions.flatMap((condition) => (condition.kind === "contentType" ? condition.mediaTypes : [])),
      conditions: [
        ...furtherPatterns.map(({ text }) => `path "${text}"`),
        ...conditions.filter(isFurther).map(describeCondition),
      ],
      filters: placed.groups.flatMap(({ filters }) => filters.map(({ kind, site }) => `${kind} (${site})`)),
      declaredAt: String(placed.route.site),
    };
  });
}

/** `GET /person/{id}`; a star where every method will do. */
export function describeAlternative({ methods, pattern }: Alternative): string {
  return `${methods === undefined ? "*" : [...methods].join("|") || "(no method)"} ${pattern.text}`;
}

const isFurther = ({ kind }: ConditionData): boolean => kind !== "accept" && kind !== "contentType";
