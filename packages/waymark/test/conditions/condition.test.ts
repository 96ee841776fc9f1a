import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  accept,
  after,
  and,
  contentType,
  empty,
  GET,
  group,
  HttpError,
  header,
  json,
  method,
  not,
  ok,
  or,
  path,
  query,
  route,
  router,
  when,
} from "waymark";
import type { Condition } from "waymark/routing";
import type { HeaderFields } from "../../src/fields/header-list.ts";
import { ask } from "../tools/ask.ts";

/** The status of a route with nothing but the condition: 200 when it holds. */
async function statusOf(condition: Condition, line: string, headers?: HeaderFields): Promise<number> {
  const app = router(route(condition, ok));
  return (await ask(app, line, headers)).status;
}

type Case = readonly [condition: string, built: Condition, line: string, headers: HeaderFields, status: number];

const json1 = accept("application/json", "application/xml");
const suffixed = contentType("application/*+json");
const read1 = contentType("application/json", "text/*");

const tables: Readonly<Record<string, readonly Case[]>> = {
  method: [
    ['method("GET")', method("GET"), "GET /", {}, 200],
    ['method("GET")', method("GET"), "HEAD /", {}, 200],
    ['method("GET")', method("GET"), "POST /", {}, 405],
    ['method("GET", "POST")', method("GET", "POST"), "POST /", {}, 200],
    ['method("HEAD")', method("HEAD"), "HEAD /", {}, 200],
    ['method("HEAD")', method("HEAD"), "GET /", {}, 405],
    ['method("PURGE")', method("PURGE"), "PURGE /", {}, 200],
    ['method("PURGE")', method("PURGE"), "purge /", {}, 501],
    ['method("GET")', method("GET"), "get /", {}, 501],
  ],
  path: [
    ['path("/a")', path("/a"), "GET /a", {}, 200],
    ['path("/a")', path("/a"), "GET /a/b", {}, 404],
    ['path("/a")', path("/a"), "GET /", {}, 404],
    ['path("")', path(""), "GET /", {}, 200],
    ['path("/{id}")', path("/{id}"), "GET /7", {}, 200],
  ],
  accept: [
    ["accept(json, xml)", json1, "GET /", {}, 200],
    ["accept(json, xml)", json1, "GET /", { Accept: "" }, 200],
    ["accept(json, xml)", json1, "GET /", { Accept: "*/*" }, 200],
    ["accept(json, xml)", json1, "GET /", { Accept: "application/*" }, 200],
    ["accept(json, xml)", json1, "GET /", { Accept: "Application/XML" }, 200],
    ["accept(json, xml)", json1, "GET /", { Accept: ["text/html", "application/xml"] }, 200],
    ["accept(json, xml)", json1, "GET /", { Accept: "text/html" }, 406],
    ["accept(json, xml)", json1, "GET /", { Accept: "*/*;q=0" }, 406],
    ["accept(json, xml)", json1, "GET /", { Accept: "application/json;q=0" }, 406],
    ["accept(json, xml)", json1, "GET /", { Accept: "application/json;q=0, */*;q=0.1" }, 200],
  ],
  contentType: [
    ["contentType(json, text/*)", read1, "POST /", { "Content-Type": "application/json" }, 200],
    ["contentType(json, text/*)", read1, "POST /", { "Content-Type": "Application/JSON; charset=utf-8" }, 200],
    ["contentType(json, text/*)", read1, "POST /", { "Content-Type": "text/csv" }, 200],
    ["contentType(json, text/*)", read1, "POST /", { "Content-Type": "application/xml" }, 415],
    ["contentType(json, text/*)", read1, "POST /", { "Content-Type": "application/json, text/csv" }, 415],
    ["contentType(json, text/*)", read1, "POST /", { "Content-Type": "json" }, 415],
    ["contentType(json, text/*)", read1, "POST /", { "Content-Type": "" }, 415],
    ["contentType(json, text/*)", read1, "POST /", { "Content-Type": "text/*" }, 415],
    ["contentType(json, text/*)", read1, "POST /", {}, 415],
    ["contentType(*/*)", contentType("*/*"), "POST /", { "Content-Type": "a/b" }, 200],
    ["contentType(*/*)", contentType("*/*"), "POST /", {}, 415],
    ["contentType(*+json)", suffixed, "POST /", { "Content-Type": "application/vnd.a+json; v=1" }, 200],
    ["contentType(*+json)", suffixed, "POST /", { "Content-Type": "application/json" }, 415],
    ["contentType(*+json)", suffixed, "POST /", { "Content-Type": "text/vnd.a+json" }, 415],
  ],
  header: [
    ['header("X-A")', header("X-A"), "GET /", { "x-a": "" }, 200],
    ['header("X-A")', header("X-A"), "GET /", { "X-AB": "1" }, 404],
    ['header("X-A", "1")', header("X-A", "1"), "GET /", { "X-A": "1" }, 200],
    ['header("X-A", "1")', header("X-A", "1"), "GET /", { "X-A": "11" }, 404],
    ['header("X-A", "1")', header("X-A", "1"), "GET /", {}, 404],
    ['header("X-A", "")', header("X-A", ""), "GET /", { "X-A": "" }, 200],
    ['header("X-A", "")', header("X-A", ""), "GET /", {}, 404],
    ['header("X-A", "1, 2")', header("X-A", "1, 2"), "GET /", { "X-A": ["1", "2"] }, 200],
    ['header("X-A", /1/)', header("X-A", /1/), "GET /", { "X-A": "214" }, 200],
    ['header("X-A", /^1$/)', header("X-A", /^1$/), "GET /", { "X-A": "214" }, 404],
    ['header("X-A", /undefined/)', header("X-A", /undefined/), "GET /", {}, 404],
    ['header("constructor")', header("constructor"), "GET /", {}, 404],
    ['header("constructor")', header("constructor"), "GET /", { constructor: "1" }, 200],
    ['header("toString", /function/)', header("toString", /function/), "GET /", {}, 404],
  ],
  query: [
    ['query("a")', query("a"), "GET /?a", {}, 200],
    ['query("a")', query("a"), "GET /?A", {}, 404],
    ['query("a")', query("a"), "GET /", {}, 404],
    ['query("a", "1")', query("a", "1"), "GET /?a=1", {}, 200],
    ['query("a", "1")', query("a", "1"), "GET /?a=2&a=1", {}, 200],
    ['query("a", "1")', query("a", "1"), "GET /?a=2&b=1", {}, 404],
    ['query("a", "")', query("a", ""), "GET /?a", {}, 200],
    ['query("a", "x y")', query("a", "x y"), "GET /?a=x+y", {}, 200],
    ['query("a", /^[0-9]$/)', query("a", /^[0-9]$/), "GET /?a=x&a=7", {}, 200],
    ['query("a", /^[0-9]$/)', query("a", /^[0-9]$/), "GET /?a=77", {}, 404],
    ['query("constructor")', query("constructor"), "GET /", {}, 404],
  ],
  when: [
    ["when(…)", when("has a", ({ search }) => search.includes("a")), "GET /?a", {}, 200],
    ["when(…)", when("has a", ({ search }) => search.includes("a")), "GET /?b", {}, 404],
  ],
  and: [
    ["and()", and(), "GET /", {}, 200],
    ["and(header, query)", and(header("X-A"), query("a")), "GET /?a", { "X-A": "1" }, 200],
    ["and(header, query)", and(header("X-A"), query("a")), "GET /?a", {}, 404],
    ["and(header, query)", and(header("X-A"), query("a")), "GET /", { "X-A": "1" }, 404],
    ["and(method, accept)", and(method("GET"), json1), "POST /", { Accept: "a/b" }, 405],
    ["and(accept, method)", and(json1, method("GET")), "GET /", { Accept: "a/b" }, 406],
    ["and(GET or POST, POST or PUT)", and(method("GET", "POST"), method("POST", "PUT")), "POST /", {}, 200],
    ["and(GET or POST, POST or PUT)", and(method("GET", "POST"), method("POST", "PUT")), "GET /", {}, 405],
    ["and(and(header), and())", and(and(header("X-A")), and()), "GET /", { "X-A": "1" }, 200],
  ],
  or: [
    ["or()", or(), "GET /", {}, 404],
    ["or(header, query)", or(header("X-A"), query("a")), "GET /?a", {}, 200],
    ["or(header, query)", or(header("X-A"), query("a")), "GET /", { "X-A": "1" }, 200],
    ["or(header, query)", or(header("X-A"), query("a")), "GET /", {}, 404],
    ["or(method, method)", or(method("GET"), method("PUT")), "PUT /", {}, 200],
    ["or(method, method)", or(method("GET"), method("PUT")), "POST /", {}, 405],
    ["or(path, path)", or(path("/a"), path("/b")), "GET /b", {}, 200],
    ["or(path, path)", or(path("/a"), path("/b")), "GET /c", {}, 404],
    ["or(accept, query)", or(json1, query("f")), "GET /?f", { Accept: "a/b" }, 200],
    ["or(accept, query)", or(json1, query("f")), "GET /", { Accept: "a/b" }, 404],
    ["or(and(), header)", or(and(), header("X-A")), "GET /", {}, 200],
    ["or(or(), header)", or(or(), header("X-A")), "GET /", {}, 404],
  ],
  not: [
    ["not(header)", not(header("X-A")), "GET /", {}, 200],
    ["not(header)", not(header("X-A")), "GET /", { "X-A": "1" }, 404],
    ["not(method)", not(method("GET")), "POST /", {}, 200],
    ["not(method)", not(method("GET")), "GET /", {}, 405],
    ["not(accept)", not(json1), "GET /", { Accept: "a/b" }, 200],
    ["not(accept)", not(json1), "GET /", {}, 404],
    ["not(contentType)", not(read1), "POST /", {}, 200],
    ["not(contentType)", not(read1), "POST /", { "Content-Type": "text/csv" }, 404],
    ["not(not(header))", not(not(header("X-A"))), "GET /", { "X-A": "1" }, 200],
    ["not(and(header, query))", not(and(header("X-A"), query("a"))), "GET /?a", {}, 200],
    ["not(and(header, query))", not(and(header("X-A"), query("a"))), "GET /?a", { "X-A": "1" }, 404],
    ["not(or(header, query))", not(or(header("X-A"), query("a"))), "GET /", {}, 200],
    ["not(or(header, query))", not(or(header("X-A"), query("a"))), "GET /?a", {}, 404],
    ["not(and())", not(and()), "GET /", {}, 404],
    ["not(or())", not(or()), "GET /", {}, 200],
  ],
};

for (const [about, cases] of Object.entries(tables)) {
  describe(about, () => {
    for (const [name, condition, line, headers, status] of cases) {
      it(`${name} makes ${line} ${JSON.stringify(headers)} a ${status}`, async () => {
        assert.equal(await statusOf(condition, line, headers), status);
      });
    }
  });
}

describe("a path under not", () => {
  it("is a whole path in a route", async () => {
    const app = router(route(path("/{a}"), not(path("/x")), ok));
    assert.equal((await ask(app, "GET /y")).status, 200);
    assert.equal((await ask(app, "GET /x")).status, 404);
  });

  it("is everything below it in a group, and binds nothing", async () => {
    const app = router(group(not(path("/{secret}")), GET("/**", ok)), group(not(path("/x")), GET("/{*rest}", ok)));
    assert.deepEqual(
      app.routes.map((row) => row.conditions),
      [['not path "/{secret}"'], ['not path "/x"']],
    );
    assert.equal((await ask(app, "GET /x/y")).status, 404);
    assert.equal((await ask(app, "GET /xy/y")).status, 200);
  });
});

describe("a test", () => {
  it("sees the request before its path variables are bound", async () => {
    const seen: unknown[] = [];
    const spy = when("spy", (request) => {
      seen.push(Object.keys(request.variables), request.path);
      return true;
    });
    await ask(router(GET("/{id}", spy, ok)), "GET /7");
    assert.deepEqual(seen, [[], "/7"]);
  });

  it("that throws an HttpError answers with its response, which the web filters see", async () => {
    const refusing = when("refusing", () => {
      throw new HttpError(empty(409));
    });
    const seen: number[] = [];
    const look = after((_, response) => {
      seen.push(response.status);
      return response;
    });
    const told: unknown[] = [];
    const app = router({ filters: [look], onFault: (error) => told.push(error) }, GET(refusing, ok));
    assert.equal((await ask(app, "GET /")).status, 409);
    assert.deepEqual([seen, told], [[409], []]);
  });

  it("that is asynchronous is a fault: its promise would be true of every request", async () => {
    const faults: unknown[] = [];
    const later = when("later", (async () => false) as never); // as of a program without types
    const app = router({ onFault: (error) => faults.push(error) }, GET(later, ok));
    assert.equal((await ask(app, "GET /")).status, 500);
    assert.match(String(faults[0]), /^TypeError: when\("later", …\) must not be asynchronous/);
  });

  it("that throws is a fault", async () => {
    const faults: unknown[] = [];
    const broken = when("broken", () => {
      throw new Error("broken test");
    });
    const app = router({ onFault: (error) => faults.push(error) }, GET(broken, ok));
    assert.equal((await ask(app, "GET /")).status, 500);
    assert.match(String(faults[0]), /broken test/);
  });
});

describe("a regular expression that keeps its place", () => {
  const cases: readonly (readonly [expression: RegExp, value: string, holds: boolean])[] = [
    [/a/g, "ba", true],
    [/a/y, "ab", true],
    [/a/y, "ba", false],
    [/A/giy, "ab", true],
  ];
  for (const [expression, value, holds] of cases) {
    it(`${expression} ${holds ? "finds" : "does not find"} "${value}" each time`, async () => {
      const app = router(GET("/header", header("X-A", expression), ok), GET("/query", query("a", expression), ok));
      expression.lastIndex = 1;
      for (let i = 0; i < 3; i++) {
        const expected = holds ? 200 : 404;
        assert.equal((await ask(app, "GET /header", { "X-A": value })).status, expected);
        assert.equal((await ask(app, `GET /query?a=${value}`)).status, expected);
      }
      assert.equal(expression.lastIndex, 1);
    });
  }
});

describe("the media type that accept chooses", () => {
  const app = router(
    group(
      accept("application/json", "application/xml", "text/csv"),
      GET("/list", (request) => json(request.negotiatedType ?? null)),
      GET("/narrow", accept("text/csv", "application/xml"), (request) => json(request.negotiatedType ?? null)),
    ),
    GET("/none", (request) => json(request.negotiatedType ?? null)),
    GET("/either", or(query("x"), accept("text/csv")), (request) => json(request.negotiatedType ?? null)),
  );
  const cases: readonly (readonly [target: string, accept: string | undefined, chosen: string | null])[] = [
    ["/list", undefined, "application/json"],
    ["/list", "text/csv, application/xml", "application/xml"],
    ["/list", "application/json;q=0.5, text/csv", "text/csv"],
    ["/list", "application/json;q=0, */*", "application/xml"],
    ["/list", "nonsense", "application/json"],
    ["/narrow", undefined, "text/csv"],
    ["/narrow", "application/xml, text/csv;q=0.9", "application/xml"],
    ["/none", "text/csv", null],
    ["/either", "text/csv", "text/csv"],
    ["/either?x", "text/csv", null],
  ];
  for (const [target, sent, chosen] of cases) {
    it(`is ${chosen} for ${target} and ${sent === undefined ? "no Accept" : `"${sent}"`}`, async () => {
      const response = await ask(app, `GET ${target}`, sent === undefined ? {} : { Accept: sent });
      assert.deepEqual([response.status, JSON.parse(String(response.body))], [200, chosen]);
    });
  }
});

describe("a condition from plain JavaScript", () => {
  const calls: readonly (readonly [
    call: string,
    made: (...given: never[]) => unknown,
    argument: unknown,
    message: string,
  ])[] = [
    ["and(undefined)", and, undefined, "and(…) takes conditions, not undefined"],
    ['or("/a")', or, "/a", "or(…) takes conditions, not string"],
    ["or([path])", or, [path("/a")], "or(…) takes conditions, not array"],
    ["not(null)", not, null, "not(…) takes a condition, not null"],
    ["not(GET(…))", not, GET(ok), "not(…) takes a condition, not route(…)"],
    ["when(() => true)", when, () => true, "when(…) takes a name and a function, not undefined"],
  ];
  for (const [call, made, argument, message] of calls) {
    it(`${call} is a TypeError`, () => {
      // No argument here is of the type that the function takes.
      assert.throws(() => made(argument as never), { name: "TypeError", message });
    });
  }
});
