import { andThen } from "../common/and-then.ts";
import { DeclarationSite } from "../common/declaration.ts";
import { requireOptions } from "../common/known-options.ts";
import { HeaderList, mayShareNames } from "../fields/header-list.ts";
import { after, type Filter } from "../filter.ts";
import { dataHeaders } from "../problem.ts";
import type { HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";

/** The options of `securityHeaders`. */
export interface SecurityHeadersOptions {
  /** The Content-Security-Policy of responses that have none of their own. Default: nothing is loaded, and nothing frames it. */
  readonly contentSecurityPolicy?: string;
  /**
   * Whether requests come over TLS, all of them or the one given; if so, Strict-Transport-Security is sent. Default: as
   * `request.client` says. Where it is known beforehand, saying so spares each request the question.
   */
  readonly https?: boolean | ((request: HttpRequest) => boolean) | undefined;
  /** The value of Strict-Transport-Security. Default: `max-age=31536000`, a year, without the subdomains. */
  readonly strictTransportSecurity?: string;
}

/**
 * Makes browsers treat every response as data of an API: it is not sniffed for another type, loads and runs nothing, is not
 * framed, and is no part of another origin's page, unless it is one that CORS gives to everybody. For `router({ filters })`,
 * outside of `cors`.
 *
 * A field that a response has already is kept. Server and X-Powered-By, which it may have from elsewhere, are taken away. Over
 * plain HTTP Strict-Transport-Security is never sent (RFC 6797 §7.2).
 *
 * ```ts
 * router({ filters: [securityHeaders({ https: true }), cors(policy)] }, personRoutes(people))
 * ```
 *
 * @throws TypeError when a value of the options cannot be sent
 */
export function securityHeaders(options: SecurityHeadersOptions = {}): Filter {
  requireOptions("securityHeaders({ … })", options, ["contentSecurityPolicy", "https", "strictTransportSecurity"]);
  const { contentSecurityPolicy, https = isFromHttps, strictTransportSecurity = "max-age=31536000" } = options;
  const plain = HeaderList.of({
    ...dataHeaders,
    ...(contentSecurityPolicy !== undefined && { "Content-Security-Policy": contentSecurityPolicy }),
    "Cross-Origin-Resource-Policy": "same-origin",
  });
  const overTls = plain.with("Strict-Transport-Security", strictTransportSecurity);
  const isOverTls = typeof https === "function" ? https : () => https;
  return {
    kind: "filter",
    apply: (request, next) => {
      const fields = isOverTls(request) ? overTls : plain;
      return andThen(next(request), (response) => secure(response, fields));
    },
    // Whether a server has TLS does not change; a function may depend on anything.
    repeatable: typeof https === "boolean" || https === isFromHttps ? true : undefined,
    site: new DeclarationSite(securityHeaders),
  };
}

const isFromHttps = ({ client }: HttpRequest): boolean => client.scheme === "https";

/** Returns the response with these fields; it keeps those that it has already. */
function secure(response: HttpResponse, fields: HeaderList): HttpResponse {
  const { headers } = response;
  return mayShareNames(headers, watched) && watchedNames.some((name) => headers.has(name))
    ? secureOneByOne(response, fields)
    : response.withHeaders(headers.concat(fields));
}

function secureOneByOne(response: HttpResponse, fields: HeaderList): HttpResponse {
  let headers = response.headers.without("Server").without("X-Powered-By");
  // What CORS lets everybody's scripts read, everybody's pages may show.
  const isForEverybody = headers.get("Access-Control-Allow-Origin") === "*";
  for (const [name, value] of fields) {
    if (headers.has(name)) continue;
    const isResourcePolicy = name === "Cross-Origin-Resource-Policy";
    headers = headers.withAdded(name, isResourcePolicy && isForEverybody ? "cross-origin" : value);
  }
  return response.withHeaders(headers);
}

const watchedNames = [
  "X-Content-Type-Options",
  "Content-Security-Policy",
  "Referrer-Policy",
  "Cross-Origin-Resource-Policy",
  "Strict-Transport-Security",
  "Access-Control-Allow-Origin",
  "Server",
  "X-Powered-By",
];
const watched = HeaderList.of(Object.fromEntries(watchedNames.map((name) => [name, ""])));

/**
 * Keeps caches from storing responses with a status of 400 or more that say nothing about caching: 404, 405, 410, 414 and 501
 * may be stored by default (RFC 9110 §15.1), and would then stand in the way of what is there a moment later. Problem documents
 * say so themselves. For `router({ filters })`, or for a group.
 *
 * ```ts
 * router({ filters: [noStoreErrors()] }, GET("/person/{id}", () => notFound()))   // 404, Cache-Control: no-store
 * ```
 */
export function noStoreErrors(): Filter {
  const change = (_: HttpRequest, response: HttpResponse): HttpResponse =>
    response.headers.has("Cache-Control") ? response : response.withHeaders(response.headers.concat(noStore));
  return { ...after(change, { leastStatus: 400 }), site: new DeclarationSite(noStoreErrors) };
}

const noStore = HeaderList.of({ "Cache-Control": "no-store" });
