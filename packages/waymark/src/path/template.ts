import { betweenTexts, type Gap } from "./between-texts.ts";
import {
  findingInRests,
  matchPattern,
  type PathPattern,
  pathSegments,
  type Segment,
  type SegmentExpression,
} from "./pattern.ts";
import { encodeLiteral } from "./target.ts";

/** Thrown for a malformed template. The message says what is wrong. */
export class PatternError extends Error {}

/**
 * Returns the pattern that a template spells.
 *
 * | In the template | takes |
 * |---|---|
 * | `person` | that segment, case and all; written decoded, so `a b` and not `a%20b` |
 * | `{id}` | one segment that is not empty |
 * | `{id:[0-9]+}` | one segment that the regular expression takes whole; its back-references count its own groups |
 * | `{name}.{ext}`, `v{n:[0-9]+}` | text around variables; the leftmost takes as much as it can |
 * | `?`, `*` in a segment | one character, any number of characters |
 * | `*` | one segment that is not empty |
 * | `{*rest}`, `**` | every segment that is left, perhaps none; first or last in the path |
 *
 * @throws PatternError when the template is malformed
 */
export function parsePattern(text: string): PathPattern {
  if (text === "") return { text, segments: [] };
  if (!text.startsWith("/")) throw new PatternError(`The path "${text}" must begin with a slash`);
  return { text, segments: splitSegments(text).map((segment) => parseSegment(segment, text)) };
}

/** A part of a segment of a template: text, a variable, a wildcard, or all segments that are left. */
export type TemplatePart = Part | { readonly kind: "rest"; readonly name: string | undefined };

/**
 * Returns the segments of a template in their parts, for what spells paths in another way or looks for variables.
 *
 * ```ts
 * parseTemplate("/people/{id}"); // [[{ kind: "text", text: "people" }], [{ kind: "variable", name: "id", … }]]
 * ```
 *
 * @throws PatternError when the template is malformed
 */
export function parseTemplate(text: string): readonly (readonly TemplatePart[])[] {
  return splitSegments(text).map((segment): readonly TemplatePart[] => {
    const rest = /^(?:\*\*|\{\*([^{}]*)\})$/.exec(segment);
    return rest === null ? parseParts(segment, text) : [{ kind: "rest", name: rest[1] }];
  });
}

/** Splits at slashes outside braces: a regular expression keeps its slashes. */
function splitSegments(text: string): string[] {
  const segments: string[] = [];
  let depth = 0;
  let start = 1;
  for (let i = 1; i <= text.length; i++) {
    if (text[i] === "{") depth++;
    else if (text[i] === "}" && depth > 0) depth--;
    else if ((text[i] === "/" && depth === 0) || i === text.length) {
      segments.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return segments;
}

const name = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

function parseSegment(text: string, template: string): Segment {
  if (text === "**") return { kind: "rest", name: undefined };
  if (text === "*") return { kind: "any" };
  if (text === "." || text === "..") throw new PatternError(`The path "${template}" has the dot segment "${text}"`);
  const rest = /^\{\*([^{}]*)\}$/.exec(text);
  if (rest !== null) return { kind: "rest", name: requireName(rest[1] as string, template) };
  const parts = parseParts(text, template);
  if (parts.every((part) => part.kind === "text")) {
    return { kind: "literal", text: encodeLiteral(parts.map((part) => part.text).join("")) };
  }
  const [only] = parts;
  if (parts.length === 1 && only?.kind === "variable" && only.expression === undefined) {
    return { kind: "variable", name: only.name };
  }
  return toExpression(parts, template);
}

type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "wildcard"; readonly expression: "." | ".*" }
  | { readonly kind: "variable"; readonly name: string; readonly expression: string | undefined };

function parseParts(text: string, template: string): Part[] {
  const parts: Part[] = [];
  for (let i = 0; i < text.length; ) {
    const character = text[i] as string;
    if (character === "{") {
      const end = closingBrace(text, i, template);
      const inner = text.slice(i + 1, end);
      const colon = inner.indexOf(":");
      if (inner.startsWith("*")) {
        throw new PatternError(`The path "${template}" has {${inner}} beside other text; it takes whole segments`);
      }
      const variable = requireName(colon < 0 ? inner : inner.slice(0, colon), template);
      if (colon === inner.length - 1) {
        throw new PatternError(
          `The path "${template}" has no expression after the colon in {${inner}}; {${variable}} takes any segment`,
        );
      }
      parts.push({ kind: "variable", name: variable, expression: colon < 0 ? undefined : inner.slice(colon + 1) });
      i = end + 1;
    } else if (character === "}") {
      throw new PatternError(`The path "${template}" has a "}" that closes nothing`);
    } else if (character === "*" || character === "?") {
      parts.push({ kind: "wildcard", expression: character === "?" ? "." : ".*" });
      i++;
    } else {
      const literal = /^[^{}*?]+/.exec(text.slice(i))?.[0] as string;
      parts.push({ kind: "text", text: literal });
      i += literal.length;
    }
  }
  return parts;
}

function closingBrace(text: string, open: number, template: string): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "{") depth++;
    if (text[i] === "}" && --depth === 0) return i;
  }
  throw new PatternError(`The path "${template}" has a "{" that is not closed`);
}

function requireName(text: string, template: string): string {
  // __proto__ as a key would set the prototype of the variables instead of a variable.
  if (name.test(text) && text !== "__proto__") return text;
  throw new PatternError(`The path "${template}" has the variable {${text}}, which is not a name`);
}

function toExpression(parts: readonly Part[], template: string): Segment {
  const names: string[] = [];
  const taken = new Set<string>();
  const take = (name: string): void => {
    if (taken.has(name)) throw new PatternError(`The path "${template}" has the name {${name}} twice in one segment`);
    taken.add(name);
  };
  let groups = 0;
  let source = "";
  let shape = "";
  for (const part of parts) {
    if (part.kind !== "variable") {
      const text = part.kind === "text" ? part.text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") : part.expression;
      source += text;
      shape += text;
      continue;
    }
    const { name, expression = ".+" } = part;
    const inside = groupsOf(expression, template);
    take(name);
    inside.names.forEach(take);
    names.push(name);
    groups += 1;
    // In the whole, the groups of the expression come after those of the variables before it and its own.
    const moved = expression.replace(/\\(?:([1-9]\d*)|.)/gsu, (escaped, number) =>
      number === undefined ? escaped : `\\${Number(number) + groups}`,
    );
    groups += inside.count;
    source += `(?<${name}>${moved})`;
    shape += `(${moved})`;
  }
  return { kind: "expression", expression: withoutExpressions(parts) ?? new RegExp(`^${source}$`, "su"), names, shape };
}

/** Returns what takes a segment of texts, and variables and `*` between them; undefined for any other. */
function withoutExpressions(parts: readonly Part[]): SegmentExpression | undefined {
  const texts = [""];
  const gaps: Gap[] = [];
  for (const part of parts) {
    if (part.kind === "text") {
      texts[gaps.length] = part.text;
      continue;
    }
    const isAny = part.expression === (part.kind === "wildcard" ? ".*" : undefined);
    if (!isAny || (gaps.length > 0 && texts[gaps.length] === "")) return undefined;
    gaps.push(part.kind === "wildcard" ? { name: undefined, least: 0 } : { name: part.name, least: 1 });
    texts.push("");
  }
  return betweenTexts(texts, gaps);
}

/** Returns the capturing groups of an expression, which is a whole one: `a)(b` is not, whatever is put around it. */
function groupsOf(expression: string, template: string): { readonly count: number; readonly names: readonly string[] } {
  try {
    // Beside an alternative that is empty, it always matches, with each of its groups undefined.
    const found = new RegExp(`${new RegExp(expression, "su").source}|`, "su").exec("") as RegExpExecArray;
    return { count: found.length - 1, names: Object.keys(found.groups ?? {}) };
  } catch (error) {
    throw new PatternError(`The path "${template}" has a malformed expression: ${(error as Error).message}`);
  }
}

/**
 * Makes a function that returns whether a path matches a template, as a route would, for guards. Pass it `request.path`,
 * never the target as it was sent.
 *
 * ```ts
 * const isPerson = pathMatcher("/person/{id}");
 * isPerson(request.path);
 * ```
 *
 * @throws PatternError when the template is empty or malformed; the message names it
 */
export function pathMatcher(template: string): (path: string) => boolean {
  if (template === "") throw new PatternError("The path is empty; that of the root is /");
  const pattern = parsePattern(template);
  const finding = findingInRests(pattern);
  if (finding !== undefined) throw new PatternError(finding);
  return (path) => matchPattern(pattern, pathSegments(path)) !== undefined;
}
