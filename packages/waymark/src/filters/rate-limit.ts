import { DeclarationSite } from "../declaration-site.ts";
import type { AroundFilter, Awaitable, Next } from "../filter.ts";
import { HeaderList } from "../header-list.ts";
import { isPromise } from "../pipeline.ts";
import { problem } from "../problem.ts";
import { problemTypes } from "../problem-types.ts";
import type { HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";
import { isToken } from "../token.ts";
import { clientKey } from "./client-key.ts";
import { positiveInteger } from "./positive-integer.ts";
import { type Allowance, memoryRateLimiter, type RateLimiter } from "./rate-limiter.ts";

export interface RateLimitOptions {
  /** How many requests a client has to a window, 1 or more. */
  readonly limit: number;
  /** How long a window is, in whole seconds. */
  readonly window: number;
  /** Whose quota a request counts against; undefined where it is not counted. Default: `clientKey`, the client's address. */
  readonly key?: (request: HttpRequest) => string | undefined;
  /** The name of the policy, a token: where there are several, each has its own. Default: `default`. */
  readonly name?: string;
  /**
   * What counts, and may grant some keys another limit. Default: `memoryRateLimiter` with this limit and window, which is for one
   * process.
   */
  readonly limiter?: RateLimiter;
}

/**
 * Grants each client so many requests in a time, and answers those beyond with 429 and Retry-After, before anything is done for
 * them. Responses tell what is left, in `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).
 * For `router({ filters })`, inside of `cors`, or for a group.
 *
 * ```ts
 * router({ filters: [rateLimit({ limit: 100, window: 60 })] }, personRoutes(people))
 * ```
 *
 * @throws RangeError when a number of the options is out of its bounds
 * @throws TypeError when the name is no token
 */
export function rateLimit(options: RateLimitOptions): AroundFilter {
  const { key = clientKey, name = "default" } = options;
  const limit = positiveInteger("limit", options.limit);
  const window = positiveInteger("window", options.window);
  const limiter = options.limiter ?? memoryRateLimiter({ limit, window });
  if (!isToken(name)) throw new TypeError(`The name of a rate limit is a token, not ${JSON.stringify(name)}`);

  const proceed = (request: HttpRequest, next: Next, allowance: Allowance): Awaitable<HttpResponse> => {
    const { allowed, remaining } = allowance;
    const policy = `"${name}";q=${allowance.limit};w=${window}`;
    // Rounded up: who comes back then must not be too early.
    const reset = Math.ceil(allowance.resetSeconds);
    const fields = ["RateLimit-Policy", policy, "RateLimit", `"${name}";r=${remaining};t=${reset}`];
    if (!allowed) return withFields(refuse(name, Math.max(reset, 1)), fields);
    const response = next(request);
    return isPromise(response) ? response.then((settled) => withFields(settled, fields)) : withFields(response, fields);
  };

  return {
    kind: "around",
    apply: (request, next) => {
      const counted = key(request);
      if (counted === undefined) return next(request);
      const allowance = limiter.consume(counted);
      return isPromise(allowance)
        ? allowance.then((settled) => proceed(request, next, settled))
        : proceed(request, next, allowance);
    },
    site: new DeclarationSite(rateLimit),
  };
}

function refuse(name: string, seconds: number): HttpResponse {
  const detail = `There have been more requests than are granted. Try again in ${seconds} s.`;
  const details = { detail, "violated-policies": [name] };
  return problem(problemTypes.quotaExceeded, details).withHeader("Retry-After", String(seconds));
}

/** Lines of their own, since both are lists: there may be another policy further in. */
const withFields = (response: HttpResponse, fields: readonly string[]): HttpResponse =>
  response.withHeaders(response.headers.concat(HeaderList.fromParsed(fields)));
