import { memoizeText } from "../common/text-map.ts";
import { quotedContent, tokenText, unquote } from "./syntax.ts";

/** A media type, or a range of them, in which `*` means every subtype or every type and subtype. */
export interface MediaType {
  /** In lower case: `application`. */
  readonly type: string;
  /** In lower case: `json`. */
  readonly subtype: string;
  /**
   * Values by name, in the order sent; names in lower case, and the value of `charset` too, which compares without case.
   * `utf8`, and `us-ascii`, which is a part of it, are `utf-8`.
   */
  readonly parameters: ReadonlyMap<string, string>;
}

// Kept, as requests send the same few as Content-Type. Ranges are not: one Accept can name thousands of them.
export const parseMediaType: (text: string) => MediaType | undefined = memoizeText((text) => {
  const mediaType = parseMediaRange(text);
  return mediaType?.subtype === "*" ? undefined : mediaType;
});

/** Reads media types. */
export const MediaType: {
  /**
   * Returns the media type that the text names (RFC 9110 §8.3.1), or undefined when it is malformed, names a parameter twice
   * (RFC 6838 §4.3) or is a wildcard. White space around it is ignored.
   *
   * ```ts
   * MediaType.parse('Text/CSV; header="present"');   // text, csv, { header → present }
   * ```
   */
  readonly parse: (text: string) => MediaType | undefined;
} = { parse: parseMediaType };

/**
 * Returns the media range that the text names (RFC 9110 §12.5.1): what `parseMediaType` takes, every subtype of a type
 * (`image/*`), or every type; undefined when it is malformed. A wildcard is the whole name: `application/*+json` has none
 * and matches no type but the one that is spelled so.
 */
export function parseMediaRange(text: string): MediaType | undefined {
  essencePattern.lastIndex = 0;
  const names = essencePattern.exec(text);
  if (names === null) return undefined;
  // Both groups of the pattern take part in every match.
  const [type, subtype] = [(names[1] as string).toLowerCase(), (names[2] as string).toLowerCase()];
  if (type === "*" && subtype !== "*") return undefined;
  const parameters = parseParameters(text, essencePattern.lastIndex);
  return parameters && { type, subtype, parameters };
}

/**
 * Returns whether the type lies in the range: the type must have every parameter of the range with the same value, and one
 * without `charset` counts as UTF-8. Further parameters of the type do not matter.
 *
 * ```ts
 * matchesMediaType(parseMediaRange("text/*;charset=utf-8")!, parseMediaType("text/csv")!);   // true
 * matchesMediaType(parseMediaRange("text/csv;header=present")!, parseMediaType("text/csv")!);   // false
 * ```
 */
export function matchesMediaType(range: MediaType, type: MediaType): boolean {
  if (range.type !== "*" && range.type !== type.type) return false;
  if (range.subtype !== "*" && range.subtype !== type.subtype) return false;
  for (const [name, value] of range.parameters) {
    if ((type.parameters.get(name) ?? (name === "charset" ? "utf-8" : undefined)) !== value) return false;
  }
  return true;
}

/** As `matchesMediaType`, for a range that a program declares: `application/*+json` is all types with the suffix (RFC 6839). */
export const coversMediaType = (range: MediaType, type: MediaType): boolean =>
  isSuffix(range) && type.subtype.endsWith(range.subtype.slice(1))
    ? matchesMediaType({ ...range, subtype: type.subtype }, type)
    : matchesMediaType(range, type);

/** Whether a declared range is that of a suffix. */
export const isSuffix = ({ subtype }: MediaType): boolean => /^\*\+[^*]+$/.test(subtype);

/** Returns the type without its parameters: `text/csv`. */
export function essence(mediaType: MediaType): string {
  return `${mediaType.type}/${mediaType.subtype}`;
}

/** Returns what a text has before parameters, in lower case: `text/csv`. Whether that is a media type does not matter. */
export const withoutParameters = (text: string): string => text.toLowerCase().replace(/\s*;.*$/s, "");

/** Returns whether content of the type, which has no parameters, is JSON. */
export const isJson = (mediaType: string): boolean => /[/+]json$/.test(mediaType);

const essencePattern = new RegExp(String.raw`[\t ]*(${tokenText})/(${tokenText})`, "y");
// RFC 9110 §5.6.6: nothing may follow a semicolon, and there is no white space around the equals sign.
const parameterPattern = new RegExp(
  String.raw`[\t ]*;[\t ]*(?:(${tokenText})=(?:(${tokenText})|"(${quotedContent})"))?`,
  "y",
);
const endPattern = /[\t ]*$/y;

const noParameters: ReadonlyMap<string, string> = new Map();

function parseParameters(text: string, start: number): ReadonlyMap<string, string> | undefined {
  let parameters: Map<string, string> | undefined;
  let at = start;
  while (at < text.length) {
    parameterPattern.lastIndex = at;
    const parameter = parameterPattern.exec(text);
    if (parameter === null) break;
    at = parameterPattern.lastIndex;
    const name = parameter[1]?.toLowerCase();
    if (name === undefined) continue;
    parameters ??= new Map();
    if (parameters.has(name)) return undefined;
    const value = parameter[2] ?? unquote(parameter[3] as string); // A named parameter has one of the two.
    parameters.set(name, name === "charset" ? toCharset(value) : value);
  }
  endPattern.lastIndex = at;
  return endPattern.test(text) ? (parameters ?? noParameters) : undefined;
}

function toCharset(value: string): string {
  const name = value.toLowerCase();
  return name === "utf8" || name === "us-ascii" ? "utf-8" : name;
}
