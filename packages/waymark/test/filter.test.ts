import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  accept,
  after,
  around,
  attribute,
  before,
  empty,
  type Filter,
  GET,
  group,
  HttpError,
  HttpRequest,
  HttpResponse,
  json,
  ok,
  onError,
  POST,
  router,
  text,
} from "waymark";
import { ask, asked } from "./tools/ask.ts";
import { trail } from "./tools/trail.ts";

class Broken extends Error {}

describe("the scope of a filter", () => {
  const mark = after((_, response) => response.withHeader("Marked", "yes"));
  const app = router(
    GET("/before", ok),
    group(
      "/group",
      GET("/first", ok),
      group("/nested", GET(ok), group("/deep", GET(ok))),
      mark,
      GET("/last", ok),
      GET("/refused", accept("text/plain"), ok),
    ),
    group("/group", GET("/sibling", ok)),
    GET("/after", ok),
  );
  const cases: Readonly<Record<string, string | undefined>> = {
    "/group/first": "yes",
    "/group/last": "yes",
    "/group/nested": "yes",
    "/group/nested/deep": "yes",
    "/group/sibling": undefined,
    "/group/nowhere": undefined,
    "/before": undefined,
    "/after": undefined,
  };
  for (const [target, marked] of Object.entries(cases)) {
    it(`${marked === undefined ? "leaves out" : "covers"} ${target}`, async () => {
      assert.equal((await ask(app, `GET ${target}`)).headers.get("Marked"), marked);
    });
  }

  it("leaves out what the router refuses", async () => {
    for (const [line, status] of [
      ["POST /group/first", 405],
      ["OPTIONS /group/first", 204],
      ["GET /group/refused", 406],
    ] as const) {
      const response = await ask(app, line, { Accept: "image/png" });
      assert.deepEqual([response.status, response.headers.get("Marked")], [status, undefined]);
    }
  });

  it("does not reach a group beside it that shares its routes", async () => {
    const shared = GET("/shared", ok);
    const both = router(group("/marked", mark, shared), group("/plain", shared));
    assert.equal((await ask(both, "GET /marked/shared")).headers.get("Marked"), "yes");
    assert.equal((await ask(both, "GET /plain/shared")).headers.get("Marked"), undefined);
  });
});

describe("the order of filters", () => {
  it("has before in the order written, after in reverse", async () => {
    const { steps, before, after, handler } = trail();
    const app = router(group(before("b1"), after("a1"), GET(handler()), before("b2"), after("a2")));
    await ask(app, "GET /");
    assert.deepEqual(steps, ["b1", "b2", "handler", "a2", "a1"]);
  });

  it("has the first declared outermost, of every kind", async () => {
    const { steps, before, after, around, handler } = trail();
    const app = router(group(around("x"), before("b"), around("y"), after("a"), around("z"), GET(handler())));
    await ask(app, "GET /");
    assert.deepEqual(steps, ["x in", "b", "y in", "z in", "handler", "z out", "a", "y out", "x out"]);
  });

  it("has the outer group around the inner one, and the web filters around both", async () => {
    const { steps, around, handler } = trail();
    const app = router(
      { filters: [around("web 1"), around("web 2")] },
      group(group(around("inner"), GET(handler())), around("outer")),
    );
    await ask(app, "GET /");
    assert.deepEqual(steps, [
      ...["web 1 in", "web 2 in", "outer in", "inner in"],
      "handler",
      ...["inner out", "outer out", "web 2 out", "web 1 out"],
    ]);
  });

  it("runs only the filters of the chosen route", async () => {
    const { steps, before, handler } = trail();
    const app = router(
      group(before("json"), GET("/a", accept("application/json"), handler())),
      group(before("text"), GET("/a", accept("text/plain"), handler())),
    );
    await ask(app, "GET /a", { Accept: "text/plain" });
    assert.deepEqual(steps, ["text", "handler"]);
  });
});

describe("what filters hand on", () => {
  it("is the changed request, from filter to filter and to the handler", async () => {
    const user = attribute<string>("user");
    const app = router(
      group(
        before((request) => request.withHeader("X-RequestHeader", "seen")),
        before((request) => request.withAttribute(user, request.header("X-RequestHeader") ?? "")),
        GET("/{id}", (request) =>
          json([request.variables, request.attribute(user), request.header("X-RequestHeader")]),
        ),
      ),
    );
    const response = await ask(app, "GET /7");
    assert.equal(response.body, '[{"id":"7"},"seen","seen"]');
  });

  it("is, for an after, the request as it was where the filter stands", async () => {
    const seen: unknown[] = [];
    const look = after((request, response) => {
      seen.push(request.header("X-A"));
      return response;
    });
    const app = router(
      group(
        look,
        before((request) => request.withHeader("X-A", "1")),
        look,
        GET(ok),
      ),
    );
    await ask(app, "GET /");
    assert.deepEqual(seen, ["1", undefined]);
  });

  it("is the changed response", async () => {
    const app = router(
      group(
        after((_, response) => response.withStatus(202).withAddedHeader("X-A", "outer")),
        after((_, response) => response.withAddedHeader("X-A", "inner")),
        GET(() => text("kept")),
      ),
    );
    const response = await ask(app, "GET /");
    assert.deepEqual(
      [response.status, response.headers.getAll("X-A"), response.body],
      [202, ["inner", "outer"], "kept"],
    );
  });

  it("is the content with it, read by a filter and by the handler", async () => {
    const app = router(
      group(
        before(async (request) => request.withHeader("X-Length", String((await request.bytes()).length))),
        POST(async (request) => text(`${request.header("X-Length")} ${await request.text()}`)),
      ),
    );
    assert.equal((await app.handle(HttpRequest.of({ method: "POST", body: "content" }))).body, "7 content");
  });

  it("is a web Response as a response", async () => {
    const web = () => new Response("web", { status: 201, headers: { "X-Web": "1" } });
    const app = router(
      group(
        after((_, response) => response.withHeader("X-A", "1")),
        GET("/handler", web),
        GET("/async", async () => web()),
      ),
    );
    for (const target of ["/handler", "/async"]) {
      const response = await ask(app, `GET ${target}`);
      assert.deepEqual([response.status, response.headers.get("x-web"), response.headers.get("x-a")], [201, "1", "1"]);
      assert.equal(await new Response(response.body as ReadableStream).text(), "web"); // A web body is a stream.
    }
  });
});

describe("an around filter", () => {
  const guard = around((request, next) =>
    request.header("Authorization") === undefined ? new HttpResponse(401) : next(request),
  );

  it("may answer without the next step: the handler does not run, and the filters around it have their turn", async () => {
    const { steps, before, handler } = trail();
    const mark = after((_, response) => response.withHeader("X-A", "1"));
    for (const app of [
      router(group(mark, guard, before("inner"), GET(handler()))),
      router({ filters: [mark, guard] }, group(before("inner"), GET(handler()))),
    ]) {
      const { status, headers, body } = await ask(app, "GET /");
      assert.deepEqual([status, headers.flat, body], [401, ["X-A", "1"], null]);
      assert.deepEqual(steps, []);
      assert.equal((await ask(app, "GET /", { Authorization: "x" })).status, 200);
      assert.deepEqual(steps.splice(0), ["inner", "handler"]);
    }
  });

  it("may change the request that goes on, and call the next step again", async () => {
    const again = around(async (request, next) => {
      const first = await next(request);
      return first.status === 503 ? next(request.withHeader("X-A", "1")) : first;
    });
    const answer = GET((request) => new HttpResponse(request.headers.has("X-A") ? 200 : 503));
    assert.equal((await ask(router(group(again, answer)), "GET /")).status, 200);
  });
});

describe("what is synchronous", () => {
  const fails = (error: Error) => (): never => {
    throw error;
  };
  const members: readonly Filter[] = [
    before((request) => request.withHeader("X-A", "1")),
    after((_, response) => response.withHeader("X-A", "1")),
    around((request, next) => next(request)),
    onError(Broken, () => ok()),
  ];
  const app = router(
    { filters: members, onFault: () => {} },
    group(
      ...members,
      GET("/ok", ok),
      GET("/typed", accept("text/plain"), ok),
      GET("/http-error", fails(new HttpError(new HttpResponse(409)))),
      GET("/broken", fails(new Broken())),
      GET("/fault", fails(new Error("fault"))),
      GET("/async", async () => ok()),
    ),
  );

  for (const [line, status] of [
    ["GET /ok", 200],
    ["GET /typed", 200],
    ["GET /http-error", 409],
    ["GET /broken", 200],
    ["GET /fault", 500],
    ["GET /nothing", 404],
    ["POST /ok", 405],
    ["OPTIONS /ok", 204],
  ] as const) {
    it(`stays so: ${line} is ${status} at once`, () => {
      const response = app.handle(asked(line));
      assert.ok(response instanceof HttpResponse);
      assert.equal(response.status, status);
    });
  }

  it("becomes a promise when the handler gives one", async () => {
    const response = app.handle(asked("GET /async"));
    assert.ok(response instanceof Promise);
    assert.equal((await response).status, 200);
  });

  it("may be mixed with what is not", async () => {
    const mixed: readonly (readonly [marks: string, Filter])[] = [
      ["b", before((request) => request.withHeader("X-A", "b"))],
      ["b", before(async (request) => request.withHeader("X-A", "b"))],
      ["a", after((_, response) => response.withAddedHeader("X-B", "a"))],
      ["a", after(async (_, response) => response.withAddedHeader("X-B", "a"))],
      ["", around((request, next) => next(request))],
      ["", around(async (request, next) => next(request))],
    ];
    const answer = (request: HttpRequest) => text(request.header("X-A") ?? "");
    const routes = [GET("/now", answer), GET("/later", async (request) => answer(request))];
    for (const [outerMarks, outer] of mixed) {
      for (const [innerMarks, inner] of mixed) {
        for (const target of ["/now", "/later"]) {
          const { body, headers } = await ask(router(group(outer, inner, ...routes)), `GET ${target}`);
          const marks = outerMarks + innerMarks;
          assert.equal(body, marks.includes("b") ? "b" : "");
          assert.equal(headers.getAll("X-B").join(""), marks.replaceAll("b", ""));
        }
      }
    }
  });

  it("may give something that only has a `then`", async () => {
    // biome-ignore lint/suspicious/noThenProperty: query builders are such objects, and a program may return one
    const lazy = { then: (resolve: (response: HttpResponse) => void) => queueMicrotask(() => resolve(text("lazy"))) };
    const late = router(
      group(
        after((_, response) => response.withHeader("X-A", "1")),
        GET(() => lazy as unknown as Promise<HttpResponse>), // Not a promise, as the type says it should be.
      ),
    );
    const response = await ask(late, "GET /");
    assert.deepEqual([response.body, response.headers.get("X-A")], ["lazy", "1"]);
  });
});

describe("a filter from plain JavaScript", () => {
  const calls: readonly (readonly [
    made: (...given: never[]) => unknown,
    given: readonly unknown[],
    message: string,
  ])[] = [
    [before, [undefined], "before(…) takes a function, not undefined"],
    [after, [ok()], "after(…) takes a function, not object"],
    [around, [null], "around(…) takes a function, not null"],
    [onError, [undefined, ok], "onError(…) takes a class of errors first, not undefined"],
    [onError, [], "onError(…) takes a class of errors first, not undefined"],
    [onError, ["f"], "onError(…) takes a function, not string"],
    [onError, [Error, undefined], "onError(…) takes a function second, not undefined"],
  ];
  for (const [made, given, message] of calls) {
    // That they are not of the types is the point.
    it(`is a TypeError: ${message}`, () =>
      assert.throws(() => made(...(given as never[])), { name: "TypeError", message }));
  }
});

describe("a filter with a least status", () => {
  const filter = after((_, response) => response.withHeader("Explained", "yes"), { leastStatus: 400 });
  const routes = [
    GET("/fine", ok),
    GET("/later", async () => text("later")),
    GET("/missing", () => new HttpResponse(404)),
    GET("/broken", () => {
      throw new Broken();
    }),
  ];
  const explained = async (app: ReturnType<typeof router>, target: string): Promise<boolean> =>
    (await app.handle(HttpRequest.of({ target }))).headers.has("Explained");

  it("gets responses with this status or a higher one only", async () => {
    const app = router(group(filter, ...routes));
    assert.equal(await explained(app, "/fine"), false);
    assert.equal(await explained(app, "/later"), false);
    assert.equal(await explained(app, "/missing"), true);
  });

  it("gets refusals and faults where it stands around all requests", async () => {
    const app = router({ filters: [filter], onFault: () => undefined }, ...routes);
    assert.equal(await explained(app, "/fine"), false);
    assert.equal(await explained(app, "/later"), false);
    assert.equal(await explained(app, "/nowhere"), true);
    assert.equal(await explained(app, "/broken"), true);
  });
});

it("requests with an excepted method pass a filter by", async () => {
  const filter: Filter = around(() => empty(503), { exceptMethods: new Set(["GET"]) });
  const routes = [GET("/", ok), POST("/", ok)];
  for (const app of [router(group(filter, ...routes)), router({ filters: [filter] }, ...routes)]) {
    assert.equal((await app.handle(HttpRequest.of())).status, 200);
    assert.equal((await app.handle(HttpRequest.of({ method: "POST" }))).status, 503);
  }
});
