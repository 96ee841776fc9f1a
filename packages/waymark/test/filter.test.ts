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
import type { Member } from "../src/route.ts";
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

  it("is the same wherever in the group the filter is written", async () => {
    for (const members of [
      [mark, GET(ok)],
      [GET(ok), mark],
    ] satisfies Member[][]) {
      assert.equal((await ask(router(group(...members)), "GET /")).headers.get("Marked"), "yes");
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
    const sent = HttpRequest.of({ method: "POST", body: "content" });
    assert.equal((await app.handle(sent)).body, "7 content");
  });

  const bodies = { text: "text", bytes: new Uint8Array([1]), pieces: ["a", "b"], stream: new ReadableStream() };
  for (const [kind, body] of Object.entries(bodies)) {
    it(`is a ${kind} body with the header that was added to it`, async () => {
      const add = after((_, response) => response.withHeader("X-A", "1"));
      const app = router(
        { filters: [add] },
        group(
          add,
          GET(() => new HttpResponse(200, {}, body)),
        ),
      );
      const response = await ask(app, "GET /");
      assert.equal(response.body, body);
      assert.deepEqual(response.headers.flat, ["X-A", "1"]);
    });
  }

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

  it("may answer without the next step: the handler does not run", async () => {
    const { steps, before, handler } = trail();
    const app = router(group(guard, before("inner"), GET(handler())));
    const response = await ask(app, "GET /");
    assert.deepEqual([response.status, response.headers.flat, response.body], [401, [], null]);
    assert.deepEqual(steps, []);
    assert.equal((await ask(app, "GET /", { Authorization: "x" })).status, 200);
    assert.deepEqual(steps, ["inner", "handler"]);
  });

  it("leaves the filters around it their turn when it answers", async () => {
    const app = router(
      group(
        after((_, response) => response.withHeader("X-A", "1")),
        guard,
        GET(ok),
      ),
    );
    assert.deepEqual((await ask(app, "GET /")).headers.flat, ["X-A", "1"]);
  });

  it("may call the next step again", async () => {
    const results = [new HttpResponse(503), text("second")];
    const app = router(
      group(
        around(async (request, next) => {
          const first = await next(request);
          return first.status === 503 ? next(request) : first;
        }),
        GET(() => results.shift() ?? ok()),
      ),
    );
    assert.equal((await ask(app, "GET /")).body, "second");
  });

  it("may change the request that goes on", async () => {
    const app = router(
      group(
        around((request, next) => next(request.withHeader("X-A", "1"))),
        GET((request) => text(request.header("X-A") ?? "none")),
      ),
    );
    assert.equal((await ask(app, "GET /")).body, "1");
  });
});

describe("what is synchronous", () => {
  const sync: readonly Filter[] = [
    before((request) => request.withHeader("X-A", "1")),
    after((_, response) => response.withHeader("X-A", "1")),
    around((request, next) => next(request)),
  ];
  const members = [...sync, onError(Broken, () => ok())];
  const app = router(
    { filters: members, onFault: () => {} },
    group(
      ...members,
      GET("/ok", ok),
      GET("/typed", accept("text/plain"), ok),
      GET("/http-error", () => {
        throw new HttpError(new HttpResponse(409));
      }),
      GET("/broken", () => {
        throw new Broken();
      }),
      GET("/fault", () => {
        throw new Error("fault");
      }),
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

  const mixed: Readonly<Record<string, Filter>> = {
    "before, sync": before((request) => request.withHeader("X-A", "1")),
    "before, async": before(async (request) => request.withHeader("X-A", "1")),
    "after, sync": after((_, response) => response.withAddedHeader("X-B", "1")),
    "after, async": after(async (_, response) => response.withAddedHeader("X-B", "1")),
    "around, sync": around((request, next) => next(request)),
    "around, async": around(async (request, next) => next(request)),
  };
  const handlers = {
    sync: (request: HttpRequest) => text(request.header("X-A") ?? "none"),
    async: async (request: HttpRequest) => text(request.header("X-A") ?? "none"),
  };
  for (const [outerName, outer] of Object.entries(mixed)) {
    for (const [innerName, inner] of Object.entries(mixed)) {
      it(`may be mixed with what is not: ${outerName} around ${innerName}`, async () => {
        for (const handler of Object.values(handlers)) {
          const response = await ask(router(group(outer, inner, GET(handler))), "GET /");
          const names = [outerName, innerName];
          assert.equal(response.body, names.some((name) => name.startsWith("before")) ? "1" : "none");
          const added = names.filter((name) => name.startsWith("after")).map(() => "1");
          assert.deepEqual(response.headers.getAll("X-B"), added);
        }
      });
    }
  }

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
  const calls: Readonly<Record<string, readonly [made: () => unknown, message: string]>> = {
    "before(undefined)": [() => before(undefined as never), "before(…) takes a function, not undefined"], // As called.
    "after(ok())": [() => after(ok() as never), "after(…) takes a function, not object"], // As called.
    "around(null)": [() => around(null as never), "around(…) takes a function, not null"], // As called.
    "onError(undefined, f)": [
      () => onError(undefined as never, ok), // As called.
      "onError(…) takes a class of errors first, not undefined",
    ],
    "onError()": [() => (onError as () => unknown)(), "onError(…) takes a class of errors first, not undefined"],
    'onError("f")': [() => onError("f" as never), "onError(…) takes a function, not string"],
    "onError(Error, undefined)": [
      () => onError(Error, undefined as never), // As called.
      "onError(…) takes a function second, not undefined",
    ],
  };
  for (const [call, [made, message]] of Object.entries(calls)) {
    it(`${call} is a TypeError`, () => assert.throws(made, { name: "TypeError", message }));
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
