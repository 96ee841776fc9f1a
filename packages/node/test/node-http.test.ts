import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { type RunningServer, type ServeOptions, serve, upgrade } from "@waymark/node";
import { HttpResponse, json, text } from "../../waymark/src/response.ts";
import { type TinyHandler, tinyApp } from "../../waymark/test/tiny-app.ts";
import { RawConnection } from "./raw-connection.ts";

// What `engine: "node:http"` has of its own. That it answers as the other engine does is tested where both run: adapters,
// refused-messages, and all of `npm run test:node-http`.

let server: RunningServer | undefined;

afterEach(async () => {
  await server?.close({ grace: 0 });
  server = undefined;
});

async function connect(handler: TinyHandler, options: ServeOptions = {}): Promise<RawConnection> {
  server = await serve(tinyApp(handler), { engine: "node:http", ...options });
  return new RawConnection(server.port);
}

describe("the option engine", () => {
  for (const [options, message] of [
    [{ engine: "nodehttp" as "node:http" }, "engine must be one of waymark, node:http, not nodehttp"],
    [
      { engine: "node:http", maxUnsentPerConnection: 1 },
      "The engine node:http has no maxUnsentPerConnection: leave it out",
    ],
  ] satisfies [ServeOptions, string][]) {
    it(`refuses ${JSON.stringify(options)}`, () =>
      assert.rejects(
        serve(
          tinyApp(() => text("")),
          options,
        ),
        { message },
      ));
  }
});

describe("a server on node:http", () => {
  it("begins nothing behind the last request of a connection", async () => {
    const seen: string[] = [];
    const client = await connect(
      ({ path }) => {
        seen.push(path);
        return text(path);
      },
      { maxRequestsPerConnection: 2 },
    );
    client.request("GET /1").request("GET /2").request("GET /3");
    assert.equal((await client.response()).headers["connection"], "keep-alive");
    const { body, headers } = await client.response();
    assert.deepEqual([body, headers["connection"]], ["/2", "close"]);
    assert.equal(await client.rest(), "");
    assert.deepEqual(seen, ["/1", "/2"]);
  });

  it("answers the requests before a malformed one first", async () => {
    const gate = Promise.withResolvers<void>();
    const client = await connect(() => gate.promise.then(() => text("whole")));
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nno colon\r\n\r\n");
    gate.resolve();
    assert.equal((await client.response()).body, "whole");
    assert.equal((await client.response()).status, 400);
    assert.equal(await client.rest(), "");
  });

  it("refuses content that turns out to be malformed, in place of the answer", async () => {
    const client = await connect(async (request) => text(await request.text()));
    client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZ\r\n");
    const { status, headers } = await client.response();
    assert.deepEqual([status, headers["connection"]], [400, "close"]);
  });

  it("asks for content when a handler reads it", async () => {
    const client = await connect(async (request) => text(await request.text()));
    client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    assert.equal((await client.response()).status, 100);
    client.send("abc");
    assert.equal((await client.response()).body, "abc");
  });

  it("ends the connection where nobody asks for content that waits to be asked for", async () => {
    const client = await connect(() => text("no"));
    client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    const { body, headers } = await client.response();
    assert.deepEqual([body, headers["connection"]], ["no", "close"]);
  });

  it("discards content that nobody reads up to the limit, and then the connection", async () => {
    const client = await connect(() => text("no"), { drainLimit: 1_000, drainTimeout: 60_000 });
    client.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n${"x".repeat(900)}`);
    assert.equal((await client.response()).body, "no");
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
    assert.equal((await client.response()).body, "no");
    client.send("x".repeat(100_000));
    await client.closed;
  });

  it("ends after the time that a client may need for its head, with 408", async () => {
    const client = await connect(() => text(""), { headersTimeout: 50, requestTimeout: 100 });
    client.send("GET / HTTP/1.1\r\nHost: a\r\n");
    assert.equal((await client.response()).status, 408);
    assert.equal(await client.rest(), "");
  });

  it("cuts a client off that takes nothing", async () => {
    const cut = Promise.withResolvers<boolean>();
    const client = await connect(
      (request) => {
        request.onEnd(cut.resolve);
        return new HttpResponse(200, {}, endless());
      },
      { writeTimeout: 50 },
    );
    client.socket.pause();
    client.request("GET /");
    assert.equal(await cut.promise, false);
  });

  it("says with the answers to requests in hand that it closes", async () => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const client = await connect(() => {
      begun.resolve();
      return gate.promise.then(() => text("late"));
    });
    client.request("GET /");
    await begun.promise;
    const closed = server?.close();
    gate.resolve();
    const { body, headers } = await client.response();
    assert.deepEqual([body, headers["connection"]], ["late", "close"]);
    await closed;
  });

  it("hands a connection over behind the answers before", async () => {
    const hello = upgrade("hello", ({ socket }) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\nhello"));
    const client = await connect((request) => (request.path === "/up" ? hello(request) : json(request.client.scheme)));
    client.request("GET /").request("GET /up", "Connection: Upgrade", "Upgrade: hello");
    assert.equal((await client.response()).body, '"http"');
    assert.match(await client.rest(), /101 Switching Protocols\r\n\r\nhello$/);
  });
});

function* endless(): Generator<string> {
  for (;;) yield "x".repeat(10_000);
}
