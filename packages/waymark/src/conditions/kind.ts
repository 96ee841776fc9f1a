import { DeclarationSite } from "../common/declaration.ts";
import type { NoVariables, PathPattern } from "../path/pattern.ts";
import type { HttpRequest } from "../request.ts";

/**
 * What a request must be for a route. Conditions are data: the router checks and reports malformed ones when it is built.
 * `V` are the variables of its path.
 */
export interface Condition<V = unknown> {
  readonly kind: ConditionKind | "and" | "or" | "not";
  readonly site: DeclarationSite;
  /** Type only. */
  readonly provides?: V;
}

/** A condition that contains no other, with what it says, such as the media types of an `accept`. */
export type Leaf<D extends object = object> = Readonly<D> & {
  readonly kind: ConditionKind<D>;
  readonly site: DeclarationSite;
};

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

/** The place of a condition: below the prefix of these groups, and itself in a group (a prefix) or in a route. */
export interface Place {
  readonly prefix: PathPattern;
  readonly inGroup: boolean;
}

/** A parameter of an operation in an OpenAPI document; requests must have it. */
export interface ConditionParameter {
  readonly in: "header" | "query";
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * All that is known of the conditions of one kind. `D` is what such a condition says. What looks at a condition, be it the
 * router, an explanation, a finding or a document, asks its kind.
 */
export interface ConditionKind<D extends object = object> {
  /** The name of the function that declares such conditions. */
  readonly name: string;
  /** The refusal for a request that meets everything but this: 404, 405 (method), 415 (contentType) or 406 (accept). */
  readonly stage: Exclude<keyof typeof stages, "done">;
  /** Returns what is malformed in the condition, for a person; undefined where nothing is. */
  findInvalid(said: D): string | undefined;
  /** Compiles the condition, which is well formed. */
  compile(said: D, place: Place): Matches;
  /** Returns the header fields that it reads, for `Vary`. */
  consults(said: D): readonly string[];
  /** Describes the condition for tables and explanations: `accept application/json`. */
  describe(said: D): string;
  /** Describes what the request has in the place of what the condition wants: `no Accept`. */
  find(said: D, request: HttpRequest): string;
  /** Returns whether the second condition, of this kind too, is sure to match when the first does. */
  implies(given: D, wanted: D): boolean;
  /** Returns the parameter that it is in an OpenAPI document; undefined for a condition that a document says in words. */
  parameter(said: D): ConditionParameter | undefined;
  /** Whether it depends only on the head of the request, so that answers can come from memory. Default: no. */
  readonly repeatable?: true;
}

const kinds = new WeakSet<object>();

/** The types of the parts; the compiler refuses one too many and one too few. */
const parts: Readonly<Record<Exclude<keyof ConditionKind, "repeatable">, "string" | "function">> = {
  name: "string",
  stage: "string",
  findInvalid: "function",
  compile: "function",
  consults: "function",
  describe: "function",
  find: "function",
  implies: "function",
  parameter: "function",
};

/** Is `condition.kind`. */
export function conditionKind<D extends object>(kind: ConditionKind<D>): ConditionKind<D> {
  const refuse = (what: string): never => {
    throw new TypeError(`The condition kind "${kind.name}" ${what} (${new DeclarationSite(conditionKind)})`);
  };
  for (const [part, type] of Object.entries(parts)) {
    const given: unknown = kind[part as keyof ConditionKind]; // the parts are its members
    if (typeof given !== type) refuse(`has no ${part}, which is a ${type}`);
  }
  const { done: _, ...refused } = stages;
  if (!Object.hasOwn(refused, kind.stage)) {
    refuse(`has the stage "${kind.stage}"; a stage is ${Object.keys(refused).join(", ")}`);
  }
  const made = Object.freeze({ ...kind });
  kinds.add(made);
  return made;
}

/** Returns whether the value is a kind that `conditionKind` has made. */
export const isConditionKind = (value: unknown): value is ConditionKind =>
  typeof value === "object" && value !== null && kinds.has(value);

/**
 * Declares a condition of the kind.
 *
 * @param said what the condition says, a plain object
 * @param declaredBy the function that a program calls for it: its caller is the place that messages name
 */
export function condition<D extends object, V = NoVariables>(
  kind: ConditionKind<D>,
  said: D,
  declaredBy: (...args: never[]) => unknown,
): Leaf<D> & Condition<V> {
  return declareAt(kind, said, new DeclarationSite(declaredBy));
}

export declare namespace condition {
  /**
   * Makes a kind of condition of its parts; `condition` declares conditions of it.
   *
   * @throws TypeError that names a part which is missing or wrong, and the place of the declaration
   */
  const kind: typeof conditionKind;
}
Object.assign(condition, { kind: conditionKind });

/** Declares a condition of the kind at a place: that of the call that makes it, or of the route or group that implies it. */
export const declareAt = <D extends object>(kind: ConditionKind<D>, said: D, site: DeclarationSite): Leaf<D> => ({
  ...said,
  kind,
  site,
});

/** Returns whether the condition is of the kind, and so what it says. */
export const isOfKind = <D extends object>(
  condition: { readonly kind: unknown },
  kind: ConditionKind<D>,
): condition is Leaf<D> => condition.kind === kind;
