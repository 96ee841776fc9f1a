import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  accept,
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
import type { Condition } from "waymark/routing";
import { codeAt } from "../../package/declared-code.ts";
import { ask } from "../../tools/ask.ts";

const json = "application/json";
const xml = "application/xml";
const isBeta = when("is beta", (request) => request.cookies.has("beta"));
const notX = not(path("/x"));
const pass = before((request) => request);
const isTrue = (): Condition => when("t", () => true);

const get = (...conditions: readonly (string | Condition)[]): Route => GET(...conditions, ok);

const kindsIn = (...declared: readonly Route[]) => router(...declared).findings.map(({ kind }) => kind);
const messagesIn = (...declared: readonly Route[]) => router(...declared).findings.map(({ message }) => message);

/** The routes of each case in order; the last is shadowed by those before it, or it is not. */
type Case = readonly [declared: readonly Route[], names: string];

describe("a route is never reached", () => {
  const cases: readonly Case[] = [
    [[get("/a"), get("/a")], "the same twice"],
    [[get("/{id}"), get("/me")], "a variable before literal text"],
    [[get("/{id}"), get("/{name}")], "a variable of another name"],
    [[get("/*"), get("/{name}")], "a star before a variable"],
    [[get("/{id}"), get("/*")], "a variable before a star"],
    [[get("/{id:[0-9]+}"), get("/{nr:[0-9]+}")], "the same expression"],
    [[get("/{id:[0-9]+}"), get("/42")], "an expression that the literal text fits"],
    [[get("/{name}"), get("/{id:[0-9]+}")], "a variable before an expression that takes no empty text"],
    [[get("/{a}.{b}"), get("/{c}.{d}")], "the same text around variables"],
    [[get("/**"), get("/a/{b}")], "everything"],
    [[get("/a/**"), get("/a")], "everything below, itself included"],
    [[get("/a/{*rest}"), get("/a/b/**")], "everything below, before everything further below"],
    [[get("/**/end"), get("/a/end")], "every path with that end"],
    [[get("/**/end"), get("/{*before}/end")], "every path with that end, twice"],
    [[get("/**"), get("/**/end")], "everything, before every path with that end"],
    [[route("/a", ok), get("/a")], "every method"],
    [[route("/a", ok), route("/a", ok)], "every method, twice"],
    [[route("/a", method("GET", "POST"), ok), get("/a")], "two methods, before one of them"],
    [[get("/a"), get("/a", accept(json))], "a route that asks for less"],
    [[get("/a", accept(json, xml)), get("/a", accept(xml))], "a route that produces more"],
    [[get("/a", accept(json)), get("/a", accept(json), query("q"))], "a route with some of the conditions"],
    [[POST("/a", contentType("text/*"), ok), POST("/a", contentType("text/csv"), ok)], "a wider range"],
    [[POST("/a", contentType("*/*"), ok), POST("/a", contentType("text/*", json), ok)], "the widest range"],
    [[get("/a", header("X-A")), get("/a", header("x-a", "1"))], "the field, before one of its values"],
    [[get("/a", header("X-A", /1/)), get("/a", header("X-A", /1/))], "the same expression for a field"],
    [[get("/a", query("q")), get("/a", query("q", "1"))], "the parameter, before one of its values"],
    [[get("/a", query("q", "1")), get("/a", query("q", "1"))], "the same parameter"],
    [[get("/a", isBeta), get("/a", isBeta, query("q"))], "the very same test"],
    [[get("/a", not(isBeta)), get("/a", isBeta), get("/a", isBeta)], "the very same test, after its opposite"],
    [[get("/a"), get(or(path("/a"), and(path("/a"), query("q"))))], "in every way that it can be taken"],
    [[get("/a"), get("/b"), get(or(path("/a"), path("/b")))], "by two routes together"],
    [[group("/a", get("/{id}")), group("/a", get("/me"))], "across groups"],
    [[group("/a", accept(json), get("/b")), group(accept(json), get("/a/b"))], "by conditions of groups"],
    [[get("/a"), group("/a", pass, get())], "whatever filters it has"],
    [[group(get("/**")), group(group(get("/a")))], "across sets"],
  ];
  for (const [declared, name] of cases) {
    it(name, () => assert.deepEqual(kindsIn(...declared), ["shadowed"]));
  }
});

describe("a router without routes", () => {
  it("is a finding, at the place that calls router, and refused by strict", () => {
    for (const declared of [[], [group()], [group("/a")], [group(), group(group("/a"))]]) {
      const { findings } = router(...declared);
      assert.deepEqual(
        findings.map(({ kind, message }) => [kind, message]),
        [["empty", "The router has no routes, so it refuses every request"]],
      );
      assert.equal(codeAt(String(findings[0]?.site), "finding.test.ts"), "router(...declared);");
      assert.throws(() => router({ strict: true }, ...declared), /has no routes/);
    }
  });

  it("is not one whose only route can never be reached", () => {
    assert.deepEqual(kindsIn(group(), route(or(), ok)), ["impossible"]);
  });
});

describe("a route may be reached", () => {
  const cases: readonly Case[] = [
    [[get("/me"), get("/{id}")], "literal text before a variable"],
    [[get("/a"), get("/A")], "another case"],
    [[get("/a"), get("/a/")], "another slash"],
    [[get("/{id}"), get("/")], "a variable, which is not empty, before nothing"],
    [[get("/a/{id}"), get("/a/**")], "one segment before all"],
    [[get("/{id:[0-9]+}"), get("/{name}")], "an expression before a variable"],
    [[get("/{id:[0-9]+}"), get("/x")], "an expression that the literal text does not fit"],
    [[get("/{id:[0-9]+}"), get("/{id:[0-9]*}")], "another expression"],
    [[get("/{id}"), get("/{any:.*}")], "a variable before an expression that takes empty text"],
    [[get("/a/**"), get("/**")], "what is below before everything"],
    [[get("/a/**"), get("/**/a")], "another end"],
    [[get("/**/end"), get("/end/**")], "an end before a beginning"],
    [[get("/**/end"), get("/**")], "an end before everything"],
    [[get("/a"), POST("/a", ok)], "another method"],
    [[get("/a"), route("/a", ok)], "one method before every method"],
    [[get("/a"), route(method("HEAD"), "/a", ok)], "GET before HEAD, which is asked first"],
    [[get("/a"), route("/a", method("GET", "POST"), ok)], "one method before two"],
    [[get("/a", accept(json)), get("/a")], "a route that asks for more"],
    [[get("/a", accept(json)), get("/a", accept(json, xml))], "a route that produces less"],
    [[get("/a", accept(json), query("q")), get("/a", accept(json))], "a route with more conditions"],
    [[POST("/a", contentType("text/csv"), ok), POST("/a", contentType("text/*"), ok)], "a narrower range"],
    [
      ["text/csv;charset=utf-8", "text/csv"].map((range) => POST("/a", contentType(range), ok)),
      "a range with a charset, before one that takes any",
    ],
    [[get("/a", header("X-A", "1")), get("/a", header("X-A"))], "a value before the field"],
    [[get("/a", header("X-A", /1/)), get("/a", header("X-A", "/1/"))], "an expression before its own text"],
    [[get("/a", header("X-A", "undefined")), get("/a", header("X-A"))], "a value that spells nothing"],
    [[get("/a", query("q", "1")), get("/a", query("q", "2"))], "another value"],
    [[get("/a", query("q")), get("/a", query("Q"))], "another parameter"],
    [[get("/a", header("q")), get("/a", query("q"))], "a field before a parameter"],
    [[get("/a", isTrue()), get("/a", isTrue())], "a test of the same name"],
    [[get("/a", not(isBeta)), get("/a", isBeta)], "the opposite"],
    [[get("/a"), get(or(path("/a"), path("/b")))], "in one of the ways that it can be taken"],
    [[get("/a", query("q")), get("/a", not(query("q"))), get("/a")], "two routes that take all only together"],
    [[route(path("/{id}"), path("/a*"), ok), get("/{id}")], "a route that names another path, too"],
    [[get("/{id}", notX), group("/x", get("", notX))], "a path under not that stands elsewhere"],
    [[get("/{id}", notX), get("/{id}")], "a path under not"],
  ];
  for (const [declared, name] of cases) {
    it(name, () => assert.deepEqual(router(...declared).findings, []));
  }

  it("as requests show", async () => {
    const app = router(
      GET("/{id}", notX, () => ok()),
      group(
        "/x",
        GET("", notX, () => ok().withHeader("X-Second", "yes")),
      ),
    );
    assert.equal((await ask(app, "GET /x")).headers.get("X-Second"), "yes");
  });
});

describe("a finding", () => {
  it("names the route and those before it, each with its place", () => {
    const { findings } = router(
      GET("/a/{id}", ok),
      group("/b", POST("/{id}", ok), GET("/{id}", ok)),
      GET(or(path("/a/me"), path("/b/me")), ok),
    );
    const [{ message, site } = assert.fail("there is a finding")] = findings;
    assert.match(
      message,
      /^GET \/a\/me is never reached: GET \/a\/\{id\} \((.*)\) and GET \/b\/\{id\} \((.*)\) before it takes every request that it would take$/,
    );
    assert.match(codeAt(String(site), "finding.test.ts"), /^GET\(or\(path/);
    const [first = "", second = ""] = [...message.matchAll(/\((.*?)\)/g)].map(([, place]) => place);
    assert.match(codeAt(first, "finding.test.ts"), /^GET\("\/a\/\{id\}", ok\)/);
    assert.match(codeAt(second, "finding.test.ts"), /^GET\("\/\{id\}", ok\)/);
  });

  it("names each shadowed route, in their order", () => {
    assert.deepEqual(
      messagesIn(get("/**"), get("/a"), POST("/a", ok), get("/b")).map((message) => message.slice(0, 25)),
      ["GET /a is never reached: ", "GET /b is never reached: "],
    );
  });

  it("names methods that exclude each other, and an or without conditions", () => {
    const methods = [group(method("POST", "PUT"), GET("/a", ok))];
    const declared = [GET("/a", or(), ok), group(or(), GET("/b", ok)), GET("/c", or(or(), query("q")), ok)];
    const empty = "This route is never reached: an or() around it or in it is empty";
    assert.deepEqual(kindsIn(...methods, ...declared), ["impossible", "impossible", "impossible"]);
    assert.deepEqual(messagesIn(...methods), ["(no method) /a is never reached: its conditions exclude every method"]);
    assert.deepEqual(messagesIn(...declared), [empty, empty]);
    assert.match(codeAt(String(router(...declared).findings[0]?.site), "finding.test.ts"), /^GET\("\/a", or\(\), ok\)/);
  });

  it("names two paths that no request has", () => {
    for (const [first, each] of [
      ["/d", get("/d", "/e")],
      ["/{id}", get("/{id}", "/a/b")],
      ["/d", get(or(path("/d"), path("/e")), "/f")],
    ] as const) {
      assert.deepEqual(messagesIn(each), [`GET ${first} is never reached: it has two paths, and no request has both`]);
    }
    const together = [get("/{id}", "/a"), get("/a", "/{*rest}"), get("/*.json", "/{id}"), get("/x", not(path("/y")))];
    assert.deepEqual(messagesIn(...together), []);
  });

  it("names what is a variable in other routers", () => {
    const messageOf = (template: string) => messagesIn(GET(template as "/", ok));
    for (const text of [":id", "[id]", "[...id]", "<id>", "<int:id>"]) {
      assert.deepEqual(messageOf(`/a/${text}/b`), [
        `The path "/a/${text}/b" takes "${text}" as plain text: a variable is {id}`,
      ]);
    }
    assert.deepEqual(messageOf("/{id:int}"), [
      'The path "/{id:int}" takes only "int" for {id}: behind the colon is a regular expression, such as [0-9]+',
    ]);
    for (const text of ["a:b", "a[b]", "{id:[a-z]+}", "{id:a|b}", "{type:json}", "{id}"])
      assert.deepEqual(messageOf(`/${text}`), []);
  });

  it("does not keep the routes from answering", async () => {
    const app = router(GET("/{id}", ok), GET("/me", ok));
    assert.equal((await ask(app, "GET /me")).status, 200);
  });
});
