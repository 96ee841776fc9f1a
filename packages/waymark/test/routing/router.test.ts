import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  accept,
  after,
  around,
  attribute,
  before,
  type Filter,
  GET,
  group,
  HttpRequest,
  HttpResponse,
  json,
  ok,
  onError,
  POST,
  type Route,
  type RouterOptions,
  router,
  text,
} from "waymark";
import { type Decoder, decodeUtf8 } from "waymark/content";
import { served } from "../../src/serving/served-app.ts";
import { ask, asked } from "../tools/ask.ts";
import { trail } from "../tools/trail.ts";

describe("web filters", () => {
  const mark = after((request, response) => response.withHeader("X-Seen", `${request.method} ${response.status}`));
  const app = router(
    { filters: [mark] },
    group(
      "/a",
      GET("/{id}", accept("text/plain"), (request) => text(request.variables.id)),
    ),
  );
  for (const [line, headers, status] of [
    ["GET /a/7", {}, 200],
    ["HEAD /a/7", {}, 200],
    ["GET /nowhere", {}, 404],
    ["POST /a/7", {}, 405],
    ["GET /a/7", { Accept: "image/png" }, 406],
    ["OPTIONS /a/7", {}, 204],
    ["OPTIONS *", {}, 204],
    ["FOO /a/7", {}, 501],
  ] as const) {
    it(`see ${line} ${JSON.stringify(headers)}: ${status}`, async () => {
      const response = await ask(app, line, headers);
      assert.equal(response.headers.get("X-Seen"), `${line.split(" ")[0]} ${status}`);
    });
  }

  it("see no variables, and the canonical path", async () => {
    const seen: unknown[] = [];
    const look = before((request) => {
      seen.push(request.path, Object.keys(request.variables));
      return request;
    });
    await ask(router({ filters: [look] }, GET("/{id}", ok)), "GET /%37%2f");
    assert.deepEqual(seen, ["/7%2F", []]);
  });

  it("may answer before any route is looked for", async () => {
    const { steps, handler } = trail();
    const closed = router({ filters: [around(() => new HttpResponse(503))] }, GET(handler()));
    assert.equal((await ask(closed, "GET /")).status, 503);
    assert.equal((await ask(closed, "GET /nowhere")).status, 503);
    assert.deepEqual(steps, []);
  });

  it("see a malformed target as *, and its refusal, which no route can take", async () => {
    const seen: string[] = [];
    const app = router(
      {
        filters: [
          after((_request, response) => response.withHeader("X-Seen", String(response.status))),
          around((request, next) => {
            seen.push(request.path);
            return request.headers.has("X-Closed") ? new HttpResponse(403) : next(request);
          }),
          before((request) => (request.headers.has("X-Other") ? HttpRequest.of() : request)),
        ],
      },
      GET(() => assert.fail("the handler ran")),
    );
    for (const [headers, status] of [
      [{}, 400],
      [{ "X-Closed": "1" }, 403],
      [{ "X-Other": "1" }, 400],
    ] as const) {
      const response = await app.fetch(new Request("http://localhost/%zz", { headers }));
      assert.deepEqual([response.status, response.headers.get("X-Seen")], [status, String(status)]);
    }
    assert.deepEqual(seen, ["*", "*", "*"]);
  });

  it("decide by the request that they pass on which route it is", async () => {
    const typed = router(
      { filters: [before((request) => request.withHeader("Accept", request.query.get("as") ?? "*/*"))] },
      GET("/a", accept("text/plain", "text/csv"), (request) => text(request.negotiatedType ?? "none")),
    );
    assert.equal((await ask(typed, "GET /a?as=text/csv", { Accept: "text/plain" })).body, "text/csv");
    assert.equal((await ask(typed, "GET /a?as=image/png", { Accept: "text/plain" })).status, 406);
  });
});

describe("what fails within a web filter", () => {
  const fault = new Error("the fault");
  const fails = (): never => {
    throw fault;
  };
  const rejects = async (): Promise<never> => {
    throw fault;
  };
  const thrownBy: Readonly<Record<string, readonly [inner: readonly Filter[], route: Route]>> = {
    "a handler": [[], GET(fails)],
    "an async handler": [[], GET(rejects)],
    "a before": [[before(fails)], GET(ok)],
    "an async before": [[before(rejects)], GET(ok)],
    "an after": [[after(fails)], GET(ok)],
    "an around": [[around(fails)], GET(ok)],
    "an async around": [[around(rejects)], GET(ok)],
  };
  for (const [thrownIn, [inner, route]] of Object.entries(thrownBy)) {
    it(`is a response for it: thrown in ${thrownIn}`, async () => {
      for (const [clauses, status, told] of [
        [[], 500, [fault]],
        [[onError(Error, () => new HttpResponse(503))], 503, []],
      ] as const) {
        const { steps, around } = trail();
        const faults: unknown[] = [];
        const mark = after((_, response) => response.withHeader("X-Seen", String(response.status)));
        const app = router(
          { filters: [mark, around("web"), ...inner, ...clauses], onFault: (error) => faults.push(error) },
          route,
        );
        const response = await ask(app, "GET /");
        assert.deepEqual([response.status, response.headers.get("X-Seen")], [status, String(status)]);
        assert.deepEqual(steps, ["web in", "web out"]);
        assert.deepEqual(faults, told);
      }
    });
  }

  it("is called with the request as the filters before have made it", async () => {
    const user = attribute<string>("user");
    const told: unknown[] = [];
    const app = router(
      {
        filters: [before((request) => request.withAttribute(user, "ada"))],
        onFault: (_, request) => told.push(request?.attribute(user)),
      },
      GET(fails),
    );
    assert.equal((await ask(app, "GET /")).status, 500);
    assert.deepEqual(told, ["ada"]);
  });
});

describe("onFault", () => {
  /** What is written to console.error while the app answers a request whose handler fails. */
  async function loggedWith(options: RouterOptions, thrown: unknown = fault): Promise<readonly unknown[]> {
    const written: unknown[] = [];
    // biome-ignore lint/suspicious/noConsole: it is put back below
    const log = console.error;
    console.error = (...values) => written.push(...values);
    try {
      const app = router(
        options,
        GET(() => {
          throw thrown;
        }),
      );
      const response = await ask(app, "GET /");
      assert.equal(response.status, 500);
      await new Promise(setImmediate); // A log that rejects has rejected by then.
    } finally {
      console.error = log;
    }
    return written;
  }
  const fault = new Error("the fault");
  const fromLog = new Error("the log is full");

  it("is console.error by default", async () => {
    assert.deepEqual(await loggedWith({}), [fault]);
  });

  it("logs what is no error with the route that threw it", async () => {
    assert.deepEqual(await loggedWith({}, "oops"), ["GET / threw", "oops"]);
    assert.deepEqual(await loggedWith({}, null), ["GET / threw", null]);
  });

  it("takes its place", async () => {
    assert.deepEqual(await loggedWith({ onFault: () => {} }), []);
  });

  it("may throw: both errors are logged, and the answer is the same", async () => {
    const onFault = () => {
      throw fromLog;
    };
    assert.deepEqual(await loggedWith({ onFault }), [fault, fromLog]);
  });

  it("may be asynchronous and reject", async () => {
    const onFault = async () => {
      throw fromLog;
    };
    assert.deepEqual(await loggedWith({ onFault }), [fault, fromLog]);
  });

  it("gets the errors that adapters can report in no response", () => {
    const told: unknown[] = [];
    const app = router({ onFault: (error, request) => told.push(error, request) });
    const request = asked("GET /");
    app[served].fault(fault);
    app[served].fault(fromLog, request);
    assert.deepEqual(told, [fault, undefined, fromLog, request]);
  });
});

describe("the settings for content", () => {
  const echo = POST("/", async (request) => json(await request.body((value) => ({ value }))));
  const lines: Decoder = { mediaTypes: ["text/plain"], decode: (content) => decodeUtf8(content).split("\n") };
  const sent = { method: "POST", headers: { "Content-Type": "text/plain" }, body: "a\nb" };

  it("are those of the router for a request made by hand, as for one that was received", async () => {
    const app = router({ decoders: [lines], contentLimit: 3 }, echo);
    assert.equal((await app.handle(HttpRequest.of(sent))).body, '["a","b"]');
    assert.equal((await app.handle(HttpRequest.of({ ...sent, body: "a\nbc" }))).status, 413);
    const received = await app.fetch(new Request("http://localhost/", sent));
    assert.equal(await received.text(), '["a","b"]');
  });
});
