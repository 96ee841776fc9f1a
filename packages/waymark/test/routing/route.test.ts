import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runInNewContext } from "node:vm";
import {
  accept,
  before,
  DELETE,
  GET,
  group,
  header,
  json,
  method,
  not,
  or,
  PATCH,
  POST,
  PUT,
  path,
  query,
  type Route,
  route,
  router,
  text,
} from "waymark";
import { jsonDecoder } from "waymark/content";
import { cors } from "waymark/filters";
import { ask } from "../tools/ask.ts";

/** What the route that takes the request answers, or the status of the refusal. */
async function answer(app: ReturnType<typeof router>, line: string, headers = {}): Promise<unknown> {
  const { status, body } = await ask(app, line, headers);
  return status === 200 ? body : status;
}

const say = (name: string) => () => text(name);

describe("a verb", () => {
  const verbs = { GET, POST, PUT, PATCH, DELETE };

  for (const [name, verb] of Object.entries(verbs)) {
    it(`${name} takes ${name} and ${name === "GET" ? "HEAD" : "nothing else"}`, async () => {
      const app = router(verb("/a", say("taken")));
      for (const other of [...Object.keys(verbs), "OPTIONS", "QUERY", "HEAD", "TRACE"]) {
        const isTaken = other === name || (name === "GET" && other === "HEAD");
        const refusal = other === "OPTIONS" ? 204 : 405;
        assert.equal(await answer(app, `${other} /a`), isTaken ? "taken" : refusal, other);
      }
    });
  }

  it("takes the path and conditions in any order, and the handler last", async () => {
    const json1 = accept("application/json");
    for (const made of [GET("/a", json1, say("a")), GET(json1, "/a", say("a")), GET(path("/a"), json1, say("a"))]) {
      assert.equal(await answer(router(made), "GET /a"), "a");
      assert.equal(await answer(router(made), "GET /a", { Accept: "text/plain" }), 406);
      assert.equal(await answer(router(made), "GET /"), 404);
    }
  });
});

describe("route", () => {
  it("takes every method when it names none", async () => {
    const app = router(route("/a", say("any")));
    for (const name of ["GET", "HEAD", "POST", "OPTIONS", "TRACE", "PURGE"]) {
      assert.equal(await answer(app, `${name} /a`), "any", name);
    }
  });

  it("takes one of several paths", async () => {
    const app = router(route(or(path("/people"), path("/persons")), method("GET"), say("people")));
    assert.equal(await answer(app, "GET /people"), "people");
    assert.equal(await answer(app, "GET /persons"), "people");
    assert.equal(await answer(app, "GET /person"), 404);
    assert.equal(await answer(app, "POST /people"), 405);
  });

  it("takes a path only when all that it names match", async () => {
    const app = router(route(path("/{a}/**"), path("/**/{b}"), (request) => json(request.variables)));
    assert.equal(await answer(app, "GET /1/2/3"), '{"a":"1","b":"3"}');
    assert.equal(await answer(app, "GET /1/2/"), 404);
    const cased = router(route(path("/{a}/*"), path("/*/x"), say("cased")));
    assert.equal(await answer(cased, "GET /1/x"), "cased");
    assert.equal(await answer(cased, "GET /1/X"), 404);
  });
});

describe("a route without a path", () => {
  const app = router(
    group("/person", GET(say("list")), GET("/", say("slash")), GET("/{id}", say("one"))),
    group("/exact", GET(say("exact"))),
    group("/either", route(or(path("/a"), query("any")), say("either"))),
    group("/but", GET(not(path("/a")), say("all but a"))),
  );
  const cases: readonly (readonly [target: string, answer: unknown])[] = [
    ["/person", "list"],
    ["/person/", "slash"],
    ["/person/7", "one"],
    ["/person/7/8", 404],
    ["/exact", "exact"],
    ["/exact/", 404],
    ["/exact/below", 404],
    ["/either/a", "either"],
    ["/either/b", 404],
    ["/either/b?any", "either"],
    ["/but/a", 404],
    ["/but/b", "all but a"],
    ["/but", "all but a"],
    ["/either?any", "either"],
    ["/other/b?any", 404],
  ];
  for (const [target, expected] of cases) {
    it(`${target} is ${expected}`, async () => assert.equal(await answer(app, `GET ${target}`), expected));
  }
});

describe("a group's path", () => {
  const app = router(
    group("/person", GET(say("list")), GET("/{id}", say("one")), group("/{id}/books", GET(say("books")))),
    group("/per", GET("/son", say("per son"))),
    group("", GET("/plain", say("plain"))),
    group(path("/condition"), GET("/a", say("condition"))),
    group(or(path("/x"), path("/y")), GET("/z", say("x or y"))),
  );
  const cases: readonly (readonly [target: string, answer: unknown])[] = [
    ["/person", "list"],
    ["/person/7/books", "books"],
    ["/personal", 404],
    ["/personal/7", 404],
    ["/per/son", "per son"],
    ["/per", 404],
    ["/Person", 404],
    ["/PERSON/7", 404],
    ["//person", 404],
    ["/person//7", 404],
    ["/person/7/", 404],
    ["/person/7/books/", 404],
    ["/person%2F7", 404],
    ["/%70erson", "list"],
    ["/plain", "plain"],
    ["/condition/a", "condition"],
    ["/x/z", "x or y"],
    ["/y/z", "x or y"],
    ["/z/z", 404],
  ];
  for (const [target, expected] of cases) {
    it(`${target} is ${expected}`, async () => assert.equal(await answer(app, `GET ${target}`), expected));
  }
});

describe("a group", () => {
  it("gives its conditions to all of its routes, wherever in it they are written", async () => {
    const app = router(
      group(GET("/a", say("a")), group(GET("/b", say("b"))), header("X-A"), group(query("q"), GET("/c", say("c")))),
      GET("/d", say("d")),
    );
    for (const [target, expected] of [
      ["/a", "a"],
      ["/b", "b"],
      ["/c?q", "c"],
    ]) {
      assert.equal(await answer(app, `GET ${target}`), 404);
      assert.equal(await answer(app, `GET ${target}`, { "X-A": "1" }), expected);
    }
    assert.equal(await answer(app, "GET /c", { "X-A": "1" }), 404);
    assert.equal(await answer(app, "GET /d"), "d");
  });

  it("commits to nothing: routes after it are tried when no route in it takes the request", async () => {
    const app = router(
      group("/person", header("X-A"), GET("/{id}", say("with X-A"))),
      group("/person", GET("/{id}/books", say("books"))),
      GET("/person/{id}", say("plain")),
    );
    assert.equal(await answer(app, "GET /person/7", { "X-A": "1" }), "with X-A");
    assert.equal(await answer(app, "GET /person/7"), "plain");
    assert.equal(await answer(app, "GET /person/7/books"), "books");
  });

  it("leaves no variable behind when it fails", async () => {
    const app = router(
      group(
        "/{group}",
        header("X-A"),
        GET("/{inner}", (request) => json(request.variables)),
      ),
      GET("/{first}/{second}", (request) => json(request.variables)),
      GET("/**", (request) => json(request.variables)),
    );
    assert.equal(await answer(app, "GET /a/b", { "X-A": "1" }), '{"group":"a","inner":"b"}');
    assert.equal(await answer(app, "GET /a/b"), '{"first":"a","second":"b"}');
    assert.equal(await answer(app, "GET /a/b/c"), "{}");
  });

  it("can be empty", async () => {
    const app = router(group(), group("/a"));
    assert.equal(await answer(app, "GET /a"), 404);
    assert.deepEqual(app.routes, []);
  });

  it("is a value that may stand in several places", async () => {
    const shared = group(
      "/shared",
      GET("/{id}", (request) => json(request.variables)),
    );
    const app = router(group("/a", shared), group("/b", shared), shared);
    for (const prefix of ["/a", "/b", ""]) {
      assert.equal(await answer(app, `GET ${prefix}/shared/7`), '{"id":"7"}');
    }
  });
});

describe("the order of routes", () => {
  it("is the declared one: the first that takes the request answers", async () => {
    const app = router(
      GET("/person/{id:[0-9]+}", say("number")),
      GET("/person/me", say("me")),
      GET("/person/{name}", say("name")),
      GET("/person/7x", say("never: what is more particular is not preferred")),
      GET("/**", say("rest")),
    );
    const expected = { "/person/7": "number", "/person/me": "me", "/person/7x": "name", "/person/7/8": "rest" };
    for (const [target, name] of Object.entries(expected)) assert.equal(await answer(app, `GET ${target}`), name);
  });

  it("goes through groups and sets as they are written", async () => {
    const early: Route = group(GET("/a", header("X-1"), say("1")), group(GET("/a", header("X-2"), say("2"))));
    const late: Route = group(GET("/a", say("late")), GET("/b", say("late")));
    const merged = router(group(early, late), GET("/b", say("after")));
    const listed = router(early, late, GET("/b", say("after")));
    for (const app of [merged, listed]) {
      assert.equal(await answer(app, "GET /a", { "X-1": "", "X-2": "" }), "1");
      assert.equal(await answer(app, "GET /a", { "X-2": "" }), "2");
      assert.equal(await answer(app, "GET /a"), "late");
      assert.equal(await answer(app, "GET /b"), "late");
    }
  });

  it("goes through the ways of an or, too", async () => {
    const app = router(
      GET(or(path("/{first}/b"), path("/a/{second}")), (request) => json(request.variables)),
      GET("/a/c", say("never")),
    );
    assert.equal(await answer(app, "GET /a/b"), '{"first":"a"}');
    assert.equal(await answer(app, "GET /a/c"), '{"second":"c"}');
  });
});

describe("routes from plain JavaScript", () => {
  const filter = before((request) => request);
  const last = "The last argument of a route is its handler, a function, not";
  const first = "Before its handler, a route takes paths and conditions, not";
  const members = "A group takes paths, conditions, filters, onError(…) and routes, not";
  const routes = "router(…) takes options, which can be left out, and then routes, not";
  const filters =
    "router({ filters }) takes before(…), after(…), around(…), onError(…) and web filters such as cors({ … }), not";
  const anApp = 'an app, which stands behind its path: mount("/path", app)';
  const aWebFilter = "a web filter, such as cors({ … }), which is for router({ filters: [ … ] }, …)";
  const made = GET(say("a"));
  const calls: readonly (readonly [called: (...given: never[]) => unknown, given: unknown[], message: string])[] = [
    [GET, [], `${last} undefined`],
    [GET, ["/a"], `${last} string`],
    [GET, ["/a", undefined], `${last} undefined`],
    [GET, ["/a", say("a"), say("b")], `${first} function`],
    [GET, [undefined, say("a")], `${first} undefined`],
    [GET, [filter, say("a")], `${first} before(…)`],
    [group, ["/a", undefined], `${members} undefined`],
    [group, [null], `${members} null`],
    [group, [say("a")], `${members} function`],
    [group, [[made]], `${members} array`],
    [group, [router(made)], `${members} ${anApp}`],
    [router, [undefined], `${routes} undefined`],
    [router, [[made]], `${routes} array`],
    [router, ["/a", made], `${routes} string`],
    [router, [filter, made], `${routes} before(…)`],
    [router, [Promise.resolve(made)], `${routes} a promise, which needs an await`],
    [router, [runInNewContext("Promise.resolve()")], `${routes} a promise, which needs an await`],
    [router, [made, { strict: true }], `${routes} object`],
    [router, [router(made)], `${routes} ${anApp}`],
    [router, [cors({ origins: ["*"] }), made], `${routes} ${aWebFilter}`],
    [router, [{ filters: [say("a")] }, made], `${filters} function`],
    [router, [{ filters: [made] }], `${filters} route(…)`],
    [router, [{ filters: filter }], "router({ filters }) is of the type array, not object"],
    [router, [{ decoders: jsonDecoder }], "router({ decoders }) is of the type array, not object"],
    [router, [{ contentLimit: "1mb" }], "router({ contentLimit }) is of the type number, not string"],
    [router, [{ onFault: "log" }], "router({ onFault }) is of the type function, not string"],
  ];
  for (const [called, given, message] of calls) {
    // That they are not of the types is the point.
    it(`are a TypeError with ${given.length} arguments: ${message}`, () =>
      assert.throws(() => called(...(given as never[])), { name: "TypeError", message }));
  }

  it("have no limit of content that is not a number, as that of a variable which is not set", () => {
    const contentLimit = Number(process.env["NO_SUCH_LIMIT"]);
    assert.throws(() => router({ contentLimit }), /^RangeError: A limit is a number of bytes, 0 or more, not NaN$/);
  });
});
