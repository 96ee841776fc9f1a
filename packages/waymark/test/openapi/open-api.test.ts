import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nodeCodings } from "@waymark/node";
import {
  accept,
  after,
  answers,
  contentType,
  GET,
  group,
  header,
  integer,
  json,
  method,
  mount,
  noContent,
  not,
  ok,
  PATCH,
  POST,
  PUT,
  path,
  problemTypes,
  query,
  type Route,
  route,
  router,
  string,
  takes,
  text,
  when,
} from "waymark";
import {
  access,
  compress,
  describeProblems,
  nameRequests,
  overload,
  rateLimit,
  refuseCrossSite,
} from "waymark/filters";
import { docs, namedSchema, type OpenApiDocument, openApi } from "waymark/openapi";
import { name } from "waymark/routing";
import { z } from "zod";
import type { PathItemObject } from "../../src/openapi/document.ts";
import type { OpenApiOptions } from "../../src/openapi/open-api.ts";

const about = { title: "Books", version: "1.0.0" };

const documentOf = (declared: Route, options: Partial<OpenApiOptions> = {}): Promise<OpenApiDocument> =>
  openApi(router(declared), { ...about, ...options });

/** The operation of a document by its method and path, `GET /books`. */
function operationOf(document: OpenApiDocument, line: string): OpenApiDocument.Operation {
  const [method = "", path = ""] = line.split(" ");
  const operation = document.paths[path]?.[method.toLowerCase()];
  assert.ok(operation !== undefined, `${line} is not among ${Object.keys(document.paths).join()}`);
  return operation as OpenApiDocument.Operation; // under the name of a method
}

/** What a reference refers to, or the value itself. */
function resolved(document: OpenApiDocument, value: unknown): Record<string, unknown> {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value as Record<string, unknown>;
  const parts = $ref.slice(2).split("/");
  return parts.reduce<unknown>((whole, part) => (whole as Record<string, unknown>)[part], document) as Record<
    string,
    unknown
  >;
}

const statusesOf = (document: OpenApiDocument, line: string): readonly string[] =>
  Object.keys(operationOf(document, line).responses);

/** The media types of the content of an operation, or of one of its answers. */
const typesOf = (document: OpenApiDocument, line: string, status?: string): readonly string[] => {
  const { requestBody, responses } = operationOf(document, line);
  const { content } = status === undefined ? (requestBody ?? {}) : resolved(document, responses[status]);
  return Object.keys(content ?? {});
};

describe("the paths of an OpenAPI document", () => {
  const plain = { schema: { type: "string" } };
  const matching = (pattern: string) => ({ schema: { type: "string", pattern: `^(?:${pattern})$` } });
  const several = { ...plain, description: "It may have several segments.", "x-several-segments": true };
  const spellings: readonly (readonly [
    template: string,
    path: string,
    parameters?: Readonly<Record<string, object>>,
  ])[] = [
    ["/", "/"],
    ["/a b/c", "/a%20b/c"],
    ["/{id}", "/{id}", { id: plain }],
    ["/{id:[0-9]+}", "/{id}", { id: matching("[0-9]+") }],
    ["/{file}.{ext:csv|xml}", "/{file}.{ext}", { file: plain, ext: matching("csv|xml") }],
    ["/{*rest}", "/{rest}", { rest: several }],
    ["/a/**", "/a/{rest}", { rest: several }],
    ["/a/*/b", "/a/{wildcard1}/b", { wildcard1: plain }],
    ["/{rest}/*/**", "/{rest}/{wildcard1}/{rest_}", { rest: plain, wildcard1: plain, rest_: several }],
    [
      "/{wildcard1}/{wildcard1_}/*",
      "/{wildcard1}/{wildcard1_}/{wildcard1__}",
      { wildcard1: plain, wildcard1_: plain, wildcard1__: plain },
    ],
  ];
  for (const [template, path, parameters = {}] of spellings) {
    it(`spell ${template} as ${path}`, async () => {
      const operation = operationOf(await documentOf(GET(template, ok)), `GET ${path}`);
      const expected = Object.entries(parameters).map(([name, each]) => ({
        ...each,
        name,
        in: "path",
        required: true,
      }));
      assert.deepEqual(operation.parameters ?? [], expected);
    });
  }

  it("are one where templates differ only in the names of variables", async () => {
    const document = await documentOf(group(GET("/{id}", ok), PUT("/{number:[0-9]+}", ok)));
    assert.deepEqual(Object.keys(document.paths), ["/{id}"]);
    assert.deepEqual(operationOf(document, "PUT /{id}").parameters, [
      { ...matching("[0-9]+"), name: "id", in: "path", required: true },
    ]);
  });

  it("take what any of the routes takes that are one", async () => {
    const number = GET("/{number:[0-9]+}", takes({ variables: { number: integer() } }), ok);
    const document = await documentOf(group(number, GET("/{name:[a-z]+}", ok), GET("/{*rest}", ok)));
    const schema = { anyOf: [{ type: "integer" }, matching("[a-z]+").schema, { type: "string" }] };
    assert.deepEqual(operationOf(document, "GET /{number}").parameters, [
      { ...several, name: "number", in: "path", required: true, schema },
    ]);
  });

  it("have the paths of groups and mounted apps in front, and the conditions there", async () => {
    const inner = router(GET("/", ok), GET("/{id}", name("readNote"), ok));
    const document = await documentOf(group("/v1", header("X-A"), mount("/notes", inner)));
    assert.deepEqual(Object.keys(document.paths), ["/v1/notes", "/v1/notes/{id}"]);
    const operation = operationOf(document, "GET /v1/notes/{id}");
    assert.equal(operation.operationId, "readNote");
    assert.deepEqual(resolved(document, operation.parameters?.[1]), {
      ...plain,
      ...{ name: "X-A", in: "header", required: true },
    });
  });

  it("have every method of a route without methods, and list methods apart that OpenAPI does not know", async () => {
    const document = await documentOf(group(route("/any", ok), route(method("QUERY"), "/search", ok)));
    assert.deepEqual(Object.keys(document.paths["/any"] ?? {}), ["get", "put", "post", "delete", "patch"]);
    assert.deepEqual(Object.keys(document.paths["/search"]?.["x-operations"] ?? {}), ["QUERY"]);
  });

  it("have QUERY and methods of one's own at their place in OpenAPI 3.2", async () => {
    const document = await documentOf(
      group(GET("/search", ok), route(method("QUERY"), "/search", ok), route(method("PURGE"), "/search", ok)),
    );
    const { openapi, paths } = openApi.in32(document);
    assert.equal(openapi, "3.2.0");
    assert.deepEqual(Object.keys(paths["/search"] ?? {}), ["get", "query", "additionalOperations"]);
    const further = document.paths["/search"]?.["x-operations"] as PathItemObject | undefined; // the operations
    assert.deepEqual(paths["/search"]?.["query"], further?.["QUERY"]);
    assert.deepEqual(Object.keys(paths["/search"]?.["additionalOperations"] ?? {}), ["PURGE"]);
    assert.deepEqual(openApi.in32(await documentOf(GET("/a", ok))).paths, (await documentOf(GET("/a", ok))).paths);
  });
});

describe("an operation", () => {
  it("has in words what docs say, beside what the handler takes and answers", async () => {
    const document = await documentOf(
      GET(
        "/a/{id}",
        docs({
          variables: { id: { description: "The number." } },
          query: { q: { description: "Words.", example: "tea" } },
          responses: { 200: { description: "What was found." } },
        }),
        takes({ variables: { id: integer() }, query: { q: string() } }),
        answers({ 200: string() }),
        () => text("a"),
      ),
    );
    const { get } = document.paths["/a/{id}"] as { readonly get: OpenApiDocument.Operation }; // the only operation
    assert.deepEqual(get.parameters, [
      { name: "id", in: "path", required: true, description: "The number.", schema: { type: "integer" } },
      { name: "q", in: "query", required: true, description: "Words.", example: "tea", schema: { type: "string" } },
    ]);
    assert.deepEqual(get.responses["200"], {
      description: "What was found.",
      content: { "application/json": { schema: { type: "string" } } },
    });
  });

  it("has the media types of accept and contentType, and the refusals that they cause", async () => {
    const document = await documentOf(POST("/a", accept("application/json", "text/csv"), contentType("text/csv"), ok));
    assert.deepEqual(typesOf(document, "POST /a"), ["text/csv"]);
    assert.deepEqual(typesOf(document, "POST /a", "2XX"), ["application/json", "text/csv"]);
    assert.deepEqual(statusesOf(document, "POST /a"), ["406", "415", "500", "2XX"]);
  });

  it("has no refusal where one of its routes takes what another refuses", async () => {
    const declared = group(GET("/a", accept("text/csv"), ok), GET("/a", ok));
    assert.deepEqual(statusesOf(await documentOf(declared), "GET /a"), ["500", "2XX"]);
  });

  it("has conditions on fields and the query as parameters, required where every route requires them", async () => {
    const beta = when("is beta", () => true);
    const declared = group(
      GET("/a", header("X-A", "1"), query("q", /^[0-9]+$/), ok),
      GET("/a", header("x-a", "2"), not(query("old")), beta, ok),
    );
    const document = await documentOf(declared);
    const operation = operationOf(document, "GET /a");
    const anyOf = ["1", "2"].map((value) => ({ type: "string", enum: [value] }));
    assert.deepEqual(
      operation.parameters?.map((each) => resolved(document, each)),
      [
        { name: "X-A", in: "header", required: true, schema: { anyOf } },
        { name: "q", in: "query", schema: { type: "string", pattern: "^[0-9]+$" } },
      ],
    );
    assert.match(operation.description ?? "", /Only for requests that meet: not query old; is beta\./);
    assert.deepEqual(statusesOf(document, "GET /a"), ["404", "500", "2XX"]);
  });

  it("has the pattern of an expression only where no flag changes what it matches", async () => {
    const taken = takes({ query: { a: z.string().regex(/^b$/) } });
    const document = await documentOf(GET("/a", query("c", /^d/u), header("X-E", /^f/im), taken, ok));
    const schemas = operationOf(document, "GET /a").parameters?.map((each) => resolved(document, each)["schema"]);
    assert.deepEqual(schemas, [
      { type: "string", pattern: "^d" },
      { type: "string" },
      { type: "string", pattern: "^b$" },
    ]);
  });

  it("says nothing of a path that it leaves to other routes, since a path without variables comes first in a document", async () => {
    const left = await documentOf(group("/a/{a}", GET("/new", ok), group(not(path("/new")), PUT("/{id}", ok))));
    const unserved = await documentOf(group("/a/{a}", GET("/new", ok), PUT("/{id}", not(path("/old")), ok)));
    const line = "PUT /a/{a}/{id}";
    assert.equal(operationOf(left, line).description, undefined);
    assert.deepEqual(statusesOf(left, line), ["500", "2XX"]);
    assert.match(operationOf(unserved, line).description ?? "", /not path "\/old"/);
    assert.deepEqual(statusesOf(unserved, line), ["404", "500", "2XX"]);
  });

  it("is that of its routes together, each with its content", async () => {
    const stored = docs({
      operationId: "createBook",
      summary: "Store a book",
      content: { schema: namedSchema("Book", z.object({ title: z.string() })) },
      responses: { 201: { description: "Stored." } },
    });
    const many = docs({
      summary: "Store many",
      content: { types: { "text/csv": {} } },
      responses: { 200: { description: "All stored.", schema: { type: "object" } } },
    });
    const routes = [POST(contentType("application/json"), stored, ok), POST(contentType("text/csv"), many, ok)];
    const document = await documentOf(group("/books", docs({ tags: ["Books"] }), ...routes));
    const { requestBody, description, ...operation } = operationOf(document, "POST /books");
    assert.partialDeepStrictEqual(operation, { operationId: "createBook", summary: "Store a book", tags: ["Books"] });
    assert.deepEqual(requestBody?.content, {
      "application/json": { schema: { $ref: "#/components/schemas/Book" } },
      "text/csv": { schema: { type: "string" } },
    });
    const properties = { title: { type: "string" } };
    assert.deepEqual(document.components.schemas["Book"], { type: "object", properties, required: ["title"] });
    assert.deepEqual(statusesOf(document, "POST /books"), ["200", "201", "400", "413", "415", "500"]);
    assert.match(description ?? "", /\*\*Store a book \(application\/json\)\*\*/);
  });

  it("has the content that takes and docs describe together", async () => {
    const example = docs({ content: { description: "It.", types: { "application/json": { example: 3 } } } });
    const operation = operationOf(await documentOf(PUT("/a", takes({ body: integer() }), example, ok)), "PUT /a");
    assert.deepEqual(operation.requestBody, {
      description: "It.",
      required: true,
      content: { "application/json": { schema: { type: "integer" }, example: 3 } },
    });
  });

  it("reads what its app decodes, where no condition names media types", async () => {
    const decoding = (...mediaTypes: readonly string[]) => [{ mediaTypes, decode: () => 1 }];
    const taking = takes({ body: integer() });
    const inner = router({ decoders: decoding("text/csv") }, PUT("/b", taking, ok));
    const app = router(
      { decoders: decoding("application/xml", "text/*") },
      PUT("/a", taking, ok),
      PUT("/c", contentType("text/csv"), taking, ok),
      mount("/m", inner),
    );
    const document = await openApi(app, about);
    const types = ["/a", "/c", "/m/b"].map((each) => typesOf(document, `PUT ${each}`));
    assert.deepEqual(types, [["application/xml", "text/*"], ["text/csv"], ["text/csv"]]);
  });

  it("promises a form only where each member can be a field of one", async () => {
    const forms = ["application/x-www-form-urlencoded", "multipart/form-data"];
    const decoders = [{ mediaTypes: ["application/json", ...forms], decode: () => 1 }];
    const typesFor = async (body: z.ZodType): Promise<readonly string[]> =>
      typesOf(await openApi(router({ decoders }, PUT("/a", takes({ body }), ok)), about), "PUT /a");
    const Flat = z.object({ title: z.string(), pages: z.int().optional(), tags: z.array(z.enum(["a", "b"])) });
    for (const body of [Flat, z.union([Flat, z.object({ id: z.string().nullable() })]), z.any()]) {
      assert.deepEqual(await typesFor(body), ["application/json", ...forms]);
    }
    const nested = [
      z.object({ author: z.object({ name: z.string() }) }),
      z.object({ rows: z.array(z.array(z.int())) }),
    ];
    for (const body of [...nested, z.array(Flat), z.union([Flat, nested[0] ?? Flat]), z.string()]) {
      assert.deepEqual(await typesFor(body), ["application/json"]);
    }
    const named = docs({ content: { types: { "multipart/form-data": { schema: { type: "array" } } } } });
    const document = await openApi(router({ decoders }, PUT("/a", named, ok)), about);
    assert.ok(typesOf(document, "PUT /a").includes("multipart/form-data"));
  });

  it("refuses content by its schema, unless it is not validated", async () => {
    const content = { types: { "text/csv": { schema: { type: "string" } } } };
    const document = await documentOf(
      group(POST("/a", docs({ content }), ok), POST("/b", docs({ content: { ...content, validated: false } }), ok)),
    );
    const codesOf = (line: string): readonly string[] => {
      const answer = resolved(document, operationOf(document, line).responses["400"]);
      const { examples } =
        (answer["content"] as Record<string, { examples: object }>)["application/problem+json"] ?? {};
      return Object.keys(examples ?? {});
    };
    assert.deepEqual(codesOf("POST /a"), ["malformed-content", "invalid-content"]);
    assert.deepEqual(codesOf("POST /b"), ["malformed-content"]);
  });

  it("takes the description of its handler, and that of the route before it", async () => {
    const handler = docs(
      () => ({ summary: "Of the handler", description: "Long." }),
      () => json({}),
    );
    const operation = operationOf(await documentOf(GET("/a", docs({ summary: "Of the route" }), handler)), "GET /a");
    assert.deepEqual([operation.summary, operation.description], ["Of the route", "Long."]);
  });

  it("has what the parts of the description of its handler say together", async () => {
    const handler = docs(
      (template) => [
        { query: { fields: { description: "Which." } }, problems: [problemTypes.invalidParameters] },
        { summary: `Read ${template}`, headers: { Prefer: { description: "How." } } },
        { summary: "Read", query: { fields: { example: "name" } }, problems: [problemTypes.forbidden] },
      ],
      () => json({}),
    );
    const document = await documentOf(GET("/a", handler));
    const operation = operationOf(document, "GET /a");
    assert.equal(operation.summary, "Read");
    assert.deepEqual(operation.parameters, [
      { name: "fields", in: "query", description: "Which.", example: "name", schema: { type: "string" } },
      { name: "Prefer", in: "header", description: "How.", schema: { type: "string" } },
    ]);
    assert.deepEqual(statusesOf(document, "GET /a"), ["400", "403", "500", "2XX"]);
  });

  it("takes the description that its handler makes of the whole path, in groups and mounted apps", async () => {
    const handler = docs(
      (template) => ({ summary: `Read ${template}` }),
      () => json({}),
    );
    const inner = router(group("/c", GET("/{id}", handler)));
    const document = await documentOf(group("/a", GET("/{id:[0-9]+}", handler), mount("/b", inner)));
    assert.equal(operationOf(document, "GET /a/{id}").summary, "Read /a/{id:[0-9]+}");
    assert.equal(operationOf(document, "GET /a/b/c/{id}").summary, "Read /a/b/c/{id}");
  });

  it("has examples that are made when the document is", async () => {
    const answers = {
      200: { description: "Now.", types: { "application/json": { example: async () => ({ made: true }) } } },
    };
    const document = await documentOf(GET("/a", docs({ responses: answers }), ok));
    const answer = resolved(document, operationOf(document, "GET /a").responses["200"]);
    assert.deepEqual(answer["content"], { "application/json": { schema: {}, example: { made: true } } });
  });

  it("has a name of its own", async () => {
    const declared = group(GET("/a", name("same"), ok), PATCH("/b", name("same"), ok));
    await assert.rejects(documentOf(declared), {
      name: "TypeError",
      message: /Both GET \/a and PATCH \/b have the name "same"/,
    });
  });
});

describe("the filters of an app in its document", () => {
  const filters = [
    nameRequests(),
    compress({ codings: nodeCodings }),
    overload({ maxDelay: 100 }),
    describeProblems(),
    rateLimit({ limit: 1, window: 1 }),
    access(() => ({ kind: "allowed" })),
  ];

  it("add their problems and header fields to every operation, and to the refusals", async () => {
    const document = await openApi(router({ filters }, GET("/a", noContent)), about);
    assert.equal(statusesOf(document, "GET /a").join(" "), "400 401 403 406 429 500 503 2XX");
    const answer = resolved(document, operationOf(document, "GET /a").responses["429"]);
    const fields = ["X-Request-Id", "RateLimit-Policy", "RateLimit", "Retry-After"];
    assert.deepEqual(Object.keys(answer["headers"] as object), fields);
    assert.deepEqual(typesOf(document, "GET /a", "429"), ["application/problem+json", "application/problem+xml"]);
    assert.equal(Object.keys(document["x-refusals"]).join(" "), "400 401 403 404 405 406 429 500 501 503");
  });

  it("add nothing to operations that they let by", async () => {
    const isHealth = ({ path }: { readonly path: string }): boolean => path === "/health";
    const limit = rateLimit({ limit: 1, window: 1, except: isHealth });
    const filters = [overload({ except: isHealth }), limit, refuseCrossSite()];
    const document = await openApi(router({ filters }, GET("/health", ok), GET("/a", ok), POST("/a", ok)), about);
    assert.deepEqual(statusesOf(document, "GET /health"), ["500", "2XX"]);
    assert.deepEqual(statusesOf(document, "GET /a"), ["429", "500", "503", "2XX"]);
    assert.deepEqual(statusesOf(document, "POST /a"), ["403", "429", "500", "503", "2XX"]);
    assert.ok("403" in document["x-refusals"]);
  });

  it("add media types of problems to the operations that they cover", async () => {
    const pages = after((_request, response) => response, { describes: { problemTypes: ["text/html"] } });
    const document = await documentOf(group(GET("/plain", ok), group(pages, GET("/a", ok))));
    assert.deepEqual(typesOf(document, "GET /plain", "500"), ["application/problem+json"]);
    assert.deepEqual(typesOf(document, "GET /a", "500"), ["application/problem+json", "text/html"]);
  });

  it("add them in a group to its operations only", async () => {
    const document = await documentOf(
      group(GET("/free", ok), group(rateLimit({ limit: 1, window: 1 }), GET("/counted", ok))),
    );
    assert.deepEqual(statusesOf(document, "GET /free"), ["500", "2XX"]);
    assert.deepEqual(statusesOf(document, "GET /counted"), ["429", "500", "2XX"]);
  });
});

describe("an OpenAPI document", () => {
  it("asks for credentials as the app says", async () => {
    const document = await documentOf(group(GET("/open", ok), GET("/closed/{id}", ok)), {
      security: {
        schemes: { bearer: { type: "http", scheme: "bearer" } },
        requirementsOf: ({ path }) => (path === "/closed/1" ? [{ bearer: ["read"] }] : []),
      },
    });
    assert.deepEqual(operationOf(document, "GET /open").security, []);
    assert.deepEqual(operationOf(document, "GET /closed/{id}").security, [{ bearer: ["read"] }]);
  });

  it("names the problems of each status with the pages that they lead to", async () => {
    const document = await documentOf(GET("/a", accept("text/csv"), ok), { problemBase: "https://api.example/v1" });
    const answer = resolved(document, operationOf(document, "GET /a").responses["406"]);
    const { schema, examples } =
      (answer["content"] as Record<string, Record<string, Record<string, unknown>>>)["application/problem+json"] ?? {};
    assert.deepEqual(schema, {
      allOf: [
        { $ref: "#/components/schemas/Problem" },
        { properties: { type: { enum: ["https://api.example/v1/problems/not-acceptable"] }, status: { const: 406 } } },
      ],
    });
    assert.deepEqual(examples?.["not-acceptable"], {
      value: { type: "https://api.example/v1/problems/not-acceptable", title: "Not Acceptable", status: 406 },
    });
  });

  it("has problems once, as components by their codes, and in its place what differs under one name", async () => {
    const stamped = after((_request, response) => response, { describes: { responseHeaders: { "X-Stamp": {} } } });
    const document = await documentOf(group(GET("/a", ok), GET("/b", ok), group(stamped, GET("/c", ok))));
    const [a, b, c] = ["/a", "/b", "/c"].map((path) => operationOf(document, `GET ${path}`).responses["500"]);
    assert.deepEqual(a, { $ref: "#/components/responses/InternalError" });
    assert.deepEqual(b, a);
    const { headers, ...others } = c as OpenApiDocument.Response;
    assert.deepEqual(headers, { "X-Stamp": { schema: { type: "string" } } });
    assert.deepEqual(others, document.components.responses["InternalError"]);
    assert.deepEqual(Object.keys(document.components), ["schemas", "responses", "securitySchemes"]);
  });

  it("has the refusals of the server as the default of each operation", async () => {
    const document = await documentOf(GET("/a", ok), { serverProblems: [problemTypes.expectationFailed] });
    const answer = resolved(document, operationOf(document, "GET /a").responses["default"]);
    assert.match(String(answer["description"]), /before it reaches this operation, with one of 417\./);
    assert.ok("417" in document["x-refusals"]);
    assert.equal(operationOf(await documentOf(GET("/a", ok)), "GET /a").responses["default"], undefined);
  });

  it("has the definitions of schemas once, as components", async () => {
    const node = (type: string) => ({
      type: "object",
      properties: { value: { type }, next: { $ref: "#/$defs/node" } },
    });
    const tree = (type: string) => ({ $defs: { node: node(type) }, $ref: "#/$defs/node" });
    const answers = {
      200: { description: "A tree.", schema: namedSchema("Tree", tree("string")) },
      201: { description: "Trees.", schema: { ...tree("string"), $ref: undefined, items: { $ref: "#/$defs/node" } } },
      202: { description: "Of numbers.", schema: tree("number") },
    };
    const document = await documentOf(GET("/a", docs({ responses: answers }), ok));
    const { Problem: _, ...named } = document.components.schemas;
    assert.deepEqual(named, {
      Tree: { $ref: "#/components/schemas/node" },
      node: JSON.parse(JSON.stringify(node("string")).replace("$defs", "components/schemas")),
      node2: JSON.parse(JSON.stringify(node("number")).replace("$defs/node", "components/schemas/node2")),
    });
    const schemas = ["201", "202"].map((status) => {
      const { content = {} } = operationOf(document, "GET /a").responses[status] as OpenApiDocument.Response;
      return content["application/json"]?.schema;
    });
    assert.deepEqual(schemas, [
      { items: { $ref: "#/components/schemas/node" } },
      { $ref: "#/components/schemas/node2" },
    ]);
  });

  it("has definitions whose names no component can have, under others", async () => {
    const schema = {
      $defs: { "a b": { type: "string" }, "a/b": { items: { $ref: "#/$defs/a b" } }, "a-b": { type: "null" } },
      anyOf: [{ $ref: "#/$defs/a%20b" }, { $ref: "#/$defs/a~1b" }, { $ref: "#/$defs/a-b" }],
    };
    const described = docs({ responses: { 200: { description: "It.", schema } } });
    const { components, paths } = await documentOf(GET("/a", described, ok));
    const { Problem: _, ...named } = components.schemas;
    assert.deepEqual(named, {
      "a-b": { type: "string" },
      "a-b_": { items: { $ref: "#/components/schemas/a-b" } },
      "a-b__": { type: "null" },
    });
    const [shown] = JSON.stringify(paths).match(/"anyOf":\[.*?\]/) ?? [];
    const references = Object.keys(named).map((each) => ({ $ref: `#/components/schemas/${each}` }));
    assert.equal(shown, JSON.stringify({ anyOf: references }).slice(1, -1));
  });

  it("has references to a schema that refers to itself, whatever its name", async () => {
    const list = (type: string) => ({ type: "object", properties: { value: { type }, next: { $ref: "#" } } });
    const answers = {
      200: { description: "A list.", schema: namedSchema("List", list("string")) },
      201: { description: "Another one.", schema: namedSchema("List", list("number")) },
      202: { description: "One without a name.", schema: list("string") },
    };
    const document = await documentOf(GET("/a", docs({ responses: answers }), ok));
    const { Problem: _, ...named } = document.components.schemas;
    for (const [name, schema] of Object.entries(named)) {
      assert.equal((schema as ReturnType<typeof list>).properties.next.$ref, `#/components/schemas/${name}`);
    }
    assert.deepEqual(Object.keys(named), ["List", "List2", "Schema"]);
  });
});
