import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { stripTypeScriptTypes } from "node:module";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import {
  answers,
  GET,
  HEAD,
  json,
  method,
  mount,
  noContent,
  none,
  ok,
  POST,
  PUT,
  path,
  problemTypes,
  type Route,
  route,
  router,
} from "waymark";
import { type Description, docs, inOpenApi32, type JsonSchema, namedSchema, openApi, toClient } from "waymark/openapi";
import { name } from "waymark/routing";
import { z } from "zod";
import { openFolder } from "../folder.ts";
import { checkTypes, formatChanges, makeProject } from "../generated-client.ts";
import { asOlderNode } from "../older-node.ts";

const about = { title: "Notes", version: "1.0.0" };
const clientOf = async (...routes: readonly Route[]): Promise<string> =>
  toClient(await openApi(router(...routes), about));
const program = fileURLToPath(new URL("../../bin/waymark.js", import.meta.url));

/** Runs the command, as somebody does who has waymark installed. */
function waymark(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

const app = `
import { type App, accept, answers, created, DELETE, found, GET, group, json, noContent, none, POST, type ProblemType, PUT, problem, QUERY, router, takes, text } from "waymark";
import { docs, namedSchema } from "waymark/openapi";
import { name } from "waymark/routing";
import { boolean, integer, many, oneOf, optional, string } from "waymark/schema";
import { z } from "zod";

const Note = z.object({ title: z.string().min(1), tags: z.array(z.string()).optional() }).meta({ id: "note" });
interface Section { readonly heading: string; readonly sections: readonly Section[] }
const Section: z.ZodType<Section> = z.object({ heading: z.string(), get sections() { return z.array(Section); } });
const titleTaken: ProblemType = { code: "title-taken", status: 409, title: "Title taken", explanation: "Another note has the title." };
const titles = ["one", "two", "three", "four", "five"];

export const app: App = router(
  group("/notes",
    GET(
      takes({ query: { from: integer({ default: 0, least: 0 }), tag: many(string()), order: optional(oneOf(["up", "down"])), all: boolean({ default: false }) } }),
      answers({ 200: z.array(Note) }),
      docs({ operationId: "list-notes", responses: { 200: { description: "A page.", headers: { Link: {} } } } }),
      (request, { query: { from, tag } }) =>
        json(titles.slice(from, from + 2).map((title) => ({ title, tags: [...tag] }))).withHeader(
          "Link",
          from + 2 < titles.length ? \`</notes?from=0>; rel="first", <\${request.path}?from=\${from + 2}>; rel="next"\` : '</notes>; rel="first"',
        ),
    ),
    POST(takes({ body: Note }), answers({ 201: Note, 409: titleTaken }), async (_request, { body }) => {
      const note = await body();
      return titles.includes(note.title) ? problem(titleTaken, { detail: "It is " + note.title }) : created("/notes/6", note);
    }),
    GET("/{id}", takes({ variables: { id: integer({ least: 1 }) } }), answers({ 200: Note, 404: none }), (_request, { variables: { id } }) => {
      const title = titles[id - 1];
      return found(title === undefined ? undefined : { title });
    }),
    DELETE("/{id}", name("delete"), answers({ 204: none }), () => noContent()),
  ),
  PUT("/outline", takes({ body: namedSchema("Outline", Section) }), answers({ 200: z.array(z.string()) }), async (_request, { body }) => {
    const headings = ({ heading, sections }: Section): readonly string[] => [heading, ...sections.flatMap(headings)];
    return json(headings(await body()));
  }),
  GET("/files/{*rest}", name("read file"), accept("text/plain"), ({ variables }) => text(variables.rest.join("|"))),
  GET("/picture", accept("image/png", "text/plain"), docs({ responses: { 200: { description: "It.", schema: {} } } }), (request) =>
    request.negotiatedType === "image/png" ? text("PNG").withHeader("Content-Type", "image/png") : text("a picture")),
  QUERY("/search", takes({ body: z.record(z.string(), z.number()) }), answers({ 200: z.tuple([z.string(), z.number()]) }), async (_request, { body }) =>
    json(Object.entries(await body())[0] ?? ["", 0])),
);
`;

const use = `
import { app } from "./app.ts";
import * as notes from "./client.ts";

const api: notes.Api = { baseUrl: "http://notes.example/", fetch: (request) => app.fetch(request) };
const results: unknown[] = [];

const list: string[] = [];
for await (const page of notes.listNotesPages(api)) list.push(page.content.map(({ title }) => title).join());
results.push(list);
const tagged = await notes.listNotes(api, { query: { tag: ["a", "b&c"], order: "up", all: true } });
if (tagged.ok) results.push(tagged.content[0]?.tags);
else if (tagged.status === 400) results.push(tagged.problem.errors);

const note: notes.Note = { title: "six" };
const answer = await notes.postNotes(api, { body: note });
if (answer.status === 201) results.push(answer.content.title);
const taken = await notes.postNotes(api, { body: { title: "one" } });
if (taken.status === 409) results.push([taken.problem.code satisfies "title-taken", taken.problem.detail]);
const invalid = await notes.postNotes(api, { body: { title: "" } });
if (invalid.status === 400 && invalid.problem.code === "invalid-content") results.push(invalid.problem.errors);

const missing = await notes.getNotesId(api, { variables: { id: 7 } });
if (missing.status === 404) results.push(missing.content satisfies undefined);
results.push((await notes.deleteOperation(api, { variables: { id: "a/b" } })).status);
for (const id of ["..", ""]) {
  results.push(await notes.deleteOperation(api, { variables: { id } }).catch(({ message }: Error) => message));
}

const sections = [{ heading: "1", sections: [] }, { heading: "2", sections: [{ heading: "2.1", sections: [] }] }];
const outline = notes.successOf(await notes.putOutline(api, { body: { heading: "0", sections } }));
results.push(outline.content satisfies readonly string[]);
const file = await notes.readFile(api, { variables: { rest: ["a b", "c/d"] } });
if (file.ok) results.push(file.content satisfies string);
const picture: Blob = notes.successOf(await notes.getPicture(api)).content;
const words: string = notes.successOf(await notes.getPicture(api, { accept: "text/plain" })).content;
results.push([picture.size, words]);
const [word, count]: readonly [string, number] = notes.successOf(await notes.querySearch(api, { body: { one: 1 } })).content;
results.push([word, count]);
console.log(JSON.stringify(results));
`;

describe("the client of an app", () => {
  const folder = openFolder("own-client");

  it("is written by the command, has the types of the declarations, and reads what the app answers", async () => {
    await makeProject(folder);
    folder.write("app.ts", app);
    folder.write("use.ts", use);
    const { stderr, stdout } = waymark("client", folder.path("app.ts"));
    assert.equal(stderr, "");
    folder.write("client.ts", stdout);
    await checkTypes(folder, ["app.ts", "client.ts", "use.ts"], "node");
    assert.equal(await formatChanges([folder.path("client.ts")]), "");
    const args = ["--conditions=@waymark/source", folder.path("use.ts")];
    const used = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.equal(used.stderr, "");
    assert.deepEqual(JSON.parse(used.stdout), [
      ["one,two", "three,four", "five"],
      ["a", "b&c"],
      "six",
      ["title-taken", "It is one"],
      [{ detail: "Too small: expected string to have >=1 characters", pointer: "#/title" }],
      null,
      204,
      'id must not be ".." in a path',
      'id must not be "" in a path',
      ["0", "1", "2", "2.1"],
      "a b|c/d",
      [3, "a picture"],
      ["one", 1],
    ]);
  });

  it("is the same each time, and the same for both versions of OpenAPI", async () => {
    const folded = router(
      GET("/a", answers({ 200: z.object({ b: z.int(), a: z.string() }) }), () => json({ a: "", b: 1 })),
      mount("/inner", router(route(method("PURGE", "QUERY"), path("/b"), () => noContent()))),
    );
    const document = await openApi(folded, about);
    assert.equal(toClient(document), toClient(await openApi(folded, about)));
    assert.equal(toClient(document), toClient(inOpenApi32(document)));
    assert.match(toClient(document), /^export async function purgeInnerB\([\s\S]*^ {4}method: "PURGE",$/m);
  });

  it("says what the document says of its operations", async () => {
    const described = GET(
      "/a",
      docs({
        operationId: "read-a",
        summary: "Read it",
        description: "Ends a comment */ export const x = 1;\n\n\u202eIn the other direction.",
        deprecated: true,
      }),
      () => noContent(),
    );
    const comment = [
      "/**",
      " * Read it",
      " *",
      " * Ends a comment *\\/ export const x = 1;",
      " *",
      " * \\u202eIn the other direction.",
      " *",
      " * `GET /a`",
      " *",
      " * @deprecated",
      " */",
      "export async function readA(api: Api, input: Input = {}): Promise<ReadAAnswer> {",
    ];
    assert.ok((await clientOf(described)).includes(comment.join("\n")));
  });
});

/** What a function of a client takes and returns, whatever its types. */
type Operation = (api: object, input: object) => Promise<Record<string, unknown>> & AsyncIterable<object>;

/** Returns the operation `x` of a client, and its pages, where there are some. */
async function operationOf(declared: Route): Promise<{ readonly x: Operation; readonly xPages: Operation }> {
  const code = stripTypeScriptTypes(await clientOf(declared));
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

describe("a request of a client", () => {
  const text = { type: "string" };
  const list = { type: "array", items: text };
  const object = { type: "object", additionalProperties: text };
  const cases: readonly (readonly [what: string, said: Description, input: object, sent: string])[] = [
    ["no parameter that is absent", { query: { a: {}, b: {} } }, { query: { a: undefined, b: null } }, "/a"],
    ["a parameter for each item", { query: { a: { schema: list } } }, { query: { a: ["1", "2&"] } }, "/a?a=1&a=2%26"],
    [
      "items with commas",
      { query: { a: { schema: list, explode: false } } },
      { query: { a: ["1", "2"] } },
      "/a?a=1%2C2",
    ],
    [
      "the members of an object",
      { query: { a: { schema: object } } },
      { query: { a: { "b[ge]": "1" } } },
      "/a?b%5Bge%5D=1",
    ],
    [
      "an object in its name",
      { query: { a: { schema: object, style: "deepObject" } } },
      { query: { a: { b: "1" } } },
      "/a?a%5Bb%5D=1",
    ],
    ["fields", { headers: { "X-A": {} } }, { fields: { "X-A": "1" } }, "/a x-a: 1"],
    ["JSON", { content: { schema: list } }, { body: ["a"] }, '/a content-type: application/json ["a"]'],
    [
      "a form",
      { content: { types: { "application/x-www-form-urlencoded": { schema: object } } } },
      { body: { a: "b c", d: undefined } },
      "/a content-type: application/x-www-form-urlencoded a=b+c",
    ],
    [
      "one of several types",
      { content: { types: { "application/json": { schema: list }, "text/csv": {} } } },
      { body: "a,b", contentType: "text/csv" },
      "/a content-type: text/csv a,b",
    ],
  ];
  for (const [what, said, input, sent] of cases) {
    it(`has ${what}`, async () => {
      const { x } = await operationOf(PUT("/a", name("x"), docs(said), () => noContent()));
      let found = "";
      const fetch = async (request: Request): Promise<Response> => {
        const fields = [...request.headers]
          .filter(([field]) => field !== "accept")
          .map(([field, value]) => `${field}: ${value}`);
        found = [request.url.slice("http://notes.example".length), ...fields, await request.text()]
          .filter(Boolean)
          .join(" ");
        return new Response(null, { status: 204 });
      };
      const { status } = await x({ baseUrl: "http://notes.example/", fetch }, input);
      assert.deepEqual([status, found], [204, sent]);
    });
  }

  it("has a form with files as the platform writes it", async () => {
    const { x } = await operationOf(
      POST("/a", name("x"), docs({ content: { types: { "multipart/form-data": {} } } }), () => noContent()),
    );
    const body = new FormData();
    body.set("file", new Blob(["content"]), "a.txt");
    const fetch = async (request: Request): Promise<Response> => {
      assert.equal(await ((await request.formData()).get("file") as File).text(), "content");
      return new Response(null, { status: 204 });
    };
    await x({ baseUrl: "http://notes.example", fetch }, { body });
  });
});

describe("an answer of a client", () => {
  const responses = { 200: { description: "A list.", headers: { Link: {} }, schema: { type: "array" } } };
  const list = GET("/a", name("x"), docs({ responses }), () => json([]));
  const respond = (...init: ConstructorParameters<typeof Response>) => ({
    baseUrl: "http://notes.example",
    fetch: async () => new Response(...init),
  });
  const jsonType = { "Content-Type": "application/json" };

  it("is an error where it is not what the document has", async () => {
    const { x } = await operationOf(list);
    const cases: readonly (readonly [ConstructorParameters<typeof Response>, string])[] = [
      [["<p>", { headers: { "Content-Type": "text/html" } }], "200 in text/html"],
      [["[]", { status: 404, headers: jsonType }], "404 in application/json"],
      [["", { status: 500 }], "500 in text/plain"],
      [
        ['{"type":"/problems/x"}', { status: 404, headers: { "Content-Type": "application/problem+json" } }],
        "404 in application/problem+json",
      ],
      [
        ['{"title":"Bad Gateway"}', { status: 502, headers: { "Content-Type": "application/problem+json" } }],
        "502 in application/problem+json",
      ],
    ];
    for (const [init, what] of cases) {
      const message = `GET /a was answered by ${what}, which the client does not know`;
      await assert.rejects(x(respond(...init), {}), { name: "AnswerError", message });
    }
  });

  it("to HEAD has no content, also where it is refused by a problem", async () => {
    const { x } = await operationOf(
      HEAD("/a", name("x"), answers({ 200: none, 404: problemTypes.notFound }), () => ok()),
    );
    const answer = await x(respond(null, { status: 404, headers: { "Content-Type": "application/problem+json" } }), {});
    const { status, content, problem } = answer as Readonly<Record<string, unknown>>; // of a client
    assert.deepEqual([status, content, problem], [404, undefined, undefined]);
  });

  it("is no page of another origin", async () => {
    const { xPages } = await operationOf(list);
    const pages = xPages(
      respond("[]", { headers: { ...jsonType, Link: '<http://other.example/a>; rel="last next"' } }),
      {},
    );
    const read = Array.fromAsync(pages);
    await assert.rejects(read, {
      name: "AnswerError",
      message: "The next page is at another origin: http://other.example/a",
    });
  });

  it("is the last page where it leads to itself", async () => {
    const { xPages } = await operationOf(list);
    const pages = xPages(
      respond("[]", { headers: { ...jsonType, Link: "</b>; rel=prev, </a?at=1>; title=x; rel=next" } }),
      {},
    );
    assert.equal((await Array.fromAsync(pages)).length, 2);
  });
});

describe("the names in a client", () => {
  const named: readonly (readonly [operation: string, its: string])[] = [
    ["readBook", "readBook"],
    ["read_book", "read_book"],
    ["read book", "readBook"],
    ["book.read-v2", "bookReadV2"],
    ["2books", "type2books"],
    ["delete", "deleteOperation"],
    ["await", "awaitOperation"],
    ["send", "sendOperation"],
    ["fetch", "fetch"],
    ["Response", "ResponseOperation"],
    ["читать", "getA"],
    ["…", "getA"],
  ];
  for (const [operation, its] of named) {
    it(`has the operation "${operation}" as ${its}`, async () => {
      const code = await clientOf(GET("/a", name(operation), () => noContent()));
      const [found] = Array.from(code.matchAll(/^export async function (\w+)\(api: Api/gm), ([, each]) => each);
      assert.equal(found, its);
    });
  }

  it("are those of schemas, with a number where there is another one", async () => {
    const schemas = ["Response", "book.v2", "book-v2", "Api", "accept"].map((each, i) =>
      namedSchema(each, { type: "object", properties: { [`a${i}`]: {} } }),
    );
    const code = await clientOf(
      ...schemas.map((schema, i) =>
        GET(`/${i}`, docs({ responses: { 200: { description: "It.", schema } } }), () => noContent()),
      ),
    );
    const found = Array.from(code.matchAll(/^export interface (\w+) \{\n {2}readonly a\d\?/gm), ([, each]) => each);
    assert.deepEqual(found, ["Response2", "BookV2", "BookV22", "Api2", "Accept2"]);
  });

  it("are of one operation each", async () => {
    const twice = [GET("/a", name("read-a"), () => noContent()), POST("/b", name("readA"), () => noContent())];
    await assert.rejects(clientOf(...twice), {
      name: "TypeError",
      message:
        "Both GET /a and POST /b would be the function readA of a client: give one of them another name(…) or operationId",
    });
    const pages = { 200: { description: "A page.", headers: { Link: {} }, schema: { type: "array" } } };
    const list = GET("/a", name("list"), docs({ responses: pages }), () => json([]));
    await assert.rejects(
      clientOf(
        list,
        GET("/b", name("listPages"), () => noContent()),
      ),
      {
        message: /^Both the pages of GET \/a and GET \/b would be the function listPages of a client/,
      },
    );
  });
});

/** Returns what a client has as the type of content with a schema, and what it declares for it. */
async function typeOf(schema: JsonSchema): Promise<string> {
  const code = await clientOf(POST("/a", name("x"), docs({ content: { schema } }), () => noContent()));
  const [, type = ""] = /^ {2}readonly body:(?: |\n {4}\| )([^;]*);$/m.exec(code) ?? [];
  const declared = Array.from(
    code.matchAll(/^export (?:interface|type) (XBody\w*|Named\w*) ([\s\S]*?)(?<=\n\}|;)\n\n/gm),
    ([, its, text]) => `${its} ${text}`,
  );
  return [type, ...declared].join("\n").replace(/\s+/g, " ");
}

describe("the type of a schema", () => {
  const object = (properties: object, others: object = {}) => ({ type: "object", properties, ...others });
  const cases: readonly (readonly [JsonSchema, string])[] = [
    [{}, "unknown"],
    [{ type: "integer", minimum: 1 }, "number"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: "string", enum: ["a", 'b"', "c'\""] }, `"a" | 'b"' | "c'\\""`],
    [{ enum: [1, true, null, "a"] }, '1 | true | null | "a"'],
    [{ enum: [{ a: 1 }], type: "object" }, "unknown"],
    [{ enum: [] }, "never"],
    [{ const: "a" }, '"a"'],
    [{ anyOf: [{ type: "string" }, { anyOf: [{ type: "string" }, { type: "null" }] }] }, "string | null"],
    [{ oneOf: [{ type: "string" }, {}] }, "unknown"],
    [{ anyOf: [{ type: "string" }, { not: {} }] }, "unknown"],
    [{ type: "array", items: { type: "string" } }, "readonly string[]"],
    [{ type: "array", items: { type: ["string", "null"] } }, "readonly (string | null)[]"],
    [{ type: "array", items: { type: "array", items: { const: "a & b" } } }, 'readonly (readonly "a & b"[])[]'],
    [{ type: "array" }, "readonly unknown[]"],
    [
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 1 },
      "readonly [string, number?]",
    ],
    [{ prefixItems: [{ type: "string" }], items: { type: "number" }, minItems: 1 }, "readonly [string, ...number[]]"],
    [{ type: "object" }, "{ readonly [name: string]: unknown }"],
    [{ type: "object", additionalProperties: { type: "number" } }, "{ readonly [name: string]: number }"],
    [{ type: "object", patternProperties: { "^a": { type: "number" } } }, "{ readonly [name: string]: number }"],
    [{ type: "object", additionalProperties: false }, "{ readonly [name: string]: never }"],
    [
      object({ a: { type: "string" }, "b-c": {} }, { required: ["a"] }),
      'XBody XBody { readonly a: string; readonly "b-c"?: unknown; }',
    ],
    [{ ...object({ a: { type: "string" } }), type: ["object", "null"] }, "XBody | null XBody { readonly a?: string; }"],
    [
      object({ a: { type: "string" } }, { additionalProperties: true }),
      "XBody XBody { readonly a?: string; readonly [name: string]: unknown; }",
    ],
    [
      object({ a: object({ b: { type: "null" } }) }),
      "XBody XBody { readonly a?: XBodyA; } XBodyA { readonly b?: null; }",
    ],
    [
      { allOf: [object({ a: { type: "string" } }), { type: "object", anyOf: [object({ b: {} }), object({ c: {} })] }] },
      "XBody & XBody4 XBody { readonly a?: string; } XBody2 { readonly b?: unknown; } XBody3 { readonly c?: unknown; } XBody4 = XBody2 | XBody3;",
    ],
    [namedSchema("Named", { type: "array", items: { $ref: "#" } }), "Named Named = readonly Named[];"],
    [namedSchema("Named", { anyOf: [{ type: "string" }, { $ref: "#" }] }), "Named Named = string;"],
    [namedSchema("Named", { allOf: [{ type: "string" }, { $ref: "#" }] }), "Named Named = string;"],
    [
      {
        $defs: {
          NamedA: { anyOf: [{ $ref: "#/$defs/NamedB" }, { type: "string" }] },
          NamedB: { anyOf: [{ $ref: "#/$defs/NamedA" }, { type: "number" }] },
        },
        $ref: "#/$defs/NamedA",
      },
      "NamedA NamedA = NamedB | string; NamedB = unknown;",
    ],
    [
      namedSchema("Named", { anyOf: [{ type: "string" }, { type: "object", additionalProperties: { $ref: "#" } }] }),
      "Named Named = string | { readonly [name: string]: Named };",
    ],
  ].map(([schema, type]) => [schema as JsonSchema, type as string]); // as written
  for (const [schema, type] of cases) {
    it(`${JSON.stringify(schema)} is ${type}`, async () => {
      assert.equal(await typeOf(schema), type);
    });
  }
});

describe("a client cannot be written", () => {
  it("of a schema that refers to what the document lacks", async () => {
    await assert.rejects(typeOf({ type: "array", items: { $ref: "#/definitions/a" } }), {
      name: "TypeError",
      message:
        'A schema refers to "#/definitions/a", which is not in the document: a schema that refers to itself needs a name, by namedSchema(…)',
    });
  });

  it("of a query parameter that is written in a way of its own", async () => {
    const styled = GET("/a", docs({ query: { tags: { schema: { type: "array" }, style: "pipeDelimited" } } }), () =>
      noContent(),
    );
    await assert.rejects(clientOf(styled), {
      name: "TypeError",
      message: "The query parameter tags of GET /a has the style pipeDelimited: a client can write form and deepObject",
    });
  });
});

describe("waymark client", () => {
  const folder = openFolder("waymark-client");
  const refusals: readonly (readonly [
    what: string,
    source: string,
    args: readonly string[],
    status: number,
    message: RegExp,
  ])[] = [
    [
      "a module that throws",
      'throw new Error("No DATABASE_URL");',
      [],
      1,
      /^waymark: .*app\.ts cannot be loaded: Error: No DATABASE_URL\n {4}at .*app\.ts:1:7\)?\n/,
    ],
    [
      "a module without an app",
      "export const a = 1, b = 2;",
      [],
      1,
      /^waymark: .*app\.ts has no export app: it exports a, b\n$/,
    ],
    [
      "another export than there is",
      "export const a = 1;",
      ["b"],
      1,
      /^waymark: .*app\.ts has no export b: it exports a\n$/,
    ],
    [
      "an export that is no app",
      "export const app = {};",
      [],
      1,
      /^waymark: .*app\.ts has no client: Only an app made by router\(…\) has routes to describe\n$/,
    ],
    [
      "a further operand",
      "",
      ["a", "b"],
      2,
      /^waymark: the command is "waymark client FILE \[EXPORT\]"\.\nSee "waymark --help"\.\n$/,
    ],
  ];
  for (const [what, source, args, status, message] of refusals) {
    it(`ends with ${status} for ${what}`, () => {
      const result = waymark("client", folder.write("app.ts", source), ...args);
      assert.match(result.stderr, message);
      assert.deepEqual([result.status, result.stdout], [status, ""]);
    });
  }

  it("ends with 1 where there is no file, with 2 without a command, and prints its help", () => {
    assert.deepEqual(waymark("client", "none.ts"), {
      status: 1,
      stdout: "",
      stderr: "waymark: There is no file none.ts\n",
    });
    const { status, stderr } = waymark();
    assert.deepEqual([status, waymark("--help")], [2, { status: 0, stdout: stderr, stderr: "" }]);
    assert.match(stderr, /^Usage: waymark client FILE \[EXPORT\]\n/);
    assert.deepEqual([waymark("clients").status, waymark("client").status], [2, 2]);
  });

  it("says in one line what it needs, on an older Node.js", () => {
    const args = [...asOlderNode, program, "client", folder.write("app.ts", "export const app = 1 as number;")];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.deepEqual([status, stdout, stderr], [1, "", "waymark: it needs Node.js 24 or later, not 20.20.2.\n"]);
  });

  it("takes the document of an app, too, and ends though the module goes on", () => {
    const source =
      'export const document = Promise.resolve({ openapi: "3.1.1", info: { title: "A", version: "2" }, paths: {}, components: { schemas: {} } });\nsetInterval(() => undefined, 1000);';
    const { stdout, status } = waymark("client", folder.write("document.ts", source), "document");
    assert.match(stdout, /^\/\/ A client of A 2, written by waymark from its routes/);
    assert.equal(status, 0);
  });
});
