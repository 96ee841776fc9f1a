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
  type HttpResponse,
  header,
  integer,
  json,
  method,
  not,
  notFound,
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

interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly available?: readonly string[];
  readonly supported?: readonly string[];
}

/** The problem document of a refusal, which must be one. */
function problemOf(response: HttpResponse): Problem {
  assert.equal(response.headers.get("Content-Type"), "application/problem+json");
  return JSON.parse(String(response.body));
}

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
      const { type, title, detail, ...more } = problemOf(response);
      assert.equal(more.status, status);
      assert.match(type, /^\/problems\/[a-z-]+$/);
      assert.ok(title.length > 0 && detail.length > 0);
      assert.equal(response.headers.get("Cache-Control"), "no-store");
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
  const cases: Readonly<Record<string, readonly [line: string, headers: HeaderFields, problem: Problem]>> = {
    "404": [
      "GET /nothing",
      {},
      { type: "/problems/not-found", title: "Not Found", status: 404, detail: "Nothing is served here." },
    ],
    "405": [
      "PUT /person",
      {},
      {
        type: "/problems/method-not-allowed",
        title: "Method Not Allowed",
        status: 405,
        detail: "PUT does not apply here; GET, HEAD, POST and OPTIONS do.",
      },
    ],
    "406": [
      "GET /person",
      { Accept: 'image/png;x="1"' },
      {
        type: "/problems/not-acceptable",
        title: "Not Acceptable",
        status: 406,
        detail: 'Accept is "image/png;x=\\"1\\""; available here: application/json and application/xml.',
        available: ["application/json", "application/xml"],
      },
    ],
    "415": [
      "POST /person",
      { "Content-Type": "text/plain" },
      {
        type: "/problems/unsupported-media-type",
        title: "Unsupported Media Type",
        status: 415,
        detail: 'The Content-Type is "text/plain"; here it can be application/json or application/xml.',
        supported: ["application/json", "application/xml"],
      },
    ],
    "415 without a type": [
      "PATCH /person/1",
      {},
      {
        type: "/problems/unsupported-media-type",
        title: "Unsupported Media Type",
        status: 415,
        detail: "The content has no Content-Type; here it can be application/merge-patch+json.",
        supported: ["application/merge-patch+json"],
      },
    ],
    "501": [
      "FOO /person",
      {},
      {
        type: "/problems/not-implemented",
        title: "Not Implemented",
        status: 501,
        detail: 'The method "FOO" is not known.',
      },
    ],
    "400 for *": [
      "GET *",
      {},
      {
        type: "/problems/malformed-target",
        title: "Malformed request target",
        status: 400,
        detail: 'The target "*" is only for OPTIONS.',
      },
    ],
  };
  for (const [name, [line, headers, expected]] of Object.entries(cases)) {
    it(`of a ${name} says what was wrong and what would be right`, async () => {
      assert.deepEqual(problemOf(await ask(people, line, headers)), expected);
    });
  }

  it("quotes no more than 40 characters of what was sent", async () => {
    const long = "x".repeat(1000);
    const quoted = `"${"x".repeat(40)}…"`;
    assert.match(problemOf(await ask(people, `${long} /person`)).detail, /is not known/);
    assert.equal(problemOf(await ask(people, `${long} /person`)).detail, `The method ${quoted} is not known.`);
    for (const [line, name] of [
      ["GET /person", "Accept"],
      ["POST /person", "Content-Type"],
    ] as const) {
      const { detail } = problemOf(await ask(people, line, { [name]: `image/${long}` }));
      assert.ok(detail.includes(`"image/${"x".repeat(34)}…"`) && detail.length < 200, detail);
    }
  });

  it("of a 406 lists what every route that got so far can produce, once", async () => {
    const app = router(
      GET("/a", accept("text/csv"), ok),
      GET("/a", accept("application/json", "text/csv"), ok),
      POST("/a", accept("application/xml"), ok),
    );
    assert.deepEqual(problemOf(await ask(app, "GET /a", { Accept: "a/b" })).available, [
      "text/csv",
      "application/json",
    ]);
  });

  it("of a 415 lists what every route that got so far reads, once", async () => {
    const app = router(
      POST("/a", contentType("text/*"), ok),
      POST("/a", contentType("application/json", "text/*"), ok),
      PUT("/a", contentType("application/xml"), ok),
    );
    const response = await ask(app, "POST /a");
    assert.deepEqual(problemOf(response).supported, ["text/*", "application/json"]);
    assert.equal(response.headers.get("Accept"), "text/*, application/json");
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
    const collection = await ask(people, "OPTIONS /person");
    assert.deepEqual([collection.status, collection.body], [204, null]);
    assert.deepEqual(collection.headers.flat, [
      ...["Allow", "GET, HEAD, POST, OPTIONS"],
      ...["Accept-Post", "application/json, application/xml"],
    ]);
    assert.deepEqual((await ask(people, "OPTIONS /person/1")).headers.flat, [
      ...["Allow", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"],
      ...["Accept-Patch", "application/merge-patch+json"],
    ]);
    assert.deepEqual((await ask(people, "OPTIONS /hello-world")).headers.flat, ["Allow", "GET, HEAD, OPTIONS"]);
  });

  it("names the types of QUERY, as 405 and 415 do", async () => {
    const app = router(
      route(method("QUERY"), "/search", contentType("application/sql", "application/x-www-form-urlencoded"), ok),
      GET("/a", ok),
    );
    const types = "application/sql, application/x-www-form-urlencoded";
    for (const [line, status] of [
      ["OPTIONS /search", 204],
      ["GET /search", 405],
      ["QUERY /search", 415],
    ] as const) {
      const response = await ask(app, line);
      assert.deepEqual([response.status, response.headers.get("Accept-Query")], [status, types]);
    }
    assert.equal((await ask(app, "QUERY /a")).headers.has("Accept-Query"), false);
  });

  it("names what the router decodes where a route takes content by a schema", async () => {
    const types = ["application/json", "application/x-json"];
    const app = router(
      { decoders: [{ mediaTypes: types, decode: () => ({}) }] },
      route(method("QUERY"), "/search", takes({ body: integer() }), async (_, { body }) => json(await body())),
      POST("/search", takes({ query: { page: integer() } }), ok),
    );
    for (const [line, status] of [
      ["OPTIONS /search", 204],
      ["GET /search", 405],
      ["QUERY /search", 415],
    ] as const) {
      const { headers, ...response } = await ask(app, line);
      assert.deepEqual([response.status, headers.get("Accept-Query")], [status, types.join(", ")]);
      assert.equal(headers.has("Accept-Post"), false);
    }
  });

  it("names the types of POST and PATCH on a 415, too", async () => {
    const response = await ask(people, "PUT /person/1", { "Content-Type": "text/plain" });
    assert.equal(response.headers.get("Accept"), "application/json");
    assert.equal(response.headers.get("Accept-Patch"), "application/merge-patch+json");
    assert.equal(response.headers.has("Accept-Encoding"), false);
    const posted = await ask(people, "POST /person");
    assert.equal(posted.headers.get("Accept-Post"), "application/json, application/xml");
  });

  it("names them also where the handler cannot read the content, but not for its coding", async () => {
    const app = router(
      POST("/person", contentType("application/json"), async (request) =>
        json(await request.body((value) => ({ value }))),
      ),
      PATCH("/person", contentType("application/json"), ok),
    );
    const inLatin1 = await ask(app, "POST /person", { "Content-Type": "application/json; charset=iso-8859-1" });
    assert.deepEqual([inLatin1.status, inLatin1.headers.get("Accept-Post")], [415, "application/json"]);
    assert.equal(inLatin1.headers.get("Accept-Patch"), "application/json");
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

  it("is the route's where one is declared", async () => {
    const app = router(
      GET("/a", ok),
      route(method("OPTIONS"), "/a", () => text("declared")),
    );
    assert.equal((await ask(app, "OPTIONS /a")).body, "declared");
  });

  it("is refused like any other method when the declared route asks for more", async () => {
    const app = router(route(method("OPTIONS"), "/a", accept("text/plain"), ok));
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

  it("is the route's that is declared for it, before or after the one for GET", async () => {
    const [get, head] = [GET("/a", () => text("get")), route(method("HEAD"), "/a", () => text("head"))];
    for (const app of [router(get, head), router(head, get)]) {
      assert.equal((await ask(app, "HEAD /a")).body, "head");
      assert.equal((await ask(app, "GET /a")).body, "get");
    }
  });

  it("goes on to GET when the route for HEAD does not take the request", async () => {
    const app = router(
      route(method("HEAD"), "/a", header("X-A"), () => text("head")),
      GET("/a", () => text("get")),
    );
    assert.equal((await ask(app, "HEAD /a")).body, "get");
  });

  it("as the only method does not come with GET", async () => {
    assert.equal((await ask(router(route(method("HEAD"), "/a", ok)), "GET /a")).status, 405);
  });
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
    GET("/b", accept("application/json", "application/xml"), (request) => text(request.negotiatedType ?? "none")),
  );
  const cases: readonly (readonly [target: string, accept: string | readonly string[], answer: string | number])[] = [
    ["/a", "application/xml", "xml"],
    ["/a", "text/xml;q=0.1", "xml"],
    ["/a", "application/xml, application/json;q=0.1", "json"],
    ["/a", "application/json;q=0, */*", "xml"],
    ["/a", "*/*", "json"],
    ["/a", "text/html", 406],
    ["/b", "application/json;q=0.5, application/xml", "application/xml"],
    ["/b", "application/xml, application/json", "application/json"],
    ["/b", "application/json;q=0, */*", "application/xml"],
    ["/b", "*/*, application/*;q=0.5, application/json;q=0.1", "application/xml"],
    ["/b", "*/*;q=0", 406],
    ["/b", "application/json;q=0.2;charset=utf-8", "application/json"],
    ["/b", "APPLICATION/XML", "application/xml"],
    ["/b", 'a/b;x="1,2;q=0", application/xml', "application/xml"],
    ["/b", ", ,application/xml,,", "application/xml"],
    ["/b", ["text/html", "application/xml"], "application/xml"],
    ["/b", "application/*+json", 406],
    ["/b", "application/json;version=2", "application/json"],
    ["/b", "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "application/json"],
    ["/a", "text/html, garbage", "json"],
    ["/a", "application/xml, garbage", "xml"],
    ["/b", "text/html, */json", "application/json"],
  ];
  for (const [target, sent, expected] of cases) {
    it(`of ${target} with ${JSON.stringify(sent)} is ${expected}`, async () => {
      const { status, body } = await ask(app, `GET ${target}`, { Accept: sent });
      assert.equal(status === 200 ? body : status, expected);
    });
  }

  const malformed = ["garbage", "/", ";", "q=1", "*/*;q=x", "*/*;q=2", '"', 'a/b;"', "a/b;=", "\t", ";".repeat(8000)];
  for (const sent of malformed) {
    it(`with the malformed ${JSON.stringify(sent.slice(0, 20))} is 200 or 406, and the same each time`, async () => {
      const first = await ask(app, "GET /b", { Accept: sent });
      assert.ok(first.status === 200 || first.status === 406);
      assert.equal((await ask(app, "GET /b", { Accept: sent })).status, first.status);
    });
  }
});

describe("a chosen handler's answer", () => {
  it("is final: its 404 is a response and not a miss", async () => {
    const app = router(
      GET("/person/{id}", accept("application/json"), notFound),
      GET("/person/{id}", () => text("never")),
      GET("/**", () => text("never")),
    );
    const response = await ask(app, "GET /person/7");
    assert.deepEqual([response.status, response.headers.flat, response.body], [404, ["Vary", "Accept"], null]);
  });

  it("is sent as it is, a 405 and a 406 too", async () => {
    for (const status of [405, 406, 415, 501]) {
      const app = router(GET("/a", () => json({ own: true }, status)));
      const response = await ask(app, "GET /a");
      assert.deepEqual([response.status, response.body], [status, '{"own":true}']);
    }
  });
});

describe("HEAD", () => {
  const named = (name: string) => () => ok().withHeader("X-Route", name);
  const app = router(
    route("/both", named("every")),
    route(method("HEAD"), "/both", named("head")),
    GET("/person", named("get")),
    route("/rest", not(method("GET")), named("not get")),
    route("/**", named("fallback")),
  );

  for (const [line, name] of [
    ["HEAD /person", "get"],
    ["HEAD /both", "head"],
    ["GET /both", "every"],
    ["HEAD /rest", "fallback"],
    ["HEAD /nope", "fallback"],
  ] as const) {
    it(`${line} is answered by the route for "${name}"`, async () => {
      assert.equal((await ask(app, line)).header("X-Route"), name);
    });
  }

  it("is for a route that takes every method but GET where no other answers", async () => {
    const alone = router(route("/rest", not(method("GET")), named("not get")));
    assert.equal((await ask(alone, "HEAD /rest")).header("X-Route"), "not get");
    assert.equal((await ask(alone, "GET /rest")).status, 405);
  });
});
