import { DeclarationSite } from "../common/declaration.ts";
import { memoizeText } from "../common/text-map.ts";
import { coversMediaType, isSuffix, type MediaType, parseMediaRange, parseMediaType } from "../fields/media-type.ts";
import type { NoVariables } from "../path/pattern.ts";
import { type Condition, type ConditionKind, conditionKind, declareAt, isOfKind } from "./kind.ts";
import { findField, findInvalidIn } from "./names.ts";

export const contentTypeKind: ConditionKind<{ readonly mediaTypes: readonly string[] }> = conditionKind({
  name: "contentType",
  stage: "contentType",
  repeatable: true,
  findInvalid: ({ mediaTypes }) =>
    findInvalidIn(
      "contentType",
      mediaTypes,
      (text) => {
        const range = parseMediaRange(text);
        return range !== undefined && (isPlainRange(range) || isSuffix(range));
      },
      "is not a media range (type/subtype, type/* or type/*+json, without a weight)",
    ),
  compile: ({ mediaTypes }) => {
    const ranges = mediaTypes.map(toRange);
    const isCovered = memoizeText((text) => {
      const type = parseMediaType(text);
      return type !== undefined && ranges.some((range) => coversMediaType(range, type));
    });
    return ({ headers }) => isCovered(headers.get("content-type") ?? "");
  },
  consults: () => ["Content-Type"],
  describe: ({ mediaTypes }) => `content type ${mediaTypes.join(", ")}`,
  find: (_, request) => findField("Content-Type", request),
  implies: (given, wanted) =>
    given.mediaTypes.every((range) => wanted.mediaTypes.some((wider) => containsRange(toRange(wider), toRange(range)))),
  parameter: () => undefined,
});

const toRange = (text: string): MediaType => parseMediaRange(text) as MediaType; // Well formed: the router has checked.

/** The grammar has `*` within names and `q`, but the first is not a wildcard and the second not a parameter of a type. */
export const isPlainRange = (type: MediaType | undefined): boolean =>
  type !== undefined && !type.parameters.has("q") && (type.subtype === "*" || !type.subtype.includes("*"));

// A range is matched as a type is, but for a charset: a type without one is UTF-8, a range without one takes any.
const containsRange = (wider: MediaType, range: MediaType): boolean =>
  coversMediaType(wider, range) && [...wider.parameters.keys()].every((name) => range.parameters.has(name));

/** Returns the media ranges that these conditions read, each once. */
export const typesReadBy = (conditions: readonly { readonly kind: unknown }[]): readonly string[] => [
  ...new Set(conditions.flatMap((each) => (isOfKind(each, contentTypeKind) ? each.mediaTypes : []))),
];

/**
 * Matches requests whose Content-Type is in one of these media ranges: `application/json`, `image/*`, `application/*+json`. Types that
 * end in `+json`, where a route names them, are read as JSON.
 */
export function contentType(...mediaTypes: readonly string[]): Condition<NoVariables> {
  return declareAt(contentTypeKind, { mediaTypes }, new DeclarationSite(contentType));
}
