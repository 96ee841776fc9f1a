import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type App,
  accept,
  after,
  around,
  before,
  contentType,
  GET,
  group,
  HttpRequest,
  method,
  mount,
  ok,
  or,
  POST,
  path,
  route,
  router,
} from "waymark";
import { name } from "waymark/routing";
import type { MatchedRoute } from "../../src/exchange/exchange.ts";
import { ask, asked, fetched } from "../tools/ask.ts";

/** What was read of `request.route`, and where. */
type Seen = Record<string, MatchedRoute | undefined>;

/** An app that notes the route wherever a filter or a handler can read it. */
function watchedApp(seen: Seen): App {
  const note = (where: string, request: HttpRequest<unknown>): void => {
    seen[where] = request.route;
  };
  const web = around(async (request, next) => {
    note("before the choice", request);
    request.onEnd(() => note("at the end", request));
    const response = await next(request.withHeader("X-Seen", "1"));
    note("after the choice", request);
    return response;
  });
  const inGroup = before((request) => {
    note("in a filter of the group", request);
    return request.withHeader("X-Group", "1");
  });
  const handler = (request: HttpRequest<unknown>) => {
    note("in the handler", request);
    return ok();
  };
  return router(
    { filters: [web] },
    group(
      "/person",
      inGroup,
      GET("/{id}", name("readPerson"), accept("text/plain"), handler),
      POST(contentType("text/plain"), handler),
    ),
  );
}

describe("request.route", () => {
  const cases: readonly (readonly [line: string, expected: MatchedRoute | undefined])[] = [
    ["GET /person/7", { method: "GET", path: "/person/{id}", name: "readPerson" }],
    ["HEAD /person/8", { method: "GET", path: "/person/{id}", name: "readPerson" }],
    ["GET /nothing", undefined],
    ["DELETE /person/7", undefined],
    ["OPTIONS /person/7", undefined],
    ["POST /person", undefined],
  ];
  for (const [line, expected] of cases) {
    it(`of ${line} is ${expected ? `${expected.method} ${expected.path}` : "undefined"}`, async () => {
      const seen: Seen = {};
      await fetched(watchedApp(seen), line, { Accept: "text/plain" });
      assert.deepEqual(seen, {
        "before the choice": undefined,
        ...(expected && { "in a filter of the group": expected, "in the handler": expected }),
        "after the choice": expected,
        "at the end": expected,
      });
    });
  }

  it("is one object for all requests of a route, and the one of the explanation", async () => {
    const seen: MatchedRoute[] = [];
    const app = router(
      GET("/{id}", (request) => {
        seen.push(request.route as MatchedRoute); // In a handler there is one.
        return ok();
      }),
    );
    await ask(app, "GET /1");
    await ask(app, "HEAD /2");
    const explanation = app.explain(asked("GET /3"));
    assert.equal(seen[0], seen[1]);
    assert.equal(seen[0], explanation.route);
    assert.equal(seen[0], explanation.steps[0]?.route);
  });

  it("is known where the handler failed", async () => {
    let found: MatchedRoute | undefined;
    const look = after((request, response) => {
      found = request.route;
      return response;
    });
    const app = router(
      { filters: [look], onFault: () => {} },
      GET("/broken/{x}", () => {
        throw new Error("broken");
      }),
    );
    assert.equal((await ask(app, "GET /broken/1")).status, 500);
    assert.equal(found?.path, "/broken/{x}");
  });

  it("joins the methods of a route, and has a star for every method", async () => {
    const app = router(
      route("/some", method("PUT", "POST"), ok),
      route(or(path("/a"), path("/b/{x}")), name("any"), ok),
    );
    const named = (line: string): MatchedRoute | undefined => app.explain(asked(line)).route;
    assert.deepEqual(named("POST /some"), { method: "PUT|POST", path: "/some", name: undefined });
    assert.deepEqual(named("FOO /a"), { method: "*", path: "/a", name: "any" });
    assert.deepEqual(named("GET /b/1"), { method: "*", path: "/b/{x}", name: "any" });
  });

  it("forgets the choice of another app, or of an earlier call", async () => {
    const request = asked("GET /a");
    await router(GET("/a", ok)).handle(request);
    assert.equal(request.route?.path, "/a");
    await router(GET("/b", ok)).handle(request);
    assert.equal(request.route, undefined);
  });
});

describe("request.route in a mounted app", () => {
  const seen: (MatchedRoute | undefined)[] = [];
  const look = around(async (request, next) => {
    seen.push(request.route);
    const response = await next(request);
    seen.push(request.route);
    return response;
  });
  const inner = router(
    { filters: [look] },
    GET("/notes/{note}", name("readNote"), (request) => {
      seen.push(request.route);
      return ok();
    }),
    GET("/", ok),
  );
  const app = router(
    { filters: [look] },
    group("/v{version}", method("GET"), look, mount("/api", router(mount("/deep", inner)))),
  );

  it("has the whole path, and is there from the filters of the mounted app on", async () => {
    seen.length = 0;
    await ask(app, "GET /v1/api/deep/notes/7");
    const expected = { method: "GET", path: "/v{version}/api/deep/notes/{note}", name: "readNote" };
    assert.deepEqual(seen, [undefined, ...Array(6).fill(expected)]);
    assert.ok(seen.slice(1).every((each) => each === app.explain(asked("GET /v1/api/deep/notes/8")).route));
  });

  it("has no slash after the path of the app", async () => {
    seen.length = 0;
    await ask(app, "GET /v1/api/deep");
    assert.equal(seen.at(-1)?.path, "/v{version}/api/deep");
  });

  it("is undefined where the mounted app refuses", async () => {
    seen.length = 0;
    assert.equal((await ask(app, "GET /v1/api/deep/nothing")).status, 404);
    assert.ok(seen.every((each) => each === undefined));
  });

  it("is that of the table", () => {
    assert.deepEqual(
      app.routes.map(({ methods, path: at, name: named }) => `${methods} ${at} ${named}`),
      ["GET /v{version}/api/deep/notes/{note} readNote", "GET /v{version}/api/deep undefined"],
    );
  });
});

describe("name(…)", () => {
  const wrong: Readonly<Record<string, readonly [() => unknown, string]>> = {
    "that is empty": [() => name(""), "name(…) takes a text that is not empty"],
    "of a number": [() => name(7 as never), "name(…) takes a text, not number"],
    "that comes twice": [() => GET(name("a"), name("b"), ok), 'A route has one name, not both "a" and "b"'],
    "of a group": [
      () => group("/a", name("a") as never, GET(ok)),
      "A group takes paths, conditions, filters, onError(…) and routes, not name(…)",
    ],
  };
  for (const [about, [make, message]] of Object.entries(wrong)) {
    it(`${about} is a TypeError`, () => assert.throws(make, { name: "TypeError", message }));
  }

  it("leaves the handler its variables", async () => {
    const app = router(GET("/{id}", name("read"), (request) => ok().withHeader("X-Id", request.variables.id)));
    assert.equal((await app.handle(HttpRequest.of({ target: "/7" }))).header("X-Id"), "7");
  });
});
