import type { DeclarationSite } from "./declaration.ts";
import type { MatchedRoute } from "./exchange.ts";
import type { MethodsOf } from "./filter.ts";
import type { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";
import type { Servable } from "./served-app.ts";

/** What `router(…)` makes of routes: it answers requests. */
export interface App extends Servable {
  /**
   * Answers a request, also one made by hand, whose content is then read by the app's settings; never throws and never rejects.
   * It is synchronous when the filters and the handler are.
   */
  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
  /** Answers a web request: for tests, and for runtimes that serve by a fetch function. */
  fetch(request: Request): Promise<Response>;
  /** Explains for each route, in order, whether it takes the request, and the first condition that does not match. */
  explain(request: HttpRequest): Explanation;
  /** Every route, flat, in the order in which they are tried. */
  readonly routes: readonly RouteSummary[];
  /** Lists what is legal and yet worth a look: routes that are never reached, and that there are no routes. */
  readonly findings: readonly Finding[];
  /** The methods that the routes of a canonical path take, as `Allow` names them; undefined where no route has the path. */
  readonly methodsOf: MethodsOf;
}

/** What the router found when it was built: something invalid, a route that few or no requests reach, or that there are no routes. */
export interface Finding {
  /** `invalid`: it cannot have been meant, and the router is not built. */
  readonly kind: "invalid" | "shadowed" | "impossible" | "foreign" | "empty";
  readonly message: string;
  /** Where the condition, the group, the route or the router is declared. */
  readonly site: DeclarationSite;
}

/** A row of the route table: one way to a handler, that of a mounted app included. */
export interface RouteSummary {
  /** undefined: every method. */
  readonly methods: readonly string[] | undefined;
  /** The whole path, groups and all. */
  readonly path: string;
  /** What `name(…)` gave the route. */
  readonly name: string | undefined;
  /** The media types that its responses can have, the preferred first. */
  readonly produces: readonly string[];
  /** The media ranges that its requests can have. */
  readonly consumes: readonly string[];
  /** What else must hold, in words. */
  readonly conditions: readonly string[];
  /** The filters around the handler, the outermost first: what they are and where they were declared. */
  readonly filters: readonly string[];
  /** `file:line:column` of the route. */
  readonly declaredAt: string;
}

/** Why a request is answered as it is. */
export interface Explanation {
  readonly method: string;
  readonly path: string;
  /** Every way to a handler, in the order in which they are tried. */
  readonly steps: readonly ExplanationStep[];
  /** The route that answers, as `request.route` has it; undefined when the request is refused. */
  readonly route: MatchedRoute | undefined;
  /** The status of the refusal, or that of the router's own answer to OPTIONS; undefined when a route answers. */
  readonly status: number | undefined;
  /** The explanation of the mounted app, where one answers or refuses. */
  readonly mounted: Explanation | undefined;
  /** The explanation as lines for a person. */
  toString(): string;
}

export interface ExplanationStep {
  /** The route; of a mounted app that by which it is reached, `* /api/**`. */
  readonly route: MatchedRoute;
  /** `file:line:column` */
  readonly declaredAt: string;
  /** undefined: the route takes the request. */
  readonly unmet: UnmetCondition | undefined;
}

/** The first condition that failed, in the order in which refusals go: path, method, Content-Type, Accept, the rest. */
export interface UnmetCondition {
  readonly condition: string;
  /** What the request had instead. */
  readonly found: string;
}
