import { memoizeText } from "../common/text-map.ts";
import { type MediaType, matchesMediaType, parseMediaRange, parseMediaType } from "./media-type.ts";
import { parseWeight, splitList } from "./syntax.ts";

/** One member of an Accept field. */
export interface AcceptRange {
  /** The range with the parameters before its weight. */
  readonly range: MediaType;
  /** 0 (not acceptable) to 1 (preferred, and meant where no weight is given). */
  readonly weight: number;
}

/**
 * Returns the index of the offered type that the Accept field prefers, or -1 when it accepts none (RFC 9110 §12.5.1).
 *
 * The most specific range that a type matches gives its weight: one that names the subtype, before one that names the
 * type, before one that names neither; of those the one with the fewest parameters that the type lacks, then the one with
 * most parameters, then the one with the highest weight, so that the order of the ranges never counts. The highest weight
 * wins, and a weight of 0 excludes. Of types with equal weights the one that is offered first wins, unless a later one has more of the
 * parameters of the same range.
 *
 * A parameter that the type has must have the same value; one that the type lacks is ignored, and a type without `charset`
 * is UTF-8. Without a field, with one in which no range is well-formed, and with one that accepts none of the types and has
 * malformed members, the first type is chosen.
 *
 * ```ts
 * negotiate("application/json;q=0.5, application/xml", [json, xml]);   // 1
 * negotiate("text/vcard;version=4.0", [json, vcard]);                  // 1
 * negotiate("text/csv;dialect=excel", [csv, excelCsv]);                // 1
 * ```
 */
export function negotiate(accept: string | undefined, offered: readonly MediaType[]): number {
  const chosen = chooseAcceptable(accept, offered);
  return chosen < 0 && offered.length > 0 && hasMalformedRange(accept) ? 0 : chosen;
}

/** Negotiates, but chooses nothing where the well-formed members of a field accept nothing: another route may be accepted. */
export function chooseAcceptable(accept: string | undefined, offered: readonly MediaType[]): number {
  const ranges = accept === undefined ? [] : parseAccept(accept);
  if (ranges.length === 0) return offered.length === 0 ? -1 : 0;
  let chosen = -1;
  let best: Match | undefined;
  for (const [index, type] of offered.entries()) {
    const match = matchOf(type, ranges);
    if (match === undefined || match.range.weight === 0 || !(best === undefined || isBetter(match, best))) continue;
    chosen = index;
    best = match;
  }
  return chosen;
}

/** Returns what gives the index of the media type, of these well-formed ones, that an Accept field chooses; -1 for none. */
export function compileNegotiation(mediaTypes: readonly string[]): (accept: string | undefined) => number {
  const offered = mediaTypes.map((type) => parseMediaType(type) as MediaType); // Well formed.
  const choose = memoizeText((accept) => chooseAcceptable(accept, offered));
  return (accept) => (accept === undefined ? 0 : choose(accept));
}

/** Returns whether the field has a member that is not a media range with a weight, and so may have meant something else. */
export function hasMalformedRange(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return splitList(accept).some((member) => !/^[\t ]*$/.test(member) && parseAcceptRange(member) === undefined);
}

/**
 * Returns the ranges of an Accept field in the order sent. A malformed one is left out, as is one whose weight is malformed
 * (`q=2`, `q=0.1234`); what follows a weight has no meaning. A quotation mark that is never closed takes the rest of the
 * field into its range. As older clients send them, `*` is read as every type, and `q=.2` as `q=0.2`.
 */
export function parseAccept(text: string): readonly AcceptRange[] {
  return splitList(text)
    .map(parseAcceptRange)
    .filter((range) => range !== undefined);
}

function parseAcceptRange(text: string): AcceptRange | undefined {
  const range = parseMediaRange(text.replace(/^[\t ]*\*(?=[\t ]*(?:;|$))/, "*/*"));
  const sent = range?.parameters.get("q");
  if (range === undefined || sent === undefined) return range && { range, weight: 1 };
  const weight = parseWeight(sent);
  if (weight === undefined) return undefined;
  const position = [...range.parameters.keys()].indexOf("q");
  const parameters = new Map([...range.parameters].slice(0, position));
  return { range: { ...range, parameters }, weight };
}

/** The range that gives an offered type its weight. */
interface Match {
  readonly range: AcceptRange;
  /** The number of parameters of the range that the type lacks. */
  readonly unknown: number;
}

function matchOf(type: MediaType, ranges: readonly AcceptRange[]): Match | undefined {
  let best: AcceptRange | undefined;
  for (const candidate of ranges) {
    if (!takes(candidate.range, type)) continue;
    if (best === undefined || precedes(candidate, best, type)) best = candidate;
  }
  return best && { range: best, unknown: unknownParameters(best.range, type) };
}

const isBetter = (match: Match, best: Match): boolean =>
  match.range.weight > best.range.weight || (match.range === best.range && match.unknown < best.unknown);

function takes(range: MediaType, type: MediaType): boolean {
  if (range.parameters.size === 0) return matchesMediaType(range, type);
  const known = [...range.parameters].filter(([name]) => isKnown(name, type));
  return matchesMediaType({ ...range, parameters: new Map(known) }, type);
}

const isKnown = (name: string, type: MediaType): boolean => name === "charset" || type.parameters.has(name);

function precedes(a: AcceptRange, b: AcceptRange, type: MediaType): boolean {
  const difference =
    namedParts(a.range) - namedParts(b.range) ||
    unknownParameters(b.range, type) - unknownParameters(a.range, type) ||
    a.range.parameters.size - b.range.parameters.size ||
    a.weight - b.weight;
  return difference > 0;
}

const namedParts = (range: MediaType): number => (range.type === "*" ? 0 : range.subtype === "*" ? 1 : 2);

function unknownParameters({ parameters }: MediaType, type: MediaType): number {
  let count = 0;
  for (const name of parameters.keys()) if (!isKnown(name, type)) count++;
  return count;
}
