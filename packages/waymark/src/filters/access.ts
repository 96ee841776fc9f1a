import { type Awaitable, andThen } from "../common/and-then.ts";
import { DeclarationSite } from "../common/declaration.ts";
import * as problemTypes from "../common/problem-types.ts";
import { typeName } from "../common/wording.ts";
import type { Description } from "../description.ts";
import { type Attribute, attribute } from "../exchange/exchange.ts";
import { quotedText, tokenText } from "../fields/syntax.ts";
import type { Filter } from "../filter.ts";
import { problem } from "../problem.ts";
import type { HttpRequest } from "../request.ts";
import { empty, type HttpResponse } from "../response.ts";
import { isRefusedMessage } from "../routing/dispatch/refusal.ts";

/** Identifies the sender of a request. */
export interface Caller {
  /** The id for logs: the same for every request of a caller, and different for every caller. */
  readonly id: string;
  /** What the caller may do, in terms of the app, such as `person:read`. */
  readonly scopes: readonly string[];
}

/** The key of the caller that `access` let pass; absent if anyone may pass. */
export const caller: Attribute<Caller> = attribute("caller");

/**
 * Decides which requests pass: for `router({ filters })`, before everything that reveals something
 * about the path, or for a group. A request that is refused reaches no further filter and no handler, and its content
 * is not read.
 *
 * Put `cors(…)` before it, so that scripts can read the refusals. A CORS pre-flight needs no access; one that gets
 * here is answered 204 without any fields, because further in it could reach a handler.
 *
 * ```ts
 * const guard = access((request) => {
 *   const found = keys.get(request.header("Authorization") ?? "");
 *   return found ? { kind: "allowed", caller: found } : { kind: "unauthenticated", challenges: ['Bearer realm="notes"'] };
 * });
 * router({ filters: [cors(policy), guard] }, GET("/me", (request) => text(request.attribute(caller)?.id ?? "nobody")));
 * ```
 *
 * @param decide must not read the content. It gets no request with two Authorization fields: that is answered 400. What it
 *   throws is a 500 like any fault, and lets nobody in
 */
export function access(decide: (request: HttpRequest) => Awaitable<access.Decision>): Filter {
  if (typeof decide !== "function") throw new TypeError(`access(…) takes a function, not ${typeName(decide)}`);
  return {
    kind: "filter",
    apply: (request, next) => {
      // It reaches nothing, and its fault is not a secret.
      if (isRefusedMessage(request)) return next(request);
      if (isPreflight(request)) return empty(204);
      if (hasSeveral(request.headers.getAll("authorization"))) return ambiguous;
      return andThen(decide(request), (decision) => {
        if (decision?.kind !== "allowed") return refuse(decision);
        return next(decision.caller === undefined ? request : request.withAttribute(caller, decision.caller));
      });
    },
    describes: described,
    site: new DeclarationSite(access),
  };
}

export declare namespace access {
  /** The answer of `decide` to a request. A challenge is the value of one WWW-Authenticate field. */
  type Decision =
    | { readonly kind: "allowed"; readonly caller?: Caller | undefined }
    /** 400: there are two credentials, which two readers might choose between differently (RFC 9110 §5.3, §11.6.2). */
    | { readonly kind: "ambiguous" }
    /** 401: the caller is unknown. There is a challenge for each scheme that would do (RFC 9110 §11.6.1). */
    | { readonly kind: "unauthenticated"; readonly challenges: readonly [string, ...string[]] }
    /**
     * 403: the caller is known, but may not do this. Default `detail`: "The credentials do not allow this." `members` are further
     * ones of the problem, such as who the caller is.
     */
    | {
        readonly kind: "forbidden";
        readonly challenges?: readonly string[];
        readonly detail?: string;
        readonly members?: Readonly<Record<string, unknown>>;
      }
    /** 429: too many attempts. `retryAfter` is in whole seconds. */
    | { readonly kind: "throttled"; readonly retryAfter: number }
    /** 503: the credentials cannot be checked at the moment. */
    | { readonly kind: "unavailable"; readonly retryAfter: number };
}

/**
 * Returns whether there are several credentials: on lines of their own, or joined by commas, as a web `Headers` does with lines.
 * Of one, what is behind a comma is a parameter (RFC 9110 §11.4).
 */
function hasSeveral(lines: readonly string[]): boolean {
  const [line = ""] = lines;
  if (lines.length > 1 || !line.includes(",")) return lines.length > 1;
  const [, ...others] = line.replace(quotedTexts, "").split(",");
  return others.some((member) => !parameter.test(member));
}

const quotedTexts = new RegExp(quotedText, "g");
const parameter = new RegExp(`^[ \\t]*(?:${tokenText}[ \\t]*=|$)`);

const described: Description = {
  responses: {
    401: {
      description: "The request has no credentials that are good here.",
      headers: { "WWW-Authenticate": { description: "How to authenticate (RFC 9110 §11.6.1)." } },
    },
  },
  problems: [
    problemTypes.ambiguousCredentials,
    problemTypes.forbidden,
    problemTypes.tooManyAttempts,
    problemTypes.accessUndecided,
  ],
};

function refuse(decision: Exclude<access.Decision, { kind: "allowed" }>): HttpResponse {
  switch (decision?.kind) {
    case "ambiguous":
      return ambiguous;
    case "unauthenticated":
      return withChallenges(unauthenticated, decision.challenges);
    case "forbidden": {
      // As the others do, it does not name the path, which would reveal that there is something.
      const { detail = "The credentials do not allow this.", members, challenges = [] } = decision;
      return withChallenges(problem(problemTypes.forbidden, { detail, ...members }), challenges);
    }
    case "throttled":
      return throttled.withHeader("Retry-After", `${decision.retryAfter}`);
    case "unavailable":
      return unavailable.withHeader("Retry-After", `${decision.retryAfter}`);
    default:
      // From JavaScript: a value that is not a decision lets nobody in.
      throw new TypeError(`access(…) needs a decision, not ${typeName(decision)}`);
  }
}

const withChallenges = (response: HttpResponse, challenges: readonly string[]): HttpResponse =>
  challenges.reduce((challenged, challenge) => challenged.withAddedHeader("WWW-Authenticate", challenge), response);

const unauthenticated = empty(401).withHeader("Cache-Control", "no-store");
const ambiguous = problem(problemTypes.ambiguousCredentials, {
  detail: "The request has more than one Authorization; send one.",
});
const throttled = problem(problemTypes.tooManyAttempts, { detail: "Wait before the next attempt." });
const unavailable = problem(problemTypes.accessUndecided, { detail: "Try again in a moment." });

/** Returns whether a browser asks by it for leave to send another request (the Fetch standard's CORS-preflight request). */
export const isPreflight = ({ method, headers }: HttpRequest): boolean =>
  method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");
