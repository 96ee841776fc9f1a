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
import { type ConditionData, describeCondition } from "../../src/condition.ts";
import type { HeaderFields } from "../../src/fields/header-list.ts";
import { ask } from "../tools/ask.ts";

type Case = readonly [condition: Condition, line: string, headers: HeaderFields, status: number];

const json1 = accept("application/json", "application/xml");
const read1 = contentType("application/json", "text/*");
const suffixed = contentType("application/*+json");
const field = header("X-A");
const both = [header("X-A"), query("a")] as const;
const hasA = when("has a", ({ search }) => search.includes("a"));

// The model of the definition draws from most of these kinds, too; here is what a reader would not expect, and what it does not draw.
const tables: Readonly<Record<string, readonly Case[]>> = {
  method: [
    [method("GET"), "HEAD /", {}, 200],
    [method("GET"), "POST /", {}, 405],
    [method("GET", "POST"), "POST /", {}, 200],
    [method("HEAD"), "GET /", {}, 405],
    [method("PURGE"), "PURGE /", {}, 200],
    [method("PURGE"), "purge /", {}, 501],
    [method("GET"), "get /", {}, 501],
  ],
  path: [
    [path("/a"), "GET /a", {}, 200],
    [path("/a"), "GET /a/b", {}, 404],
    [path(""), "GET /", {}, 200],
  ],
  accept: [
    [json1, "GET /", {}, 200],
    [json1, "GET /", { Accept: ["text/html", "application/xml"] }, 200],
    [json1, "GET /", { Accept: "text/html" }, 406],
    [json1, "GET /", { Accept: "application/json;q=0" }, 406],
  ],
  contentType: [
    [read1, "POST /", { "Content-Type": "Application/JSON; charset=utf-8" }, 200],
    [read1, "POST /", { "Content-Type": "text/csv" }, 200],
    [read1, "POST /", { "Content-Type": "application/xml" }, 415],
    [read1, "POST /", { "Content-Type": "application/json, text/csv" }, 415],
    [read1, "POST /", { "Content-Type": "" }, 415],
    [read1, "POST /", { "Content-Type": "text/*" }, 415],
    [contentType("*/*"), "POST /", { "Content-Type": "a/b" }, 200],
    [contentType("*/*"), "POST /", {}, 415],
    [suffixed, "POST /", { "Content-Type": "application/vnd.a+json; v=1" }, 200],
    [suffixed, "POST /", { "Content-Type": "application/json" }, 415],
    [suffixed, "POST /", { "Content-Type": "text/vnd.a+json" }, 415],
  ],
  header: [
    [field, "GET /", { "x-a": "" }, 200],
    [field, "GET /", { "X-AB": "1" }, 404],
    [header("X-A", "1"), "GET /", { "X-A": "11" }, 404],
    [header("X-A", ""), "GET /", { "X-A": "" }, 200],
    [header("X-A", ""), "GET /", {}, 404],
    [header("X-A", "1, 2"), "GET /", { "X-A": ["1", "2"] }, 200],
    [header("X-A", /1/), "GET /", { "X-A": "214" }, 200],
    [header("X-A", /undefined/), "GET /", {}, 404],
    [header("constructor"), "GET /", {}, 404],
    [header("constructor"), "GET /", { constructor: "1" }, 200],
  ],
  query: [
    [query("a"), "GET /?a", {}, 200],
    [query("a"), "GET /?A", {}, 404],
    [query("a", "1"), "GET /?a=2&a=1", {}, 200],
    [query("a", "1"), "GET /?a=2&b=1", {}, 404],
    [query("a", ""), "GET /?a", {}, 200],
    [query("a", "x y"), "GET /?a=x+y", {}, 200],
    [query("a", /^[0-9]$/), "GET /?a=x&a=7", {}, 200],
    [query("constructor"), "GET /", {}, 404],
  ],
  when: [
    [hasA, "GET /?a", {}, 200],
    [hasA, "GET /?b", {}, 404],
  ],
  and: [
    [and(), "GET /", {}, 200],
    [and(...both), "GET /?a", { "X-A": "1" }, 200],
    [and(...both), "GET /?a", {}, 404],
    [and(method("GET"), json1), "POST /", { Accept: "a/b" }, 405],
    [and(json1, method("GET")), "GET /", { Accept: "a/b" }, 406],
    [and(method("GET", "POST"), method("POST", "PUT")), "POST /", {}, 200],
    [and(method("GET", "POST"), method("POST", "PUT")), "GET /", {}, 405],
  ],
  or: [
    [or(), "GET /", {}, 404],
    [or(...both), "GET /", { "X-A": "1" }, 200],
    [or(...both), "GET /", {}, 404],
    [or(method("GET"), method("PUT")), "PUT /", {}, 200],
    [or(method("GET"), method("PUT")), "POST /", {}, 405],
    [or(path("/a"), path("/b")), "GET /c", {}, 404],
    [or(json1, query("f")), "GET /?f", { Accept: "a/b" }, 200],
    [or(json1, query("f")), "GET /", { Accept: "a/b" }, 404],
    [or(and(), field), "GET /", {}, 200],
    [or(or(), field), "GET /", {}, 404],
  ],
  not: [
    [not(field), "GET /", {}, 200],
    [not(field), "GET /", { "X-A": "1" }, 404],
    [not(method("GET")), "GET /", {}, 405],
    [not(json1), "GET /", { Accept: "a/b" }, 200],
    [not(json1), "GET /", {}, 404],
    [not(read1), "POST /", { "Content-Type": "text/csv" }, 404],
    [not(not(field)), "GET /", { "X-A": "1" }, 200],
    [not(and(...both)), "GET /?a", {}, 200],
    [not(and(...both)), "GET /?a", { "X-A": "1" }, 404],
    [not(or(...both)), "GET /?a", {}, 404],
    [not(and()), "GET /", {}, 404],
    [not(or()), "GET /", {}, 200],
  ],
};

for (const [about, cases] of Object.entries(tables)) {
  describe(about, () => {
    for (const [condition, line, headers, status] of cases) {
      it(`${describeCondition(condition as ConditionData)} makes ${line} ${JSON.stringify(headers)} a ${status}`, async () => {
        assert.equal((await ask(router(route(condition, ok)), line, headers)).status, status);
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
    const spy = when("spy", (request) => seen.push(Object.keys(request.variables), request.path) > 0);
    await ask(router(GET("/{id}", spy, ok)), "GET /7");
    assert.deepEqual(seen, [[], "/7"]);
  });

  const fails = (error: Error) => (): never => {
    throw error;
  };
  const later = (async () => false) as never; // as of a program without types
  for (const [about, test, status, told] of [
    ["that throws an HttpError answers with its response", fails(new HttpError(empty(409))), 409, undefined],
    ["that throws is a fault", fails(new Error("broken")), 500, /^Error: broken$/],
    [
      "that is asynchronous is a fault: its promise would be true of every request",
      later,
      500,
      /^TypeError: when\("spy", …\) must not be asynchronous/,
    ],
  ] as const) {
    it(`${about}, which the web filters see`, async () => {
      const faults: unknown[] = [];
      const look = after((_, response) => response.withHeader("X-Seen", `${response.status}`));
      const app = router({ filters: [look], onFault: (error) => faults.push(error) }, GET(when("spy", test), ok));
      const response = await ask(app, "GET /");
      assert.deepEqual([response.status, response.header("X-Seen")], [status, `${status}`]);
      assert.equal(faults.length, told === undefined ? 0 : 1);
      if (told !== undefined) assert.match(String(faults[0]), told);
    });
  }
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
  const calls: readonly (readonly [made: (...given: never[]) => unknown, argument: unknown, message: string])[] = [
    [and, undefined, "and(…) takes conditions, not undefined"],
    [or, "/a", "or(…) takes conditions, not string"],
    [or, [path("/a")], "or(…) takes conditions, not array"],
    [not, null, "not(…) takes a condition, not null"],
    [not, GET(ok), "not(…) takes a condition, not route(…)"],
    [when, () => true, "when(…) takes a name and a function, not undefined"],
  ];
  for (const [made, argument, message] of calls) {
    // No argument here is of the type that the function takes.
    it(`is a TypeError: ${message}`, () =>
      assert.throws(() => made(argument as never), { name: "TypeError", message }));
  }
});
