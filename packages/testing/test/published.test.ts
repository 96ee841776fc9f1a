import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type App,
  accept,
  answers,
  around,
  created,
  empty,
  type Filter,
  GET,
  group,
  json,
  none,
  open,
  POST,
  type Route,
  router,
  takes,
} from "waymark";
import { type OpenApiDocument, openApi } from "waymark/openapi";
import { z } from "zod";
import type { Answer } from "../../waymark/src/answer/answered.ts";
import { type ContractError, contract } from "../src/index.ts";
import { PublishedError } from "../src/published.ts";

const headers = { Authorization: "Bearer sesame" };
const guard: Filter = around(
  (request, next) => (request.header("Authorization") === headers.Authorization ? next(request) : empty(401)),
  { describes: { responses: { 401: { description: "Nobody has signed in." } } } },
);
const Note = z.object({ text: z.string().min(1).max(30), state: z.enum(["open", "done"]).optional() });
const read = (schema: Answer = z.array(Note), sent: readonly object[] = [{ text: "Milk" }]): Route =>
  GET(takes({ query: { page: z.int().min(1).optional() } }), answers({ 200: schema }), () => json(sent) as never); // of its schema
const store = (schema: z.ZodType = Note): Route =>
  POST(takes({ body: schema }), answers({ 201: none }), async (_, { body }) => {
    await body();
    return created("/notes/1");
  });
const notes = (...members: readonly (Route | Filter)[]): App => router(group("/notes", ...members));
const app = notes(guard, read(), store());
const document = (of: App): Promise<OpenApiDocument> => openApi(of, { title: "Notes", version: "1" });

/** Returns how the app differs from the document, once for each kind of difference of an operation. */
async function changes(changed: App, published: OpenApiDocument): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const { name, run } of await contract(changed, { headers, published, requests: 60 })) {
    await run().catch(({ failures }: ContractError) => {
      for (const { change, expected } of failures) found.add(`${name} ${change}: ${expected.replace(/^.*, and /, "")}`);
    });
  }
  return [...found].toSorted();
}

const refused = "no such refusal: the document calls the request valid";

describe("an app and the document that its clients have", () => {
  it("agree where nothing has changed", async () => {
    assert.deepEqual(await changes(app, await document(app)), []);
    assert.equal((await contract(app, { published: await document(app) })).length, 2);
  });

  for (const [what, changed, expected] of [
    [
      "a member more in answers",
      notes(guard, read(z.array(Note.extend({ id: z.int() })), [{ text: "a", id: 1 }]), store()),
      [],
    ],
    [
      "another optional parameter, and a route more",
      notes(
        guard,
        read(),
        store(),
        GET("/count", answers({ 200: z.int() }), () => json(1)),
      ),
      [],
    ],
    [
      "a wider schema of content",
      notes(guard, read(), store(Note.extend({ text: z.string().max(99).optional() }))),
      [],
    ],
    [
      "a rule in code, of which no document speaks",
      notes(guard, read(), store(Note.refine(({ text }) => text.length % 2 === 0))),
      [],
    ],
    [
      "an operation that is gone",
      notes(guard, read()),
      ["POST /notes breaks: an answer of this operation: 201, 400, 401, 413, 415, 500"],
    ],
    [
      "a parameter that is needed",
      notes(
        guard,
        GET(takes({ query: { tenant: z.string() } }), answers({ 200: z.array(Note) }), () => json([])),
        store(),
      ),
      [`GET /notes breaks: ${refused}`],
    ],
    [
      "a narrower parameter",
      notes(
        guard,
        GET(takes({ query: { page: z.int().min(1).max(9).optional() } }), answers({ 200: z.array(Note) }), () =>
          json([]),
        ),
        store(),
      ),
      [`GET /notes breaks: ${refused}`],
    ],
    [
      "a shorter text",
      notes(guard, read(), store(Note.extend({ text: z.string().min(1).max(29) }))),
      [`POST /notes breaks: ${refused}`],
    ],
    ["a member that is needed", notes(guard, read(), store(Note.required())), [`POST /notes breaks: ${refused}`]],
    [
      "a member that answers no longer have",
      notes(guard, read(z.array(z.object({})), [{}]), store()),
      ["GET /notes breaks: content as its schema: #/0 must have required property 'text'"],
    ],
    [
      "another value in answers",
      notes(
        guard,
        read(z.array(z.object({ text: z.string(), state: z.string() })), [{ text: "a", state: "gone" }]),
        store(),
      ),
      ["GET /notes breaks: content as its schema: #/0/state must be equal to one of the allowed values"],
    ],
    [
      "another status",
      notes(
        guard,
        read(),
        POST(takes({ body: Note }), answers({ 204: none }), async (_, { body }) => {
          await body();
          return empty(204) as never;
        }),
      ),
      ["POST /notes breaks: a status that is published: 201, 400, 401, 413, 415, 500"],
    ],
    [
      "another media type",
      notes(
        guard,
        GET(accept("application/xml"), takes({ query: { page: z.int().optional() } }), () => empty(200)),
        store(),
      ),
      ["GET /notes breaks: an answer of this operation: 200, 400, 401, 500"],
    ],
    [
      "no guard",
      notes(read(), store()),
      ["GET /notes opens: a refusal, 401 or 403", "POST /notes opens: a refusal, 401 or 403"],
    ],
    [
      "a guard that says that it is there",
      notes(
        around((request, next) => next(request), { describes: guard.describes ?? {} }),
        read(),
        store(),
      ),
      ["GET /notes opens: a refusal, 401 or 403", "POST /notes opens: a refusal, 401 or 403"],
    ],
  ] satisfies readonly (readonly [string, App, readonly string[]])[]) {
    it(`${expected.length === 0 ? "agree" : "differ"} on ${what}`, async () => {
      assert.deepEqual(await changes(changed, await document(app)), expected);
    });
  }

  it("differ on a guard that is new, and on credentials that are not let in", async () => {
    const before = await document(router(group("/notes", open("all"), read(), store())));
    const other = around((_request, _next) => empty(401), { describes: guard.describes ?? {} });
    assert.deepEqual(await changes(notes(other, read(), store()), before), [
      "GET /notes breaks: no such refusal",
      "POST /notes breaks: no such refusal",
    ]);
    assert.deepEqual(await changes(notes(other, read(), store()), await document(app)), [
      "GET /notes breaks: credentials that are let in: name some by headers",
      "POST /notes breaks: credentials that are let in: name some by headers",
    ]);
  });

  it("are compared by what the document refers to, wherever it is", async () => {
    const { paths, components, ...others } = await document(app);
    const { get, post } = paths["/notes"] as { get: OpenApiDocument.Operation; post: OpenApiDocument.Operation };
    const items = { $ref: "#/components/pathItems/notes/post/requestBody/content/application~1json/schema" };
    const published = {
      ...others,
      paths: { "/notes": { $ref: "#/components/pathItems/notes" } },
      components: {
        ...components,
        parameters: {
          page: { in: "query", name: "page", schema: { type: "integer", minimum: 1 } },
          zone: { in: "header", name: "Zone", required: true, schema: { const: "UTC" } },
        },
        pathItems: {
          notes: {
            parameters: [{ $ref: "#/components/parameters/zone" }],
            get: {
              ...get,
              parameters: [{ $ref: "#/components/parameters/page" }],
              responses: {
                200: { description: "", content: { "application/json": { schema: { type: "array", items } } } },
              },
            },
            post,
          },
        },
      },
    } as unknown as OpenApiDocument; // paths of a document of ours have no references
    const zones = new Set<string | undefined>();
    const seeing = around((request, next) => {
      zones.add(request.header("Zone"));
      return next(request);
    });
    assert.deepEqual(await changes(notes(guard, seeing, read(), store()), published), []);
    assert.deepEqual([...zones], ["UTC"]);
    assert.deepEqual(await changes(notes(guard, read(z.array(z.object({})), [{}]), store()), published), [
      "GET /notes breaks: content as its schema: #/0 must have required property 'text'",
    ]);
  });

  it("are not compared where the document cannot be theirs", async () => {
    const good = await document(app);
    const withNotes = (item: unknown) => ({ ...good, paths: { "/notes": item } });
    for (const [published, message] of [
      [{ ...good, openapi: "3.0.3" }, "The published document is of OpenAPI 3.0.3, and not of 3.1 or 3.2"],
      [{ swagger: "2.0" }, "The published document is of OpenAPI no version, and not of 3.1 or 3.2"],
      [null, "The published document is of OpenAPI no version, and not of 3.1 or 3.2"],
      [{ openapi: "3.1.1" }, "The published document is cut: it has no paths"],
      [{ ...good, components: {} }, /^The published document is cut: it has no #\/components\//],
      [
        { ...good, paths: { "/others": good.paths["/notes"] } },
        "The published document is of another app: none of its 2 operations is here",
      ],
      [withNotes(null), "The published document is cut: /notes is no object"],
      [withNotes({ get: "cut" }), "The published document is cut: GET /notes is no object"],
      [
        withNotes({ get: { parameters: {} } }),
        "The published document is cut: the parameters of GET /notes are no list",
      ],
      [
        withNotes({ get: { parameters: [{ in: "query", name: "a", schema: { pattern: "(" } }] } }),
        /^The published document has a schema of GET \/notes that cannot be read: /,
      ],
      [{ ...good, paths: {} }, "The published document is of another app: none of its 0 operations is here"],
    ] as const) {
      await assert.rejects(contract(app, { published: published as OpenApiDocument }), (error: Error) => {
        assert.ok(error instanceof PublishedError);
        if (typeof message === "string") assert.equal(error.message, message);
        else assert.match(error.message, message);
        return true;
      });
    }
  });
});
