import { andThen } from "../common/and-then.ts";
import { DeclarationSite } from "../common/declaration.ts";
import { parsedHeaders } from "../fields/header-list.ts";
import type { WebFilter } from "../filter.ts";
import { empty, type HttpResponse } from "../response.ts";
import { isPreflight } from "./access.ts";
import { type CorsPolicy, CorsPolicyError, corsDefaults, originsOf } from "./cors-policy.ts";

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
  const allows = originsOf(policy);
  const { methods, credentials = false, maxAge = 7200 } = policy;
  const { requestHeaders = corsDefaults.requestHeaders, exposedHeaders = corsDefaults.exposedHeaders } = policy;
  const ofAll = credentials ? ["Access-Control-Allow-Credentials", "true"] : [];
  const shared = parsedHeaders([...ofAll, ...listField("Access-Control-Expose-Headers", exposedHeaders)]);
  const askedFor = ["Access-Control-Request-Method", "Access-Control-Request-Headers"];
  // With a list of origins the fields depend on the one that asks, which every response says to caches.
  const consulted = allows === "everybody" ? [] : ["Origin"];

  const answerPreflight = (allowed: string | undefined, usable: readonly string[]): HttpResponse => {
    const fields = ["Vary", [...consulted, ...askedFor].join(", ")];
    if (allowed !== undefined) {
      fields.push("Access-Control-Allow-Origin", allowed, ...ofAll);
      fields.push(...listField("Access-Control-Allow-Headers", requestHeaders), "Access-Control-Max-Age", `${maxAge}`);
      fields.push(...listField("Access-Control-Allow-Methods", usable));
    }
    return empty(204).withHeaders(parsedHeaders(fields));
  };
  /** Returns the response with these fields only: a handler may have taken it from elsewhere. */
  const share = (allowed: string | undefined, response: HttpResponse): HttpResponse => {
    const others = sharingFields.reduce((headers, name) => headers.without(name), response.headers);
    const headers = consulted.length === 0 ? others : others.withMembers("Vary", consulted);
    if (allowed === undefined) return response.withHeaders(headers);
    return response.withHeaders(headers.concat(parsedHeaders(["Access-Control-Allow-Origin", allowed])).concat(shared));
  };
  return {
    kind: "web",
    apply: (request, next, methodsOf) => {
      const origin = request.headers.get("origin");
      // Asked before the next step: a test that fails must not turn a stored record into a 500.
      const allowed = allows === "everybody" ? "*" : origin !== undefined && allows(origin) ? origin : undefined;
      if (!isPreflight(request)) return andThen(next(request), (response) => share(allowed, response));
      return answerPreflight(allowed, methodsOf(request.path)?.filter((each) => methods?.includes(each) ?? true) ?? []);
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

const listField = (name: string, members: readonly string[]): readonly string[] =>
  members.length === 0 ? [] : [name, members.join(", ")];

const sharingFields = [
  "access-control-allow-origin",
  "access-control-allow-credentials",
  "access-control-expose-headers",
];
