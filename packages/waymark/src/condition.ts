import { DeclarationSite, typeName } from "./declaration.ts";
import type { NoVariables, PathVariables, Plain } from "./path/pattern.ts";
import type { HttpRequest } from "./request.ts";

/**
 * Says what a request must be for a route. Conditions are data: the router checks and reports malformed ones when it is
 * built. `V` are the variables of its path.
 */
export interface Condition<V = unknown> {
  readonly kind: ConditionData["kind"];
  readonly site: DeclarationSite;
  /** Type only. */
  readonly provides?: V;
}

export type ConditionData =
  | MethodCondition
  | PathCondition
  | AcceptCondition
  | ContentTypeCondition
  | HeaderCondition
  | QueryCondition
  | TestCondition
  | AndCondition
  | OrCondition
  | NotCondition;

/** A condition that contains no other. */
export type Leaf = Exclude<ConditionData, AndCondition | OrCondition | NotCondition>;

interface Declared {
  readonly site: DeclarationSite;
}

interface MethodCondition extends Declared {
  readonly kind: "method";
  readonly methods: readonly string[];
}

interface PathCondition extends Declared {
  readonly kind: "path";
  readonly pattern: string;
}

export interface AcceptCondition extends Declared {
  readonly kind: "accept";
  readonly mediaTypes: readonly string[];
}

interface ContentTypeCondition extends Declared {
  readonly kind: "contentType";
  readonly mediaTypes: readonly string[];
}

interface HeaderCondition extends Declared {
  readonly kind: "header";
  readonly name: string;
  /** undefined: the field is there, whatever it says. */
  readonly value: string | RegExp | undefined;
}

interface QueryCondition extends Declared {
  readonly kind: "query";
  readonly name: string;
  /** undefined: the parameter is there, whatever it says. */
  readonly value: string | RegExp | undefined;
}

interface TestCondition extends Declared {
  readonly kind: "test";
  readonly name: string;
  readonly matches: (request: HttpRequest) => boolean;
  /** The header fields that it reads, for `Vary`. */
  readonly consults: readonly string[];
}

interface AndCondition extends Declared {
  readonly kind: "and";
  readonly conditions: readonly ConditionData[];
}

interface OrCondition extends Declared {
  readonly kind: "or";
  readonly conditions: readonly ConditionData[];
}

interface NotCondition extends Declared {
  readonly kind: "not";
  readonly condition: ConditionData;
}

/** Matches requests with one of these methods. HEAD also matches GET if no other route takes it (RFC 9110 §9.3.2). */
export function method(...methods: readonly string[]): Condition<NoVariables> {
  return declared({ kind: "method", methods, site: new DeclarationSite(method) });
}

/**
 * Matches a path template: in a route exactly this path below its groups, in a group this path and everything below it.
 * `{id}` is a variable, `{id:[0-9]+}` one with an expression, `{*rest}` all segments that are left.
 */
export function path<const P extends string>(pattern: P): Condition<PathVariables<P>> {
  return declared({ kind: "path", pattern, site: new DeclarationSite(path) });
}

/**
 * Matches if the client accepts one of these media types, listed in the server's order of preference. The q-values of
 * Accept choose, the earlier type wins a tie (RFC 9110 §12.5.1), and `request.negotiatedType` is the choice.
 */
export function accept(...mediaTypes: readonly string[]): Condition<NoVariables> {
  return declared({ kind: "accept", mediaTypes, site: new DeclarationSite(accept) });
}

/** Matches requests whose Content-Type is in one of these media ranges: `application/json`, `image/*`. */
export function contentType(...mediaTypes: readonly string[]): Condition<NoVariables> {
  return declared({ kind: "contentType", mediaTypes, site: new DeclarationSite(contentType) });
}

/** Matches if the field is present. With a text, its value must equal it; with an expression, contain a match. */
export function header(name: string, value?: string | RegExp): Condition<NoVariables> {
  return declared({ kind: "header", name, value, site: new DeclarationSite(header) });
}

/**
 * Matches if the parameter is present. With a text, one of its values must equal it; with an expression, contain a
 * match.
 */
export function query(name: string, value?: string | RegExp): Condition<NoVariables> {
  return declared({ kind: "query", name, value, site: new DeclarationSite(query) });
}

/**
 * Matches if the function returns true. Tables and explanations show the name. The function must be pure, and sees the
 * request before its path variables are bound.
 *
 * ```ts
 * test("the client is a beta user", (request) => request.cookies.has("beta"), { consults: ["Cookie"] })
 * ```
 */
export function test(
  name: string,
  matches: (request: HttpRequest) => boolean,
  options: { readonly consults?: readonly string[] } = {},
): Condition<NoVariables> {
  if (typeof matches !== "function")
    throw new TypeError(`test(…) takes a name and a function, not ${typeName(matches)}`);
  return declared({ kind: "test", name, matches, consults: options.consults ?? [], site: new DeclarationSite(test) });
}

/** Matches if all conditions match; without conditions, always. */
export function and<const C extends readonly Condition[]>(...conditions: C): Condition<BoundByAll<C>> {
  return declared({ kind: "and", conditions: requireConditions("and", conditions), site: new DeclarationSite(and) });
}

/** Matches if one of the conditions matches, tried in order; without conditions, never. */
export function or<const C extends readonly Condition[]>(...conditions: C): Condition<BoundByEach<C>> {
  return declared({ kind: "or", conditions: requireConditions("or", conditions), site: new DeclarationSite(or) });
}

/** Matches if the condition does not. It binds no variables. */
export function not(condition: Condition): Condition<NoVariables> {
  const negated = requireCondition(condition, "not(…) takes a condition");
  return declared({ kind: "not", condition: negated, site: new DeclarationSite(not) });
}

/** Gives the data of a condition the variables that it binds, which are only a type. */
const declared = <V>(condition: ConditionData): Condition<V> => condition;

const requireConditions = (name: string, conditions: readonly unknown[]): readonly ConditionData[] =>
  conditions.map((condition) => requireCondition(condition, `${name}(…) takes conditions`));

/** What a string (a path), a condition or anything else among the members of a route or group binds. */
type Bound<M> = M extends string ? PathVariables<M> : M extends Condition<infer V> ? V : NoVariables;

/** What is bound when all of the members match. */
export type BoundByAll<M extends readonly unknown[]> = M extends readonly []
  ? NoVariables
  : Plain<Intersection<Bound<M[number]>>>;

/** What is bound whichever of the conditions matches: the variables that all of them have. */
type BoundByEach<C extends readonly Condition[]> = C extends readonly []
  ? NoVariables
  : Plain<Common<Bound<C[number]>>>;

export type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (member: infer I) => void
  ? I
  : never;

// keyof of a union has the keys that every member has. A mapped type would be one for each member; Pick is one for all.
type Common<U> = Pick<U, keyof U>;

const isLeaf = (condition: ConditionData): condition is Leaf =>
  condition.kind !== "and" && condition.kind !== "or" && condition.kind !== "not";

/** Returns every leaf of the condition, those under `not` too. */
export function leaves(condition: ConditionData): readonly Leaf[] {
  if (isLeaf(condition)) return [condition];
  return condition.kind === "not" ? leaves(condition.condition) : condition.conditions.flatMap(leaves);
}

/** Describes the condition for a person: `accept application/json or query format=json`. */
export function describeCondition(condition: ConditionData): string {
  switch (condition.kind) {
    case "method":
      return condition.methods.join("|");
    case "path":
      return `path "${condition.pattern}"`;
    case "accept":
      return `accept ${condition.mediaTypes.join(", ")}`;
    case "contentType":
      return `content type ${condition.mediaTypes.join(", ")}`;
    case "header":
    case "query":
      return `${condition.kind} ${condition.name}${describeValue(condition.value)}`;
    case "test":
      return condition.name;
    case "and":
    case "or":
      return `(${condition.conditions.map(describeCondition).join(` ${condition.kind} `)})`;
    case "not":
      return `not ${describeCondition(condition.condition)}`;
  }
}

const describeValue = (value: string | RegExp | undefined): string =>
  value === undefined ? "" : ` ${typeof value === "string" ? "=" : "~"} ${value}`;

/**
 * Returns the value, which must be a condition. JavaScript callers pass anything: undefined from a misspelt import, a string
 * where only a route takes one, a function in the wrong place.
 *
 * @param expected the beginning of the message: what takes which values
 * @throws TypeError when it is not a condition
 */
export function requireCondition(value: unknown, expected: string): ConditionData {
  const kind = (value as { kind?: unknown } | null | undefined)?.kind;
  // The kinds are the tags of ConditionData, so a value that has one was made by a function of condition.ts.
  if (conditionKinds.has(kind)) return value as ConditionData;
  throw new TypeError(`${expected}, not ${typeof kind === "string" ? `${kind}(…)` : typeName(value)}`);
}

const conditionKinds: ReadonlySet<unknown> = new Set<ConditionData["kind"]>([
  ...(["method", "path", "accept", "contentType", "header", "query", "test"] as const),
  ...(["and", "or", "not"] as const),
]);
