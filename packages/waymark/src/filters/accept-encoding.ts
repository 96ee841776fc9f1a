import type { ContentCoding } from "../content/coding.ts";
import { parseWeight, plainList, tokenText } from "../fields/syntax.ts";

/** What Accept-Encoding makes of the codings that there are. */
export interface CodingChoice {
  /** The one to use where content can be coded; undefined when content is preferred as it is, or none is acceptable. */
  readonly coding: ContentCoding | undefined;
  /** Whether content may be sent as it is. */
  readonly identity: boolean;
}

/**
 * Returns the coding that an Accept-Encoding field prefers (RFC 9110 §12.5.3): the one with the highest weight, of equal ones the
 * first of the list that is named. For `*` it is gzip if it can be: what sends an asterisk often reads no other. Content as it is
 * (`identity`) comes last among equals, and is excluded only by name or by `*`, with a weight of 0. A name that is given twice has the
 * higher weight; a malformed member is ignored.
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
  let best: { readonly coding: ContentCoding; readonly weight: number; readonly rank: number } | undefined;
  for (const coding of codings) {
    const named = [coding.name, ...coding.aliases].flatMap((name) => weights.get(name) ?? []);
    const weight = named.length > 0 ? Math.max(...named) : (others ?? 0);
    const rank = named.length > 0 ? 2 : coding.name === "gzip" ? 1 : 0;
    if (weight === 0 || weight < identity) continue;
    if (best === undefined || weight > best.weight || (weight === best.weight && rank > best.rank)) {
      best = { coding, weight, rank };
    }
  }
  return { coding: best?.coding, identity: identity > 0 };
}

/** Of what is not named and not excluded: below each weight that can be, which has three decimals at most. */
const leastWeight = 0.0001;

function parseWeights(field: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const member of plainList(field)) {
    const { name, sent = "1" } = memberPattern.exec(member)?.groups ?? {};
    const weight = parseWeight(sent);
    if (name === undefined || weight === undefined) continue;
    const key = name.toLowerCase();
    weights.set(key, Math.max(weights.get(key) ?? 0, weight));
  }
  return weights;
}

const memberPattern = new RegExp(String.raw`^(?<name>${tokenText})(?:[\t ]*;[\t ]*q=(?<sent>[0-9.]+))?$`, "i");
