import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, describe, it } from "node:test";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { nodeCodings, type RunningServer, serve, upgrade } from "@waymark/node";
import { around, before, empty, GET, group, POST, router, text } from "waymark";
import { compress, describeProblems, nameRequests, securityHeaders } from "waymark/filters";
import { WebSocket, WebSocketServer } from "ws";
import { RawConnection } from "../tools/raw-connection.ts";

const sockets = new WebSocketServer({ noServer: true });
let server: RunningServer | undefined;
const clients: WebSocket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.terminate();
  await server?.close({ grace: 0 });
});

const isMember = around((request, next) =>
  request.header("Authorization") === "Bearer a" ? next(request) : empty(401),
);

/** Longer than what is written at once. */
const long = "x".repeat(100_000);

async function chat(): Promise<RunningServer> {
  const faults: unknown[] = [];
  const app = router(
    {
      filters: [nameRequests(), securityHeaders(), compress({ codings: nodeCodings }), describeProblems()],
      onFault: (error) => faults.push(error),
    },
    GET("/plain", () => text("plain")),
    GET("/long", () => text(long)),
    POST("/plain", async (request) => text(await request.text())),
    GET(
      "/fails",
      upgrade("websocket", () => {
        throw new Error("no such room");
      }),
    ),
    group(
      "/rooms",
      isMember,
      before((request) => request.withHeader("X-Room", "named")),
      GET("/{room}", (request) =>
        upgrade("websocket", ({ request: { headers }, message, socket, head }) =>
          sockets.handleUpgrade(message, socket, head, (client) => {
            client.send(
              `${request.variables.room} ${headers.get("X-Room")} ${message.headers["sec-websocket-version"]}`,
            );
            client.on("message", (data) => client.send(`you said ${data}`));
          }),
        )(request),
      ),
    ),
  );
  server = await serve(app);
  return server;
}

function open({ port }: RunningServer, path: string, headers: Record<string, string> = {}): WebSocket {
  const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
  clients.push(client);
  return client;
}

const wish = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

describe("a route with upgrade", () => {
  it("hands its connection to ws, behind its filters", async () => {
    const client = open(await chat(), "/rooms/1", { Authorization: "Bearer a" });
    const [greeting] = await once(client, "message");
    assert.equal(String(greeting), "1 named 13");
    client.send("hello");
    assert.equal(String((await once(client, "message"))[0]), "you said hello");
    client.close();
    await once(client, "close");
  });

  it("answers 401 to a client that its filters do not let through, and keeps the connection", async () => {
    const running = await chat();
    const client = open(running, "/rooms/1");
    const [error] = await once(client, "error");
    assert.match(String(error), /401/);
    const raw = new RawConnection(running.port).request("GET /rooms/1", ...wish).request("GET /plain");
    assert.equal((await raw.response()).status, 401);
    assert.equal((await raw.response()).body, "plain");
    raw.destroy();
  });

  it("answers 426 with what it speaks to a request that does not ask for it", async () => {
    const raw = new RawConnection((await chat()).port).request("GET /rooms/1", "Authorization: Bearer a");
    raw.request("GET /rooms/1", "Authorization: Bearer a", "Connection: Upgrade", "Upgrade: h2c");
    for (let i = 0; i < 2; i++) {
      const { status, headers, body } = await raw.response();
      assert.deepEqual(
        [status, headers["upgrade"], JSON.parse(body).type],
        [426, "websocket", "/problems/upgrade-required"],
      );
    }
    raw.destroy();
  });

  it("is handed what came behind the request", async () => {
    const raw = new RawConnection((await chat()).port);
    // A masked frame with the text "hi".
    const frame = "\x81\x82\0\0\0\0hi";
    raw.send(`GET /rooms/1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\n${wish.join("\r\n")}\r\n\r\n${frame}`);
    assert.equal((await raw.response()).status, 101);
    await raw.through("you said hi");
    raw.destroy();
  });

  it("is handed the rest of what came behind the request, however much", async () => {
    const length = 200_000;
    const isPaused = around(async (request, next) => {
      while (!(request.native as Socket).isPaused()) await eventLoopTurn(); // of HTTP/1.1 it is the socket
      return next(request);
    });
    const count = upgrade("count", ({ socket, head }) => {
      let left = length - head.length;
      socket.on("data", (piece) => {
        left -= piece.length;
        if (left === 0) socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\nall");
      });
    });
    server = await serve(router(group(isPaused, GET("/", count))));
    const raw = new RawConnection(server.port).request("GET /", "Connection: Upgrade", "Upgrade: count");
    raw.send("x".repeat(length));
    assert.match(await raw.rest(), /all$/);
  });

  it("is reached behind other requests on its connection", async () => {
    const raw = new RawConnection((await chat()).port);
    raw.send("POST /plain HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
    raw.request("GET /rooms/2", "Authorization: Bearer a", ...wish);
    assert.equal((await raw.response()).body, "x");
    assert.equal((await raw.response()).status, 101);
    await raw.through("2 named");
    raw.destroy();
  });

  it("is reached when the answer before it has been written whole", async () => {
    const raw = new RawConnection((await chat()).port).request("GET /long");
    raw.request("GET /rooms/2", "Authorization: Bearer a", ...wish);
    assert.equal((await raw.response()).body, long);
    assert.equal((await raw.response()).status, 101);
    await raw.through("2 named");
    raw.destroy();
  });

  it("closes the connection when its handler throws", async () => {
    const raw = new RawConnection((await chat()).port).request("GET /fails", ...wish);
    assert.equal(await raw.rest(), "");
  });

  it("answers a request of another transport with 426", async () => {
    const app = router(
      GET(
        "/",
        upgrade("websocket", () => assert.fail("the handler ran")),
      ),
    );
    const response = await app.fetch(new Request("http://localhost/"));
    assert.deepEqual([response.status, response.headers.get("Upgrade")], [426, "websocket"]);
  });
});
