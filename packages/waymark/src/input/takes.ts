import { DeclarationSite } from "../common/declaration.ts";
import { requireOptions } from "../common/known-options.ts";
import { typeName } from "../common/wording.ts";
import type { ReadOptions } from "../content/request-content.ts";
import type { StandardSchemaV1, TypedSchema, ValueOf } from "../content/standard-schema.ts";
import type { Intersection, NoVariables, Plain } from "../path/pattern.ts";
import { findInInputs } from "./find-in-inputs.ts";
import type { FormReader } from "./form.ts";
import { contentTypesTaken, describeTakes } from "./parameters.ts";
import { compileInputs } from "./read.ts";
import {
  type DeclaredInputs,
  type InputHandling,
  type Inputs,
  isProvider,
  isTakes,
  type Provider,
  type TakesData,
} from "./taken.ts";

/** Reads the content, decodes it by its Content-Type and validates it; throws as `request.body` does. */
export type BodyReader<T> = (options?: ReadOptions) => Promise<T>;

/**
 * Says what a handler or filter takes; made by `takes(…)`. `I` is the type of its input, and `N` what it needs of the groups
 * around.
 */
export interface Takes<I, N> extends TakesData {
  /** Type only. A function, so that the compiler puts together what several take. */
  readonly input?: (given: I) => void;
  /** Type only. */
  readonly needs?: (provided: N) => void;
}

/**
 * Declares what a handler or filter takes, besides the request. What is taken is converted and validated before the handler
 * runs, types its second argument, and is in the OpenAPI document. All that breaks a rule is refused by one 400. Content is
 * read when the handler calls `body`, so after all filters.
 *
 * Inputs, filters that provide a value, and other `takes(…)` stand in any order. Among the members of a group it holds for all
 * routes of the group.
 *
 * ```ts
 * GET("/{id}", takes({ variables: { id: integer() } }), (_, { variables }) => json(find(variables.id)))
 * POST(takes(signedIn, { body: Note }), async (_, { caller, body }) => json(store(caller, await body()), 201))
 * ```
 *
 * @throws TypeError when an argument is something else, or an input has another name than these
 */
export function takes<const I extends Inputs<TypedSchema> & object>(
  inputs: OnlyInputs<I>,
): Takes<GivenBy<I>, NeededVariables<I>>;
export function takes<K extends string, T, const I extends Inputs<TypedSchema> & object>(
  provider: Provider<K, T>,
  inputs: OnlyInputs<I>,
): Takes<{ readonly [P in K]: T } & GivenBy<I>, ProvidedAs<K, T> & NeededVariables<I>>;
// Of overloads that all fail, the compiler explains the last one: this one takes inputs too, and says it in words.
export function takes<const T extends readonly unknown[] | readonly []>(
  ...taken: TakenMembers<T>
): Takes<InputOf<T[number]>, NeededOf<T[number]>>;
export function takes(...taken: readonly unknown[]): TakesData {
  const site = new DeclarationSite(takes);
  const declared: DeclaredInputs[] = [];
  const needed: string[] = [];
  for (const member of taken) {
    if (typeof member !== "object" || member === null) {
      throw new TypeError(
        `takes(…) takes inputs, such as { query: { … } }, and filters that provide, not ${typeName(member)}`,
      );
    }
    if (isTakes(member)) {
      declared.push(...member.declared);
      needed.push(...member.needed);
    } else if (isProvider(member)) {
      needed.push(member.provided.name);
    } else {
      requireOptions("takes({ … })", member, knownInputs);
      declared.push({ inputs: member, site });
    }
  }
  return { kind: "takes", declared, needed, site, handling };
}

const handling: InputHandling = {
  compile: compileInputs,
  describe: describeTakes,
  contentTypes: contentTypesTaken,
  find: findInInputs,
};

// A record, so that none is forgotten here.
const knownInputs: requireOptions.Types<Inputs> = {
  variables: undefined,
  query: undefined,
  fields: undefined,
  body: undefined,
  form: undefined,
  anySite: undefined,
  strict: undefined,
  invalidPath: undefined,
};

/** Refuses members of other names: most calls have one object of inputs, and the compiler is done with that sooner. */
type OnlyInputs<I> = keyof I extends keyof Inputs ? I : NoMembers;

/** Refuses each member at its place; the last overload says why, also to TypeScript 5.9, which shows a place that all overloads name. */
export type NoMembers = { readonly [name: string]: never };

/** The arguments of `takes` where they are right; else a text that says what is wrong, for the message of the compiler. */
export type TakenMembers<T extends readonly unknown[]> = { readonly [I in keyof T]: TakenMember<T[I]> };

type TakenMember<M> = M extends TakesData | Provider
  ? M
  : M extends string | ((...args: never[]) => unknown) | { readonly kind: unknown }
    ? "takes(…) takes inputs, such as { query: { … } }, and filters that provide a value"
    : { readonly [K in keyof M]: Input<K, M[K]> };

type Input<K, S> = K extends "variables" | "query" | "fields" | "form"
  ? S extends StandardSchemaV1
    ? S
    : { readonly [P in keyof S]: SchemaOf<S[P]> }
  : K extends "body"
    ? SchemaOf<S>
    : K extends keyof Inputs
      ? Inputs[K]
      : "there is no such input: there are variables, query, fields, body, form, anySite, strict and invalidPath";

type SchemaOf<S> = S extends StandardSchemaV1 ? S : "this takes a schema, such as integer() or z.int()";

/** The type of the input of what takes all of these. Members of a route that are something else give nothing. */
export type InputOf<M> = [M] extends [never] ? NoVariables : Plain<Intersection<InputOfOne<M>>>;

type InputOfOne<M> = M extends TakesData
  ? M extends Takes<infer I, infer _>
    ? I
    : NoVariables
  : M extends Provider<infer K, infer V>
    ? { readonly [P in K]: V }
    : M extends AnyMember
      ? NoVariables
      : GivenBy<M>;

/** The members of routes that give no input. */
type AnyMember = string | { readonly kind: unknown };

// Of a conditional type, editors and errors show what it comes to, and not its name.
type GivenBy<M> = M extends unknown
  ? {
      readonly [K in keyof M & ("variables" | "query" | "fields" | "body" | "form")]: K extends "body"
        ? BodyReader<ValueOf<M[K]>>
        : K extends "form"
          ? FormReader<M[K]>
          : M[K] extends { readonly "~standard": unknown }
            ? ValueOf<M[K]>
            : { readonly [P in keyof M[K]]: ValueOf<M[K][P]> };
    }
  : never;

/** What these need of the groups around: the path variables that they name, and values that filters provide. */
export type NeededOf<M> = [M] extends [never] ? NoVariables : Plain<Intersection<NeededOfOne<M>>>;

type NeededOfOne<M> = M extends TakesData
  ? M extends { readonly needs?: (provided: infer N) => void }
    ? N
    : NoVariables
  : M extends Provider<infer K, infer V>
    ? ProvidedAs<K, V>
    : NeededVariables<M>;

type NeededVariables<I> = I extends { readonly variables: infer S } ? VariablesNamed<keyof S> : NoVariables;

/** One type for all routes that take variables of these names. */
type VariablesNamed<K extends PropertyKey> = { readonly [P in K]: string | readonly string[] };

/** How a value that a filter provides stands among the variables that groups provide; no variable has such a name. */
export type ProvidedAs<K extends string, V> = { readonly [P in `input.${K}`]: V };
