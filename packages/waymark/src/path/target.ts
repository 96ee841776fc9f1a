import * as problemTypes from "../common/problem-types.ts";
import { memoizeText } from "../common/text-map.ts";
import { excerpt } from "../common/wording.ts";
import { type HeaderList, parsedHeaders } from "../fields/header-list.ts";
import { HttpError, problem } from "../problem.ts";

/** A request target in its two parts. */
export interface RequestTarget {
  /**
   * The canonical path: every escape decoded but `%2F` and `%25`, so that `/` separates segments and every `%` begins one
   * of these two. It has no dot segment and no control character; case, double and trailing slashes are kept.
   */
  readonly path: string;
  /** The query as sent, without the `?`. */
  readonly search: string;
}

/**
 * Parses a request target (RFC 9112 §3.2): origin-form, absolute-form with http or https, whose authority is ignored, or
 * `*`, which is its own path.
 *
 * ```ts
 * parseTarget("/caf%C3%A9/a%2fb?limit=2");   // { path: "/café/a%2Fb", search: "limit=2" }
 * ```
 *
 * @throws HttpError 400 `malformed-target` for another form; for user information (RFC 9110 §4.2.4); for a malformed escape, malformed UTF-8, a dot segment, a
 *   backslash or an escaped control character in the path; for a raw space, `#`, control or non-ASCII character anywhere
 */
export function parseTarget(target: string): RequestTarget {
  // Every request passes here: 35 ns for 9 characters, 115 ns for 92 with a query (Node 26), slices and object included.
  // A loop over the character codes takes 15 ns less for the first and 40 ns more for the second.
  return cleanTarget.test(target) ? split(target) : parseCarefully(target);
}

/**
 * Decodes a segment of a canonical path: `%2F` is a slash and `%25` a percent sign. The text is data:
 * `a/../b` can come of it, so it must not be used as a file name unchecked.
 */
export function decodeSegment(segment: string): string {
  return segment.includes("%") ? segment.replaceAll("%2F", "/").replaceAll("%25", "%") : segment;
}

/** Returns the canonical spelling of literal text in a path: `50%` is `50%25`, and slashes stay separators. */
export function encodeLiteral(text: string): string {
  return text.replaceAll("%", "%25");
}

/** Returns a canonical path as URLs have it: only `%2F` and `%25` are escaped in the path, and here all that must be. */
export function encodePath(path: string): string {
  if (plainPath.test(path)) return path;
  return encodeURI(path).replaceAll("%25", "%").replace(/[?#]/g, encodeURIComponent);
}

const plainPath = /^[\w/.~-]*$/;

// Origin-form in which nothing needs decoding or refusing. A segment that begins with a dot is looked at carefully.
const cleanTarget = /^(?:\/(?!\.)[!"$&-.0->@-[\]-~]*)+(?:\?[!"$-~]*)?$/;

function split(target: string): RequestTarget {
  const question = target.indexOf("?");
  return question < 0
    ? { path: target, search: "" }
    : { path: target.slice(0, question), search: target.slice(question + 1) };
}

function parseCarefully(target: string): RequestTarget {
  if (target === "*") return { path: "*", search: "" };
  const { path, search } = split(originForm(target));
  refuseRaw("path", path, /[^!"$-[\]-~]/);
  refuseRaw("query", search, /[^!"$-~]/);
  refuse("path", "a dot segment", path, /\/(?:\.|%2E){1,2}(?=\/|$)/i);
  refuse("path", "a malformed percent escape", path, /%(?![0-9A-F]{2})/i);
  const decoded = decode(path);
  // U+0000 to U+001F, U+007F, and U+0080 to U+009F, whose first byte is C2 in UTF-8 and no other character's second.
  refuse("path", "an escaped control character", path, /%(?:[01][0-9A-F]|7F|C2%[89][0-9A-F])/i);
  return { path: decoded, search };
}

const hostPattern =
  /^(?:\[(?:[\dA-F:.]+|v[\dA-F]+\.[\w.~!$&'()*+,;=:-]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\dA-F]{2})+)(?::\d*)?$/i;

/** Returns whether it is a host and an optional port (RFC 9110 §7.2, RFC 3986 §3.2.2); no registered name is empty under http. */
export const isHost: (text: string) => boolean = memoizeText((text) => hostPattern.test(text));

/** Returns the host and port in an absolute target, without user information; undefined if it has none, or a malformed one. */
function hostIn(target: string): string | undefined {
  if (target.startsWith("/")) return undefined;
  const host = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(target)?.[1];
  return host !== undefined && isHost(host) ? host : undefined;
}

/** Returns the fields of a request; the host that its target names stands in for Host (RFC 9112 §3.2.2). */
export function withTargetHost(target: string, headers: HeaderList): HeaderList {
  const host = hostIn(target);
  return host === undefined ? headers : parsedHeaders(["Host", host, ...headers.without("Host").flat]);
}

/** Returns the target without scheme and authority, beginning with a slash. */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const prefix = /^https?:\/\/[\w!$%&'()*+,.:;=@[\]~-]+(?=[/?#]|$)/i.exec(target)?.[0];
  if (prefix === undefined) {
    throw malformed(`The target must begin with "/" or be an absolute http or https URI, not ${excerpt(target)}.`);
  }
  // Not repeated, since it may be a password.
  if (prefix.includes("@")) throw malformed("The target has user information before its host; leave it out.");
  if (hostIn(target) === undefined)
    throw malformed("The target has no host with an optional port, as in http://example.org:8080/.");
  const rest = target.slice(prefix.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path.replace(/%(2F|25)/gi, (kept) => `%25${kept.slice(1).toUpperCase()}`));
  } catch {
    throw malformed(`The path has percent escapes that are not UTF-8 at offset ${offsetOfMalformedUtf8(path)}.`);
  }
}

/** Returns where the first character begins whose escapes are not UTF-8. */
function offsetOfMalformedUtf8(path: string): number {
  const wellFormed = /(?:[^%]|%[0-7].)+|%[CD].%[89AB].|%E.(?:%[89AB].){2}|%F.(?:%[89AB].){3}/iy;
  let at = 0;
  for (;;) {
    wellFormed.lastIndex = at;
    const character = wellFormed.exec(path)?.[0];
    if (character === undefined || !isUtf8(character)) return at;
    at += character.length;
  }
}

function isUtf8(escapes: string): boolean {
  try {
    decodeURIComponent(escapes);
    return true;
  } catch {
    return false;
  }
}

function refuse(part: string, fault: string, text: string, pattern: RegExp): void {
  const offset = text.search(pattern);
  if (offset >= 0) throw malformed(`The ${part} has ${fault} at offset ${offset}.`);
}

function refuseRaw(part: "path" | "query", text: string, pattern: RegExp): void {
  const offset = text.search(pattern);
  if (offset >= 0) throw malformed(faultOfCharacter(part, text, offset));
}

/** Says which character of a target stands there as it must not, and what to send in its place. */
export function faultOfCharacter(part: "path" | "query", text: string, offset: number): string {
  const character = text.codePointAt(offset) as number; // The offset lies within the text.
  const isWritten = part === "query" && (character === 0x20 || character > 0x9f) && !isSurrogate(character);
  const hint = isWritten ? ' With curl, -G --data-urlencode "name=value" writes a query so.' : "";
  return `The ${part} has ${describe(character)} at offset ${offset}.${hint}`;
}

const isSurrogate = (character: number): boolean => character >= 0xd800 && character <= 0xdfff;

function describe(character: number): string {
  if (character === 0x23) return 'a "#", which a request target cannot carry,';
  if (character === 0x5c) return 'a backslash, which must be "/" or "%5C",';
  const name = `U+${character.toString(16).toUpperCase().padStart(4, "0")}`;
  if (character < 0x20 || (character >= 0x7f && character <= 0x9f)) return `the control character ${name}`;
  if (isSurrogate(character)) return `the lone surrogate ${name}`;
  const text = String.fromCodePoint(character);
  const shown =
    character === 0x20
      ? "a space"
      : /[^\p{C}\p{M}\p{Z}]/u.test(text)
        ? `the character "${text}"`
        : `the character ${name}`;
  const encoded = encodeURIComponent(text);
  return `${shown}, which must be written as ${encoded === text ? `%${character.toString(16).toUpperCase()}` : encoded},`;
}

function malformed(detail: string): HttpError {
  return new HttpError(problem(problemTypes.malformedTarget, { detail }));
}
