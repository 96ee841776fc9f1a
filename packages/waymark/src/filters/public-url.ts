import { DeclarationSite } from "../common/declaration.ts";
import { typeName } from "../common/wording.ts";
import { before, type Filter } from "../filter.ts";
import type { HttpRequest } from "../request.ts";
import { base, baseOf, toPublicUrl } from "../serving/base.ts";

/**
 * Names the URL at which clients reach an app, when a proxy in front has another host or takes a part of the path away.
 * An app in which others are mounted says it for them too. What names a resource by `publicUrl.of` is then under that
 * URL: the links of collections, and the `type` of problems that pass `describeProblems`. For `router({ filters })`.
 *
 * It is said here and nowhere else: neither Host nor any field of a proxy ever gets into a link, since a client that
 * sends one could make a cache give its link to others.
 *
 * ```ts
 * router({ filters: [publicUrl("https://api.example.com/people"), describeProblems()] }, personRoutes(people))
 * // Location: https://api.example.com/people/person/7
 * ```
 *
 * @param url an absolute URL of http or https without credentials, query and fragment; or only its path, `/people`. A
 *   slash at the end says nothing
 * @throws TypeError when it is not such a URL; the message says why
 */
export function publicUrl(url: string): Filter {
  const root = parsePublicUrl(url);
  const rooted = (request: HttpRequest): HttpRequest =>
    request.withAttribute(base, { url: root, depth: baseOf(request).depth });
  return { ...before(rooted, { repeatable: true }), site: new DeclarationSite(publicUrl) };
}

export declare namespace publicUrl {
  /**
   * Returns the URL of a path of the app for clients: under the URL that `publicUrl` says and the path at which the app is mounted,
   * and the path itself where there is neither, which never names another host.
   *
   * ```ts
   * POST("/notes", async (request) => created(`${publicUrl.of(request)}/${await store(request)}`))
   * ```
   *
   * @param path from the root of the app, with a slash in front, as URLs have it; a query may follow. Default: that of the
   *   request
   */
  const of: (request: HttpRequest<unknown>, path?: string) => string;
}
Object.assign(publicUrl, { of: toPublicUrl });

function parsePublicUrl(text: string): string {
  // The message does not repeat the text, which may have credentials.
  const refuse = (why: string): never => {
    throw new TypeError(`The public URL ${why}. It must look like https://api.example.com/people`);
  };
  if (typeof text !== "string") return refuse(`is ${typeName(text)}`);
  const [, origin = "", path = ""] = form.exec(text) ?? refuse("is neither an http or https URL nor a path");
  if (/[?#]/.test(path)) return refuse("has a query or a fragment");
  if (origin.includes("@")) return refuse("has credentials");
  const url = URL.parse(text, "http://localhost") ?? refuse("has no host that can be reached");
  // URL resolves dot segments and mends what a path cannot have: the result would not be what was meant.
  const trimmed = path.replace(/\/$/, "");
  if (url.pathname.replace(/\/$/, "") !== trimmed) return refuse("has a path that is not written as URLs are");
  if (path.includes("//")) return refuse("has two slashes in a row");
  return (origin === "" ? "" : url.origin) + trimmed;
}

/** An origin, or a path, or both; `//host/path` is neither. */
const form = /^(?:(https?:\/\/[^/\\\s?#]+)|(?=\/(?!\/)))(\/[^\\\s]*|[?#].*|)$/i;
