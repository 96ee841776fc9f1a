import type { Awaitable } from "../common/and-then.ts";
import { type DeclarationSite, kindOf } from "../common/declaration.ts";
import type { Decoder } from "../content/decoder.ts";
import type { StandardSchemaV1 } from "../content/standard-schema.ts";
import type { Description } from "../description.ts";
import { type Attribute, attribute } from "../exchange/exchange.ts";
import type { PathPattern } from "../path/pattern.ts";
import type { HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";

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
  readonly handling: InputHandling;
}

/** Hands a value of the type T over to what is inside; made by `provide(…)`. */
export interface Provider<K extends string = string, T = unknown> {
  readonly provided: {
    readonly name: K;
    /** Type only. */
    readonly type?: T;
  };
}

export const isTakes = (value: unknown): value is TakesData => kindOf(value) === "takes";
export const isProvider = (value: object): value is Provider => "provided" in value;

/** Puts together what several take; undefined where none takes anything. */
export function together(all: readonly TakesData[]): TakesData | undefined {
  const [first] = all;
  if (first === undefined || all.length === 1) return first;
  return { ...first, declared: all.flatMap(({ declared }) => declared), needed: all.flatMap(({ needed }) => needed) };
}

/**
 * What is done with inputs. It comes with what `takes(…)` makes, so that a program which takes nothing does not load how parameters and
 * forms are read.
 */
export interface InputHandling {
  /**
   * Compiles the reading of what is taken.
   *
   * @param readBefore what groups around have read: their values are there
   */
  compile(taken: Pick<TakesData, "declared">, readBefore?: readonly DeclaredInputs[]): WithInputs;
  /** Returns what is said of an operation by what it takes. */
  describe(taken: TakesData): Description;
  /** Returns the media types of the content, of which the decoders are for a body; none where no content is taken. */
  contentTypes(taken: TakesData, decoders: readonly Decoder[]): readonly string[];
  /**
   * Finds what is wrong with the inputs of a route and of the filters around it.
   *
   * @param steps the filters, the outermost first, and the route
   * @param patterns those of one way to the route: the variables of all are there
   * @param methods those of the way; undefined for every method
   */
  find(
    steps: readonly InputStep[],
    patterns: readonly PathPattern[],
    methods: ReadonlySet<string> | undefined,
  ): readonly InputFault[];
}

/** A filter or a route on the way of a request. */
export interface InputStep {
  readonly taken?: TakesData | undefined;
}

/** What is wrong with inputs, and the place that declared them. */
export interface InputFault {
  readonly message: string;
  readonly site: DeclarationSite;
}

/** What a handler gets beside the request: variables, query, fields and body as it declares them, and provided values. */
export type InputValues = Readonly<Record<string, unknown>>;

/** Reads what is taken of a request, and calls the function with it; the response is the refusal where it breaks a rule. */
export type WithInputs = <T>(
  request: HttpRequest<unknown>,
  use: (input: InputValues) => Awaitable<T>,
) => Awaitable<T | HttpResponse>;

/** What the filters and groups around have read and provided. */
export const outerInputs: Attribute<InputValues> = attribute("inputs");

/** Returns the request with this as the input of what is inside. */
export const withInput = <V>(request: HttpRequest<V>, input: InputValues): HttpRequest<V> =>
  request.withAttribute(outerInputs, input);

/** Returns the request with one more value for what is inside. */
export const withProvided = <V>(request: HttpRequest<V>, name: string, value: unknown): HttpRequest<V> =>
  request.withAttribute(outerInputs, { ...request.attribute(outerInputs), [name]: value });
