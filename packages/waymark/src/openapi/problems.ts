import type { App } from "../app.ts";
import type { ProblemType } from "../common/problem-document.ts";
import * as problemTypes from "../common/problem-types.ts";
import { reasonPhrase } from "../common/reason-phrase.ts";
import { pascalCase } from "../common/wording.ts";
import type { Description, JsonSchema } from "../description.ts";
import { namedSchema } from "../description.ts";
import { problem, problemPath } from "../problem.ts";
import { HttpRequest } from "../request.ts";
import { routesOf } from "../routing/dispatch/app-routes.ts";
import type { HeaderObject, OpenApiDocument, ReferenceObject } from "./document.ts";
import type { Schemas } from "./schemas.ts";
import { describesOf, sayAll } from "./ways.ts";

/** The responses of a document that are problems: components, which are named by their codes. */
export class Problems {
  readonly #responses = new Map<string, OpenApiDocument.Response>();
  readonly #base: string;

  /** @param base the prefix of the path in the `type` of problems */
  constructor(base: string) {
    this.#base = base;
  }

  /** In the order of their names. */
  get named(): Readonly<Record<string, OpenApiDocument.Response>> {
    return Object.fromEntries([...this.#responses].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns a reference to the response that is one of these problems of one status; the response itself where another has its name. */
  refer(
    types: readonly ProblemType[],
    around: Description,
    schemas: Schemas,
  ): ReferenceObject | OpenApiDocument.Response {
    return this.#component(nameOf(types), this.toResponse(types, around, schemas));
  }

  /**
   * Returns the response that is one of these problems.
   *
   * @param around what the filters around them add: header fields, and media types of problems
   */
  toResponse(types: readonly ProblemType[], around: Description, schemas: Schemas): OpenApiDocument.Response {
    const statuses = [...new Set(types.map(({ status }) => status))];
    const headers = Object.assign({}, around.responseHeaders, ...statuses.map((status) => fieldsOfStatus[status]));
    const toType = (type: ProblemType): string => this.#base + problemPath(type);
    const status = statuses.length === 1 ? { const: statuses[0] } : { enum: statuses };
    const own = { properties: { type: { enum: types.map(toType) }, status } };
    const schema = schemas.toJsonSchema({ allOf: [namedSchema("Problem", problemSchema), own] }, "output");
    const examples = types.map((type) => [type.code, { value: { ...problem(type).problem, type: toType(type) } }]);
    const others = (around.problemTypes ?? []).map((type) => [type, { schema: { type: "string" } }]);
    return toResponse({
      description: types.map(({ title, explanation }) => `${title}. ${explanation}`).join("\n\n"),
      headers: toHeaders(headers, schemas),
      content: {
        "application/problem+json": { schema, examples: Object.fromEntries(examples) },
        ...Object.fromEntries(others),
      },
    });
  }

  /**
   * Returns the refusals of an app, and of the server that it runs on, by status; and as `default` what the server refuses of
   * requests that an operation is for.
   */
  refusals(
    app: App,
    serverProblems: readonly ProblemType[],
    schemas: Schemas,
  ): readonly [byStatus: OpenApiDocument.Operation["responses"], earlier: OpenApiDocument.Operation["responses"]] {
    // Of any method, also those that a filter leaves to itself where there is an operation.
    const everywhere = sayAll(describesOf(routesOf(app).filters), HttpRequest.of({ method: "*" }));
    const { malformedTarget, notFound, methodNotAllowed, notImplemented, internalError } = problemTypes;
    const ofRouter = [malformedTarget, notFound, methodNotAllowed, notImplemented, internalError];
    const all = new Set([...ofRouter, ...(everywhere.problems ?? []), ...serverProblems]);
    const byStatus = [...Map.groupBy(all, ({ status }) => status)]
      .toSorted(([a], [b]) => a - b)
      .map(([status, types]) => [status, this.refer(types, everywhere, schemas)] as const);
    const described = Object.entries(everywhere.responses ?? {}).map(([status, { description, headers }]) => {
      const fields = { ...everywhere.responseHeaders, ...headers };
      return [status, toResponse({ description, headers: toHeaders(fields, schemas) })] as const;
    });
    const refusals = Object.fromEntries([...byStatus, ...described]);
    if (serverProblems.length === 0) return [refusals, {}];
    const statuses = [...new Set(serverProblems.map(({ status }) => status))].toSorted((a, b) => a - b);
    const description = `The request is refused before it reaches this operation, with one of ${statuses.join(", ")}.`;
    const earlier = { ...this.toResponse(serverProblems, everywhere, schemas), description };
    return [refusals, { default: this.#component("EarlierRefusal", earlier) }];
  }

  #component(name: string, response: OpenApiDocument.Response): ReferenceObject | OpenApiDocument.Response {
    const known = this.#responses.get(name) ?? response;
    if (JSON.stringify(known) !== JSON.stringify(response)) return response;
    this.#responses.set(name, known);
    return { $ref: `#/components/responses/${name}` };
  }
}

/** Leaves out what a response has none of. */
export function toResponse({
  headers = {},
  content = {},
  ...others
}: OpenApiDocument.Response): OpenApiDocument.Response {
  const { description, ...flag } = others;
  return {
    description,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(content).length > 0 && { content }),
    ...flag,
  };
}

export function toHeaders(
  described: Readonly<Record<string, Description.Header>> = {},
  schemas: Schemas,
): Readonly<Record<string, HeaderObject>> {
  const entries = Object.entries(described).map(([name, { description, schema = { type: "string" }, example }]) => [
    name,
    {
      ...(description !== undefined && { description }),
      schema: schemas.toJsonSchema(schema, "output"),
      ...(example !== undefined && { example }),
    },
  ]);
  return Object.fromEntries(entries);
}

/** `ConflictOrPatchConflict` */
function nameOf(types: readonly ProblemType[]): string {
  const [{ status }] = types as [ProblemType, ...ProblemType[]]; // there is one at least
  const codes = types.map(({ code }) => pascalCase(code)).toSorted();
  return types.length > 3 ? pascalCase(reasonPhrase(status) ?? `Status${status}`) : codes.join("Or");
}

const retryAfter = { description: "After how many seconds the same request may succeed (RFC 9110 §10.2.3)." };

/** The fields that only problems of a status have. */
const fieldsOfStatus: Readonly<Record<number, Readonly<Record<string, Description.Header>>>> = {
  401: { "WWW-Authenticate": { description: "How to authenticate (RFC 9110 §11.6.1)." } },
  403: { "WWW-Authenticate": { description: "How to authenticate (RFC 9110 §11.6.1)." } },
  405: { Allow: { description: "The methods of the path (RFC 9110 §10.2.1)." } },
  409: { "Retry-After": retryAfter },
  412: { ETag: { description: "The state that there is (RFC 9110 §8.8.3)." } },
  415: {
    Accept: { description: "The media types that are read here (RFC 9110 §12.5.1)." },
    "Accept-Encoding": { description: "The content codings that are read (RFC 9110 §12.5.3)." },
    "Accept-Post": { description: "The media types that a POST can have (W3C LDP §7.1)." },
    "Accept-Patch": { description: "The media types that a PATCH can have (RFC 5789 §3.1)." },
    "Accept-Query": { description: "The media types that a QUERY can have (RFC 10008 §3)." },
  },
  429: { "Retry-After": retryAfter },
  503: { "Retry-After": retryAfter },
};

/** RFC 9457. */
const problemSchema: JsonSchema = {
  title: "Problem details (RFC 9457)",
  type: "object",
  required: ["type", "title", "status"],
  properties: {
    type: {
      type: "string",
      format: "uri-reference",
      description: "The kind of problem; its page says what would be right.",
    },
    title: { type: "string", description: "What the kind of problem is called." },
    status: { type: "integer", description: "The status of the response." },
    detail: { type: "string", description: "What was wrong this time, and what would be right." },
    instance: { type: "string", format: "uri-reference", description: "The id of the request." },
    errors: {
      type: "array",
      description: "Each place that is wrong.",
      items: {
        type: "object",
        required: ["detail"],
        properties: {
          detail: { type: "string" },
          pointer: {
            type: "string",
            description: "A JSON Pointer into the content, as a URI fragment; `#` is the whole.",
          },
          parameter: { type: "string", description: "The parameter or field that is wrong." },
          in: { enum: ["query", "path", "header"], description: "Where the parameter is." },
          code: { type: "string", description: "The kind of fault, for programs; the detail may change." },
          found: { type: ["string", "number", "boolean"], description: "What was found there." },
          line: { type: "integer", minimum: 1, description: "The line of the content." },
        },
      },
    },
    available: {
      type: "array",
      items: { type: "string" },
      description: "What there is in place of what was asked for.",
    },
    supported: { type: "array", items: { type: "string" }, description: "What the content could be." },
    refused: { type: "integer", minimum: 0, description: "How many records of a list were refused." },
    omitted: { type: "integer", minimum: 0, description: "How many further errors are not listed." },
    "violated-policies": { type: "array", items: { type: "string" }, description: "The quotas that are used up." },
  },
};
