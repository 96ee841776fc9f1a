import { DeclarationSite, foundName, kindOf } from "./common/declaration.ts";
import { type Condition, isConditionKind, type Leaf } from "./conditions/kind.ts";
import type { Provider } from "./input/taken.ts";
import type { ProvidedAs } from "./input/takes.ts";
import type { Intersection, NoVariables, PathVariables, Plain } from "./path/pattern.ts";

/** A condition as data: one of a kind, or one that is made of others. */
export type ConditionData = Leaf | AndCondition | OrCondition | NotCondition;

interface AndCondition {
  readonly kind: "and";
  readonly conditions: readonly ConditionData[];
  readonly site: DeclarationSite;
}

interface OrCondition {
  readonly kind: "or";
  readonly conditions: readonly ConditionData[];
  readonly site: DeclarationSite;
}

interface NotCondition {
  readonly kind: "not";
  readonly condition: ConditionData;
  readonly site: DeclarationSite;
}

/** Matches if all conditions match; without conditions, always. */
export function and<const C extends readonly Condition[]>(...conditions: C): Condition<BoundByAll<C[number]>> {
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

/** What a string (a path), a condition or a filter that provides binds; never for what binds nothing. */
type Bound<M> = M extends string
  ? PathVariables<M>
  : M extends { readonly kind: "takes" | "answers" }
    ? never // Most members that are no path: the compiler is done with them here.
    : M extends Condition<infer V>
      ? V
      : M extends Provider<infer K, infer T>
        ? ProvidedAs<K, T>
        : never;

/** What is bound when all of the members match. */
export type BoundByAll<M> = Merged<Bound<M>>;

type Merged<U> = [U] extends [never] ? NoVariables : Plain<Intersection<U>>;

/** What is bound whichever of the conditions matches: the variables that all of them have. */
type BoundByEach<C extends readonly Condition[]> = C extends readonly []
  ? NoVariables
  : Plain<Common<Bound<C[number]>>>;

// keyof of a union has the keys that every member has. A mapped type would be one for each member; Pick is one for all.
type Common<U> = Pick<U, keyof U>;

/** Returns every condition of a kind in this one, those under `not` too. */
export function leaves(condition: ConditionData): readonly Leaf[] {
  switch (condition.kind) {
    case "and":
    case "or":
      return condition.conditions.flatMap(leaves);
    case "not":
      return leaves(condition.condition);
    default:
      return [condition];
  }
}

/** Describes the condition for a person: `(accept application/json or query format = json)`. */
export function describeCondition(condition: ConditionData): string {
  switch (condition.kind) {
    case "and":
    case "or":
      return `(${condition.conditions.map(describeCondition).join(` ${condition.kind} `)})`;
    case "not":
      return `not ${describeCondition(condition.condition)}`;
    default:
      return condition.kind.describe(condition);
  }
}

/**
 * Returns the value, which must be a condition. JavaScript callers pass anything: undefined from a misspelt import, a string
 * where only a route takes one, a function in the wrong place.
 *
 * @param expected the beginning of the message: what takes which values
 * @throws TypeError when it is not a condition
 */
export function requireCondition(value: unknown, expected: string): ConditionData {
  const kind = kindOf(value);
  // Only the functions for conditions make values of these kinds.
  if (isConditionKind(kind) || kind === "and" || kind === "or" || kind === "not") return value as ConditionData;
  throw new TypeError(`${expected}, not ${foundName(value)}`);
}
