import { type MediaType, matchesMediaType, parseMediaRange } from "./media-type.ts";
import { splitList } from "./syntax.ts";

/** One member of an Accept field. */
export interface AcceptRange {
  /** The range with the parameters that stand before its weight. */
  readonly range: MediaType;
  /** 0 (not acceptable) to 1 (preferred, and meant where no weight is given). */
  readonly weight: number;
}

/**
 * The index of the offered type that the Accept field prefers, or -1 when it accepts none (RFC 9110 §12.5.1).
 *
 * The most specific range that a type matches gives its weight: one that names the subtype, before one that names the
 * type, before one that names neither; of those the one with most parameters; of those the one with the highest weight,
 * so that the order of the ranges never counts. The highest weight wins, of equal ones the type that is offered first,
 * and a weight of 0 excludes.
 *
 * Without a field, or with one in which no range is well-formed, every type is acceptable and the first is chosen.
 *
 * ```ts
 * negotiate("application/json;q=0.5, application/xml", [json, xml]);   // 1
 * ```
 */
export function negotiate(accept: string | undefined, offered: readonly MediaType[]): number {
  const ranges = accept === undefined ? [] : parseAccept(accept);
  if (ranges.length === 0) return offered.length === 0 ? -1 : 0;
  let chosen = -1;
  let highest = 0;
  for (const [index, type] of offered.entries()) {
    const weight = weightOf(type, ranges);
    if (weight > highest) {
      chosen = index;
      highest = weight;
    }
  }
  return chosen;
}

/**
 * The ranges of an Accept field in the order sent. A malformed one is left out, as is one whose weight is malformed
 * (`q=2`, `q=0.1234`); what follows a weight has no meaning. A quotation mark that is never closed takes the rest of the
 * field into its range.
 */
export function parseAccept(text: string): readonly AcceptRange[] {
  return splitList(text)
    .map(parseAcceptRange)
    .filter((range) => range !== undefined);
}

function parseAcceptRange(text: string): AcceptRange | undefined {
  const range = parseMediaRange(text);
  const weight = range?.parameters.get("q");
  if (range === undefined || weight === undefined) return range && { range, weight: 1 };
  if (!weightPattern.test(weight)) return undefined;
  const position = [...range.parameters.keys()].indexOf("q");
  const parameters = new Map([...range.parameters].slice(0, position));
  return { range: { ...range, parameters }, weight: Number(weight) };
}

// RFC 9110 §12.4.2: at most three decimals, none of which need follow the point.
const weightPattern = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

function weightOf(type: MediaType, ranges: readonly AcceptRange[]): number {
  let best: AcceptRange | undefined;
  for (const candidate of ranges) {
    if (matchesMediaType(candidate.range, type) && (best === undefined || precedes(candidate, best))) best = candidate;
  }
  return best?.weight ?? 0;
}

function precedes(a: AcceptRange, b: AcceptRange): boolean {
  const difference =
    namedParts(a.range) - namedParts(b.range) ||
    a.range.parameters.size - b.range.parameters.size ||
    a.weight - b.weight;
  return difference > 0;
}

const namedParts = (range: MediaType): number => (range.type === "*" ? 0 : range.subtype === "*" ? 1 : 2);
