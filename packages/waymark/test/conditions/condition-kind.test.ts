import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accept, GET, HttpRequest, host, not, ok, router } from "waymark";
import { type OpenApiDocument, openApi } from "waymark/openapi";
import { type Condition, condition, listRoutes } from "waymark/routing";
import { ask } from "../tools/ask.ts";

// A kind that waymark does not have, made from outside with what is public.

const parts: Parameters<typeof condition.kind<{ readonly cookie: string }>>[0] = {
  name: "cookie",
  stage: "other",
  findInvalid: ({ cookie }) => (/^\w+$/.test(cookie) ? undefined : `"${cookie}" is not the name of a cookie`),
  compile:
    ({ cookie: name }) =>
    (request) =>
      request.cookies.has(name),
  consults: () => ["Cookie"],
  describe: ({ cookie }) => `cookie ${cookie}`,
  find: (_, { cookies }) => `${cookies.size} cookies`,
  implies: (given, wanted) => given.cookie === wanted.cookie,
  parameter: ({ cookie }) => ({ in: "header", name: "Cookie", schema: { type: "string", pattern: `${cookie}=` } }),
};

const cookieKind = condition.kind(parts);
const cookie = (name: string): Condition => condition(cookieKind, { cookie: name }, cookie);

describe("a kind of condition from outside", () => {
  const app = router(GET("/a", cookie("beta"), ok), GET("/a", not(cookie("old")), ok));

  it("matches, and refuses with the status of its stage", async () => {
    const only = router(GET("/a", cookie("beta"), ok));
    assert.equal((await ask(only, "GET /a", { Cookie: "beta=1" })).status, 200);
    assert.equal((await ask(only, "GET /a", { Cookie: "alpha=1" })).status, 404);
    const as406 = condition.kind({ ...parts, stage: "accept" });
    const refusing = router(GET("/a", condition(as406, { cookie: "beta" }, cookie), ok));
    assert.equal((await ask(refusing, "GET /a")).status, 406);
  });

  it("adds what it consults to Vary", async () => {
    assert.equal((await ask(app, "GET /a")).headers.get("Vary"), "Cookie");
  });

  it("is in the table and in explanations", () => {
    assert.match(listRoutes(app), /^GET {2}\/a {2}ok\n +if cookie beta\nGET {2}\/a {2}ok\n +if not cookie old$/);
    assert.match(String(app.explain(HttpRequest.of({ target: "/a" }))), /wants cookie beta, found 0 cookies/);
  });

  it("shadows a later route by what it implies", () => {
    const { findings } = router(GET("/a", cookie("beta"), ok), GET("/a", cookie("beta"), accept("text/csv"), ok));
    assert.deepEqual(
      findings.map(({ kind }) => kind),
      ["shadowed"],
    );
  });

  it("is the parameter of a document that it says it is", async () => {
    const document = await openApi(router(GET("/a", cookie("beta"), ok)), { title: "A", version: "1" });
    const operation = document.paths["/a"]?.["get"] as OpenApiDocument.Operation | undefined; // no name of a method has other content
    assert.deepEqual(operation?.parameters, [
      { name: "Cookie", in: "header", required: true, schema: { type: "string", pattern: "beta=" } },
    ]);
  });

  it("reports what is malformed with the place of the condition", () => {
    assert.throws(() => router(GET("/a", cookie("b c"), ok)), {
      name: "RoutingError",
      message: /"b c" is not the name of a cookie \(.*condition-kind\.test\.ts:\d+:\d+\)/,
    });
  });
});

describe("a kind of condition with a part missing", () => {
  for (const part of Object.keys(parts)) {
    it(`does not compile, and is a TypeError that names ${part} and the place`, () => {
      const { [part as keyof typeof parts]: _, ...others } = parts;
      // A program without types may leave any part out.
      assert.throws(() => condition.kind(others as unknown as typeof parts), {
        name: "TypeError",
        message: new RegExp(`^The condition kind "?.*"? has no ${part}, .*condition-kind\\.test\\.ts:\\d+:\\d+\\)$`),
      });
    });
  }

  it("does not compile", () => {
    const { implies: _, ...others } = parts;
    // @ts-expect-error implies is missing
    assert.throws(() => condition.kind(others));
  });

  it("has one of the stages", () => {
    assert.throws(() => condition.kind({ ...parts, stage: "done" as "other" }), {
      message: /has the stage "done"; a stage is path, method, contentType, accept, other \(/,
    });
  });
});

describe("host", () => {
  const cases: readonly (readonly [names: readonly string[], host: string, status: number])[] = [
    [["a.example"], "a.example", 200],
    [["a.example"], "A.Example", 200],
    [["A.EXAMPLE"], "a.example:8080", 200],
    [["a.example"], "b.a.example", 404],
    [["a.example:8080"], "a.example:8080", 200],
    [["a.example:8080"], "a.example", 404],
    [["*.a.example"], "b.a.example", 200],
    [["*.a.example"], "c.b.a.example:1", 200],
    [["*.a.example"], "a.example", 404],
    [["*.a.example"], "xa.example", 404],
    [["a.example", "b.example"], "b.example", 200],
    [["[::1]"], "[::1]:8080", 200],
  ];
  for (const [names, sent, status] of cases) {
    it(`${names.join(", ")} makes ${sent} a ${status}`, async () => {
      const response = await ask(router(GET("/", host(...names), ok)), "GET /", { Host: sent });
      assert.deepEqual([response.status, response.headers.get("Vary")], [status, undefined]);
    });
  }

  it("does not hold without a Host", async () => {
    assert.equal((await ask(router(GET("/", host("a.example"), ok)), "GET /")).status, 404);
  });

  for (const name of ["", "http://a.example", "*", "a.*.example", "a example", "*.*.example"]) {
    it(`${JSON.stringify(name)} is malformed`, () => {
      assert.throws(() => router(GET("/", host(name), ok)), { name: "RoutingError", message: /is not a host/ });
    });
  }

  for (const [wider, narrower, shadows] of [
    ["a.example", "A.example", true],
    ["a.example", "a.example:8080", true],
    ["*.example", "a.example", true],
    ["*.example", "*.b.example", true],
    ["a.example:8080", "a.example", false],
    ["a.example", "*.a.example", false],
    ["*.b.example", "*.example", false],
  ] as const) {
    it(`${wider} ${shadows ? "shadows" : "does not shadow"} ${narrower}`, () => {
      const { findings } = router(GET("/", host(wider), ok), GET("/", host(narrower), ok));
      assert.equal(findings.length, shadows ? 1 : 0);
    });
  }
});
