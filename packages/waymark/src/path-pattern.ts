import { decodeSegment, encodeLiteral } from "./request-target.ts";

/** Path variables by name: a segment's text, or every segment that `{*rest}` took, all decoded. */
export type Variables = Readonly<Record<string, string | readonly string[]>>;

export type NoVariables = Readonly<Record<never, never>>;

/** The variables that a path template binds, read from its text: `"/{id}"` gives `{ readonly id: string }`. */
export type PathVariables<P extends string> = string extends P ? Variables : Flat<VariablesIn<P>>;

/** What one segment of a pattern takes. */
export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string }
  | {
      readonly kind: "expression";
      readonly expression: RegExp;
      readonly names: readonly string[];
      /** Equal for expressions that differ in the names of their variables alone. */
      readonly shape: string;
    }
  | { readonly kind: "any" }
  | { readonly kind: "rest"; readonly name: string | undefined };

/** A path template, parsed. */
export interface PathPattern {
  /** As it was written; "" is the path of the group it stands in. */
  readonly text: string;
  readonly segments: readonly Segment[];
}

/** What is wrong with a template, for a person; it names the template. */
export class PatternMistake extends Error {}

/**
 * The pattern that a template spells.
 *
 * | In the template | takes |
 * |---|---|
 * | `person` | that segment, case and all; written decoded, so `a b` and not `a%20b` |
 * | `{id}` | one segment that is not empty |
 * | `{id:[0-9]+}` | one segment that the regular expression takes whole |
 * | `{name}.{ext}`, `v{n:[0-9]+}` | text around variables; the leftmost takes as much as it can |
 * | `?`, `*` in a segment | one character, any number of characters |
 * | `*` | one segment that is not empty |
 * | `{*rest}`, `**` | every segment that is left, perhaps none; first or last in the path |
 *
 * @throws PatternMistake when the template is malformed
 */
export function parsePattern(text: string): PathPattern {
  if (text === "") return { text, segments: [] };
  if (!text.startsWith("/")) throw new PatternMistake(`The path "${text}" must begin with a slash`);
  return { text, segments: splitSegments(text).map((segment) => parseSegment(segment, text)) };
}

/** The pattern of a path below a prefix. */
export function joinPatterns(prefix: PathPattern, pattern: PathPattern): PathPattern {
  if (prefix.segments.length === 0) return pattern;
  return { text: prefix.text + pattern.text, segments: [...prefix.segments, ...pattern.segments] };
}

/** The pattern that also takes everything below this one. */
export function withEverythingBelow(pattern: PathPattern): PathPattern {
  return { text: `${pattern.text}/**`, segments: [...pattern.segments, { kind: "rest", name: undefined }] };
}

/** The names that the pattern binds, in order; a name that stands twice is there twice. */
export function variableNames(pattern: PathPattern): readonly string[] {
  return pattern.segments.flatMap((segment) => {
    switch (segment.kind) {
      case "variable":
        return [segment.name];
      case "expression":
        return segment.names;
      case "rest":
        return segment.name === undefined ? [] : [segment.name];
      case "literal":
      case "any":
        return [];
    }
  });
}

/** The segments of a canonical path: `/person/1` has `person` and `1`, and `/` has one that is empty. */
export function pathSegments(path: string): readonly string[] {
  return path.split("/").slice(1);
}

/** Whether the segment of a pattern, other than `rest`, takes this segment of a canonical path. */
export function takesSegment(segment: Exclude<Segment, { kind: "rest" }>, actual: string): boolean {
  switch (segment.kind) {
    case "literal":
      return segment.text === actual;
    case "variable":
    case "any":
      return actual !== "";
    case "expression":
      return segment.expression.test(decodeSegment(actual));
  }
}

/** What the pattern binds in a path, or undefined when it does not take the whole of it. */
export function matchPattern(pattern: PathPattern, actual: readonly string[]): Variables | undefined {
  const variables: Record<string, string | readonly string[]> = {};
  // The target "*" has no segments and is no path, whatever a rest would take.
  return actual.length > 0 && takesAll(pattern.segments, 0, actual, 0, variables) ? variables : undefined;
}

function takesAll(
  segments: readonly Segment[],
  i: number,
  actual: readonly string[],
  j: number,
  variables: Record<string, string | readonly string[]>,
): boolean {
  const segment = segments[i];
  if (segment === undefined) return j === actual.length;
  if (segment.kind === "rest") {
    for (let end = j; end <= actual.length; end++) {
      if (takesAll(segments, i + 1, actual, end, variables)) {
        if (segment.name !== undefined) variables[segment.name] = actual.slice(j, end).map(decodeSegment);
        return true;
      }
    }
    return false;
  }
  const text = actual[j];
  if (text === undefined || !takesSegment(segment, text)) return false;
  if (!takesAll(segments, i + 1, actual, j + 1, variables)) return false;
  bindSegment(segment, text, variables);
  return true;
}

/** The function that gives what the patterns bind in a path that all of them take. */
export function compileBinding(patterns: readonly PathPattern[]): (actual: readonly string[]) => Variables {
  const [first, ...further] = patterns;
  if (first === undefined || patterns.every((pattern) => variableNames(pattern).length === 0)) return () => noVariables;
  const simple = first.segments.flatMap((segment, i) =>
    segment.kind === "variable" ? [{ name: segment.name, i }] : [],
  );
  const rest = first.segments.findIndex(({ kind }) => kind === "rest");
  if (further.length > 0 || rest >= 0 || simple.length < variableNames(first).length) {
    return (actual) => Object.assign({}, ...patterns.map((pattern) => matchPattern(pattern, actual)));
  }
  // By hand: nearly every pattern is like this, and matching it once more would cost a third of finding the route.
  return (actual) => {
    const variables: Record<string, string> = {};
    for (const { name, i } of simple) variables[name] = decodeSegment(actual[i] as string);
    return variables;
  };
}

/** The variables of a request for which no route is chosen, or whose route has none. */
export const noVariables: Variables = Object.freeze(Object.create(null));

function bindSegment(
  segment: Exclude<Segment, { kind: "rest" }>,
  actual: string,
  variables: Record<string, string | readonly string[]>,
): void {
  if (segment.kind === "variable") variables[segment.name] = decodeSegment(actual);
  if (segment.kind !== "expression") return;
  // Groups that the expressions themselves name are not variables of the template.
  const groups = segment.expression.exec(decodeSegment(actual))?.groups;
  for (const name of segment.names) variables[name] = groups?.[name] as string; // The segment has been taken.
}

/** Splits at slashes that stand outside braces: a regular expression keeps its own. */
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
  if (text === "." || text === "..") throw new PatternMistake(`The path "${template}" has the dot segment "${text}"`);
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
        throw new PatternMistake(`The path "${template}" has {${inner}} beside other text; it takes whole segments`);
      }
      parts.push({
        kind: "variable",
        name: requireName(colon < 0 ? inner : inner.slice(0, colon), template),
        expression: colon < 0 ? undefined : inner.slice(colon + 1),
      });
      i = end + 1;
    } else if (character === "}") {
      throw new PatternMistake(`The path "${template}" has a "}" that closes nothing`);
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
  throw new PatternMistake(`The path "${template}" has a "{" that is not closed`);
}

function requireName(text: string, template: string): string {
  // __proto__ as a key would set the prototype of the variables instead of a variable.
  if (name.test(text) && text !== "__proto__") return text;
  throw new PatternMistake(`The path "${template}" has the variable {${text}}, which is not a name`);
}

function toExpression(parts: readonly Part[], template: string): Segment {
  const names = parts.flatMap((part) => (part.kind === "variable" ? [part.name] : []));
  const sourceWith = (opening: (name: string) => string): string =>
    parts
      .map((part) => {
        switch (part.kind) {
          case "text":
            return part.text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
          case "wildcard":
            return part.expression;
          case "variable":
            return `${opening(part.name)}${part.expression ?? ".+"})`;
        }
      })
      .join("");
  try {
    const expression = new RegExp(`^${sourceWith((variable) => `(?<${variable}>`)}$`, "su");
    return { kind: "expression", expression, names, shape: sourceWith(() => "(") };
  } catch (error) {
    throw new PatternMistake(`The path "${template}" has a malformed expression: ${(error as Error).message}`);
  }
}

type VariablesIn<P extends string> = P extends `${string}{${infer Inside}}${infer After}`
  ? Inside extends `${infer Name}:${infer Expression}`
    ? Variable<Name> & VariablesIn<AfterExpression<`${Expression}}${After}`>>
    : Variable<Inside> & VariablesIn<After>
  : NoVariables;

/** The members of an intersection as one object, which is how editors then show them. */
type Flat<T> = { readonly [K in keyof T]: T[K] };

type Variable<Name extends string> = Name extends `*${infer Rest}`
  ? { readonly [K in Rest]: readonly string[] }
  : { readonly [K in Name]: string };

// What follows the brace that closes the variable: one that a quantifier, {2,3}, or a class, \p{L}, has opened does not.
type AfterExpression<Text extends string> = Text extends `${infer Before}}${infer After}`
  ? Before extends `${string}{${string}`
    ? AfterExpression<After>
    : After
  : "";
