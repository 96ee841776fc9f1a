import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  accept,
  after,
  around,
  attribute,
  before,
  GET,
  group,
  HttpRequest,
  HttpResponse,
  json,
  ok,
  POST,
  type RouterOptions,
  router,
  text,
} from "waymark";
import { type Decoder, decodeUtf8 } from "waymark/content";
import { served } from "../../src/serving/served-app.ts";
import { ask, asked } from "../tools/ask.ts";

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

describe("onFault", () => {
  const fault = new Error("the fault");
  const fromLog = new Error("the log is full");
  const fails = (thrown: unknown) => (): never => {
    throw thrown;
  };
  const cases: readonly (readonly [about: string, options: RouterOptions, thrown: unknown, written: unknown[]])[] = [
    ["is console.error by default", {}, fault, [fault]],
    ["logs what is no error with the route that threw it", {}, "oops", ["GET / threw", "oops"]],
    ["logs null so as well", {}, null, ["GET / threw", null]],
    ["takes its place", { onFault: () => {} }, fault, []],
    [
      "may throw: both errors are logged, and the answer is the same",
      { onFault: fails(fromLog) },
      fault,
      [fault, fromLog],
    ],
    ["may be asynchronous and reject", { onFault: async () => fails(fromLog)() }, fault, [fault, fromLog]],
  ];
  for (const [about, options, thrown, expected] of cases) {
    it(about, async (t) => {
      const written: unknown[] = [];
      t.mock.method(console, "error", (...values: readonly unknown[]) => written.push(...values));
      assert.equal((await ask(router(options, GET(fails(thrown))), "GET /")).status, 500);
      await new Promise(setImmediate); // A log that rejects has rejected by then.
      assert.deepEqual(written, expected);
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
      GET(fails(fault)),
    );
    assert.equal((await ask(app, "GET /")).status, 500);
    assert.deepEqual(told, ["ada"]);
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
