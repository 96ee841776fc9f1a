import { andThen } from "../and-then.ts";
import { DeclarationSite } from "../declaration.ts";
import { parsedHeaders } from "../fields/header-list.ts";
import type { WebFilter } from "../filter.ts";
import { empty, type HttpResponse } from "../response.ts";
import { isPreflight } from "./access.ts";
import { type CorsPolicy, CorsPolicyError, compilePolicy, corsDefaults, type Policy } from "./cors-policy.ts";

/**
 * Lets scripts on pages of other origins use the app, as the Fetch standard's CORS protocol has it: for `router({ filters })`,
 * in the first place. It answers pre-flights itself, from the methods of the routes: they reach no later filter, no access
 * check and no handler. Every other response, a refusal and a 500 too, gets the fields that let a script read it.
 *
 * It refuses nobody: to a page that is not allowed it says nothing, and the browser keeps the response from the page.
 *
 * ```ts
 * router({ filters: [cors({ origins: ["https://app.example.com"] })] }, personRoutes(people))
 * ```
 *
 * @throws cors.PolicyError that lists everything that is wrong with the policy
 */
export function cors(policy: CorsPolicy): WebFilter {
  const compiled = compilePolicy(policy);
  return {
    kind: "web",
    apply: (request, next, methodsOf) => {
      const origin = request.headers.get("origin");
      // Asked before the next step: a test that fails must not turn a stored record into a 500.
      const allowed = allowedOrigin(compiled, origin);
      if (isPreflight(request)) return answerPreflight(compiled, allowed, methodsOf(request.path));
      return andThen(next(request), (response) => share(compiled, allowed, response));
    },
    repeatable: true,
    site: new DeclarationSite(cors),
  };
}

export declare namespace cors {
  /** Which pages of other origins may use the app, and how. */
  type Policy = CorsPolicy;
  /** Lists the default fields of a policy. To extend one: `[...cors.defaults.requestHeaders, "X-Own"]`. */
  const defaults: typeof corsDefaults;
  /** Thrown for a policy that is impossible, or that browsers would not follow. `findings` lists all errors. */
  const PolicyError: typeof CorsPolicyError;
}
Object.assign(cors, { defaults: corsDefaults, PolicyError: CorsPolicyError });

/** Returns the value of Access-Control-Allow-Origin; undefined when there is no origin, or it is not allowed. */
function allowedOrigin(policy: Policy, origin: string | undefined): string | undefined {
  if (policy.allows === "everybody") return "*";
  return origin !== undefined && policy.allows(origin) ? origin : undefined;
}

function answerPreflight(policy: Policy, allowed: string | undefined, methods: readonly string[] = []): HttpResponse {
  const fields = ["Vary", policy.preflightVary];
  if (allowed !== undefined) {
    fields.push("Access-Control-Allow-Origin", allowed, ...policy.preflightFields);
    const usable = methods.filter(policy.permitsMethod);
    if (usable.length > 0) fields.push("Access-Control-Allow-Methods", usable.join(", "));
  }
  return empty(204).withHeaders(parsedHeaders(fields));
}

/**
 * Returns the response with the fields of the policy, and no others of their names: a handler may have taken it from
 * elsewhere.
 */
function share(policy: Policy, allowed: string | undefined, response: HttpResponse): HttpResponse {
  let { headers } = response;
  for (const name of sharingFields) headers = headers.without(name);
  if (policy.variesByOrigin) headers = headers.withMembers("Vary", ["Origin"]);
  if (allowed === undefined) return response.withHeaders(headers);
  const shared = parsedHeaders(["Access-Control-Allow-Origin", allowed]);
  return response.withHeaders(headers.concat(shared).concat(policy.responseFields));
}

const sharingFields = [
  "access-control-allow-origin",
  "access-control-allow-credentials",
  "access-control-expose-headers",
];
