import { DeclarationSite } from "../common/declaration.ts";
import { requireOptions } from "../common/known-options.ts";
import * as problemTypes from "../common/problem-types.ts";
import type { Filter } from "../filter.ts";
import { crossSiteRefusal, isFromHere } from "../serving/same-site.ts";
import { type CorsPolicy, originsOf } from "./cors-policy.ts";

/** The options of `refuseCrossSite`. */
export interface CrossSiteOptions {
  /** The policy whose origins may send changes all the same, that of `cors`. Default: none may. */
  readonly except?: CorsPolicy | undefined;
}

/**
 * Refuses with 403 what a browser sends for a page of another origin, unless the request only reads: a browser adds the
 * cookies and the passwords of its user, whoever wrote the page. For `router({ filters })`, inside of `cors`.
 *
 * Browsers say by `Sec-Fetch-Site` where a request comes from (Fetch Metadata), and no page can change that. For one that does not, an
 * `Origin` must have the host that the request is for, or be that of the `publicUrl` around it. Programs send neither, and are
 * let through.
 *
 * ```ts
 * router({ filters: [cors(policy), refuseCrossSite({ except: policy })] }, personRoutes(people))
 * ```
 *
 * @throws cors.PolicyError that lists everything that is wrong with the policy
 */
export function refuseCrossSite(options: CrossSiteOptions = {}): Filter {
  requireOptions("refuseCrossSite({ … })", options, ["except"]);
  const allows = options.except === undefined ? () => false : originsOf(options.except);
  return {
    kind: "filter",
    apply: (request, next) => {
      if (isFromHere(request)) return next(request);
      const origin = request.headers.get("origin");
      if (origin !== undefined && (allows === "everybody" || allows(origin))) return next(request);
      return crossSiteRefusal;
    },
    exceptMethods: reads,
    describes: { problems: [problemTypes.crossSiteRequest] },
    site: new DeclarationSite(refuseCrossSite),
  };
}

const reads: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
