import { declaredLength } from "../body/sent-fields.ts";
import { type Awaitable, andThen } from "../common/and-then.ts";
import { DeclarationSite } from "../common/declaration.ts";
import { requireOptions } from "../common/known-options.ts";
import * as problemTypes from "../common/problem-types.ts";
import { memoizeText } from "../common/text-map.ts";
import type { ContentCoding } from "../content/coding.ts";
import { type MediaType, parseMediaType } from "../fields/media-type.ts";
import type { Filter } from "../filter.ts";
import { problem } from "../problem.ts";
import type { HttpRequest } from "../request.ts";
import { type HttpResponse, isStreamed } from "../response.ts";
import { consulting, withVary } from "../routing/dispatch/check.ts";
import { type CodingChoice, negotiateCoding } from "./accept-encoding.ts";
import { codeBody, codeWhole } from "./coded-body.ts";

/** The options of `compress`. */
export interface CompressOptions {
  /** The codings to choose from, the preferred first: `nodeCodings` of `@waymark/node`. */
  readonly codings: readonly ContentCoding[];
  /**
   * The least content that is coded, in bytes, or UTF-16 units where it is text. A stream of unknown length always is.
   * Default: 1,024.
   */
  readonly minimum?: number;
  /**
   * Which content is worth it, by its Content-Type, and by whether it is by default: text of some kind, and formats without a
   * compression of their own.
   *
   * ```ts
   * compress({ codings: nodeCodings, compressible: ({ subtype }, byDefault) => byDefault || subtype === "x-protobuf" })
   * ```
   */
  readonly compressible?: (mediaType: MediaType, byDefault: boolean) => boolean;
}

/**
 * Sends responses in the content coding that the client prefers (RFC 9110 §8.4, §12.5.3): for `router({ filters })`, in the
 * first place, or for a group. Text and bytes are coded as a whole, streams as they come.
 *
 * What has a Content-Encoding or a digest already, is a part of something (206), or says `Cache-Control: no-transform`, is left
 * as it is. Each coding has its own strong ETag, and handlers need not know: the tags in If-Match and If-None-Match are theirs.
 *
 * ```ts
 * router({ filters: [compress({ codings: nodeCodings })] }, personRoutes(people))
 * ```
 *
 * @throws RangeError when the minimum is not a number of bytes, or there is no coding
 */
export function compress(options: CompressOptions): Filter {
  requireOptions("compress({ … })", options, ["codings", "minimum", "compressible"]);
  const { codings, minimum = 1024, compressible = (_, byDefault) => byDefault } = options;
  requireCodings(codings);
  if (!(minimum >= 0)) throw new RangeError(`The minimum is a number of bytes, 0 or more, not ${minimum}`);
  const tags = codedTags(codings);
  const negotiate = memoizeText((field) => negotiateCoding(field, codings));

  /** Returns the response with its Vary, in the coding that was chosen. */
  const code = (request: HttpRequest, choice: CodingChoice, response: HttpResponse): Awaitable<HttpResponse> => {
    const { coding } = choice;
    if (response.status === 304) return withVary(tags.asSent(request, coding, response), acceptEncoding);
    if (!hasLength(request, response, 1)) return response;
    // Also where it goes out as it is: another Accept-Encoding gets it coded, or a 406.
    const varied = withVary(response, acceptEncoding);
    if (coding === undefined) return varied;
    // A client that does not take content as it is gets it coded, however small it is and whatever type it has.
    if (choice.identity && !(hasLength(request, response, minimum) && hasType(response, compressible))) return varied;
    if (!mayBeCoded(response)) return varied;
    const tag = varied.headers.get("ETag");
    let headers = varied.headers.without("Content-Length").without("Accept-Ranges");
    headers = headers.with("Content-Encoding", coding.name);
    if (tag !== undefined) headers = headers.with("ETag", tags.code(tag, coding));
    return withCodedBody(request, coding, varied.withHeaders(headers), response);
  };

  return {
    kind: "filter",
    apply: (request, next) => {
      const choice = negotiate(request.headers.get("accept-encoding") ?? "");
      if (choice.coding === undefined && !choice.identity) return refuseCodings(codings);
      return andThen(next(tags.uncode(request, choice.coding)), (response) => code(request, choice, response));
    },
    describes: { problems: [problemTypes.notAcceptable] },
    repeatable: true,
    site: new DeclarationSite(compress),
  };
}

export declare namespace compress {
  /** Returns a tag as its handler gave it, without the coding that `compress` has put into it: for tags that come in content. */
  const uncodedTag: (tag: string) => string;
}
Object.assign(compress, { uncodedTag: (tag: string) => tag.replace(/;[^;"]+"$/, '"') });

/** Refuses what a program without types may give in place of codings. */
function requireCodings(codings: readonly ContentCoding[]): void {
  const isCoding = (coding: ContentCoding): boolean => typeof coding?.encode === "function";
  if (!(Array.isArray(codings) && codings.every(isCoding))) {
    throw new TypeError("compress({ codings }) takes a list of codings, such as nodeCodings of @waymark/node");
  }
  if (codings.length === 0) throw new RangeError("compress({ codings }) needs a coding, such as nodeCodings has");
}

const acceptEncoding = consulting(["Accept-Encoding"]);

function refuseCodings(codings: readonly ContentCoding[]): HttpResponse {
  const available = [...codings.map(({ name }) => name), "identity"];
  const detail = `Accept-Encoding excludes everything that there is: ${available.join(", ")}.`;
  return withVary(problem(problemTypes.notAcceptable, { detail, available }), acceptEncoding);
}

function hasType({ headers }: HttpResponse, compressible: Required<CompressOptions>["compressible"]): boolean {
  const mediaType = parseMediaType(headers.get("Content-Type") ?? "");
  return mediaType !== undefined && compressible(mediaType, isCompressible(mediaType));
}

/** Returns whether the content, for HEAD that of GET, has at least these bytes; content of unknown length has. */
function hasLength({ method }: HttpRequest, { body, headers }: HttpResponse, least: number): boolean {
  // Encoding text to count its bytes would double the work of routing a request; it has as many at least.
  if (typeof body === "string") return body.length >= least;
  if (body instanceof Uint8Array) return body.byteLength >= least;
  // A handler of its own for HEAD says by the type that GET has content.
  if (body === null && (method !== "HEAD" || !headers.has("Content-Type"))) return false;
  return (declaredLength(headers) ?? Number.POSITIVE_INFINITY) >= least;
}

function mayBeCoded({ status, headers }: HttpResponse): boolean {
  if (status === 204 || status === 205 || status === 206) return false;
  if (fixingFields.some((name) => headers.has(name))) return false;
  return !/(?:^|[\t ,])no-transform(?:$|[\t ,])/i.test(headers.get("Cache-Control") ?? "");
}

// A digest is of the content as it is sent, or of the representation with its coding (RFC 9530 §2, §3).
const fixingFields = ["Content-Encoding", "Content-Range", "Content-Digest", "Repr-Digest", "Digest", "Content-MD5"];

function withCodedBody(
  request: HttpRequest,
  coding: ContentCoding,
  coded: HttpResponse,
  { body, headers }: HttpResponse,
): Awaitable<HttpResponse> {
  if (isStreamed(body)) {
    // To HEAD the adapter sends nothing of it; it ends the body.
    return request.method === "HEAD" ? coded : coded.withBody(codeBody(body, headers, coding));
  }
  // To know its length would take the work of coding it; it may be left out (RFC 9110 §8.6).
  if (request.method === "HEAD" || body === null) return coded.withBody(null);
  const bytes = typeof body === "string" ? utf8.encode(body) : body;
  return codeWhole(bytes, coding).then((content) => coded.withBody(content));
}

const utf8 = new TextEncoder();

/** Pictures, sound, films and archives are compressed already. */
function isCompressible({ type, subtype }: MediaType): boolean {
  if (type === "text") return true;
  const suffix = subtype.slice(subtype.lastIndexOf("+") + 1);
  if (textSyntaxes.has(suffix)) return true;
  return uncompressed.has(`${type}/${subtype}`);
}

// As a whole subtype (application/json) or as a structured syntax suffix (RFC 6838 §4.2.8: image/svg+xml).
const textSyntaxes: ReadonlySet<string> = new Set(["json", "xml", "yaml", "json-seq"]);

const uncompressed: ReadonlySet<string> = new Set([
  ...["application/javascript", "application/x-javascript", "application/ecmascript", "application/wasm"],
  ...["application/jsonl", "application/x-ndjson", "application/x-www-form-urlencoded", "application/graphql"],
  ...["application/sql", "application/toml", "application/rtf", "application/n-triples", "application/n-quads"],
  ...["application/xml-dtd", "application/vnd.ms-fontobject", "font/otf", "font/ttf", "image/bmp", "image/x-icon"],
]);

/**
 * Entity tags of coded representations. Content in two codings is two representations, whose strong tags differ (RFC 9110
 * §8.8.3.3): the tag that a handler gives its content becomes `"…;gzip"`, and in the preconditions of a request the handler
 * is shown its own again. A semicolon, since no hexadecimal or base64 text ends so by chance.
 */
interface CodedTags {
  /** The tag of the representation in the coding; a weak one stays as it is. */
  code(tag: string, coding: ContentCoding): string;
  /** The 304 for a copy in the coding: it names the tag of that copy. */
  asSent(request: HttpRequest, coding: ContentCoding | undefined, notModified: HttpResponse): HttpResponse;
  /** The request with the handler's own tags in its preconditions, where the response will be in this coding, if any. */
  uncode(request: HttpRequest, coding: ContentCoding | undefined): HttpRequest;
}

function codedTags(codings: readonly ContentCoding[]): CodedTags {
  const suffixes = new Map(codings.map((coding) => [coding, suffixPattern([coding])]));
  const anySuffix = suffixPattern(codings);
  const code: CodedTags["code"] = (tag, coding) => (strongTag.test(tag) ? `${tag.slice(0, -1)};${coding.name}"` : tag);
  return {
    code,
    asSent(request, coding, notModified) {
      const tag = notModified.headers.get("ETag");
      const named = request.headers.get("If-None-Match");
      if (tag === undefined || coding === undefined || named === undefined || named === tag) return notModified;
      const coded = code(tag, coding);
      return named.includes(coded) ? notModified.withHeader("ETag", coded) : notModified;
    },
    uncode(request, coding) {
      // A write names the state of the resource, in whatever coding the client has read it. A read has a current copy only if
      // it is in the coding that would be sent.
      const reads = request.method === "GET" || request.method === "HEAD";
      const suffix = reads ? coding && suffixes.get(coding) : anySuffix;
      return without(without(request, "If-Match", anySuffix), "If-None-Match", suffix);
    },
  };
}

const strongTag = /^"[^"]*"$/;

// A tag contains no quotation mark, so that a suffix before one is at the end of a tag.
const suffixPattern = (codings: readonly ContentCoding[]): RegExp =>
  new RegExp(`;(?:${codings.map(({ name }) => RegExp.escape(name)).join("|")})"`, "g");

function without(request: HttpRequest, field: string, suffix: RegExp | undefined): HttpRequest {
  const tags = request.headers.get(field);
  if (tags === undefined || suffix === undefined || !tags.includes(";")) return request;
  const uncoded = tags.replace(suffix, '"');
  return uncoded === tags ? request : request.withHeader(field, uncoded);
}
