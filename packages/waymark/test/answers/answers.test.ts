import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { notModified } from "../../src/fields/index.ts";
import {
  answers,
  content,
  created,
  empty,
  found,
  GET,
  group,
  HttpRequest,
  HttpResponse,
  html,
  integer,
  json,
  noContent,
  none,
  notFound,
  ok,
  POST,
  type ProblemType,
  problem,
  problemTypes,
  type Route,
  redirect,
  router,
  string,
  takes,
  text,
} from "../../src/index.ts";
import { docs, type OpenApiDocument, openApi } from "../../src/openapi/index.ts";
import type { ResponseBody } from "../../src/response.ts";
import { RoutingError } from "../../src/routing/index.ts";
import { ask } from "../tools/ask.ts";

const Note = z.strictObject({ title: z.string().min(1), tags: z.array(z.string()).default([]) });
type Note = z.infer<typeof Note>;
const notes = new Map<number, Note>([[1, { title: "Buy milk", tags: [] }]]);
const conflict: ProblemType = { code: "conflict", status: 409, title: "Conflict", explanation: "It exists already." };
const other = { ...conflict, code: "other" };

describe("a handler with answers", () => {
  it("returns what they declare", async () => {
    const kinds = answers({ 200: z.object({ kind: z.literal("a") }), 303: none, 204: none });
    const routes = group(
      "/notes",
      GET(answers({ 200: z.array(Note) }), () => json([...notes.values()])),
      GET("/{id}", takes({ variables: { id: integer() } }), answers({ 200: Note, 404: none }), (_, { variables }) =>
        found(notes.get(variables.id)),
      ),
      POST(takes({ body: Note }), answers({ 201: Note, 409: conflict }), async (_, { body }) => {
        const note = await body();
        return note.title === "Buy milk" ? problem(conflict) : created("/notes/2", note).withHeader("X-New", "yes");
      }),
      GET("/kinds/{kind}", kinds, ({ variables }) => {
        if (variables.kind === "none") return noContent();
        return variables.kind === "other" ? redirect("/") : json({ kind: "a" });
      }),
    );
    const app = router({ checkAnswers: true }, routes);
    for (const [target, status, body] of [
      ["/notes", 200],
      ["/notes/1", 200],
      ["/notes/2", 404],
      ["/notes/x", 400],
      ["/notes", 201, '{"title":"Call Ada"}'],
      ["/notes", 409, '{"title":"Buy milk"}'],
      ["/notes", 400, '{"title":""}'],
      ["/notes/kinds/a", 200],
      ["/notes/kinds/none", 204],
      ["/notes/kinds/other", 303],
    ] as const) {
      const headers = { "Content-Type": "application/json" };
      const sent = HttpRequest.of({ target, headers, ...(body !== undefined && { method: "POST", body }) });
      assert.equal((await app.handle(sent)).status, status, target);
    }
  });

  it("does not compile where it returns anything else", () => {
    const declared = answers({ 200: Note, 404: none });
    // @ts-expect-error: another status
    GET(declared, () => empty(500));
    // @ts-expect-error: another shape
    GET(declared, () => json({ titel: "a" }));
    // @ts-expect-error: content, and none is declared
    GET(declared, () => json({ title: "a", tags: [] }, 404));
    // @ts-expect-error: no content, and some is declared
    GET(declared, () => ok());
    // @ts-expect-error: a part of the answers
    GET(declared, async ({ path }) => (path === "/" ? notFound() : text("a")));
    // @ts-expect-error: a response of which nothing is known
    GET(declared, () => new HttpResponse(200));
    // @ts-expect-error: a web Response
    GET(declared, () => new Response());
    // @ts-expect-error: a status that there is not
    GET(answers({ 200: Note, "4O4": none }), () => json({ title: "", tags: [] }));
    // @ts-expect-error: one of two statuses
    GET(declared, ({ path }) => empty(path === "/" ? 404 : 410));
    const page = answers({ 200: z.string(), 404: z.string() });
    assert.ok(GET(page, ({ path }) => (path === "/" ? html`<p>One</p>` : html`<p>None</p>`.withStatus(404))));
    // @ts-expect-error: another status, which a page has got
    GET(page, () => html`<p>Gone</p>`.withStatus(410));
    assert.ok(GET(answers({ 204: none, 404: none }), ({ path }) => empty(path === "/" ? 204 : 404)));
    assert.ok(
      GET(answers({ 200: Note, 201: Note }), ({ path }) => json({ title: "a", tags: [] }, path === "/" ? 200 : 201)),
    );
    assert.ok(GET(declared, () => problem(problemTypes.forbidden)));
    assert.ok(GET(answers({ 200: string() }), () => content("text/csv", "a,b")));
  });
});

describe("router({ checkAnswers: true })", () => {
  const declared = answers({ 200: Note, 204: none, 409: conflict });
  /** As JavaScript, whose types do not hold it back. */
  const untyped = (response: HttpResponse) => response as ReturnType<typeof json<Note>>;
  const good = { title: "a", tags: [] };
  type Case = readonly [name: string, response: () => HttpResponse, fault?: string];
  const breaks = "200 with content that breaks its schema:";
  const jsonOf = (body: ResponseBody) => () => content("application/json", body);
  const written = JSON.stringify(good);
  const bytes = new TextEncoder().encode(written);
  const cases: readonly Case[] = [
    ["content that is right", () => json(good)],
    ["content with another spelling of its type", () => content("application/vnd.note+json; v=1", written)],
    ["bytes", jsonOf(bytes)],
    ["a stream", jsonOf([written.slice(0, 8), bytes.slice(8)])],
    ["content of a type that is not decoded", () => content("text/csv", "title\na\n")],
    ["no content", () => noContent()],
    ["a declared problem", () => problem(conflict)],
    ["a problem of waymark", () => problem(problemTypes.forbidden)],
    ["another problem", () => problem(other), "409 with something else than the problem that it declares"],
    ["another status", () => empty(202), "202, and declares 200, 204, 409"],
    ["content where none is declared", () => json(good, 204), "204 with content, and declares none"],
    ["no content where some is declared", () => ok(), "200 without content, and declares some"],
    ["a wrong member", () => json({ title: "", tags: [1] }), `${breaks} #/title Too small`],
    ["a member too many", () => json({ ...good, secret: 1 }), `${breaks} # Unrecognized key: "secret"`],
    ["a wrong stream", jsonOf(['{"title":', "7}"]), `${breaks} #/title`],
    ["a stream that is not JSON", jsonOf(["{"]), "200 with content that is not JSON: SyntaxError"],
  ];
  for (const [name, response, fault] of cases) {
    it(`${fault === undefined ? "sends" : "refuses"} ${name}`, async () => {
      const faults: string[] = [];
      const app = router(
        { checkAnswers: true, onFault: (error) => faults.push(String(error)) },
        GET(declared, () => untyped(response())),
      );
      const sent = await app.fetch(new Request("http://localhost/"));
      if (fault === undefined) {
        assert.deepEqual(faults, []);
        assert.equal(await sent.text(), await (await router(GET(response)).fetch("http://localhost/")).text());
      } else {
        assert.equal(sent.status, 500);
        const [logged = ""] = faults;
        assert.ok(logged.startsWith(`TypeError: A handler answered ${fault}`), logged);
        assert.match(logged, /\(its answers are declared at .*answers\.test\.ts:\d+:\d+\)$/);
      }
    });
  }

  const described = docs({
    responses: {
      200: { description: "It.", types: { "application/json": { schema: Note }, "text/plain": {} } },
      202: { description: "Soon.", schema: { type: "object" }, optional: true },
      304: { description: "As it was." },
      404: { description: "None." },
    },
    problems: [conflict],
  });
  const ofDocs: readonly Case[] = [
    ["content that is right", () => json(good)],
    ["content of the other type", () => text("a")],
    ["content of a type that is empty", () => text("")],
    ["no content", () => notFound()],
    ["no content in the place of a stream", () => notModified(content("text/plain", ["a"]))],
    ["no content where that is optional", () => empty(202)],
    ["a problem", () => problem(conflict)],
    ["a problem in its place", () => problem({ ...conflict, status: 404 })],
    [
      "content of a third type",
      () => content("text/csv", "a"),
      '200 with content of the type "text/csv", and declares',
    ],
    ["content that breaks its schema", () => json({ title: "" }), `${breaks} #/title`],
    ["another status", () => empty(204), "204, and declares 200, 202, 304, 404"],
    ["content where none is declared", () => json(good, 404), "404 with content, and declares none"],
    ["another problem", () => problem({ ...other, status: 410 }), "410 (/problems/other), and declares"],
    [
      "a problem with the status of another answer",
      () => problem({ ...other, status: 404 }),
      "404 with a problem that it does not declare: /problems/other",
    ],
  ];
  for (const [name, response, fault] of ofDocs) {
    it(`${fault === undefined ? "sends" : "refuses"} ${name}, as docs(…) says`, async () => {
      const faults: string[] = [];
      const options = { checkAnswers: true, onFault: (error: unknown) => faults.push(String(error)) };
      const { status } = await ask(router(options, group("/a", described, GET(response))), "GET /a");
      if (fault === undefined) assert.deepEqual(faults, []);
      else {
        assert.equal(status, 500);
        assert.ok(String(faults[0]).startsWith(`TypeError: A handler answered ${fault}`), String(faults[0]));
      }
    });
  }

  it("compares no content of answers to HEAD", async () => {
    const faults: unknown[] = [];
    const app = router(
      { checkAnswers: true, onFault: (error) => faults.push(error) },
      GET(described, () => ok()),
    );
    await app.handle(HttpRequest.of({ method: "HEAD" }));
    assert.deepEqual(faults, []);
    assert.equal((await app.handle(HttpRequest.of())).status, 500);
  });

  /** A body that nobody can read to its end. */
  async function* eventsWithoutEnd() {
    yield "data: 1\n\n";
    await new Promise(() => undefined);
  }

  it("reads no content that it does not validate: events have no end", async () => {
    const app = router(
      { checkAnswers: true },
      GET(answers({ 200: string() }), () => content("text/event-stream", eventsWithoutEnd())),
    );
    const { body } = await app.handle(HttpRequest.of());
    const events = (body as AsyncIterable<string>)[Symbol.asyncIterator](); // it is streamed
    assert.equal((await events.next()).value, "data: 1\n\n");
  });

  it("is off by default", async () => {
    const app = router(GET(declared, () => untyped(empty(202))));
    assert.equal((await app.handle(HttpRequest.of())).status, 202);
  });
});

describe("answers that are wrong", () => {
  const noSchema = "The answer 200 has no schema that keeps to Standard Schema; none is for no content";
  const wrong: readonly (readonly [byStatus: object, message: string])[] = [
    [{ 700: none }, "A response has a status of 200 to 599, not 700"],
    [{ ok: none }, "A response has a status of 200 to 599, not ok"],
    [{ 204: string() }, "A 204 has no content: it is declared as none"],
    [{ 404: conflict }, 'The problem "conflict" has the status 409, and is declared as 404'],
    [{ 200: {} }, noSchema],
  ];
  for (const [byStatus, message] of wrong) {
    it(`are a RoutingError: ${message}`, () => {
      const routes: Route = GET(answers(byStatus as { readonly 409: ProblemType }), () => problem(conflict));
      assert.throws(
        () => router(routes),
        (error) => {
          assert.ok(error instanceof RoutingError);
          assert.ok(error.message.includes(`${message} (`), error.message);
          assert.match(String(error.findings[0]?.site), /answers\.test\.ts/);
          return true;
        },
      );
    });
  }

  it("are a TypeError where there are two, or it is no object", () => {
    assert.throws(
      () => GET(answers({ 200: none }), answers({ 404: none }), () => ok()),
      /A route has one answers\(…\); there is another at .*answers\.test/,
    );
    assert.throws(
      () => answers(undefined as unknown as object),
      /answers\(…\) takes an object, such as \{ 200: schema, 404: none \}, not undefined/,
    );
  });
});

describe("the OpenAPI document", () => {
  it("has the answers as responses", async () => {
    const declared = answers({ 201: z.object({ id: z.int().min(1).max(9) }), 299: none, 404: none, 409: conflict });
    const { paths } = await openApi(router(POST("/notes", declared, () => notFound())), {
      title: "Notes",
      version: "1",
    });
    const operation: unknown = paths["/notes"]?.["post"];
    const { responses } = operation as OpenApiDocument.Operation; // of a method
    const { 201: stored, 299: unregistered, 404: unknown, 409: refused, ...others } = responses;
    const properties = { id: { type: "integer", minimum: 1, maximum: 9 } };
    const schema = { type: "object", properties, required: ["id"], additionalProperties: false };
    assert.deepEqual(stored, { description: "Created.", content: { "application/json": { schema } } });
    assert.deepEqual([unregistered, unknown], [{ description: "Status 299." }, { description: "Not Found." }]);
    assert.match(JSON.stringify(refused), /responses\/Conflict/);
    assert.deepEqual(Object.keys(others), ["500"]);
  });

  it("has any content where JSON Schema has no words for it", async () => {
    const schema = z.object({ at: z.date() });
    const described = docs({ responses: { 200: { description: "It.", schema } } });
    const declared = GET(answers({ 200: schema }), () => content("application/json", "{}"));
    for (const route of [declared, GET(described, () => ok())]) {
      const { paths } = await openApi(router(route), { title: "Notes", version: "1" });
      const expected = { content: { "application/json": { schema: {} } } };
      assert.partialDeepStrictEqual(paths["/"]?.["get"], { responses: { 200: expected } });
    }
  });
});
