import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  accept,
  after,
  and,
  before,
  contentType,
  GET,
  group,
  header,
  method,
  not,
  ok,
  or,
  POST,
  path,
  query,
  type Route,
  route,
  router,
  when,
} from "waymark";
import type { Explanation } from "../../../src/app.ts";
import type { HeaderFields } from "../../../src/fields/header-list.ts";
import { codeAt } from "../../package/declared-code.ts";
import { ask, asked } from "../../tools/ask.ts";
import { trail } from "../../tools/trail.ts";

const app = router(
  group(
    "/person",
    group(accept("application/json"), GET("/{id:[0-9]+}", ok), GET(ok)),
    POST(contentType("application/json", "application/xml"), ok),
  ),
  GET("/hello-world", accept("text/plain"), ok),
  GET("/beta", or(header("X-Beta"), query("beta", "1")), ok),
);

const nameOf = ({ route: chosen }: Explanation): string | undefined => chosen && `${chosen.method} ${chosen.path}`;

const takesPerson = `
GET /person/7 → GET /person/{id:[0-9]+}
> GET /person/{id:[0-9]+}  takes it
  GET /person              wants path "/person", found "/person/7"
  POST /person             wants path "/person", found "/person/7"
  GET /hello-world         wants path "/hello-world", found "/person/7"
  GET /beta                wants path "/beta", found "/person/7"
  GET /beta                wants path "/beta", found "/person/7"`;

describe("the text of an explanation", () => {
  const cases: readonly (readonly [line: string, headers: HeaderFields, text: string])[] = [
    ["GET /person/7", { Accept: "application/json" }, takesPerson],
    ["GET /person/7", { Accept: "image/png, */json" }, takesPerson],
    [
      "POST /person?x=1",
      { "Content-Type": "text/plain" },
      `
POST /person → status 415
  GET /person/{id:[0-9]+}  wants path "/person/{id:[0-9]+}", found "/person"
  GET /person              wants method GET, found POST
  POST /person             wants content type application/json, application/xml, found Content-Type: text/plain
  GET /hello-world         wants path "/hello-world", found "/person"
  GET /beta                wants path "/beta", found "/person"
  GET /beta                wants path "/beta", found "/person"`,
    ],
    [
      "GET /beta?beta=2&beta=3",
      {},
      `
GET /beta → status 404
  GET /person/{id:[0-9]+}  wants path "/person/{id:[0-9]+}", found "/beta"
  GET /person              wants path "/person", found "/beta"
  POST /person             wants path "/person", found "/beta"
  GET /hello-world         wants path "/hello-world", found "/beta"
  GET /beta                wants header X-Beta, found no X-Beta
  GET /beta                wants query beta = 1, found beta=2, 3`,
    ],
  ];
  for (const [line, headers, text] of cases) {
    it(`of ${line} ${JSON.stringify(headers)} is what a person can read`, () => {
      assert.equal(`\n${app.explain(asked(line, headers))}`, text);
    });
  }

  it("is short where there are no routes", () => {
    assert.equal(String(router().explain(asked("GET /"))), "GET / → status 404");
  });
});

describe("the steps of an explanation", () => {
  it("are every way to a handler in order, each with the place of its route", () => {
    const { method: sent, path: at, steps, route: chosen, status } = app.explain(asked("GET /person"));
    assert.deepEqual([sent, at, chosen, status], ["GET", "/person", steps[1]?.route, undefined]);
    assert.deepEqual(
      steps.map(({ route, unmet }) => `${route.method} ${route.path}${unmet === undefined ? " takes it" : ""}`),
      [
        ...["GET /person/{id:[0-9]+}", "GET /person takes it", "POST /person"],
        ...["GET /hello-world", "GET /beta", "GET /beta"],
      ],
    );
    assert.match(codeAt(steps[0]?.declaredAt ?? "", "explain.test.ts"), /^GET\("\/\{id:/);
    assert.match(codeAt(steps[2]?.declaredAt ?? "", "explain.test.ts"), /^POST\(contentType/);
  });

  const beta = when("is beta", () => false);
  const holds = "a request for which it holds";
  const csv = accept("text/csv");
  const either = method("GET", "POST");
  type Failure = readonly [about: string, declared: Route, line: string, condition: string, found: string];
  const failures: readonly Failure[] = [
    ["a path", GET("/a/{id}", ok), "GET /b", 'path "/a/{id}"', '"/b"'],
    ["another path", route(path("/{a}/x"), path("/y/{b}"), ok), "GET /z/x", 'path "/y/{b}"', '"/z/x"'],
    ["a path under not", route(path("/{a}"), not(path("/x")), ok), "GET /x", 'not path "/x"', holds],
    ["a method", GET("/a", csv, ok), "POST /a", "method GET", "POST"],
    ["a method in lower case", GET("/a", ok), "get /a", "method GET", "get, and methods have their case"],
    ["several methods", route("/a", method("PUT", "DELETE"), ok), "GET /a", "method PUT|DELETE", "GET"],
    ["a method under not", route("/a", not(method("GET")), ok), "GET /a", "not GET", holds],
    ["a method that is named, too", route("/a", either, not(method("POST")), ok), "POST /a", "not POST", holds],
    ["methods that exclude each other", route("/a", method("PUT"), method("GET"), ok), "GET /a", "method none", "GET"],
    ["a media type", GET("/a", accept("a/b", "a/c"), ok), "GET /a", "accept a/b, a/c", "Accept: image/png"],
    ["a content type", POST("/a", csv, contentType("a/*"), ok), "POST /a", "content type a/*", "no Content-Type"],
    ["a header field", GET("/a", header("X-A"), ok), "GET /a", "header X-A", "no X-A"],
    ["the value of a header field", GET("/a", header("X-Sent", "2"), ok), "GET /a", "header X-Sent = 2", "X-Sent: 1"],
    ["an expression", GET("/a", header("x-sent", /^[a-z]$/i), ok), "GET /a", "header x-sent ~ /^[a-z]$/i", "x-sent: 1"],
    ["a query parameter", GET("/a", query("q"), ok), "GET /a?p", "query q", "no q"],
    ["the value of a query parameter", GET("/a", query("q", "1"), ok), "GET /a?q=2", "query q = 1", "q=2"],
    ["a test", GET("/a", beta, ok), "GET /a", "is beta", "a request for which it does not hold"],
    [
      "and under not",
      GET("/a", not(and(header("X-Sent"), not(query("q")))), ok),
      ...(["GET /a", "not (header X-Sent and not query q)", holds] as const),
    ],
  ];
  for (const [about, declared, line, condition, found] of failures) {
    it(`say which condition failed first, and what was found: ${about}`, () => {
      const headers = { Accept: "image/png", "X-Sent": "1" };
      assert.deepEqual(router(declared).explain(asked(line, headers)).steps[0]?.unmet, { condition, found });
    });
  }

  it("say which failure decides the refusal, in any order of the conditions", () => {
    const declared = POST("/a", header("X-A"), accept("text/csv"), contentType("text/csv"), ok);
    const conditionFor = (headers: HeaderFields): string | undefined =>
      router(declared).explain(asked("POST /a", { Accept: "a/b", ...headers })).steps[0]?.unmet?.condition;
    assert.equal(conditionFor({}), "content type text/csv");
    assert.equal(conditionFor({ "Content-Type": "text/csv" }), "accept text/csv");
    assert.equal(conditionFor({ "Content-Type": "text/csv", Accept: "text/csv" }), "header X-A");
  });
});

describe("what an explanation chose", () => {
  const several = router(
    route(method("HEAD"), "/declared", ok),
    GET("/declared", ok),
    route(method("OPTIONS"), "/declared", ok),
    GET("/plain", accept("text/plain"), ok),
    POST("/plain", ok),
    route("/any/**", ok),
  );
  const cases: readonly (readonly [line: string, chosen: string | undefined, status: number | undefined])[] = [
    ["HEAD /declared", "HEAD /declared", undefined],
    ["GET /declared", "GET /declared", undefined],
    ["OPTIONS /declared", "OPTIONS /declared", undefined],
    ["HEAD /plain", "GET /plain", undefined],
    ["OPTIONS /plain", undefined, 204],
    ["DELETE /plain", undefined, 405],
    ["FOO /plain", undefined, 501],
    ["FOO /any/thing", "* /any/**", undefined],
    ["GET /nothing", undefined, 404],
    ["OPTIONS /nothing", undefined, 404],
    ["OPTIONS *", undefined, 204],
    ["GET *", undefined, 400],
  ];
  for (const [line, chosen, status] of cases) {
    it(`for ${line} is ${chosen ?? status}, as it is answered`, async () => {
      const explanation = several.explain(asked(line));
      assert.deepEqual([nameOf(explanation), explanation.status], [chosen, status]);
      assert.equal((await ask(several, line)).status, status ?? 200);
    });
  }

  it("has a step that takes a HEAD for each that takes GET", () => {
    const unmet = several.explain(asked("HEAD /declared")).steps.map((step) => step.unmet?.condition);
    assert.deepEqual(unmet.slice(0, 3), [undefined, undefined, "method OPTIONS"]);
  });

  it("is 406 for a HEAD that GET could not answer", () => {
    assert.equal(several.explain(asked("HEAD /plain", { Accept: "image/png" })).status, 406);
  });

  it("takes no path for *", () => {
    const { steps } = router(route("/**", ok)).explain(asked("OPTIONS *"));
    assert.deepEqual(steps[0]?.unmet, { condition: 'path "/**"', found: '"*"' });
  });

  it("runs neither filter nor handler", () => {
    const { steps, before, handler } = trail();
    const spied = router({ filters: [before("filter")] }, GET("/a", handler()));
    assert.equal(nameOf(spied.explain(asked("GET /a"))), "GET /a");
    assert.deepEqual(steps, []);
  });
});

describe("the routes of an app", () => {
  const pass = before((request) => request);
  const table = router(
    group(
      "/person",
      pass,
      group(
        accept("application/json", "application/xml"),
        after((_, response) => response),
        GET("/{id}", header("X-A"), query("q", /^[0-9]$/), ok),
      ),
      POST(contentType("application/json"), accept("text/plain"), ok),
    ),
    route(or(path("/a"), path("/b")), not(query("old")), ok),
    route(
      path("/{x}/y"),
      path("/z/{y}"),
      method("GET", "PUT"),
      when("is beta", () => true),
      ok,
    ),
    GET(ok),
  ).routes;

  it("are a row for each way to a handler, in order", () => {
    assert.deepEqual(
      table.map((row) => [row.methods, row.path, row.produces, row.consumes, row.conditions]),
      [
        [["GET"], "/person/{id}", ["application/json", "application/xml"], [], ["header X-A", "query q ~ /^[0-9]$/"]],
        [["POST"], "/person", ["text/plain"], ["application/json"], []],
        [undefined, "/a", [], [], ["not query old"]],
        [undefined, "/b", [], [], ["not query old"]],
        [["GET", "PUT"], "/{x}/y", [], [], ['path "/z/{y}"', "is beta"]],
        [["GET"], "/", [], [], []],
      ],
    );
  });

  it("say where the route and its filters were declared, the outermost first", () => {
    const [first] = table;
    assert.match(codeAt(first?.declaredAt ?? "", "explain.test.ts"), /^GET\("\/\{id\}", header/);
    const filters = first?.filters.map((filter) => {
      const [, kind, site = ""] = /^(\w+) \((.*)\)$/.exec(filter) ?? [];
      return [kind, codeAt(site, "explain.test.ts")];
    });
    assert.deepEqual(filters, [
      ["before", "before((request) => request);"],
      ["after", "after((_, response) => response),"],
    ]);
    assert.deepEqual(table.at(-1)?.filters, []);
  });
});
