import { HeaderList } from "./fields/header-list.ts";
import { parseHttpDate } from "./fields/http-date.ts";
import type { HttpRequest } from "./request.ts";
import { HttpResponse } from "./response.ts";

/** What tells the state of a resource that exists. */
export interface Validators {
  /**
   * Its strong entity tags with their quotation marks, one for each representation, that of the selected one first. The
   * tag of any of them will do in If-Match: it names the same state.
   */
  readonly entityTags: readonly [selected: string, ...others: readonly string[]];
  /** When it last changed, in milliseconds since the epoch; counted in whole seconds. */
  readonly lastModified?: number | undefined;
}

/** The request goes on; its client has what it would get; or it must not be done. */
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
 * ```
 */
export function evaluatePreconditions(request: HttpRequest<unknown>, current: Validators): Verdict {
  const { headers } = request;
  if (!hasPreconditions(headers)) return "pass";
  const reads = request.method === "GET" || request.method === "HEAD";
  const ifMatch = headers.get("If-Match");
  if (ifMatch !== undefined) {
    if (!names(ifMatch, current.entityTags, matchesStrongly)) return "failed";
  } else if (isModifiedSince(headers.get("If-Unmodified-Since"), current)) {
    return "failed";
  }
  const ifNoneMatch = headers.get("If-None-Match");
  if (ifNoneMatch !== undefined) {
    // A client that reads has this very representation, or not; one that writes means whichever there is.
    const tags = reads ? current.entityTags.slice(0, 1) : current.entityTags;
    if (names(ifNoneMatch, tags, matchesWeakly)) return reads ? "not-modified" : "failed";
  } else if (reads && isModifiedSince(headers.get("If-Modified-Since"), current) === false) {
    return "not-modified";
  }
  return "pass";
}

/** The 304 in place of a response: its validators and what caches go by, without content (RFC 9110 §15.4.5). */
export function notModified(response: HttpResponse): HttpResponse {
  const kept = response.headers.flat.filter((_, i, flat) => !aboutContent.has((flat[i - (i % 2)] ?? "").toLowerCase()));
  return new HttpResponse(304, HeaderList.fromParsed(kept));
}

const aboutContent: ReadonlySet<string> = new Set([
  "content-type",
  "content-length",
  "content-encoding",
  "content-language",
  "content-range",
]);

/** Most requests have none, and one look at the names tells: 20 ns instead of 70 for four fields (Node 26). */
function hasPreconditions({ flat }: HeaderList): boolean {
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i] as string;
    if (name[2] === "-" && name.slice(0, 2).toLowerCase() === "if") return true;
  }
  return false;
}

function names(field: string, current: readonly string[], matches: (a: EntityTag, b: EntityTag) => boolean): boolean {
  const named = parseEntityTags(field);
  return named === "*" || named.some((a) => current.some((opaque) => matches(a, { weak: false, opaque })));
}

/** Undefined when the field says nothing: it is absent or no date, or the resource has none. */
function isModifiedSince(field: string | undefined, { lastModified }: Validators): boolean | undefined {
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
 * The entity tags of an If-Match or If-None-Match field, or `*` for any; a field that is malformed names none.
 *
 * ```ts
 * parseEntityTags('"a,b", W/"c"');   // [{ weak: false, opaque: '"a,b"' }, { weak: true, opaque: '"c"' }]
 * ```
 */
function parseEntityTags(field: string): readonly EntityTag[] | "*" {
  if (/^[\t ]*\*[\t ]*$/.test(field)) return "*";
  if (!list.test(field)) return [];
  return Array.from(field.matchAll(member), ([, weak, opaque]) => ({
    weak: weak !== undefined,
    opaque: opaque as string, // The group takes part in every match.
  }));
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
// Empty members are allowed (RFC 9110 §5.6.1.2).
const list = new RegExp(String.raw`^[\t ,]*${tag}(?:[\t ]*,[\t ,]*${tag})*[\t ,]*$`);
