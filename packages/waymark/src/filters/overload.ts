import { DeclarationSite } from "../declaration-site.ts";
import type { AroundFilter } from "../filter.ts";
import { isPromise } from "../pipeline.ts";
import { problem } from "../problem.ts";
import { problemTypes } from "../problem-types.ts";
import type { HttpRequest } from "../request.ts";
import { positiveInteger } from "./positive-integer.ts";

export interface OverloadOptions {
  /** How many requests may be in hand at once, 1 or more. */
  readonly maxInFlight: number;
  /** What a client that is turned away is told to wait, in whole seconds, 1 or more. Default: 1. */
  readonly retryAfter?: number;
  /** The requests that are neither counted nor turned away, such as health checks. Default: none. */
  readonly except?: (request: HttpRequest) => boolean;
}

/**
 * Turns requests away at once, with 503 and Retry-After, while as many are in hand as may be: those that are taken are then
 * answered in time, where otherwise all would wait until their clients had given up. For `router({ filters })`, as far out as it
 * can be, or for a group that uses what is scarce.
 *
 * A request is in hand until its response has been sent or its client has gone. What a synchronous handler answers never is:
 * such requests wait in the sockets, not here.
 *
 * ```ts
 * router({ filters: [overload({ maxInFlight: 200, except: ({ path }) => path.startsWith("/health/") })] }, …)
 * ```
 *
 * @throws RangeError when a number of the options is not one
 */
export function overload(options: OverloadOptions): AroundFilter {
  const { except = () => false } = options;
  const maxInFlight = positiveInteger("maxInFlight", options.maxInFlight);
  const retryAfter = positiveInteger("retryAfter", options.retryAfter ?? 1);
  const refusal = problem(problemTypes.serviceUnavailable, {
    detail: `As many requests as can be are being answered. Try again in ${retryAfter} s.`,
  }).withHeader("Retry-After", String(retryAfter));
  let inFlight = 0;
  const leave = (): void => {
    inFlight--;
  };
  return {
    kind: "around",
    apply: (request, next) => {
      if (except(request)) return next(request);
      if (inFlight >= maxInFlight) return refusal;
      inFlight++;
      if (request.onEnd(leave)) return next(request);
      // Made by hand: it is over when there is a response, or a fault.
      try {
        const response = next(request);
        if (isPromise(response)) return response.finally(leave);
        leave();
        return response;
      } catch (error) {
        leave();
        throw error;
      }
    },
    site: new DeclarationSite(overload),
  };
}
