import { requireOptions } from "../common/known-options.ts";
import { quote, typeName } from "../common/wording.ts";
import { isToken } from "./syntax.ts";

/** How long a cookie is kept, and to whom it is sent. */
export interface CookieOptions {
  /** In seconds; 0 removes the cookie. Default: until the browser is closed. */
  readonly maxAge?: number;
  readonly expires?: Date;
  /** Default: `/`, the whole host. */
  readonly path?: string;
  /** For subdomains, too: `example.com`. Default: only the host that sets it. */
  readonly domain?: string;
  /** Whether it is sent only over TLS, and to localhost. Default: true. */
  readonly secure?: boolean;
  /** Whether scripts of the page cannot read it. Default: true. */
  readonly httpOnly?: boolean;
  /** Whether requests from other sites have it: `lax` only where a link is followed, `none` always. Default: `lax`. */
  readonly sameSite?: "strict" | "lax" | "none";
  /** Whether each site that embeds this one has a cookie of its own. Default: false. */
  readonly partitioned?: boolean;
}

/**
 * Returns a Set-Cookie field (RFC 6265 §4.1), sent only over TLS, not to scripts and not from other sites unless the options say so.
 *
 * @throws TypeError when a browser would not take the cookie, or would take something else
 */
export function setCookie(name: string, value: string, options: CookieOptions = {}): string {
  requireOptions("withCookie(…)", options, known);
  const {
    maxAge,
    expires,
    path = "/",
    domain,
    secure = true,
    httpOnly = true,
    sameSite = "lax",
    partitioned,
  } = options;
  const refuse = (why: string): never => {
    throw new TypeError(`The cookie ${quote(String(name))} ${why}`);
  };
  if (typeof name !== "string" || !isToken(name)) refuse("needs a name of letters, digits and -_.~!#$%&'*+^`|");
  if (typeof value !== "string") refuse(`has a value that is text, not ${typeName(value)}`);
  if (!octets.test(value)) {
    refuse(
      "has a value with a blank, quotation mark, comma, semicolon, backslash or a letter beyond ASCII: use encodeURIComponent",
    );
  }
  if (name.length + value.length > 4096) refuse("is longer than the 4,096 bytes that browsers keep");
  if (maxAge !== undefined && !Number.isSafeInteger(maxAge)) refuse(`has a maxAge of whole seconds, not ${maxAge}`);
  if (expires !== undefined && !(expires instanceof Date && Number.isFinite(expires.getTime())))
    refuse(`has a valid Date as expires, not ${String(expires)}`);
  if (!/^\/[ -:<-~]*$/.test(path)) refuse("has a path that begins with a slash and has no semicolon");
  if (domain !== undefined && !/^[A-Za-z0-9.-]+$/.test(domain)) refuse("has the name of a host as its domain");
  if (!["strict", "lax", "none"].includes(sameSite)) refuse('has a sameSite of "strict", "lax" or "none"');
  if (!secure && (sameSite === "none" || partitioned === true || /^__(?:secure|host)-/i.test(name))) {
    refuse('must be secure: sameSite "none", partitioned and the prefixes __Secure- and __Host- are only for TLS');
  }
  if (/^__host-/i.test(name) && (path !== "/" || domain !== undefined))
    refuse("has __Host-: its path is /, and it has no domain");
  return [
    `${name}=${value}`,
    `Path=${path}`,
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    ...(expires === undefined ? [] : [`Expires=${expires.toUTCString()}`]),
    ...(domain === undefined ? [] : [`Domain=${domain}`]),
    ...(secure ? ["Secure"] : []),
    ...(httpOnly ? ["HttpOnly"] : []),
    `SameSite=${sameSite[0]?.toUpperCase()}${sameSite.slice(1)}`,
    ...(partitioned === true ? ["Partitioned"] : []),
  ].join("; ");
}

/** Returns what tells one cookie of a browser from another: its name, domain and path. */
export function cookieKey(field: string): string {
  const [pair = "", ...attributes] = field.split(";");
  const scope = attributes.map((each) => each.trim()).filter((each) => /^(?:domain|path)=/i.test(each));
  return [pair.slice(0, pair.indexOf("=")).trim(), ...scope.map((each) => each.toLowerCase()).sort()].join(";");
}

// RFC 6265 §4.1.1, cookie-octet.
const octets = /^[!#-+\--:<-[\]-~]*$/;

const known = ["maxAge", "expires", "path", "domain", "secure", "httpOnly", "sameSite", "partitioned"] as const;
