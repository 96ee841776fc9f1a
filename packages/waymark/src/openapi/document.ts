/** An OpenAPI 3.1 document, as far as `openApi` writes it. */
export interface OpenApiDocument {
  readonly openapi: "3.1.1";
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly Server[];
  readonly tags: readonly Tag[];
  readonly security: readonly SecurityRequirement[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<ComponentKind, Readonly<Record<string, unknown>>>> & {
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
  /** What requests get that no operation is for, by status. */
  readonly "x-refusals": Readonly<Record<string, Reference>>;
}

export type ComponentKind = "schemas" | "parameters" | "headers" | "responses";

export interface Server {
  readonly url: string;
  readonly description?: string;
}

export interface Tag {
  readonly name: string;
  readonly description?: string;
}

/** By the lower-case method; methods that OpenAPI 3.1 does not know are under `x-operations`, by their name. */
export interface PathItem {
  readonly [method: string]: Operation | Readonly<Record<string, Operation>>;
}

/** Is what a method does on a path. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: true;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly security?: readonly SecurityRequirement[];
}

/** Is a parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: object;
  readonly style?: string;
  readonly explode?: boolean;
  readonly example?: unknown;
}

/** Is the content that an operation reads, by media type. */
export interface RequestBody {
  readonly description?: string;
  readonly required: boolean;
  readonly content: Readonly<Record<string, MediaType>>;
}

/** Is a response of an operation. */
export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
  /** Whether it may also come without content, which OpenAPI has no word for. */
  readonly "x-content-optional"?: true;
}

/** Is a header field of a response. */
export interface Header {
  readonly description?: string;
  readonly schema: object;
  readonly example?: unknown;
}

/** Is the schema of content, with examples. */
export interface MediaType {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** Refers to a component: `#/components/schemas/Person`. */
export interface Reference {
  readonly $ref: string;
}

/** The schemes that are needed together, each with its scopes. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** As OpenAPI has it: `{ type: "http", scheme: "bearer" }`. */
export interface SecurityScheme {
  readonly type: string;
  readonly [member: string]: unknown;
}
