import type { ProblemType } from "./common/problem-document.ts";
import { typeName } from "./common/wording.ts";
import type { HttpRequest } from "./request.ts";

/**
 * What the routes themselves cannot say about an operation, for its OpenAPI document. Conditions need no description: path,
 * method, `accept`, `contentType`, `header` and `query` are in the document already.
 */
export interface Description {
  /** A few words: `Read a person`. */
  readonly summary?: string;
  /** CommonMark. */
  readonly description?: string;
  /** The headings under which the operation is listed. */
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  /** Identifies the operation where its route has no `name(…)`. */
  readonly operationId?: string;
  /** Variables of the path, by name; the template says which there are. */
  readonly variables?: Readonly<Record<string, Description.Parameter>>;
  /** Query parameters that the handler reads, by name. */
  readonly query?: Readonly<Record<string, Description.Parameter>>;
  /** Header fields of the request that the handler reads, by name. */
  readonly headers?: Readonly<Record<string, Description.Parameter>>;
  /** The content that the handler reads; absent where it reads none. */
  readonly content?: Description.Content;
  /** Of a filter that lets everybody by: why. Of a route, `open(…)` says it. */
  readonly open?: string;
  /** The answers that are not problems, by status. Default: a success of the types that `accept` names. */
  readonly responses?: Readonly<Record<number, Description.Response>>;
  /** The problems that it can answer with, besides those of the router. */
  readonly problems?: readonly ProblemType[];
  /** Header fields that every response has, or may have, by name. */
  readonly responseHeaders?: Readonly<Record<string, Description.Header>>;
  /** The media types in which problems are sent, besides `application/problem+json`. Default: none. */
  readonly problemTypes?: readonly string[];
}

/**
 * What a filter says of the operations that it covers: the same of all, or what it returns for a sample request of each, for a filter that lets
 * some of them by. A sample has a method, and a path with `1` for each variable.
 */
export type FilterDescription = Description | ((sample: HttpRequest) => Description);

/** What a description has of the parts of an operation. */
export declare namespace Description {
  /** Describes a parameter: a path variable, a query parameter or a header field of the request. */
  interface Parameter {
    readonly description?: string;
    /** Default: a string. */
    readonly schema?: Schema;
    /** Default: false; always true for a variable of the path. */
    readonly required?: boolean;
    readonly example?: unknown;
    /** How a value that is a list or an object becomes text, in OpenAPI's words. Default: those of OpenAPI. */
    readonly style?: string;
    readonly explode?: boolean;
  }

  /** Describes a header field of a response. */
  interface Header {
    readonly description?: string;
    /** Default: a string. */
    readonly schema?: Schema;
    readonly example?: unknown;
  }

  /** Describes the content of requests. */
  interface Content {
    readonly description?: string;
    /** The schema of the decoded content, whatever its media type. */
    readonly schema?: Schema;
    /**
     * What differs by media type. Default: the types that `contentType` names; else those that the router decodes, of content that
     * `takes(…)` names; else `application/json`.
     */
    readonly types?: Readonly<Record<string, MediaType>>;
    /** Default: true. */
    readonly required?: boolean;
    /** Whether content that breaks its schema is refused. Default: true. */
    readonly validated?: boolean;
  }

  /** Describes a response. */
  interface Response {
    readonly description: string;
    readonly headers?: Readonly<Record<string, Header>>;
    /** The schema of the content, whatever its media type. */
    readonly schema?: Schema;
    /** What differs by media type. Default: with a schema, the types that `accept` names, else `application/json`. */
    readonly types?: Readonly<Record<string, MediaType>>;
    /** Whether it may also come without content. Default: false. */
    readonly optional?: boolean;
  }

  /** Describes content of one media type. */
  interface MediaType {
    readonly schema?: Schema;
    /** A real message: the text, or the JSON value, or what makes it when the document is made. */
    readonly example?: unknown | (() => unknown | Promise<unknown>);
  }
}

/** A schema in JSON Schema (2020-12), in any library that keeps to Standard JSON Schema, or one of these with a name. */
export type Schema = JsonSchema | Schema.Standard | Schema.Named;

/** May have other schemas in it, with names too. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export declare namespace Schema {
  /** The interface Standard JSON Schema, version 1: zod, valibot, arktype and others. */
  interface Standard {
    readonly "~standard": {
      readonly jsonSchema: {
        /** Returns the JSON Schema of what is validated. */
        readonly input: (options: { readonly target: "draft-2020-12" }) => Readonly<Record<string, unknown>>;
        /** Returns the JSON Schema of what validation makes of it. */
        readonly output: (options: { readonly target: "draft-2020-12" }) => Readonly<Record<string, unknown>>;
      };
    };
  }

  /** A schema that the document has once, under its name. */
  interface Named {
    readonly kind: "named-schema";
    readonly name: string;
    readonly schema: JsonSchema | Standard;
  }
}

/** What a schema does besides being described: one that validates does so under a name, too. */
type Validation<S> = S extends { readonly "~standard": unknown } ? Pick<S, "~standard"> : unknown;

/**
 * Gives a schema a name: the document has it once, and generated clients have a type of that name. It can stand wherever the
 * schema can: one that validates still does. Within another schema of its library it cannot stand: zod has `.meta({ id: "Book" })`.
 *
 * ```ts
 * const Book = namedSchema("Book", v.strictObject({ title: v.string() }));
 * POST(docs({ content: { schema: Book } }), async (request) => store(await request.body(Book)))
 * ```
 *
 * @throws TypeError when the name is not made of letters, digits, `.`, `_` and `-`, or there is no schema
 */
export function namedSchema<const S extends JsonSchema | Schema.Standard>(
  name: string,
  schema: S,
): Schema.Named & Validation<S> {
  if (!/^[A-Za-z0-9._-]+$/.test(name)) throw new TypeError(`namedSchema(…) takes a name such as Book, not "${name}"`);
  // JavaScript callers pass anything; there are schemas that are functions as well.
  if (!["object", "function"].includes(schema === null ? "null" : typeof schema)) {
    throw new TypeError(`namedSchema(…) takes a name and a schema, not ${typeName(schema)}`);
  }
  const validation = "~standard" in schema ? { "~standard": schema["~standard"] } : {};
  return { kind: "named-schema", name, schema, ...(validation as Validation<S> & object) }; // by its definition
}

/** A description among the members of a route or a group. */
export interface DescriptionMember {
  readonly kind: "docs";
  readonly description: Description;
}

/** The key under which a handler has what makes its description. */
const descriptionKey: unique symbol = Symbol("description");

/** A description, or the parts of one, which are put together as those of groups are: the last has the last word. */
export type DescriptionParts = Description | readonly Description[];

/** Returns the handler, with what makes its description for each path. */
export const withDocs = (handler: object, describeAt: (template: string) => Description): object =>
  Object.assign(handler, { [descriptionKey]: describeAt });

/** Returns the description that `docs` gave a handler, on a path, for one that wraps it; undefined where it has none. */
export function docsOf(handler: object, template: string): Description | undefined {
  // Set by `withDocs` only.
  return (handler as { readonly [descriptionKey]?: (template: string) => Description })[descriptionKey]?.(template);
}

/** Puts descriptions of an operation together, the outermost first: the later has the last word, and lists and records grow. */
export function mergeDescriptions(descriptions: readonly Description[]): Description {
  const record = <K extends RecordMember>(member: K): Description[K] | undefined => {
    const merged: Record<string, object> = {};
    // What one says of a parameter or a response adds to what another says of it.
    for (const [name, said] of descriptions.flatMap((each) => Object.entries<object>(each[member] ?? {}))) {
      merged[name] = { ...merged[name], ...said };
    }
    return descriptions.some((each) => each[member]) ? (merged as Description[K]) : undefined; // as each of them
  };
  const contents = descriptions.flatMap(({ content }) => content ?? []);
  const list = <K extends ListMember>(member: K): Description[K] =>
    [...new Set(descriptions.flatMap((each): readonly unknown[] => each[member] ?? []))] as unknown as Description[K]; // members of that list
  return {
    ...Object.assign({}, ...descriptions),
    tags: list("tags"),
    problems: list("problems"),
    problemTypes: list("problemTypes"),
    variables: record("variables"),
    query: record("query"),
    headers: record("headers"),
    responses: record("responses"),
    responseHeaders: record("responseHeaders"),
    // An example of content, such as docs(…) has, leaves its schema as it is.
    ...(contents.length > 0 && {
      content: Object.assign({}, ...contents.map(({ schema }) => schema && { schema }), contents.at(-1)),
    }),
  };
}

type RecordMember = "variables" | "query" | "headers" | "responses" | "responseHeaders";
type ListMember = "tags" | "problems" | "problemTypes";

/** A filter, as far as a document speaks of it. */
export interface DescribedFilter {
  readonly describes?: FilterDescription;
  readonly exceptMethods?: ReadonlySet<string>;
}

/** Returns what a filter says of the operation that a sample request is of, for a filter that wraps it. */
export function docsOfFilter({ describes = {}, exceptMethods }: DescribedFilter, sample: HttpRequest): Description {
  if (exceptMethods?.has(sample.method)) return {};
  return typeof describes === "function" ? describes(sample) : describes;
}
