import { streamOf } from "../body/response-body.ts";
import type { Awaitable } from "../common/and-then.ts";
import { DeclarationSite } from "../common/declaration.ts";
import { typeName } from "../common/wording.ts";
import { declareAt } from "../conditions/kind.ts";
import { pathKind } from "../conditions/path.ts";
import { requireFunction } from "../filter.ts";
import { encodePath } from "../path/target.ts";
import { contentOf, type HttpRequest } from "../request.ts";
import { fromWebResponse, type HttpResponse } from "../response.ts";
import type { Route, SingleRoute } from "../route.ts";
import { refuseUnknownMethod } from "../routing/dispatch/refusal.ts";
import { baseOf, pathBelow } from "../serving/base.ts";

/** What answers web requests: the `fetch` of another framework's app, a library for signing in, a server of static files. */
export type FetchHandler = (request: Request) => Awaitable<Response>;

/**
 * Makes the last route of a router or a group: whatever no route before it takes is answered by this function. It sees the whole
 * path, and content that nothing here has read.
 *
 * ```ts
 * router(newRoutes, fallback(hono.fetch));           // an app that moves here, a route at a time
 * group("/auth", fallback((request) => auth.handler(request)));
 * ```
 *
 * @throws TypeError when it is not a function; `router` and `group` throw one for a route behind it
 */
export function fallback(handler: FetchHandler): Route {
  requireFunction("fallback(…) takes a fetch function, such as hono.fetch", handler);
  return fetchRoute(handler, "fallback", new DeclarationSite(fallback));
}

/** Makes the route by which the function answers everything below a path; mounted, it sees only what is below. */
export function fetchRoute(handler: FetchHandler, as: "fallback" | "mount", site: DeclarationSite): SingleRoute {
  return {
    kind: "route",
    conditions: [declareAt(pathKind, { pattern: "/**" }, site)],
    handler: async (request: HttpRequest): Promise<HttpResponse> => {
      // The web has no request with these methods.
      if (/^(?:CONNECT|TRACE|TRACK)$/i.test(request.method)) return refuseUnknownMethod(request.method);
      const path = as === "mount" ? pathBelow(request, baseOf(request).depth) || "/" : encodePath(request.path);
      const response: unknown = await handler(toWebRequest(request, path));
      if (response instanceof Response) return fromWebResponse(response);
      throw new TypeError(`The fetch handler declared at ${site} gave ${typeName(response)}, not a web Response`);
    },
    isFallback: as === "fallback",
    taken: undefined,
    answers: undefined,
    name: undefined,
    descriptions: [],
    site,
  };
}

function toWebRequest(request: HttpRequest, path: string): Request {
  const { method, search, signal } = request;
  const { scheme, host = "localhost" } = request.client;
  const headers = new Headers();
  const { flat } = request.headers;
  for (let i = 0; i < flat.length; i += 2) headers.append(flat[i] as string, flat[i + 1] as string); // in turn
  const url = `${scheme}://${host}${path}${search === "" ? "" : `?${search}`}`;
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal });
  const body = streamOf(contentOf(request).asItCame());
  // A body that streams needs `duplex`, which the types of the web do not know yet.
  const init: RequestInit & { readonly duplex: "half" } = { method, headers, signal, body, duplex: "half" };
  return new Request(url, init);
}
