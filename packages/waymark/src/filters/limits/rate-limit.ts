import { type Awaitable, andThen } from "../../common/and-then.ts";
import { DeclarationSite, positiveInteger } from "../../common/declaration.ts";
import { requireOptions } from "../../common/known-options.ts";
import * as problemTypes from "../../common/problem-types.ts";
import { quote } from "../../common/wording.ts";
import type { Description } from "../../description.ts";
import type { Repetition } from "../../exchange/answer-recording.ts";
import { parsedHeaders } from "../../fields/header-list.ts";
import { isToken } from "../../fields/syntax.ts";
import type { Filter, Next } from "../../filter.ts";
import { problem } from "../../problem.ts";
import type { HttpRequest } from "../../request.ts";
import type { HttpResponse } from "../../response.ts";
import { notRepeatable, onRepeat, unasked } from "../../serving/repeatable.ts";
import {
  type Allowance,
  MemoryRateLimiter,
  type MemoryRateLimiterOptions,
  type RateLimiter,
} from "./memory-rate-limiter.ts";

/** The options of `rateLimit`. */
export interface RateLimitOptions {
  /** The number of requests for each client in a window, 1 or more. */
  readonly limit: number;
  /** How long a window is, in whole seconds. */
  readonly window: number;
  /**
   * Returns the key whose quota the request uses; undefined if it is not counted. Default: `rateLimit.clientKey`, the
   * client's address, without which a request is a 500.
   */
  readonly key?: (request: HttpRequest) => string | undefined;
  /** Returns whether a request is neither counted nor refused, such as a health check. Default: none. */
  readonly except?: (request: HttpRequest) => boolean;
  /** Called for each request that is turned away. Must not throw. */
  readonly onTurnedAway?: (() => void) | undefined;
  /** The name of the policy, a token; different for each of several policies. Default: `default`. */
  readonly name?: string;
  /**
   * The counter, which may give some keys another limit. Default: `rateLimit.inMemory` with this limit and window, for
   * one process.
   */
  readonly limiter?: RateLimiter;
  /**
   * Says that `except` depends on nothing but the head of the request, so that answers may come from memory; with these defaults of
   * `key` and `limiter`. Default: they may where there is no `except`.
   */
  readonly repeatable?: true;
}

/**
 * Grants each client a number of requests in a time, and answers those beyond with 429 and Retry-After, before anything
 * is done for them. Responses say what is left, in `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers). For `router({ filters })`, inside of `cors`, or for a group.
 *
 * ```ts
 * router({ filters: [rateLimit({ limit: 100, window: 60 })] }, personRoutes(people))
 * ```
 *
 * @throws RangeError when a number of the options is out of its bounds
 * @throws TypeError when the name is not a token
 */
export function rateLimit(options: RateLimitOptions): Filter {
  const names = ["limit", "window", "key", "except", "onTurnedAway", "name", "limiter", "repeatable"] as const;
  requireOptions("rateLimit({ … })", options, names);
  const { key = clientKey, except = () => false, name = "default", onTurnedAway = () => undefined } = options;
  const limit = positiveInteger("limit", options.limit);
  const window = positiveInteger("window", options.window);
  const limiter = options.limiter ?? new MemoryRateLimiter({ limit, window });
  if (!isToken(name)) {
    throw new TypeError(`The name of a rate limit has letters, digits and hyphens, such as burst, not ${quote(name)}`);
  }

  const isByHead = options.except === undefined || options.repeatable === true;
  // Any other limiter may have to be waited for, and any other key may be of anything.
  const counter = limiter instanceof MemoryRateLimiter && key === clientKey && isByHead ? limiter : undefined;
  // Each answer from memory counts for the client of its own. One to a client that has used up its quota is left to the filter.
  const repetition: Repetition | undefined = counter && {
    mayRepeat: ({ address }) => address !== undefined && counter.hasLeft(clientKey(address)),
    renews: { name: "RateLimit", value: ({ address = "" }) => stateOf(name, counter.consume(clientKey(address))) },
  };
  const proceed = (request: HttpRequest, next: Next, allowance: Allowance): Awaitable<HttpResponse> => {
    const policy = `"${name}";q=${allowance.limit};w=${window}`;
    // Lines of their own, since both are lists: there may be another policy further in.
    const fields = parsedHeaders(["RateLimit-Policy", policy, "RateLimit", stateOf(name, allowance)]);
    const finish = (response: HttpResponse): HttpResponse => response.withHeaders(response.headers.concat(fields));
    if (allowance.allowed) return andThen(next(request), finish);
    onTurnedAway();
    return finish(refuse(name, Math.max(secondsOf(allowance), 1)));
  };
  return {
    kind: "filter",
    apply: (request, next) => {
      if (except(request)) return next(request);
      const counted = counter === undefined ? key(request) : unasked(request, () => key(request));
      if (counted === undefined) {
        notRepeatable(request);
        return next(request);
      }
      if (repetition !== undefined) onRepeat(request, repetition);
      return andThen(limiter.consume(counted), (allowance) => proceed(request, next, allowance));
    },
    describes: (sample) => (except(sample) ? {} : described),
    repeatable: repetition && true,
    site: new DeclarationSite(rateLimit),
  };
}

export declare namespace rateLimit {
  /** Counts what each client uses of its quota: in memory, or in a store that several processes share. */
  type Limiter = RateLimiter;
  /**
   * Makes a rate limiter for one process. If there are more keys than it remembers, it forgets the one that was silent
   * longest, which then has a full quota again.
   *
   * @throws RangeError when an option is out of its bounds
   */
  const inMemory: (options: MemoryRateLimiterOptions) => Limiter;
  /**
   * Returns the address of a client, or of that of a request, as a key: of IPv6 the first 64 bits, since a client with one such
   * address has all that begin like it (RFC 6177). Requests of `HttpRequest.of` without an address are those of one client, the program.
   *
   * @param unknown the key that all clients share where their addresses are unknown. Default: none, and the request is refused
   * @throws TypeError when the address is unknown and there is no key for that
   */
  const clientKey: (of: string | Pick<HttpRequest, "client" | "native" | "signal">, unknown?: string) => string;
}
Object.assign(rateLimit, {
  inMemory: (options: MemoryRateLimiterOptions) => new MemoryRateLimiter(options),
  clientKey,
});

/** Returns the value of `RateLimit`. */
const stateOf = (name: string, allowance: Allowance): string =>
  `"${name}";r=${allowance.remaining};t=${secondsOf(allowance)}`;

/** Rounded up: a client that comes back then must not be too early. */
const secondsOf = ({ resetSeconds }: Allowance): number => Math.ceil(resetSeconds);

const described: Description = {
  problems: [problemTypes.quotaExceeded],
  responseHeaders: {
    "RateLimit-Policy": { description: "How many requests a client has, and to how many seconds." },
    RateLimit: { description: "How many requests are left, and in how many seconds all are there again." },
  },
};

function refuse(name: string, seconds: number): HttpResponse {
  const detail = `There were too many requests. Try again in ${seconds} s.`;
  const refusal = problem(problemTypes.quotaExceeded, { detail, "violated-policies": [name] });
  return refusal.withHeader("Retry-After", `${seconds}`);
}

/** Is `rateLimit.clientKey`. */
function clientKey(of: string | Pick<HttpRequest, "client" | "native" | "signal">, unknown?: string): string {
  const address = typeof of === "string" ? of : of.client.address;
  if (address !== undefined) return networkOf(address);
  if (unknown !== undefined) return unknown;
  // The connection of a client that has gone has no address any more, and nobody gets the answer.
  if (typeof of === "string" || of.native === undefined || of.signal.aborted) return "unknown";
  throw new TypeError(
    "The address of the client is unknown, so clients cannot be distinguished: serve the app by app.fetchHandler(…), " +
      "which takes the address from the runtime, or give rateLimit a key",
  );
}

function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [before = "", after] = address.replace(/%.*$/, "").split("::");
  const first = before === "" ? [] : before.split(":");
  const last = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? [] : new Array<string>(Math.max(8 - first.length - last.length, 0)).fill("0");
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`;
}
