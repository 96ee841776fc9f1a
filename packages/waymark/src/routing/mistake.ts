import { type ConditionData, leaves } from "../condition.ts";
import type { DeclarationSite } from "../declaration.ts";
import { type MediaType, parseMediaRange, parseMediaType } from "../fields/media-type.ts";
import { isToken } from "../fields/syntax.ts";
import { PatternMistake, parsePattern } from "../path/template.ts";
import type { RouteData } from "../route.ts";

/** Something that cannot have been meant, and the place that declared it. */
export interface Mistake {
  readonly message: string;
  readonly site: DeclarationSite;
}

/** Thrown when the router is built: every mistake in its routes at once. */
export class RoutingMistakes extends Error {
  readonly mistakes: readonly Mistake[];

  constructor(mistakes: readonly Mistake[]) {
    const lines = mistakes.map(({ message, site }) => `\n- ${message} (${site})`);
    super(`The routes have ${mistakes.length === 1 ? "a mistake" : `${mistakes.length} mistakes`}:${lines.join("")}`);
    this.name = "RoutingMistakes";
    this.mistakes = mistakes;
  }
}

/** What is wrong with conditions of these routes, each looked at once. */
export function findMalformed(routes: readonly RouteData[]): ReadonlyMap<ConditionData, Mistake> {
  const found = new Map<ConditionData, Mistake>();
  for (const condition of new Set(routes.flatMap(conditionsIn))) {
    const message = mistakeIn(condition);
    if (message !== undefined) found.set(condition, { message, site: condition.site });
  }
  return found;
}

function conditionsIn(route: RouteData): readonly ConditionData[] {
  const own = route.conditions.flatMap(leaves);
  return route.kind === "group" ? [...own, ...route.routes.flatMap(conditionsIn)] : own;
}

function mistakeIn(condition: ConditionData): string | undefined {
  switch (condition.kind) {
    case "path":
      return mistakeInPattern(condition.pattern);
    case "method":
      return mistakeInList("method", condition.methods, isToken, "is not a method");
    case "accept":
      return mistakeInList(
        "accept",
        condition.mediaTypes,
        (type) => isPlain(parseMediaType(type)),
        "is not a media type (type/subtype, without wildcards and weights)",
      );
    case "contentType":
      return mistakeInList(
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

/** `application/*+json` is no wildcard and a `q` is no parameter of a type, though the grammar has both. */
const isPlain = (type: MediaType | undefined): boolean =>
  type !== undefined && !type.parameters.has("q") && (type.subtype === "*" || !type.subtype.includes("*"));

function mistakeInPattern(text: string): string | undefined {
  try {
    parsePattern(text);
    return undefined;
  } catch (error) {
    if (error instanceof PatternMistake) return error.message;
    throw error;
  }
}

function mistakeInList(
  of: string,
  names: readonly string[],
  isRight: (name: string) => boolean,
  complaint: string,
): string | undefined {
  if (names.length === 0) return `${of}() names nothing`;
  const wrong = names.find((name) => !isRight(name));
  return wrong === undefined ? undefined : `"${wrong}" ${complaint}`;
}
