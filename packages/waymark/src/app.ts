import type { DeclarationSite } from "./common/declaration.ts";
import type { KnownClient, MatchedRoute } from "./exchange/exchange.ts";
import type { MethodsOf } from "./filter.ts";
import type { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";
import type { appMark, ServedApp, served } from "./serving/served-app.ts";

/** Answers requests with the routes that `router(…)` was given. */
export interface App {
  /**
   * Answers a request, for instance one from `HttpRequest.of`. Never throws and never rejects. It is synchronous if the
   * filters and the handler are.
   */
  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
  /**
   * Answers a web request, or one to a URL: for tests, and for runtimes that serve by a fetch function. Does not know the
   * client's address.
   */
  fetch(request: Request | string | URL, init?: RequestInit): Promise<Response>;
  /**
   * Makes a fetch function that knows the client. Further arguments of the runtime are passed on.
   *
   * ```ts
   * Bun.serve({ fetch: app.fetchHandler((request, server) => ({ address: server.requestIP(request)?.address })) });
   * ```
   *
   * @param clientOf returns what the runtime knows; called when the app first asks for `request.client`
   */
  fetchHandler<Given extends readonly unknown[]>(
    clientOf: (request: Request, ...given: Given) => KnownClient,
  ): (request: Request, ...given: Given) => Promise<Response>;
  /** Explains for each route, in order, whether it takes the request, and the first condition that does not match. */
  explain(request: HttpRequest): Explanation;
  /** Every route, flat, in the order in which they are tried. */
  readonly routes: readonly RouteSummary[];
  /** The web filters, which are around every request, in the same form as those of a route. */
  readonly filters: readonly string[];
  /** Lists what is legal but worth a look: routes that no request reaches, or that there are no routes. */
  readonly findings: readonly Finding[];
  /** Returns the methods that the routes of a canonical path take, as in `Allow`; undefined if no route has the path. */
  readonly methodsOf: MethodsOf;
  readonly [served]: ServedApp;
  readonly [appMark]: true;
}

/**
 * Describes something that the router found when it was built: an error, a route that no request reaches, or that there
 * are no routes.
 */
export interface Finding {
  /** `invalid`: an error, so the router is not built. */
  readonly kind: "invalid" | "shadowed" | "impossible" | "foreign" | "empty" | "open" | "unguarded";
  readonly message: string;
  /** Where the condition, the group, the route or the router is declared. */
  readonly site: DeclarationSite;
}

/** Describes one way to a handler: a row of the route table. */
export interface RouteSummary {
  /** The methods; undefined for every method. */
  readonly methods: readonly string[] | undefined;
  /** The whole path, with those of the groups. */
  readonly path: string;
  /** The name from `name(…)`. */
  readonly name: string | undefined;
  /** The media types that its responses can have, the preferred first. */
  readonly produces: readonly string[];
  /** The media ranges that its requests can have. */
  readonly consumes: readonly string[];
  /** The other conditions, in words. */
  readonly conditions: readonly string[];
  /** The filters of the groups around the handler, the outermost first, with the places that declared them. */
  readonly filters: readonly string[];
  /** What these filters and the web filters say of their refusals, the outermost first. */
  readonly refuses: readonly Refusal[];
  /** Why everybody may reach it, by `open(…)` or by a filter that lets everybody in; undefined where nothing says so. */
  readonly open: string | undefined;
  /** The `operationId` of the handler or the route, else the name of the handler's function; undefined without any. */
  readonly handler: string | undefined;
  /** `file:line:column` of the route. */
  readonly declaredAt: string;
}

/** A way in which a filter around a route refuses. */
export interface Refusal {
  /** As in `filters`. */
  readonly filter: string;
  /** Undefined for a filter of a function that says nothing by `describes`: how it refuses is not known. */
  readonly status: number | undefined;
  /** Of the problem; undefined for an answer that is not one. */
  readonly code: string | undefined;
  /** The methods of the route that it refuses; undefined for all of them. */
  readonly methods: readonly string[] | undefined;
}

/** Explains why a request is answered as it is. */
export interface Explanation {
  readonly method: string;
  readonly path: string;
  /** Each way to a handler, in the order in which they are tried. */
  readonly steps: readonly ExplanationStep[];
  /** The route that answers, as in `request.route`; undefined if the request is refused. */
  readonly route: MatchedRoute | undefined;
  /** The status of a refusal, or of the router's own answer to OPTIONS; undefined if a route answers. */
  readonly status: number | undefined;
  /** Returns the explanation as lines of text. */
  toString(): string;
}

/** Says what became of one route in an explanation. */
export interface ExplanationStep {
  readonly route: MatchedRoute;
  /** `file:line:column` */
  readonly declaredAt: string;
  /** The condition that failed; undefined if the route takes the request. */
  readonly unmet: UnmetCondition | undefined;
}

/** Names the first condition that failed, in the order of refusals: path, method, Content-Type, Accept, the rest. */
export interface UnmetCondition {
  readonly condition: string;
  /** What the request had instead. */
  readonly found: string;
}
