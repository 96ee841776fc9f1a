import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  accept,
  and,
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
import { checksPath } from "waymark/internal";
import { RoutingError } from "waymark/routing";
import type { Finding } from "../../../src/app.ts";
import { codeAt } from "../../package/declared-code.ts";

/** The findings in the routes, which must have some. */
function findingsIn(...declared: readonly Route[]): readonly Finding[] {
  try {
    router(...declared);
  } catch (error) {
    if (error instanceof RoutingError) return error.findings;
    throw error;
  }
  return assert.fail("The router was built");
}

const messagesIn = (...declared: readonly Route[]): readonly string[] =>
  findingsIn(...declared).map(({ message }) => message);

const consulting = (field: string) => when("t", () => true, { consults: [field] });

const places = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ site }) => codeAt(String(site), "routing-error.test.ts"));

describe("a handler that checks its paths", () => {
  const needsId = checksPath(
    (template) => (template.endsWith("/{id}") ? undefined : `The path "${template}" has no {id}`),
    () => ok(),
  );

  it("refuses a route on another path, with the path of its groups and the place", () => {
    const findings = findingsIn(
      group("/a", GET("/{id}", needsId), GET("/{number}", needsId)), // as it should be, and not
      GET(or(path("/b/{id}"), path("/c")), needsId),
    );
    assert.deepEqual(
      findings.map(({ kind, message }) => `${kind}: ${message}`),
      ['invalid: The path "/a/{number}" has no {id}', 'invalid: The path "/c" has no {id}'],
    );
    assert.deepEqual(places(findings), [
      'GET("/{number}", needsId)), // as it should be, and not',
      'GET(or(path("/b/{id}"), path("/c")), needsId),',
    ]);
  });

  it("is not asked where a route has two paths, of which either may have what it needs", () => {
    assert.equal(router(GET(path("/a"), path("/{id}"), needsId)).routes.length, 1);
  });
});

describe("a malformed condition", () => {
  const noType = "is not a media type (type/subtype, without wildcards and weights)";
  const noRange = "is not a media range (type/subtype, type/* or type/*+json, without a weight)";
  const cases: readonly (readonly [declared: Route, message: string])[] = [
    [GET("a", ok), 'The path "a" must begin with a slash'],
    [GET(path("/{"), ok), 'The path "/{" has a "{" that is not closed'],
    [group("a", GET(ok)), 'The path "a" must begin with a slash'],
    [route(method(), ok), "method() names nothing"],
    [route(method("GET", "P T"), ok), '"P T" is not a method'],
    [route(method(""), ok), '"" is not a method'],
    [GET(accept(), ok), "accept() names nothing"],
    [GET(accept("json"), ok), `"json" ${noType}`],
    [GET(accept("text/plain", "text/*"), ok), `"text/*" ${noType}`],
    [GET(accept("*/*"), ok), `"*/*" ${noType}`],
    [GET(accept("application/*+json"), ok), `"application/*+json" ${noType}`],
    [GET(accept("text/plain;q=0.5"), ok), `"text/plain;q=0.5" ${noType}`],
    [GET(accept("text/plain, text/csv"), ok), `"text/plain, text/csv" ${noType}`],
    [POST(contentType(), ok), "contentType() names nothing"],
    [POST(contentType("json"), ok), `"json" ${noRange}`],
    [POST(contentType("*/json"), ok), `"*/json" ${noRange}`],
    [POST(contentType("text/*;q=1"), ok), `"text/*;q=1" ${noRange}`],
    [POST(contentType("text/x*+json"), ok), `"text/x*+json" ${noRange}`],
    [GET(header("X A"), ok), '"X A" is not a header field name'],
    [GET(header(""), ok), '"" is not a header field name'],
    [GET(consulting("X:"), ok), '"X:", which the test consults, is not a header field name'],
  ];
  for (const [declared, message] of cases) {
    it(`refuses: ${message}`, () => assert.deepEqual(messagesIn(declared), [message]));
  }

  it("is found in and, or and not, and in groups within groups", () => {
    const bad = accept("json");
    const [message] = messagesIn(GET(bad, ok));
    for (const declared of [
      GET(and(query("q"), bad), ok),
      GET(or(query("q"), and(bad)), ok),
      GET(not(not(bad)), ok),
      group(group(bad, GET(ok))),
      group(group(group(GET(bad, ok)))),
      group(bad),
    ]) {
      assert.deepEqual(messagesIn(declared), [message]);
    }
  });

  it("is reported once when it stands in several places", () => {
    const bad = accept("json");
    assert.equal(messagesIn(GET("/a", bad, ok), GET("/b", bad, ok), group(bad, GET("/c", ok))).length, 1);
  });
});

describe("conditions that do not go together", () => {
  const manyWays = or(...Array.from({ length: 33 }, (_, i) => query(`q${i}`)));
  const twice = (at: string, name: string) => `The path "${at}" has the variable {${name}} twice`;
  const slash = (at: string) => `The path "${at}" of a group ends in a slash; the paths of its routes begin with one`;
  const middle = "has {*rest} or ** in its middle; only the first or the last part can be that";
  const ways = 'The "or" conditions up to here have more than 1024 combinations';
  const cases: readonly (readonly [declared: Route, message: string])[] = [
    [group("/users/{id}", GET("/books/{id}", ok)), twice("/users/{id}/books/{id}", "id")],
    [group("/{a}", group("/{b}", group("/{a}", GET(ok)))), twice("/{a}/{b}/{a}", "a")],
    [group("/{a}", GET("/{*a}", ok)), twice("/{a}/{*a}", "a")],
    [group("/files/{*rest}", GET("/meta", ok)), `The path "/files/{*rest}/meta" ${middle}`],
    [group("/{*a}", GET("/x/{*b}", ok)), 'The path "/{*a}/x/{*b}" has {*rest} or ** twice'],
    [group("/a", "/b", GET(ok)), "A group has two paths; for a path below a path, put a group in a group"],
    [group("/a/", GET("/b", ok)), slash("/a/")],
    [group("/a", group("/", GET("/b", ok))), slash("/a/")],
    [group(or(path("/a"), path("/b/")), GET("/c", ok)), slash("/b/")],
    [GET(manyWays, manyWays, ok), ways],
    [group(manyWays, group(manyWays, GET(ok))), ways],
  ];
  for (const [declared, message] of cases) {
    it(`are refused: ${message}`, () => assert.deepEqual(messagesIn(declared), [message]));
  }

  it("are reported once for a group, however many routes it has", () => {
    assert.equal(messagesIn(group("/a", "/b", GET("/c", ok), GET("/d", ok), group(GET("/e", ok)))).length, 1);
  });

  it("may be many, as long as there are no more than 1024 ways", () => {
    const thirtyTwo = or(...Array.from({ length: 32 }, (_, i) => query(`q${i}`)));
    assert.equal(router(GET(thirtyTwo, thirtyTwo, ok)).routes.length, 1024);
  });

  it("may share the variables of the group around them, and names on paths that no request takes both", () => {
    assert.equal(router(group("/{id}", route(path("/a/*"), path("/*/b"), ok))).routes.length, 1);
    const app = router(GET("/a/{id}", ok), GET("/b/{id}", ok), GET(or(path("/c/{id}"), path("/d/{id}")), ok));
    assert.equal(app.routes.length, 4);
  });
});

describe("the errors of a program", () => {
  it("are reported together, each with the place that declared it", () => {
    const people = group(
      "/person",
      GET("/{id", ok),
      group(accept("json"), GET("/ok", ok)),
      POST(and(header("X A"), contentType("text")), ok),
    );
    const others = group(route(method("G T"), "relative", ok), group("nested", GET(ok)), GET(not(consulting(" ")), ok));
    const findings = findingsIn(people, others);
    const codes = places(findings);
    assert.deepEqual(
      findings.map(({ message }, i) => [message.slice(0, 16), codes[i]?.slice(0, 12)]),
      [
        ['The path "/{id" ', 'GET("/{id", '],
        ['"json" is not a ', 'accept("json'],
        ['"X A" is not a h', 'header("X A"'],
        ['"text" is not a ', "contentType("],
        ['"G T" is not a m', 'method("G T"'],
        ['The path "relati', "route(method"],
        ['The path "nested', 'group("neste'],
        ['" ", which the t', 'when("t", ()'],
      ],
    );
  });

  it("are reported together when the conditions are well formed and the paths do not go together", () => {
    const declared = [
      GET("/{a}/{a}", ok),
      group("/b/", GET("/c", ok)),
      GET("/**/d/**", () => ok()), // The last.
    ];
    assert.deepEqual(places(findingsIn(...declared)), [
      'GET("/{a}/{a}", ok),',
      'group("/b/", GET("/c", ok)),',
      'GET("/**/d/**", () => ok()), // The last.',
    ]);
  });

  it("are one error, which prints them", () => {
    const one = new RoutingError(findingsIn(GET("a", ok)));
    assert.equal(one.name, "RoutingError");
    assert.match(
      one.message,
      /^The routes have an error:\n- The path "a" must begin with a slash \(\/.*\/routing-error\.test\.ts:\d+:\d+\)$/,
    );
    const two = new RoutingError(findingsIn(GET("a", ok), GET("b", ok)));
    assert.match(two.message, /^The routes have 2 errors:\n- The path "a" .*\n- The path "b" .*$/);
  });

  it("keep their place when a function of the program declared them", () => {
    const readOnly = (at: string): Route => GET(at, ok);
    assert.deepEqual(places(findingsIn(readOnly("a"), readOnly("b"))), ["GET(at, ok);", "GET(at, ok);"]);
  });
});

it("the place of a declaration is unknown where the runtime keeps no traces", () => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    assert.equal(String(findingsIn(GET("a", ok))[0]?.site), "an unknown place");
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
});

describe("strict", () => {
  const shadowed = (): Route => group(GET("/{id}", ok), GET("/me", ok));

  it("makes errors of the findings", () => {
    const declare = () => router({ strict: true }, shadowed());
    const message = /^The routes have an error:\n- GET \/me is never reached: GET \/\{id\} \(.*\) before it/;
    assert.throws(declare, (error: unknown) => {
      assert.ok(error instanceof RoutingError);
      assert.match(error.message, message);
      assert.deepEqual(places(error.findings), ['GET("/me", ok));']);
      return true;
    });
  });

  it("is off by default", () => {
    for (const app of [router(shadowed()), router({}, shadowed()), router({ strict: false }, shadowed())]) {
      assert.equal(app.findings.length, 1);
    }
  });

  it("refuses nothing when every route can be reached", () => {
    assert.deepEqual(router({ strict: true }, GET("/me", ok), GET("/{id}", ok)).findings, []);
  });
});
