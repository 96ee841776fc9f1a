import assert from "node:assert/strict";
import { Server } from "node:http";
import { afterEach, describe, it } from "node:test";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { type RunningServer, type ServeOptions, serve, upgrade } from "@waymark/node";
import { HttpResponse, json, text } from "../../waymark/src/response.ts";
import { type TinyHandler, tinyApp } from "../../waymark/test/tools/tiny-app.ts";
import { RawConnection } from "./tools/raw-connection.ts";

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
    [{ engine: "node:http", answerMemory: 1 }, "The engine node:http has no answerMemory: leave it out"],
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
    const client = await connect(({ path }) => {
      seen.push(path);
      return text(path);
    });
    client.request("GET /1").request("GET /2", "Host: b").request("GET /3");
    assert.equal((await client.response()).headers["connection"], "keep-alive");
    const { status, headers } = await client.response();
    assert.deepEqual([status, headers["connection"]], [400, "close"]);
    assert.equal(await client.rest(), "");
    assert.deepEqual(seen, ["/1"]);
  });

  it("leaves nothing of Node's when it is closed", async () => {
    const closed = async (): Promise<void> => {
      const one = await serve(
        tinyApp(() => text("")),
        { engine: "node:http" },
      );
      await one.close();
    };
    const count = (): number => queryObjects(Server, { format: "count" });
    const before = count();
    for (let i = 0; i < 5; i++) await closed();
    // What has just been closed may be there for some turns.
    let left = count();
    for (let turn = 0; turn < 10 && left > before; turn++) {
      await eventLoopTurn();
      left = count();
    }
    assert.ok(left <= before, `${left} are left`);
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
    const client = await connect(() => text("no"), {});
    client.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n${"x".repeat(900)}`);
    assert.equal((await client.response()).body, "no");
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n");
    assert.equal((await client.response()).body, "no");
    client.send("x".repeat(9_000_000));
    await client.closed;
  });

  it("ends after the time that a client may need for its head, with 408", async () => {
    const client = await connect(() => text(""), { requestTimeout: 100 });
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
