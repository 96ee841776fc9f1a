import type { Finding } from "../app.ts";
import { type ConditionData, leaves } from "../condition.ts";
import { type MediaType, parseMediaRange, parseMediaType } from "../fields/media-type.ts";
import { isToken } from "../fields/syntax.ts";
import { PatternError, parsePattern } from "../path/template.ts";
import type { RouteData } from "../route.ts";

/** Is thrown if a router cannot be built. `findings` lists every error of its routes. */
export class RoutingError extends Error {
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    const lines = findings.map(({ message, site }) => `\n- ${message} (${site})`);
    super(`The routes have ${findings.length === 1 ? "an error" : `${findings.length} errors`}:${lines.join("")}`);
    this.name = "RoutingError";
    this.findings = findings;
  }
}

/** Returns what is wrong with conditions of these routes, each of which is looked at once. */
export function findInvalid(routes: readonly RouteData[]): ReadonlyMap<ConditionData, Finding> {
  const found = new Map<ConditionData, Finding>();
  for (const condition of new Set(routes.flatMap(conditionsIn))) {
    const message = findingIn(condition);
    if (message !== undefined) found.set(condition, { kind: "invalid", message, site: condition.site });
  }
  return found;
}

function conditionsIn(route: RouteData): readonly ConditionData[] {
  const own = route.conditions.flatMap(leaves);
  return route.kind === "group" ? [...own, ...route.routes.flatMap(conditionsIn)] : own;
}

function findingIn(condition: ConditionData): string | undefined {
  switch (condition.kind) {
    case "path":
      return findingInPattern(condition.pattern);
    case "method":
      return findingInList("method", condition.methods, isToken, "is not a method");
    case "accept":
      return findingInList(
        "accept",
        condition.mediaTypes,
        (type) => isPlain(parseMediaType(type)),
        "is not a media type (type/subtype, without wildcards and weights)",
      );
    case "contentType":
      return findingInList(
        "contentType",
        condition.mediaTypes,
        (range) => isPlain(parseMediaRange(range)),
        "is not a media range (type/subtype or type/*, without a weight)",
      );
    case "header":
      return isToken(condition.name) ? undefined : `"${condition.name}" is not a header field name`;
    case "test": {
      const wrong = condition.consults.find((name) => !isToken(name));
      return wrong === undefined ? undefined : `"${wrong}", which the test consults, is not a header field name`;
    }
    default:
      return undefined;
  }
}

/** The grammar has `application/*+json` and `q`, but the first is not a wildcard and the second not a parameter of a type. */
const isPlain = (type: MediaType | undefined): boolean =>
  type !== undefined && !type.parameters.has("q") && (type.subtype === "*" || !type.subtype.includes("*"));

function findingInPattern(text: string): string | undefined {
  try {
    parsePattern(text);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

function findingInList(
  of: string,
  names: readonly string[],
  isRight: (name: string) => boolean,
  complaint: string,
): string | undefined {
  if (names.length === 0) return `${of}() names nothing`;
  const wrong = names.find((name) => !isRight(name));
  return wrong === undefined ? undefined : `"${wrong}" ${complaint}`;
}
