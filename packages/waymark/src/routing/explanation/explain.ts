import type { Explanation, ExplanationStep, UnmetCondition } from "../../app.ts";
import { escapeUnprintable } from "../../common/wording.ts";
import { type ConditionData, describeCondition } from "../../condition.ts";
import { describePath } from "../../conditions/path.ts";
import type { MatchedRoute } from "../../exchange/exchange.ts";
import { matchPattern, pathSegments } from "../../path/pattern.ts";
import type { HttpRequest } from "../../request.ts";
import type { Attempt } from "../dispatch/attempt.ts";
import { type Branch, describeRoute, matchesMethod, matchesPath } from "../dispatch/branch.ts";
import { refusePath } from "../dispatch/refusal.ts";
import type { PathRoutes, RouteTable } from "../dispatch/route-table.ts";

/** Explains by trying every branch, as slowly as need be. */
export function explain(branches: readonly Branch[], locate: RouteTable, request: HttpRequest): Explanation {
  const segments = pathSegments(request.path);
  const routes = locate(request.path)?.routes;
  const refused = routes && chosenAttempt(routes, request, segments) === undefined;
  const judged = (refused && routes.withoutMalformedAccept(request, routes.refuse(request, segments))) || request;
  const steps = branches.map((branch): ExplanationStep => {
    return {
      route: branch.route,
      declaredAt: String(branch.placed.route.site),
      unmet: findUnmet(branch, judged, segments),
    };
  });
  const attempt = routes && chosenAttempt(routes, judged, segments);
  const refusal = attempt === undefined ? (routes?.refuse(judged, segments) ?? refusePath(judged, locate)) : undefined;
  const { method, path } = request;
  const status = refusal?.status;
  const outcome = attempt === undefined ? `status ${status}` : describeRoute(attempt.branch.route);
  return {
    method,
    path,
    steps,
    route: attempt?.branch.route,
    status,
    toString: () => print(method, path, steps, attempt?.branch.route, outcome),
  };
}

function chosenAttempt(routes: PathRoutes, request: HttpRequest, segments: readonly string[]): Attempt | undefined {
  return routes
    .attempts(request.method)
    .find(({ checks, method }) => checks.every(({ matches }) => matches(request, method, segments)));
}

function findUnmet(branch: Branch, request: HttpRequest, segments: readonly string[]): UnmetCondition | undefined {
  const { pattern, furtherPatterns, methods, checks } = branch;
  const { method } = request;
  const mismatch = [pattern, ...furtherPatterns].find((each) => matchPattern(each, segments) === undefined);
  if (mismatch !== undefined) return { condition: describePath(mismatch.text), found: `"${request.path}"` };
  const taken = [method, ...(method === "HEAD" ? ["GET"] : [])].find((name) => matchesMethod(branch, name));
  if (matchesPath(branch, segments) && taken === undefined && methods?.has(method) === false) {
    const isOtherCase = methods.has(method.toUpperCase());
    return {
      condition: `method ${[...methods].join("|") || "none"}`,
      found: isOtherCase ? `${method}, and methods have their case` : method,
    };
  }
  const failed = checks.find(({ matches }) => !matches(request, taken ?? method, segments));
  return failed && { condition: describeCondition(failed.condition), found: findInRequest(failed.condition, request) };
}

function findInRequest(condition: ConditionData, request: HttpRequest): string {
  if (condition.kind === "not") return "a request for which it holds";
  if (condition.kind === "and" || condition.kind === "or") return "a request for which it does not hold";
  return condition.kind.find(condition, request);
}

function print(
  method: string,
  path: string,
  steps: readonly ExplanationStep[],
  chosen: MatchedRoute | undefined,
  outcome: string,
): string {
  const width = Math.max(0, ...steps.map(({ route }) => describeRoute(route).length));
  const lines = steps.map(({ route, unmet }) => {
    const taken = route === chosen ? "takes it" : "takes it too, and another one answers";
    const verdict = unmet === undefined ? taken : `wants ${unmet.condition}, found ${unmet.found}`;
    return `${route === chosen ? ">" : " "} ${describeRoute(route).padEnd(width)}  ${verdict}`;
  });
  return escapeUnprintable([`${method} ${path} → ${outcome}`, ...lines].join("\n"));
}
