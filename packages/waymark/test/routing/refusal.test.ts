import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type App,
  accept,
  and,
  contentType,
  DELETE,
  empty,
  GET,
  group,
  header,
  integer,
  json,
  method,
  not,
  ok,
  or,
  PATCH,
  POST,
  PUT,
  query,
  route,
  router,
  takes,
  text,
  when,
} from "waymark";
import type { HeaderFields } from "../../src/fields/header-list.ts";
import { ask } from "../tools/ask.ts";

const people = router(
  group(
    "/person",
    group(accept("application/json", "application/xml"), GET("/{id}", ok), GET(ok)),
    POST(contentType("application/json", "application/xml"), ok),
    PUT("/{id}", contentType("application/json"), accept("application/json"), ok),
    PATCH("/{id}", contentType("application/merge-patch+json"), ok),
    DELETE("/{id}", ok),
  ),
  GET("/hello-world", accept("text/plain"), ok),
  route("/purge", method("PURGE"), ok),
);

describe("a refusal", () => {
  const jsonBody = { "Content-Type": "application/json" };
  const cases: readonly (readonly [line: string, headers: HeaderFields, status: number])[] = [
    ["GET /nothing", {}, 404],
    ["POST /nothing", {}, 404],
    ["OPTIONS /nothing", {}, 404],
    ["FOO /nothing", {}, 404],
    ["GET /person/1/books", {}, 404],
    ["GET /person/", {}, 404],
    ["GET //person", {}, 404],
    ["GET /Person", {}, 404],
    ["GET /nothing", { Accept: "image/png" }, 404],
    ["PUT /person", {}, 405],
    ["DELETE /person", {}, 405],
    ["POST /person/1", {}, 405],
    ["POST /person/1", { Accept: "image/png", "Content-Type": "image/png" }, 405],
    ["TRACE /person", {}, 405],
    ["CONNECT /person", {}, 405],
    ["QUERY /person", {}, 405],
    ["PURGE /person", {}, 405],
    ["GET /purge", {}, 405],
    ["HEAD /purge", {}, 405],
    ["FOO /person", {}, 501],
    ["get /person", {}, 501],
    ["Purge /purge", {}, 501],
    ["POST /person", {}, 415],
    ["POST /person", { "Content-Type": "text/plain" }, 415],
    ["POST /person", { "Content-Type": "nonsense" }, 415],
    ["POST /person", { "Content-Type": "text/plain", Accept: "image/png" }, 415],
    ["PUT /person/1", { Accept: "image/png" }, 415],
    ["PUT /person/1", { ...jsonBody, Accept: "image/png" }, 406],
    ["GET /person", { Accept: "image/png" }, 406],
    ["HEAD /person", { Accept: "image/png" }, 406],
    ["GET /hello-world", { Accept: "application/json" }, 406],
    ["GET *", {}, 400],
  ];
  for (const [line, headers, status] of cases) {
    it(`of ${line} ${JSON.stringify(headers)} is ${status}`, async () => {
      const response = await ask(people, line, headers);
      assert.equal(response.status, status);
      assert.equal(response.problem?.status, status);
      assert.equal(response.header("Cache-Control"), "no-store");
    });
  }

  it("is that of the route that matched furthest", async () => {
    const app = router(
      POST("/a", contentType("application/json"), ok),
      POST("/a", contentType("text/csv"), accept("text/csv"), ok),
      POST("/a", contentType("text/plain"), accept("text/plain"), header("X-A"), ok),
    );
    const statusOf = async (type: string, accepted: string) =>
      (await ask(app, "POST /a", { "Content-Type": type, Accept: accepted })).status;
    assert.equal(await statusOf("image/png", "image/png"), 415);
    assert.equal(await statusOf("text/csv", "image/png"), 406);
    assert.equal(await statusOf("text/plain", "text/plain"), 404);
  });
});

describe("the problem document", () => {
  const types = ["application/json", "application/xml"];
  const cases: readonly (readonly [line: string, headers: HeaderFields, problem: object])[] = [
    ["GET /nothing", {}, { type: "/problems/not-found", title: "Not Found", detail: "Nothing is served here." }],
    [
      "PUT /person",
      {},
      {
        type: "/problems/method-not-allowed",
        title: "Method Not Allowed",
        detail: "PUT does not apply here; GET, HEAD, POST and OPTIONS do.",
      },
    ],
    [
      "GET /person",
      { Accept: 'image/png;x="1"' },
      {
        type: "/problems/not-acceptable",
        title: "Not Acceptable",
        detail: 'Accept is "image/png;x=\\"1\\""; available here: application/json and application/xml.',
        available: types,
      },
    ],
    [
      "POST /person",
      { "Content-Type": "text/plain" },
      {
        type: "/problems/unsupported-media-type",
        title: "Unsupported Media Type",
        detail: 'The Content-Type is "text/plain"; here it can be application/json or application/xml.',
        supported: types,
      },
    ],
    [
      "PATCH /person/1",
      {},
      {
        type: "/problems/unsupported-media-type",
        title: "Unsupported Media Type",
        detail: "The content has no Content-Type; here it can be application/merge-patch+json.",
        supported: ["application/merge-patch+json"],
      },
    ],
    [
      "FOO /person",
      {},
      { type: "/problems/not-implemented", title: "Not Implemented", detail: 'The method "FOO" is not known.' },
    ],
    [
      "GET *",
      {},
      {
        type: "/problems/malformed-target",
        title: "Malformed request target",
        detail: 'The target "*" is only for OPTIONS.',
      },
    ],
  ];
  for (const [line, headers, expected] of cases) {
    it(`of ${line} says what was wrong and what would be right`, async () => {
      const { status, problem, headers: fields } = await ask(people, line, headers);
      assert.deepEqual(problem, { ...expected, status });
      assert.equal(fields.get("Content-Type"), "application/problem+json");
    });
  }

  it("quotes no more than 40 characters of what was sent", async () => {
    const long = "x".repeat(1000);
    const { problem } = await ask(people, `${long} /person`);
    assert.equal(problem?.detail, `The method "${"x".repeat(40)}…" is not known.`);
    for (const [line, name] of [
      ["GET /person", "Accept"],
      ["POST /person", "Content-Type"],
    ] as const) {
      const { detail = "" } = (await ask(people, line, { [name]: `image/${long}` })).problem ?? {};
      assert.ok(detail.includes(`"image/${"x".repeat(34)}…"`) && detail.length < 200, detail);
    }
  });

  it("of a 406 or 415 lists what every route that got so far can produce or read, once", async () => {
    const app = router(
      GET("/a", accept("text/csv"), ok),
      GET("/a", accept("application/json", "text/csv"), ok),
      POST("/a", contentType("text/*"), accept("application/xml"), ok),
      POST("/a", contentType("application/json", "text/*"), ok),
      PUT("/a", contentType("application/xml"), ok),
    );
    const get = await ask(app, "GET /a", { Accept: "a/b" });
    assert.deepEqual(get.problem?.["available"], ["text/csv", "application/json"]);
    const post = await ask(app, "POST /a");
    assert.deepEqual(post.problem?.["supported"], ["text/*", "application/json"]);
    assert.equal(post.header("Accept"), "text/*, application/json");
  });
});

describe("Allow", () => {
  const cases: Readonly<Record<string, readonly [app: App, allow: string]>> = {
    "has HEAD with GET, and OPTIONS always": [router(GET("/a", ok)), "GET, HEAD, OPTIONS"],
    "has the methods of every route of the path, as declared": [
      router(POST("/a", ok), group("/a", GET(ok), PUT(ok)), DELETE("/{any}", ok), PATCH("/b", ok)),
      "POST, GET, HEAD, PUT, DELETE, OPTIONS",
    ],
    "has each method once": [
      router(
        route(method("HEAD"), "/a", ok),
        GET("/a", accept("text/csv"), ok),
        GET("/a", ok),
        route(method("OPTIONS"), "/a", ok),
      ),
      "HEAD, GET, OPTIONS",
    ],
    "has no HEAD without GET": [router(POST("/a", ok)), "POST, OPTIONS"],
    "has a method of one's own": [router(route("/a", method("PURGE"), ok)), "PURGE, OPTIONS"],
    "has a method whose route asks for more": [
      router(PUT("/a", accept("a/b"), contentType("a/b"), header("X"), ok), DELETE("/a", query("q"), ok)),
      "PUT, DELETE, OPTIONS",
    ],
    "has what method conditions leave": [
      router(route("/a", and(method("GET", "PUT"), method("PUT", "POST")), ok)),
      "PUT, OPTIONS",
    ],
    "has what not leaves": [
      router(route("/a", not(method("GET", "HEAD", "FOO")), not(method("OPTIONS")), ok)),
      "POST, PUT, PATCH, DELETE, QUERY, OPTIONS",
    ],
    "has what any branch of or takes": [
      router(route("/a", or(method("PUT"), and(method("DELETE"), query("q"))), ok)),
      "PUT, DELETE, OPTIONS",
    ],
  };
  for (const [name, [app, allow]] of Object.entries(cases)) {
    it(`${name}: ${allow}`, async () => {
      const refused = ["GET", "POST", "FOO"].map((each) => ask(app, `${each} /a`));
      for (const response of await Promise.all(refused)) {
        if (response.status === 405) assert.equal(response.headers.get("Allow"), allow);
      }
      const options = await ask(app, "OPTIONS /a");
      if (options.status === 204) assert.equal(options.headers.get("Allow"), allow);
    });
  }

  it("names a method if and only if it does not answer 405", async () => {
    const every = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "TRACE", "PURGE"];
    for (const path of ["/person", "/person/1", "/hello-world", "/purge"]) {
      const allow = (await ask(people, `OPTIONS ${path}`)).headers.get("Allow")?.split(", ");
      for (const name of every) {
        const { status, headers } = await ask(people, `${name} ${path}`);
        assert.equal(status !== 405, allow?.includes(name), `${name} ${path}`);
        if (status === 405) assert.deepEqual(headers.get("Allow")?.split(", "), allow);
      }
    }
  });

  it("is on no other refusal", async () => {
    for (const line of ["GET /nothing", "FOO /person", "POST /person"]) {
      assert.equal((await ask(people, line)).headers.has("Allow"), false);
    }
  });
});

describe("OPTIONS", () => {
  it("is 204 with Allow, and with what POST and PATCH read", async () => {
    for (const [target, fields] of [
      ["/person", ["Allow", "GET, HEAD, POST, OPTIONS", "Accept-Post", "application/json, application/xml"]],
      [
        "/person/1",
        ["Allow", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS", "Accept-Patch", "application/merge-patch+json"],
      ],
      ["/hello-world", ["Allow", "GET, HEAD, OPTIONS"]],
    ] as const) {
      const { status, body, headers } = await ask(people, `OPTIONS ${target}`);
      assert.deepEqual([status, body, headers.flat], [204, null, fields]);
    }
  });

  const decoded = ["application/json", "application/x-json"];
  const reading: Readonly<Record<string, readonly [app: App, types: string]>> = {
    "the types of QUERY": [
      router(route(method("QUERY"), "/search", contentType("application/sql", "text/x"), ok)),
      "application/sql, text/x",
    ],
    "what the router decodes where a route takes content by a schema": [
      router(
        { decoders: [{ mediaTypes: decoded, decode: () => ({}) }] },
        route(method("QUERY"), "/search", takes({ body: integer() }), async (_, { body }) => json(await body())),
        POST("/search", takes({ query: { page: integer() } }), ok),
      ),
      decoded.join(", "),
    ],
  };
  for (const [what, [app, types]] of Object.entries(reading)) {
    it(`names ${what}, as 405 and 415 do`, async () => {
      for (const [line, status] of [
        ["OPTIONS /search", 204],
        ["GET /search", 405],
        ["QUERY /search", 415],
      ] as const) {
        const response = await ask(app, line);
        assert.deepEqual([response.status, response.header("Accept-Query")], [status, types]);
        assert.equal(response.headers.has("Accept-Post"), false);
      }
    });
  }

  it("names the types of POST and PATCH on a 415, too", async () => {
    const { headers } = await ask(people, "PUT /person/1", { "Content-Type": "text/plain" });
    assert.deepEqual(
      ["Accept", "Accept-Patch", "Accept-Encoding"].map((name) => headers.get(name)),
      ["application/json", "application/merge-patch+json", undefined],
    );
    const posted = await ask(people, "POST /person");
    assert.equal(posted.header("Accept-Post"), "application/json, application/xml");
  });

  it("names them also where the handler cannot read the content, but not for its coding", async () => {
    const app = router(
      POST("/person", contentType("application/json"), async (request) =>
        json(await request.body((value) => ({ value }))),
      ),
      PATCH("/person", contentType("application/json"), ok),
    );
    const { status, headers } = await ask(app, "POST /person", { "Content-Type": "application/json; charset=latin1" });
    assert.deepEqual([status, headers.get("Accept-Post")], [415, "application/json"]);
    assert.equal(headers.get("Accept-Patch"), "application/json");
    const coded = await ask(app, "POST /person", { "Content-Type": "application/json", "Content-Encoding": "x" });
    assert.deepEqual([coded.status, coded.headers.has("Accept-Post")], [415, false]);
  });

  it("of * is 204, for any routes", async () => {
    for (const app of [people, router(), router(route("/**", ok)), router(route(method("OPTIONS"), "/{*rest}", ok))]) {
      const response = await ask(app, "OPTIONS *");
      assert.deepEqual([response.status, response.headers.flat, response.body], [204, [], null]);
      assert.equal((await ask(app, "GET *")).status, 400);
    }
  });

  it("is the route's where one is declared, and refused like any other method where that asks for more", async () => {
    const app = router(
      GET("/a", ok),
      route(method("OPTIONS"), "/a", accept("text/plain"), () => text("declared")),
    );
    assert.equal((await ask(app, "OPTIONS /a")).body, "declared");
    assert.equal((await ask(app, "OPTIONS /a", { Accept: "image/png" })).status, 406);
  });
});

describe("HEAD", () => {
  it("comes with GET: its status, fields and variables, and the handler sees HEAD", async () => {
    const app = router(
      GET("/{id}", accept("text/plain", "application/json"), ({ method: sent, variables, negotiatedType }) =>
        text([sent, variables.id, negotiatedType].join(" ")).withHeader("ETag", '"1"'),
      ),
    );
    const response = await ask(app, "HEAD /7", { Accept: "application/json" });
    assert.deepEqual([response.status, response.body], [200, "HEAD 7 application/json"]);
    assert.deepEqual(response.headers.flat, (await ask(app, "GET /7")).headers.flat);
  });

  const named = (name: string) => () => text(name);
  const [get, head] = [GET("/first", named("get")), route(method("HEAD"), "/first", named("head"))];
  const rest = route("/rest", not(method("GET")), named("not get"));
  const app = router(
    get,
    head,
    route(method("HEAD"), "/x", header("X-A"), named("head")),
    GET("/x", named("get")),
    route("/both", named("every")),
    route(method("HEAD"), "/both", named("head")),
    GET("/person", named("get")),
    rest,
    route("/**", named("fallback")),
  );
  const alone = router(rest, route(method("HEAD"), "/head", ok));
  const cases: readonly (readonly [app: App, line: string, answer: unknown])[] = [
    [app, "HEAD /first", "head"],
    [router(head, get), "HEAD /first", "head"],
    [router(head, get), "GET /first", "get"],
    [app, "HEAD /x", "get"],
    [app, "HEAD /person", "get"],
    [app, "HEAD /both", "head"],
    [app, "GET /both", "every"],
    [app, "HEAD /rest", "fallback"],
    [app, "HEAD /nope", "fallback"],
    [alone, "HEAD /rest", "not get"],
    [alone, "GET /rest", 405],
    [alone, "GET /head", 405],
  ];
  for (const [app, line, answer] of cases) {
    it(`${line} of ${app.routes.length} routes is answered by ${answer}`, async () => {
      const { status, body } = await ask(app, line);
      assert.equal(status === 200 ? body : status, answer);
    });
  }
});

describe("Vary", () => {
  const even = when("even", (request) => Number(request.header("X-A")) % 2 === 0, { consults: ["X-A", "x-b"] });
  const app = router(
    GET("/typed", accept("text/plain"), ok),
    POST("/typed", contentType("text/plain"), ok),
    PUT("/typed", ok),
    GET("/plain", ok),
    GET("/query", query("q"), ok),
    GET("/several", header("X-C"), ok),
    GET("/several", even, accept("text/plain"), ok),
    GET("/several", accept("text/csv"), ok),
    GET("/not", or(not(accept("text/csv")), header("Accept-Language", "de")), ok),
    GET("/own", accept("text/plain"), () => ok().withHeader("Vary", "Origin")),
    GET("/same", accept("text/plain"), () => ok().withHeader("Vary", "accept")),
    GET("/lines", accept("text/plain"), () => ok().withAddedHeader("Vary", "Origin").withAddedHeader("Vary", "Prefer")),
    GET("/twice", header("accept"), ok),
    GET("/twice", accept("text/plain"), ok),
    GET("/async", accept("text/plain"), async () => ok()),
    GET("/cached", accept("text/plain"), () => empty(304)),
  );
  const cases: readonly (readonly [line: string, headers: HeaderFields, status: number, vary: string | undefined])[] = [
    ["GET /typed", {}, 200, "Accept"],
    ["GET /typed", { Accept: "text/plain" }, 200, "Accept"],
    ["GET /typed", { Accept: "image/png" }, 406, "Accept"],
    ["HEAD /typed", {}, 200, "Accept"],
    ["POST /typed", { "Content-Type": "text/plain" }, 200, "Content-Type"],
    ["POST /typed", {}, 415, "Content-Type"],
    ["PUT /typed", {}, 200, undefined],
    ["DELETE /typed", {}, 405, undefined],
    ["OPTIONS /typed", {}, 204, undefined],
    ["GET /plain", {}, 200, undefined],
    ["GET /query?q", {}, 200, undefined],
    ["GET /query", {}, 404, undefined],
    ["GET /nothing", {}, 404, undefined],
    ["GET /several", { "X-C": "1" }, 200, "X-C"],
    ["GET /several", { "X-A": "2" }, 200, "X-C, Accept, X-A, x-b"],
    ["GET /several", { "X-A": "1" }, 200, "X-C, Accept, X-A, x-b"],
    ["GET /several", { Accept: "image/png" }, 404, "X-C, Accept, X-A, x-b"],
    ["GET /not", {}, 404, "Accept, Accept-Language"],
    ["GET /not", { "Accept-Language": "de" }, 200, "Accept, Accept-Language"],
    ["GET /own", {}, 200, "Origin, Accept"],
    ["GET /same", {}, 200, "accept"],
    ["GET /lines", {}, 200, "Origin, Prefer, Accept"],
    ["GET /twice", { Accept: "a/b, text/plain;q=0.1" }, 200, "accept"],
    ["GET /twice", {}, 200, "accept"],
    ["GET /async", {}, 200, "Accept"],
    ["GET /cached", {}, 304, "Accept"],
  ];
  for (const [line, headers, status, vary] of cases) {
    it(`of ${line} ${JSON.stringify(headers)} (${status}) is ${vary}`, async () => {
      const response = await ask(app, line, headers);
      assert.equal(response.status, status);
      assert.equal(response.headers.get("Vary"), vary);
      assert.ok(response.headers.getAll("Vary").length < 2);
    });
  }
});

describe("the choice by Accept", () => {
  const app = router(
    GET("/a", accept("application/json"), () => text("json")),
    GET("/a", accept("application/xml", "text/xml"), () => text("xml")),
  );
  const cases: readonly (readonly [accept: string, answer: string | number])[] = [
    ["application/xml", "xml"],
    ["text/xml;q=0.1", "xml"],
    ["application/xml, application/json;q=0.1", "json"],
    ["application/json;q=0, */*", "xml"],
    ["*/*", "json"],
    ["text/html", 406],
    ["text/html, garbage", "json"],
    ["application/xml, garbage", "xml"],
  ];
  for (const [sent, expected] of cases) {
    it(`of a route with ${sent} is ${expected}`, async () => {
      const { status, body } = await ask(app, "GET /a", { Accept: sent });
      assert.equal(status === 200 ? body : status, expected);
    });
  }
});

describe("a chosen handler's answer", () => {
  it("is final: its 404 is a response and not a miss, and its 405 and 406 are sent as they are", async () => {
    for (const status of [404, 405, 406, 415, 501]) {
      const app = router(
        GET("/a", accept("application/json"), () => json({ own: true }, status)),
        GET("/a", () => text("never")),
        GET("/**", () => text("never")),
      );
      const response = await ask(app, "GET /a");
      assert.deepEqual([response.status, response.body, response.header("Vary")], [status, '{"own":true}', "Accept"]);
    }
  });
});
