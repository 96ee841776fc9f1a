import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serve } from "@waymark/node";
import { before, fallback, GET, group, type HttpRequest, HttpResponse, mount, type Route, router, text } from "waymark";
import { cors } from "waymark/filters";
import { ask } from "../tools/ask.ts";

/** An app of another framework: it says what it sees. */
const other = async (request: Request): Promise<Response> =>
  new Response(JSON.stringify([request.method, request.url, request.headers.get("X-A"), await request.text()]), {
    status: 203,
    headers: [
      ["Set-Cookie", "a=1"],
      ["Set-Cookie", "b=2"],
      ["Content-Type", "application/json"],
    ],
  });

/** What the other app says that it has seen. */
const seenBy = async (response: Response) => (await response.json()) as readonly string[];

const send = async (routes: readonly Route[], target: string, init: RequestInit = {}): Promise<Response> =>
  router(...routes).fetch(new Request(`http://shop.example:81${target}`, init));

describe("mount of a fetch handler", () => {
  it("gives it everything below the path, with its escapes, as the path below its own", async () => {
    const routes = [mount("/old", other), group("/deep/{v}", mount("/er", other))] as const;
    const urlOf = async (target: string) => (await seenBy(await send(routes, target)))[1];
    assert.equal(await urlOf("/old/a%2Fb/caf%C3%A9/?q=a%20b"), "http://shop.example:81/a%2Fb/caf%C3%A9/?q=a%20b");
    assert.equal(await urlOf("/old"), "http://shop.example:81/");
    assert.equal(await urlOf("/deep/7/er/x"), "http://shop.example:81/x");
    assert.equal((await send(routes, "/older")).status, 404);
  });

  it("passes on method, fields and content, and every line of its answer", async () => {
    const response = await send([mount("/old", other)], "/old/x", {
      method: "PUT",
      headers: { "X-A": "1" },
      body: "ü",
    });
    assert.equal(response.status, 203);
    assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
    assert.deepEqual(await seenBy(response), ["PUT", "http://shop.example:81/x", "1", "ü"]);
  });

  it("also over a socket, where coded content stays coded", async () => {
    const server = await serve(router(mount("/old", other)));
    try {
      const headers = { "Content-Encoding": "br", "X-A": "2" };
      const response = await fetch(`http://127.0.0.1:${server.port}/old`, { method: "POST", headers, body: "not br" });
      assert.deepEqual((await seenBy(response)).slice(2), ["2", "not br"]);
    } finally {
      await server.close({ grace: 0 });
    }
  });

  it("passes on content that a filter has read", async () => {
    const reading = before(async (request) => {
      await request.text();
      return request;
    });
    const response = await send([group(reading, mount("/old", other))], "/old", { method: "POST", body: "abc" });
    assert.equal((await seenBy(response))[3], "abc");
  });

  it("answers 501 to methods that a web request cannot have, and HEAD without content", async () => {
    const app = router(mount("/old", other));
    assert.equal((await ask(app, "TRACE /old")).status, 501);
    assert.equal((await ask(app, "HEAD /old")).status, 203);
  });

  it("takes an app of another copy of waymark by its fetch", async () => {
    const foreign = { [Symbol.for("waymark.app")]: true, fetch: async (request: Request) => other(request) };
    const response = await send([mount("/old", foreign as never)], "/old/y");
    assert.equal((await seenBy(response))[1], "http://shop.example:81/y");
  });

  it("is inside the filters around it", async () => {
    const app = router({ filters: [cors({ origins: ["*"] })] }, mount("/old", other));
    const response = await ask(app, "GET /old", { Origin: "https://a.example" });
    assert.equal(response.header("Access-Control-Allow-Origin"), "*");
  });
});

describe("fallback", () => {
  it("answers what no route before it takes, with the whole path", async () => {
    const routes = [GET("/new/{id}", ({ variables }) => text(variables.id)), fallback(other)] as const;
    assert.equal(await (await send(routes, "/new/7")).text(), "7");
    for (const [method, target] of [
      ["POST", "/new/7"],
      ["GET", "/"],
      ["DELETE", "/a/b/"],
    ] as const) {
      const [seenMethod, url] = await seenBy(await send(routes, target, { method }));
      assert.deepEqual([seenMethod, url], [method, `http://shop.example:81${target}`]);
    }
  });

  it("stands last in a group, too, and then takes what is below its path", async () => {
    const routes = [group("/auth", fallback(other)), GET("/x", () => text("x"))] as const;
    assert.equal((await seenBy(await send(routes, "/auth/callback")))[1], "http://shop.example:81/auth/callback");
    assert.equal(await (await send(routes, "/x")).text(), "x");
  });

  it("refuses a route behind it, and what is not a function", () => {
    const last = {
      name: "TypeError",
      message: /^fallback\(…\) is the last route of a router: the one at .*fetch-handler\.test/,
    };
    assert.throws(
      () =>
        router(
          fallback(other),
          GET(() => text("")),
        ),
      last,
    );
    assert.throws(
      () =>
        group(
          "/a",
          fallback(other),
          GET(() => text("")),
        ),
      /the last route of a group/,
    );
    assert.throws(
      () => fallback({ fetch: other } as never),
      /fallback\(…\) takes a fetch function, such as hono.fetch, not object/,
    );
    assert.throws(
      () => fallback(router(GET(() => text(""))) as never),
      /not an app, which stands behind its path: mount/,
    );
  });

  it("makes a fault of what is not a web Response", async () => {
    const faults: unknown[] = [];
    const wrong = (_: Request) => new HttpResponse(200) as never;
    const app = router(
      { onFault: (error: unknown, _: HttpRequest | undefined) => faults.push(error) },
      fallback(wrong),
    );
    assert.equal((await ask(app, "GET /")).status, 500);
    assert.match(String(faults[0]), /fetch handler .* gave object, not a web Response/);
  });
});
