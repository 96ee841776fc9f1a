import { quote } from "../common/wording.ts";
import { matchPattern, type PathVariables, pathSegments } from "../path/pattern.ts";
import { parseTarget } from "../path/target.ts";
import { parsePattern, parseTemplate, type TemplatePart } from "../path/template.ts";
import { HttpError } from "../problem.ts";

/** The values of the variables of a path: text or a number, or a list of texts for `{*rest}`. */
export type HrefVariables<P extends string> = {
  readonly [K in keyof PathVariables<P>]: PathVariables<P>[K] extends string ? string | number : readonly string[];
};

/**
 * Returns the path of a template with these variables, escaped. It is that of the route: `router` and `href` read templates alike.
 *
 * ```ts
 * href("/books/{id}", { id: "a/b" });                     // /books/a%2Fb
 * href("/books", {}, { q: "red & blue", tag: ["a", "b"] })   // /books?q=red+%26+blue&tag=a&tag=b
 * ```
 *
 * @param query parameters, in the order in which they are given; one that is undefined is left out
 * @throws TypeError when a value is missing, or the path would not be one that the template takes
 */
export function href<const P extends string>(
  template: P,
  variables: HrefVariables<P>,
  query: Readonly<Record<string, string | number | readonly string[] | undefined>> = {},
): string {
  const given: Readonly<Record<string, unknown>> = variables;
  const path = parseTemplate(template)
    .map((parts) => parts.map((part) => textOf(part, given, template)).join(""))
    .map((segment) => (segment.startsWith("/") || segment === "" ? segment : `/${segment}`))
    .join("");
  const whole = path === "" ? "/" : path;
  if (!isTaken(whole, template)) throw new TypeError(`The path ${quote(whole)} is none of ${quote(template)}`);
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) for (const each of [value].flat()) search.append(name, String(each));
  }
  return search.size === 0 ? whole : `${whole}?${search}`;
}

/** Clients would resolve dot segments, and an expression may not take the value. */
function isTaken(path: string, template: string): boolean {
  try {
    const pattern = parsePattern(template === "" ? "/" : template);
    return matchPattern(pattern, pathSegments(parseTarget(path).path)) !== undefined;
  } catch (error) {
    if (error instanceof HttpError) return false;
    throw error;
  }
}

function textOf(part: TemplatePart, given: Readonly<Record<string, unknown>>, template: string): string {
  if (part.kind === "text") return encodeURI(part.text);
  if (part.kind !== "variable" && part.kind !== "rest") return missing("a value for its wildcard", template);
  const { name } = part;
  const value = name === undefined ? undefined : given[name];
  if (part.kind === "rest" && Array.isArray(value)) return value.map((each) => `/${encode(String(each))}`).join("");
  if (part.kind === "variable" && (typeof value === "string" || typeof value === "number"))
    return encode(String(value));
  return missing(`{${name ?? "**"}}${part.kind === "rest" ? ", a list of texts" : ""}`, template);
}

// Colon, at sign and the like need no escape in a path.
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/%(?:3A|40|2C|24|3B|26|3D|2B)/g, decodeURIComponent);

function missing(what: string, template: string): never {
  throw new TypeError(`href(${JSON.stringify(template)}, …) needs ${what}`);
}
