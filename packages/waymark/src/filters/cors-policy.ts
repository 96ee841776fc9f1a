import { requireOptions } from "../common/known-options.ts";
import { quote, typeName } from "../common/wording.ts";
import { isToken } from "../fields/syntax.ts";

export interface CorsPolicy {
  /**
   * Texts as browsers send them, such as `https://app.example.com`; `https://*.example.com` for everything below a domain;
   * tests; or only `*`, for every page there is.
   */
  readonly origins: readonly (string | OriginTest)[];
  /** Of the methods that the routes of a path take, those that may be used. Default: all. GET, HEAD and POST always may. */
  readonly methods?: readonly string[];
  /** The header fields that a script may set. Default: `cors.defaults.requestHeaders`. */
  readonly requestHeaders?: readonly string[];
  /** The header fields that a script may read. Default: `cors.defaults.exposedHeaders`. */
  readonly exposedHeaders?: readonly string[];
  /** Whether a script may send cookies and client certificates. Default: false. Not with `*`. */
  readonly credentials?: boolean;
  /** How long a browser may keep the answer to a pre-flight, in seconds; 0 is not at all. Default: 7200. */
  readonly maxAge?: number;
}

export const corsDefaults: Required<Pick<CorsPolicy, "requestHeaders" | "exposedHeaders">> = {
  requestHeaders: [
    // Accept needs leave where its value has a quote or a colon in it (Fetch, "CORS-unsafe request-header byte").
    ...["Accept", "Authorization", "Content-Type", "Idempotency-Key"],
    ...["If-Match", "If-Modified-Since", "If-None-Match", "If-Unmodified-Since", "Last-Event-ID"],
    ...["Prefer", "X-Request-Id"],
    // What OpenTelemetry's instrumentation of fetch adds (W3C Trace Context); without leave, no request is sent at all.
    ...["traceparent", "tracestate"],
  ],
  exposedHeaders: [
    ...["Accept-Patch", "Accept-Post", "Accept-Query", "Allow", "Content-Disposition", "Content-Location"],
    ...["ETag", "Link", "Location", "Preference-Applied", "RateLimit", "RateLimit-Policy", "Retry-After"],
    ...["WWW-Authenticate", "X-Request-Id", "X-Total-Count"],
  ],
};

export class CorsPolicyError extends RangeError {
  /** What is wrong and what would be right: a sentence each, without the full stop. */
  readonly findings: readonly string[];

  constructor(findings: readonly string[]) {
    const count = findings.length === 1 ? "an error" : `${findings.length} errors`;
    super(`The CORS policy has ${count}:${findings.map((finding) => `\n- ${finding}`).join("")}`);
    this.name = "CorsPolicyError";
    this.findings = findings;
  }
}

/**
 * Returns whether the policy allows an origin, which is never `null`.
 *
 * @throws CorsPolicyError that lists everything that is wrong with the policy
 */
export function originsOf(policy: CorsPolicy): AllowsOrigin | "everybody" {
  requireOptions("cors({ … })", policy, [
    ...(["origins", "methods", "requestHeaders", "exposedHeaders", "credentials", "maxAge"] as const),
  ]);
  const findings = [...findInPolicy(policy)];
  if (findings.length > 0) throw new CorsPolicyError(findings);
  return policy.origins.includes("*") ? "everybody" : compileOrigins(policy.origins);
}

function* findInPolicy(policy: CorsPolicy): Iterable<string> {
  const { origins, methods, requestHeaders, exposedHeaders, credentials = false, maxAge = 0 } = policy;
  if (!Array.isArray(origins)) {
    yield `origins must be a list such as ["https://app.example.com"], not ${typeName(origins)}`;
  } else {
    if (origins.length === 0) yield "origins is empty; to allow no origin, leave the filter out";
    if (origins.includes("*")) {
      if (origins.length > 1) yield '"*" stands for all origins, so it must be the only one';
      if (credentials) yield 'credentials need a list of origins: browsers do not accept "*" with them';
    }
    yield* origins.flatMap((origin) => (origin === "*" ? [] : (findingInOrigin(origin) ?? [])));
  }
  for (const [option, names = []] of Object.entries({ methods, requestHeaders, exposedHeaders })) {
    if (!Array.isArray(names)) yield `${option} must be a list of texts`;
    for (const name of Array.isArray(names) ? names : []) {
      // Browsers take "*" for no list of these, or not with credentials; and methods have their case (RFC 9110 §9.1).
      const isName = typeof name === "string" && isToken(name) && name !== "*";
      if (!isName) yield `${option}: ${quote(String(name))} is not the name of one`;
      else if (option === "methods" && name !== name.toUpperCase()) yield `methods: "${name}" is not in capitals`;
    }
  }
  if (!Number.isSafeInteger(maxAge) || maxAge < 0) {
    yield `maxAge must be a whole number of seconds, 0 or more, not ${maxAge}`;
  }
}

/** Your own rule for origins. It must be pure: the result depends only on the origin. */
export interface OriginTest {
  /** The name for the message if the result is not a boolean. */
  readonly name: string;
  /** Returns whether an origin such as `https://app.example.com` is allowed. It never gets `null`, which any page can send. */
  readonly allows: (origin: string) => boolean;
}

type AllowsOrigin = OriginTest["allows"];

/**
 * Returns the origins as one question. Texts are compared whole; `https://*.example.com` is every origin below `example.com`, by
 * one label or more, and not `https://example.com` itself.
 *
 * @param origins well formed: `findingInOrigin` finds none in any of them
 */
function compileOrigins(origins: readonly (string | OriginTest)[]): AllowsOrigin {
  const exact = new Set<unknown>(origins);
  const further = origins.flatMap((origin) => {
    if (typeof origin !== "string") return compileTest(origin);
    return origin.includes("*") ? compileWildcard(origin) : [];
  });
  // No origin has an asterisk.
  return (origin) => serialized.test(origin) && (exact.has(origin) || further.some((allows) => allows(origin)));
}

// As the HTML standard serializes an origin: in lower case, without a default port; several fields or values are not an origin.
const serialized = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?$/;

function compileWildcard(text: string): AllowsOrigin {
  const [before, after] = text.split("*") as [string, string]; // There is one asterisk.
  return (origin) =>
    origin.length > before.length + after.length &&
    origin.startsWith(before) &&
    origin.endsWith(after) &&
    /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(origin.slice(before.length, -after.length));
}

function compileTest({ name, allows }: OriginTest): AllowsOrigin {
  return (origin) => {
    const allowed: unknown = allows(origin);
    // A promise would pass for a yes, and let everybody in.
    if (typeof allowed === "boolean") return allowed;
    throw new TypeError(`The origin test ${quote(name)} gave ${typeName(allowed)}, not a boolean`);
  };
}

/** Returns what is wrong with an origin of a policy, and what would be right; undefined when nothing is. */
function findingInOrigin(origin: unknown): string | undefined {
  if (typeof origin !== "string") {
    const { name, allows } = (origin ?? {}) as Partial<OriginTest>;
    if (typeof name === "string" && typeof allows === "function") return undefined;
    return `an origin is a text or { name, allows }, not ${typeName(origin)}`;
  }
  const quoted = quote(origin);
  if (origin === "null") return '"null" is the origin of every sandboxed page, and cannot be allowed';
  const [, scheme, domain = ""] = /^([^*]*:\/\/)\*\.([^*]+)$/.exec(origin) ?? [];
  if (scheme === undefined && origin.includes("*")) {
    return `${quoted} has an asterisk that does not stand for whole labels, as in "https://*.example.com"`;
  }
  const text = scheme === undefined ? origin : `${scheme}any.${domain}`;
  const url = text.includes("://") ? URL.parse(text) : null;
  // Of schemes that are not the web's own, such as those of browser extensions and of apps, URL gives no origin.
  const sent = url?.origin === "null" ? `${url.protocol}//${url.host.toLowerCase()}` : (url?.origin ?? "");
  if (!serialized.test(sent) || text !== sent) {
    const right = serialized.test(sent) ? sent : "https://app.example.com";
    return `${quoted} is not an origin as browsers send it: scheme, host and port, such as "${scheme === undefined ? right : right.replace("://any.", "://*.")}"`;
  }
  if (scheme === undefined || domain.includes(".") || /^localhost(?::|$)/.test(domain)) return undefined;
  return `${quoted} would allow every site of a top-level domain`;
}
