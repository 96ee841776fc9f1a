import { HeaderList } from "../header-list.ts";
import { isToken } from "../token.ts";
import { typeName } from "../type-name.ts";
import { type AllowsOrigin, compileOrigins, mistakeInOrigin, type OriginTest } from "./allowed-origins.ts";

/** Which pages of other origins may use the app, and how. */
export interface CorsPolicy {
  /**
   * Texts as browsers send them, such as `https://app.example.com`; `https://*.example.com` for everything below a domain;
   * tests; or `*`, alone, for every page there is.
   */
  readonly origins: readonly (string | OriginTest)[];
  /** Of the methods that the routes of a path take, those that may be used. Default: all. GET, HEAD and POST always may. */
  readonly methods?: readonly string[];
  /** The header fields that a script may set. Default: `corsDefaults.requestHeaders`. */
  readonly requestHeaders?: readonly string[];
  /** The header fields that a script may read. Default: `corsDefaults.exposedHeaders`. */
  readonly exposedHeaders?: readonly string[];
  /** Whether a script may send cookies and client certificates. Default: false. Not with `*`. */
  readonly credentials?: boolean;
  /** How long a browser may keep the answer to a pre-flight, in seconds; 0 is not at all. Default: 7200. */
  readonly maxAge?: number;
  /** Whether pages of the Internet may use an app in a private network (the draft Private Network Access). Default: false. */
  readonly privateNetwork?: boolean;
}

/** What a policy permits and exposes unless it says otherwise, to add to: `[...corsDefaults.requestHeaders, "X-Own"]`. */
export const corsDefaults: {
  readonly requestHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
} = {
  requestHeaders: [
    // Accept needs leave where its value has a quote or a colon in it (Fetch, "CORS-unsafe request-header byte").
    ...["Accept", "Authorization", "Content-Type", "Idempotency-Key"],
    ...["If-Match", "If-Modified-Since", "If-None-Match", "If-Unmodified-Since", "Prefer"],
  ],
  exposedHeaders: [
    ...["Accept-Patch", "Accept-Post", "Allow", "Content-Location", "ETag", "Link", "Location", "Preference-Applied"],
    ...["RateLimit", "RateLimit-Policy", "Retry-After", "WWW-Authenticate", "X-Request-Id", "X-Total-Count"],
  ],
};

/** A policy made ready. Fields are names and values in turn. */
export interface Policy {
  readonly allows: AllowsOrigin | "everybody";
  /** Whether the fields of a response depend on who asks, so that every response must say so to caches. */
  readonly variesByOrigin: boolean;
  readonly permitsMethod: (method: string) => boolean;
  readonly privateNetwork: boolean;
  /** Of a response to an allowed origin, beside that origin. */
  readonly responseFields: HeaderList;
  /** Of the answer to its pre-flight, beside origin and methods. */
  readonly preflightFields: readonly string[];
  readonly preflightVary: string;
}

/** Thrown when a policy is made ready that cannot have been meant, or that browsers would not follow: all of it at once. */
export class CorsMistakes extends RangeError {
  /** What is wrong, and what would be right: a sentence each, without the full stop. */
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    const count = mistakes.length === 1 ? "a mistake" : `${mistakes.length} mistakes`;
    super(`The CORS policy has ${count}:${mistakes.map((mistake) => `\n- ${mistake}`).join("")}`);
    this.name = "CorsMistakes";
    this.mistakes = mistakes;
  }
}

/** @throws CorsMistakes that lists every mistake in the policy */
export function compilePolicy(policy: CorsPolicy): Policy {
  const mistakes = [...findMistakes(policy)];
  if (mistakes.length > 0) throw new CorsMistakes(mistakes);
  const { origins, methods, credentials = false, maxAge = 7200, privateNetwork = false } = policy;
  const { requestHeaders = corsDefaults.requestHeaders, exposedHeaders = corsDefaults.exposedHeaders } = policy;
  const everybody = origins.includes("*");
  const credentialFields = credentials ? ["Access-Control-Allow-Credentials", "true"] : [];
  const permitted = methods && new Set(methods);
  return {
    allows: everybody ? "everybody" : compileOrigins(origins),
    variesByOrigin: !everybody,
    permitsMethod: (method) => permitted?.has(method) ?? true,
    privateNetwork,
    responseFields: HeaderList.fromParsed([
      ...credentialFields,
      ...listField("Access-Control-Expose-Headers", exposedHeaders),
    ]),
    preflightFields: [
      ...credentialFields,
      ...listField("Access-Control-Allow-Headers", requestHeaders),
      ...["Access-Control-Max-Age", String(maxAge)],
    ],
    preflightVary: [
      ...(everybody ? [] : ["Origin"]),
      ...["Access-Control-Request-Method", "Access-Control-Request-Headers"],
      ...(privateNetwork ? ["Access-Control-Request-Private-Network"] : []),
    ].join(", "),
  };
}

const listField = (name: string, members: readonly string[]): readonly string[] =>
  members.length === 0 ? [] : [name, members.join(", ")];

function* findMistakes(policy: CorsPolicy): Iterable<string> {
  const { origins, methods, requestHeaders, exposedHeaders, credentials = false, maxAge = 0 } = policy;
  if (!Array.isArray(origins)) {
    yield `origins must be a list, not ${typeName(origins)}`;
  } else {
    if (origins.length === 0) yield "origins names nobody; to allow nobody, leave the filter out";
    if (origins.includes("*")) {
      if (origins.length > 1) yield '"*" is not the only origin, and it stands for all';
      if (credentials)
        yield 'credentials cannot be sent by everybody: browsers take no "*" with them, so list the origins';
    }
    for (const origin of origins) {
      const mistake = origin === "*" ? undefined : mistakeInOrigin(origin);
      if (mistake !== undefined) yield mistake;
    }
  }
  for (const name of yield* namesIn("methods", methods)) {
    const upper = name.toUpperCase();
    if (name === "*") yield 'methods has "*"; to allow every method that a path has, leave methods out';
    else if (!isToken(name)) yield `methods: ${JSON.stringify(name)} is not a method`;
    // Methods are case-sensitive (RFC 9110 §9.1), and browsers leave "patch" as it is.
    else if (name !== upper) yield `methods: "${name}" is not "${upper}", as methods have their case`;
  }
  for (const [option, value] of Object.entries({ requestHeaders, exposedHeaders })) {
    for (const name of yield* namesIn(option, value)) {
      if (name === "*")
        yield `${option} has "*", which covers neither Authorization nor requests with credentials; name them`;
      else if (!isToken(name)) yield `${option}: ${JSON.stringify(name)} is not a header field name`;
    }
  }
  if (!Number.isSafeInteger(maxAge) || maxAge < 0) {
    yield `maxAge must be a whole number of seconds, 0 or more, not ${maxAge}`;
  }
}

/** The names of a list; what is not a list of texts, as JavaScript may have it, is a mistake and has none. */
function* namesIn(option: string, value: readonly string[] | undefined): Generator<string, readonly string[]> {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
  yield `${option} must be a list of texts`;
  return [];
}
