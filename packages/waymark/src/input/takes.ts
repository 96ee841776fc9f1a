import type { ReadOptions } from "../content/request-content.ts";
import type { StandardSchemaV1, TypedSchema, ValueOf } from "../content/standard-schema.ts";
import { DeclarationSite, kindOf } from "../declaration.ts";
import { requireOptions } from "../known-options.ts";
import type { Intersection, NoVariables, Plain } from "../path/pattern.ts";
import { typeName } from "../wording.ts";
import type { FormReader } from "./form.ts";

/** Schemas by name: of path variables, query parameters or header fields. */
export type NamedSchemas<S = StandardSchemaV1> = { readonly [name: string]: S };

/** What a handler takes of a request, by schemas of any library that keeps to Standard Schema. */
export interface Inputs<S = StandardSchemaV1> {
  /** Path variables, which the template of the route or of its groups has. */
  readonly variables?: NamedSchemas<S>;
  /** Query parameters, or one schema of all as an object; documents show its parameters where it has a JSON Schema. */
  readonly query?: NamedSchemas<S> | S;
  /** Header fields of the request, in any case. */
  readonly fields?: NamedSchemas<S>;
  /** The content. It is read when the handler asks for it. */
  readonly body?: S;
  /**
   * The fields and files of a form, by name: `{ title: z.string(), image: file({ most: "5MB" }) }`. It is read when the handler asks for
   * it. Fields of other names are passed over.
   */
  readonly form?: NamedSchemas<S>;
  /** Whether a page of another site may send the form. Default: false, which is a 403. */
  readonly anySite?: boolean;
  /** Whether query parameters that are not declared are refused. Default: false. */
  readonly strict?: boolean;
  /** The status for variables that break their schemas: 404 where such a path does not exist. Default: 400. */
  readonly invalidPath?: 400 | 404;
}

/** Reads the content, decodes it by its Content-Type and validates it; throws as `request.body` does. */
export type BodyReader<T> = (options?: ReadOptions) => Promise<T>;

/** Inputs, and the place that declared them. */
export interface DeclaredInputs {
  readonly inputs: Inputs;
  readonly site: DeclarationSite;
}

/** What a handler or filter takes, whatever its types. */
export interface TakesData {
  readonly kind: "takes";
  readonly declared: readonly DeclaredInputs[];
  /** The names of the values that filters around must provide. */
  readonly needed: readonly string[];
  readonly site: DeclarationSite;
}

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

/** Hands a value of the type T over to what is inside; made by `provide(…)` and `provideAround(…)`. */
export interface Provider<K extends string = string, T = unknown> {
  readonly provided: {
    readonly name: K;
    /** Type only. */
    readonly type?: T;
  };
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
      requireOptions("takes({ … })", member, Object.keys(knownInputs));
      declared.push({ inputs: member, site });
    }
  }
  return { kind: "takes", declared, needed, site };
}

/** Puts together what several take; undefined where none takes anything. */
export function together(all: readonly TakesData[]): TakesData | undefined {
  const [first] = all;
  if (first === undefined || all.length === 1) return first;
  return { ...first, declared: all.flatMap(({ declared }) => declared), needed: all.flatMap(({ needed }) => needed) };
}

// A record, so that none is forgotten here.
const knownInputs: Readonly<Record<keyof Inputs, true>> = {
  variables: true,
  query: true,
  fields: true,
  body: true,
  form: true,
  anySite: true,
  strict: true,
  invalidPath: true,
};

export const isTakes = (value: unknown): value is TakesData => kindOf(value) === "takes";
export const isProvider = (value: object): value is Provider => "provided" in value;

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
