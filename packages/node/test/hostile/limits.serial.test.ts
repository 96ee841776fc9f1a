import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { afterEach, describe, it } from "node:test";
import { setImmediate as eventLoopTurn, setTimeout as passed } from "node:timers/promises";
import { type RunningServer, type ServeOptions, serve } from "@waymark/node";
import { content, HttpResponse, text } from "../../../waymark/src/response.ts";
import { type TinyHandler, tinyApp } from "../../../waymark/test/tools/tiny-app.ts";
import { RawConnection } from "../tools/raw-connection.ts";

const servers: RunningServer[] = [];

async function served(options: ServeOptions, handler: TinyHandler = ({ path }) => text(path)): Promise<RawMaker> {
  const server = await serve(tinyApp(handler), options);
  servers.push(server);
  return () => new RawConnection(server.port);
}

type RawMaker = () => RawConnection;

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close({ grace: 0 });
});

describe("limits on the head", () => {
  for (const [what, start, piece, status] of [
    ["a target", "GET /?a=", "&b=c".repeat(500), 414],
    ["a field", "GET / HTTP/1.1\r\nHost: a\r\nX: ", "b c ".repeat(500), 431],
    ["a number of fields", "GET / HTTP/1.1\r\nHost: a\r\n", "b: c\r\n".repeat(100), 431],
  ] as const) {
    it(`apply to ${what} that never ends, sent in pieces`, async () => {
      const connect = await served({});
      const client = connect().send(start);
      while (client.socket.bytesRead === 0) {
        client.send(piece);
        await eventLoopTurn();
      }
      const { status: given, headers } = await client.response();
      assert.deepEqual([given, headers["connection"]], [status, "close"]);
      client.destroy();
    });
  }
});

describe("a limit on connections", () => {
  it("closes one too many as it comes, and takes the next when there is room", async () => {
    const connect = await served({ maxConnections: 1 });
    const first = connect().request("GET /first");
    await first.response();
    assert.equal(await connect().request("GET /second").rest(), "");
    assert.equal((await first.request("GET /again").response()).body, "/again");
    first.request("GET /", "Connection: close");
    await first.response();
    await first.closed;
    assert.equal((await connect().request("GET /third").response()).body, "/third");
  });
});

describe("a limit on the connections of one address", () => {
  for (const [what, options] of [
    ["is not for a trusted proxy", { maxConnections: 4, trustProxy: ["127.0.0.1"] }],
    ["is not for this machine", { maxConnections: 4 }],
  ] satisfies [string, ServeOptions][]) {
    it(what, async () => {
      const connect = await served(options);
      const first = connect().request("GET /first");
      await first.response();
      const second = connect().request("GET /second");
      assert.equal((await second.response()).body, "/second");
      first.request("GET /", "Connection: close");
      await first.response();
      await first.closed;
      second.destroy();
      // The server may hear of the end a little later.
      let third = "";
      while (third === "") third = await connect().request("GET /third", "Connection: close").rest();
      assert.match(third, /\/third$/);
    });
  }
});

describe("a limit on the time that a connection is idle", () => {
  it("closes it", async () => {
    const connect = await served({ keepAliveTimeout: 1 });
    const client = connect().request("GET /");
    await client.response();
    assert.equal(await client.closed, "ended");
  });
});

describe("a limit on the time that a head takes", () => {
  it("is for a connection that sends nothing, too", async () => {
    const connect = await served({ requestTimeout: 10 });
    const client = connect();
    assert.equal((await client.response()).status, 408);
    await client.closed;
  });

  for (const [what, first, drop] of [
    ["a connection that sends only empty lines", "\r\n", "\r\n"],
    ["a head that comes drop by drop", "GET / HTTP/1.1\r\n", "X: y\r\n"],
  ] as const) {
    it(`is for ${what}`, async () => {
      const connect = await served({ requestTimeout: 20 });
      const client = connect().send(first);
      const drops = setInterval(() => client.send(drop), 2);
      assert.equal((await client.response()).status, 408);
      clearInterval(drops);
      await client.closed;
    });
  }
});

describe("a limit on the time that a client takes nothing", () => {
  for (const [what, make] of [
    ["text", () => text("x".repeat(50_000_000))],
    [
      "a stream",
      () =>
        content(
          "text/plain",
          endless(() => undefined),
        ),
    ],
    ["a stream that has ended", () => content("text/plain", [new Uint8Array(50_000_000)])],
  ] satisfies [string, () => HttpResponse][]) {
    it(`cuts it off from ${what}, and frees what the response holds`, async () => {
      const gone = Promise.withResolvers<void>();
      const connect = await served({ writeTimeout: 20 }, (request) => {
        request.signal.addEventListener("abort", () => gone.resolve());
        return make();
      });
      const client = connect();
      client.socket.pause();
      client.request("GET /");
      await gone.promise;
      client.socket.resume();
      await client.closed;
    });
  }

  it("ends the body of a stream", async () => {
    const ended = Promise.withResolvers<void>();
    const connect = await served({ writeTimeout: 20 }, () => content("text/plain", endless(ended.resolve)));
    const client = connect();
    client.socket.pause();
    client.request("GET /");
    await ended.promise;
    client.destroy();
  });

  it("is not restarted by what the client sends", async () => {
    const ended = Promise.withResolvers<void>();
    const connect = await served({ writeTimeout: 20 }, () => content("text/plain", endless(ended.resolve)));
    const client = connect();
    client.socket.pause();
    client.request("GET /");
    const drops = setInterval(() => client.send("\r\n"), 2);
    await ended.promise;
    clearInterval(drops);
    client.destroy();
  });

  it("cuts off one that only asks, and asks again", async () => {
    const gone = Promise.withResolvers<unknown>();
    const connect = await served({ writeTimeout: 20 }, ({ native }) => {
      const socket = native as Socket; // over HTTP/1.1
      if (socket.listenerCount("close", gone.resolve) === 0) socket.once("close", gone.resolve);
      return text("x".repeat(100_000));
    });
    const client = connect();
    client.socket.pause();
    for (let i = 0; i < 1000; i++) client.request("GET /");
    await gone.promise;
    client.destroy();
  });

  it("is not for a client that waits for the server, neither for a piece nor for the next answer", async () => {
    const slowly = async function* (): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(5_000_000);
      await passed(1_200);
      yield new Uint8Array(1);
    };
    const connect = await served({ writeTimeout: 1_000 }, async ({ path }) => {
      if (path === "/pieces") return new HttpResponse(200, { "Content-Length": "5000001" }, slowly());
      if (path === "/whole") return text("x".repeat(5_000_000));
      await passed(1_200);
      return text("later");
    });
    const [one, other] = [connect().request("GET /pieces"), connect().request("GET /whole")];
    assert.equal((await other.response()).body.length, 5_000_000);
    other.request("GET /later");
    assert.equal((await one.response()).body.length, 5_000_001);
    assert.equal((await other.response()).body, "later");
    one.destroy();
    other.destroy();
  });
});

function* endless(onEnd: () => void): Generator<string> {
  try {
    for (;;) yield "x".repeat(1000);
  } finally {
    onEnd();
  }
}
