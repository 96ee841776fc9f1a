import { type ConditionData, type Leaf, leaves } from "../condition.ts";
import { chooseAcceptable } from "../fields/accept.ts";
import { HeaderList } from "../fields/header-list.ts";
import { type MediaType, matchesMediaType, parseMediaRange, parseMediaType } from "../fields/media-type.ts";
import { joinPatterns, matchPattern, type PathPattern, withEverythingBelow } from "../path/pattern.ts";
import { parsePattern } from "../path/template.ts";
import type { HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";
import { memoizeText } from "../text-map.ts";

/** How far a request got with a route, by the first of these that failed; `done` when none did. */
export const stages = { path: 0, method: 1, contentType: 2, accept: 3, other: 4, done: 5 } as const;

export type Stage = (typeof stages)[keyof typeof stages];

/**
 * Returns whether the request is as it must be.
 *
 * @param method GET for a HEAD that is answered as GET
 * @param segments those of the canonical path
 */
export type Matches = (request: HttpRequest, method: string, segments: readonly string[]) => boolean;

/** A condition compiled for one place in the tree: by itself, or under `not`. */
export interface Check {
  readonly stage: Stage;
  readonly condition: ConditionData;
  readonly matches: Matches;
  /** The header fields that it reads. */
  readonly consults: readonly string[];
}

/** The place of a condition: below the prefix of these groups, and itself in a group (a prefix) or in a route. */
export interface Place {
  readonly prefix: PathPattern;
  readonly inGroup: boolean;
}

/** Compiles the condition, which is well formed, for its place. */
export function compileCheck(condition: ConditionData, place: Place): Check {
  return {
    stage: stageOf(condition),
    condition,
    matches: compile(condition, place),
    consults: [...new Set(leaves(condition).flatMap(consultedBy))],
  };
}

/** Returns the index of the media type that the request's Accept chooses among these, -1 for none; kept by its text. */
export function compileNegotiation(mediaTypes: readonly string[]): (accept: string | undefined) => number {
  const offered = mediaTypes.map((type) => parseMediaType(type) as MediaType); // Well formed: the router has checked.
  const choose = memoizeText((accept) => chooseAcceptable(accept, offered));
  return (accept) => (accept === undefined ? 0 : choose(accept));
}

/** Returns what chooses one of these media types for a request, undefined for none. */
export function typeChooser(mediaTypes: readonly string[]): (request: HttpRequest) => string | undefined {
  const choose = compileNegotiation(mediaTypes);
  return (request) => mediaTypes[choose(request.headers.get("accept"))];
}

/**
 * Refusals are for the first stage that failed. A `not` has the stage of its leaves where all are about the path, or all about
 * the method; no refusal could list which other types would match.
 */
function stageOf(condition: ConditionData): Stage {
  const [first, ...rest] = new Set(leaves(condition).map((leaf) => stageOfLeaf[leaf.kind]));
  if (first === undefined || rest.length > 0) return stages.other;
  return condition.kind === "not" && first > stages.method ? stages.other : first;
}

const stageOfLeaf: Readonly<Record<Leaf["kind"], Stage>> = {
  path: stages.path,
  method: stages.method,
  contentType: stages.contentType,
  accept: stages.accept,
  header: stages.other,
  query: stages.other,
  test: stages.other,
};

function consultedBy(leaf: Leaf): readonly string[] {
  switch (leaf.kind) {
    case "accept":
      return ["Accept"];
    case "contentType":
      return ["Content-Type"];
    case "header":
      return [leaf.name];
    case "test":
      return leaf.consults;
    case "method":
    case "path":
    case "query":
      return [];
  }
}

function compile(condition: ConditionData, place: Place): Matches {
  switch (condition.kind) {
    case "and": {
      const all = condition.conditions.map((member) => compile(member, place));
      return (...subject) => all.every((matches) => matches(...subject));
    }
    case "or": {
      const some = condition.conditions.map((member) => compile(member, place));
      return (...subject) => some.some((matches) => matches(...subject));
    }
    case "not": {
      const matches = compile(condition.condition, place);
      return (...subject) => !matches(...subject);
    }
    default:
      return compileLeaf(condition, place);
  }
}

function compileLeaf(condition: Leaf, place: Place): Matches {
  switch (condition.kind) {
    case "method": {
      const methods = new Set(condition.methods);
      return (_, method) => methods.has(method);
    }
    case "path": {
      const pattern = joinPatterns(place.prefix, parsePattern(condition.pattern));
      const whole = place.inGroup ? withEverythingBelow(pattern) : pattern;
      return (_, __, segments) => matchPattern(whole, segments) !== undefined;
    }
    case "accept": {
      const choose = compileNegotiation(condition.mediaTypes);
      return (request) => choose(request.headers.get("accept")) >= 0;
    }
    case "contentType": {
      const ranges = condition.mediaTypes.map((range) => parseMediaRange(range) as MediaType); // Well formed, as above.
      const isCovered = memoizeText((text) => {
        const type = parseMediaType(text);
        return type !== undefined && ranges.some((range) => matchesMediaType(range, type));
      });
      return (request) => isCovered(request.headers.get("content-type") ?? "");
    }
    case "header": {
      const says = compileValue(condition.value);
      return (request) => {
        const value = request.headers.get(condition.name);
        return value !== undefined && says(value);
      };
    }
    case "query": {
      const says = compileValue(condition.value);
      return (request) => request.query.getAll(condition.name).some(says);
    }
    case "test":
      return (request) => condition.matches(request);
  }
}

function compileValue(expected: string | RegExp | undefined): (actual: string) => boolean {
  if (expected === undefined) return () => true;
  if (typeof expected === "string") return (actual) => actual === expected;
  // With g or y an expression remembers where it stopped, and would answer differently from one request to the next.
  const expression = new RegExp(expected);
  return (actual) => {
    expression.lastIndex = 0;
    return expression.test(actual);
  };
}

/** Header fields on which a choice rests. */
export interface Consulted {
  /** The Vary that says so; no field where the choice rests on none. */
  readonly vary: HeaderList;
  /** The Vary with these members added to another one; undefined where that one has all of them. */
  readonly varyBeside: (members: string) => HeaderList | undefined;
}

/** Makes the fields of a choice, once: their Vary is joined to every response. */
export function consulting(names: readonly string[]): Consulted {
  const varyBeside = memoizeText((members) => {
    const current = HeaderList.of({ Vary: members });
    const merged = current.withMembers("Vary", names);
    return merged === current ? undefined : merged;
  });
  return { vary: names.length === 0 ? HeaderList.empty : HeaderList.of({ Vary: names.join(", ") }), varyBeside };
}

/** Adds to the response on which header fields its choice rests (RFC 9110 §12.5.5). */
export function withVary(response: HttpResponse, { vary, varyBeside }: Consulted): HttpResponse {
  const { headers } = response;
  const members = headers.get("Vary");
  if (members === undefined) return response.withHeaders(headers.concat(vary));
  const merged = varyBeside(members);
  return merged === undefined ? response : response.withHeaders(headers.without("Vary").concat(merged));
}
