import { quote } from "../common/wording.ts";
import { HeaderList, mayShareNames, soundHeaders } from "../fields/header-list.ts";
import { formatHttpDate, parseHttpDate } from "../fields/http-date.ts";
import type { HttpRequest } from "../request.ts";
import { HttpResponse, isStreamed } from "../response.ts";

/** The validators of a resource that exists, as its responses send them (RFC 9110 §8.8). It may lack either, or both. */
export interface Validators {
  /**
   * Its entity tags with their quotation marks, strong (`"7"`) or weak (`W/"7"`), one for each representation, that of the
   * selected one first. Any strong one of them satisfies If-Match, since it names the same state; a weak one never does.
   */
  readonly entityTags?: readonly string[] | undefined;
  /** When it last changed, in milliseconds since the epoch; counted in whole seconds. */
  readonly lastModified?: number | undefined;
}

/** The request goes on; the client already has the response; or the request must not be done. */
export type Verdict = "pass" | "not-modified" | "failed";

/**
 * Judges the preconditions of a request in the order of RFC 9110 §13.2.2: If-Match, or else If-Unmodified-Since; then
 * If-None-Match, or else If-Modified-Since for GET and HEAD. To be asked when the request would otherwise succeed, and
 * before it is acted on (§13.2.1).
 *
 * A malformed If-Match matches nothing, so that no update is made on a misunderstanding; a malformed If-None-Match matches
 * nothing either, and malformed dates are ignored (§13.1.3).
 *
 * ```ts
 * evaluatePreconditions(request, { entityTags: ['"7-json"'], lastModified: record.updatedAt })
 * evaluatePreconditions(request, undefined)   // before a PUT creates: If-Match fails, If-None-Match passes
 * ```
 *
 * @param current undefined when nothing is there yet
 * @throws TypeError when a member of `entityTags` is not an entity tag
 */
export function evaluatePreconditions(request: HttpRequest<unknown>, current: Validators | undefined): Verdict {
  const { headers } = request;
  // Most requests have none of these fields, and one look at all names shows it.
  if (!mayShareNames(headers, preconditions)) return "pass";
  const reads = request.method === "GET" || request.method === "HEAD";
  const tags = current?.entityTags?.map(requireEntityTag) ?? [];
  const ifMatch = headers.get("If-Match");
  if (ifMatch !== undefined) {
    if (current === undefined || !names(ifMatch, tags, matchesStrongly)) return "failed";
  } else if (isModifiedSince(headers.get("If-Unmodified-Since"), current)) {
    return "failed";
  }
  const ifNoneMatch = headers.get("If-None-Match");
  if (ifNoneMatch !== undefined) {
    // A client that reads has this very representation, or not; one that writes means whichever there is.
    const meant = reads ? tags.slice(0, 1) : tags;
    if (current !== undefined && names(ifNoneMatch, meant, matchesWeakly)) return reads ? "not-modified" : "failed";
  } else if (reads && isModifiedSince(headers.get("If-Modified-Since"), current) === false) {
    return "not-modified";
  }
  return "pass";
}

/**
 * Returns the fields of a response that name its validators: `ETag`, and `Last-Modified` where there is a time.
 *
 * ```ts
 * new HttpResponse(200, type.concat(validatorFields('"7-json"', record.updatedAt)), text)
 * ```
 *
 * @param lastModified in milliseconds since the epoch
 * @throws TypeError when the text is not an entity tag
 */
export function validatorFields(entityTag: string, lastModified?: number | undefined): HeaderList {
  if (!only.test(entityTag)) throw notEntityTag("validatorFields(…)", entityTag);
  // Both values can be sent as they are. To check them as any field takes a tenth of the time of reading a record.
  return soundHeaders(
    lastModified === undefined
      ? ["ETag", entityTag]
      : ["ETag", entityTag, "Last-Modified", formatHttpDate(lastModified)],
  );
}

/** Returns the 304 in place of a response: its validators and what caches go by, without content (RFC 9110 §15.4.5). */
export function notModified({ headers, body }: HttpResponse): HttpResponse {
  return new HttpResponse(
    304,
    // Field by field, so that what is left keeps the text that it is sent as.
    aboutContent.reduce((left, name) => left.without(name), headers),
    // It is not sent, and what sends the 304 ends it: a file would stay open.
    isStreamed(body) ? body : null,
  );
}

const aboutContent = ["Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Range"];

const preconditions = HeaderList.of({
  "If-Match": "",
  "If-None-Match": "",
  "If-Modified-Since": "",
  "If-Unmodified-Since": "",
});

function requireEntityTag(text: string): EntityTag {
  const tag = parseEntityTag(text);
  if (tag === undefined) throw notEntityTag("entityTags", text);
  return tag;
}

const notEntityTag = (where: string, text: string): TypeError =>
  new TypeError(`${where} has ${quote(text)}, which is not an entity tag: write "7" or W/"7", with its quotes`);

function names(
  field: string,
  current: readonly EntityTag[],
  matches: (a: EntityTag, b: EntityTag) => boolean,
): boolean {
  const named = parseEntityTags(field);
  return named === "*" || named.some((a) => current.some((b) => matches(a, b)));
}

/** Undefined when the field says nothing: it is absent or not a date, or the resource has none. */
function isModifiedSince(field: string | undefined, current: Validators | undefined): boolean | undefined {
  const lastModified = current?.lastModified;
  const since = field === undefined ? undefined : parseHttpDate(field);
  return since === undefined || lastModified === undefined ? undefined : Math.floor(lastModified / 1000) * 1000 > since;
}

/** A validator for a representation (RFC 9110 §8.8.3). */
interface EntityTag {
  /** A weak one says that two representations mean the same, not that they are the same bytes. */
  readonly weak: boolean;
  /** With its quotation marks. */
  readonly opaque: string;
}

/**
 * Returns the entity tags of an If-Match or If-None-Match field, or `*` for any; a field that is malformed names none.
 *
 * ```ts
 * parseEntityTags('"a,b", W/"c"');   // [{ weak: false, opaque: '"a,b"' }, { weak: true, opaque: '"c"' }]
 * ```
 */
function parseEntityTags(field: string): readonly EntityTag[] | "*" {
  const alone = parseEntityTag(field);
  if (alone !== undefined) return [alone];
  if (/^[\t ]*\*[\t ]*$/.test(field)) return "*";
  if (!list.test(field)) return [];
  return Array.from(field.matchAll(member), ([, weak, opaque]) => ({
    weak: weak !== undefined,
    opaque: opaque as string, // The group takes part in every match.
  }));
}

/**
 * Returns the entity tag that the text is; undefined when it is not exactly one.
 *
 * ```ts
 * parseEntityTag('W/"7"');   // { weak: true, opaque: '"7"' }
 * parseEntityTag("7");       // undefined: it has no quotation marks
 * ```
 */
function parseEntityTag(text: string): EntityTag | undefined {
  if (!only.test(text)) return undefined;
  const weak = text.startsWith("W/");
  return { weak, opaque: weak ? text.slice(2) : text };
}

/** Strong comparison (RFC 9110 §8.8.3.2): neither is weak. */
function matchesStrongly(a: EntityTag, b: EntityTag): boolean {
  return !a.weak && !b.weak && a.opaque === b.opaque;
}

/** Weak comparison: whether or not either is weak. */
function matchesWeakly(a: EntityTag, b: EntityTag): boolean {
  return a.opaque === b.opaque;
}

const tag = String.raw`(W/)?("[\x21\x23-\x7e\x80-\xff]*")`;
const member = new RegExp(tag, "g");
const only = new RegExp(`^${tag}$`);
// Empty members are allowed (RFC 9110 §5.6.1.2).
const list = new RegExp(String.raw`^[\t ,]*${tag}(?:[\t ]*,[\t ,]*${tag})*[\t ,]*$`);
