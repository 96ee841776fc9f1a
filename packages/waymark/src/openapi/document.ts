/** An OpenAPI document, as far as `openApi` writes it. */
export interface OpenApiDocument {
  readonly openapi: "3.1.1" | "3.2.0";
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly Server[];
  readonly tags: readonly Tag[];
  readonly security: readonly SecurityRequirementObject[];
  readonly paths: Readonly<Record<string, PathItemObject>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    /** The responses that are problems, by what they are. */
    readonly responses: Readonly<Record<string, OpenApiDocument.Response>>;
    readonly securitySchemes: Readonly<Record<string, SecuritySchemeObject>>;
  };
  /** What requests get that no operation is for, by status. */
  readonly "x-refusals": Readonly<Record<string, OpenApiDocument.Response | ReferenceObject>>;
}

export declare namespace OpenApiDocument {
  /** What a method does on a path. */
  interface Operation {
    readonly operationId: string;
    readonly summary: string;
    readonly description?: string;
    readonly tags?: readonly string[];
    readonly deprecated?: true;
    readonly parameters?: readonly ParameterObject[];
    readonly requestBody?: RequestBodyObject;
    readonly responses: Readonly<Record<string, Response | ReferenceObject>>;
    readonly security?: readonly SecurityRequirementObject[];
  }

  /** A response of an operation. */
  interface Response {
    readonly description: string;
    readonly headers?: Readonly<Record<string, HeaderObject>>;
    readonly content?: Readonly<Record<string, MediaTypeObject>>;
    /** Whether it may also come without content, which OpenAPI has no word for. */
    readonly "x-content-optional"?: true;
  }
}

export interface Server {
  readonly url: string;
  readonly description?: string;
}

export interface Tag {
  readonly name: string;
  readonly description?: string;
}

/**
 * By the lower-case method. Methods that OpenAPI does not know are by their name under `x-operations`, in 3.2 under
 * `additionalOperations`.
 */
export interface PathItemObject {
  readonly [method: string]: OpenApiDocument.Operation | Readonly<Record<string, OpenApiDocument.Operation>>;
}

/** A parameter of an operation. */
export interface ParameterObject {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: object;
  readonly style?: string;
  readonly explode?: boolean;
  readonly example?: unknown;
  /** Whether a variable of the path may have several segments, which OpenAPI has no word for. */
  readonly "x-several-segments"?: true;
}

/** The content that an operation reads, by media type. */
export interface RequestBodyObject {
  readonly description?: string;
  readonly required: boolean;
  readonly content: Readonly<Record<string, MediaTypeObject>>;
}

/** A header field of a response. */
export interface HeaderObject {
  readonly description?: string;
  readonly schema: object;
  readonly example?: unknown;
}

/** The schema of content, with examples. */
export interface MediaTypeObject {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** Refers to a component: `#/components/responses/NotFound`. */
export interface ReferenceObject {
  readonly $ref: string;
}

/** The schemes that are needed together, each with its scopes. */
export type SecurityRequirementObject = Readonly<Record<string, readonly string[]>>;

/** As OpenAPI has it: `{ type: "http", scheme: "bearer" }`. */
export interface SecuritySchemeObject {
  readonly type: string;
  readonly [member: string]: unknown;
}
