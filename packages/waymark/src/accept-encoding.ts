import type { ContentCoding } from "./content-coding.ts";

/** What Accept-Encoding makes of the codings that there are. */
export interface CodingChoice {
  /** The one to use where content can be coded; undefined when content is preferred as it is, or none is acceptable. */
  readonly coding: ContentCoding | undefined;
  /** Whether content may be sent as it is. */
  readonly identity: boolean;
}

/**
 * The coding that an Accept-Encoding field prefers (RFC 9110 §12.5.3): the one with the highest weight, of equal ones the
 * first of the list. Content as it is (`identity`) comes last among equals, and is excluded only by name or by `*`, with a
 * weight of 0. A name that is given twice has the higher weight; a malformed member is ignored.
 *
 * ```ts
 * negotiateCoding("br;q=0.5, x-gzip", [br, gzip]);   // gzip; as it is would do
 * negotiateCoding("identity;q=0, zstd", [br, gzip]);   // none, and as it is would not do either
 * ```
 */
export function negotiateCoding(field: string, codings: readonly ContentCoding[]): CodingChoice {
  const weights = parseWeights(field);
  const others = weights.get("*");
  const identity = weights.get("identity") ?? (others === 0 ? 0 : leastWeight);
  let coding: ContentCoding | undefined;
  let highest = 0;
  for (const candidate of codings) {
    const named = [candidate.name, ...candidate.aliases].flatMap((name) => weights.get(name) ?? []);
    const weight = named.length > 0 ? Math.max(...named) : (others ?? 0);
    if (weight > highest && weight >= identity) {
      coding = candidate;
      highest = weight;
    }
  }
  return { coding, identity: identity > 0 };
}

/** Of what is not named and not excluded: below each weight that can be, which has three decimals at most. */
const leastWeight = 0.0001;

function parseWeights(field: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const member of field.split(",")) {
    const { name, weight = "1" } = memberPattern.exec(member.trim())?.groups ?? {};
    if (name === undefined) continue;
    const key = name.toLowerCase();
    weights.set(key, Math.max(weights.get(key) ?? 0, Number(weight)));
  }
  return weights;
}

const memberPattern =
  /^(?<name>[!#$%&'*+.^_`|~0-9a-z-]+)(?:[\t ]*;[\t ]*q=(?<weight>0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/i;
