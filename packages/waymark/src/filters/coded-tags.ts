import type { ContentCoding } from "../content-coding.ts";
import type { HttpRequest } from "../request.ts";

/**
 * Entity tags of coded representations. Content in two codings is two representations, whose strong tags differ (RFC 9110
 * §8.8.3.3): the tag that a handler gives its content becomes `"…;gzip"`, and in the preconditions of a request the handler
 * is shown its own again. A semicolon, since no hexadecimal or base64 text ends so by chance.
 */
export interface CodedTags {
  /** The tag of the representation in the coding; a weak one stays as it is. */
  code(tag: string, coding: ContentCoding): string;
  /** The request with the handler's own tags in its preconditions, where the response will be in this coding, if any. */
  uncode(request: HttpRequest, coding: ContentCoding | undefined): HttpRequest;
}

export function codedTags(codings: readonly ContentCoding[]): CodedTags {
  const suffixes = new Map(codings.map((coding) => [coding, suffixPattern([coding])]));
  const anySuffix = suffixPattern(codings);
  return {
    code: (tag, coding) => (strongTag.test(tag) ? `${tag.slice(0, -1)};${coding.name}"` : tag),
    uncode(request, coding) {
      // Who writes speaks of the state of the resource, in whatever coding it was read. Who reads has a current copy only
      // if it is in the coding that would be sent.
      const reads = request.method === "GET" || request.method === "HEAD";
      const suffix = reads ? coding && suffixes.get(coding) : anySuffix;
      return without(without(request, "If-Match", anySuffix), "If-None-Match", suffix);
    },
  };
}

const strongTag = /^"[^"]*"$/;

// A tag has no quotation mark within, so that what stands before one is the end of a tag.
const suffixPattern = (codings: readonly ContentCoding[]): RegExp =>
  new RegExp(`;(?:${codings.map(({ name }) => RegExp.escape(name)).join("|")})"`, "g");

function without(request: HttpRequest, field: string, suffix: RegExp | undefined): HttpRequest {
  const tags = request.headers.get(field);
  if (tags === undefined || suffix === undefined) return request;
  const uncoded = tags.replace(suffix, '"');
  return uncoded === tags ? request : request.withHeader(field, uncoded);
}
