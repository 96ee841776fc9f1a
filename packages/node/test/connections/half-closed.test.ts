import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { describe, it } from "node:test";
import { connect as connectTls } from "node:tls";
import { type RunningServer, type ServeOptions, serve } from "@waymark/node";
import { GET, HttpResponse, ok, POST, router, text } from "waymark";
import { eventStream } from "waymark/content";

const fixture = (part: string): string =>
  readFileSync(new URL(`../fixtures/self-signed-for-tests.${part}.pem`, import.meta.url), "utf8");
const tls = { key: fixture("key"), cert: fixture("cert") };

/** Longer than what the systems take for a client that does not read. */
const long = "x".repeat(8_000_000);

function app(gate: Promise<unknown> = Promise.resolve()) {
  return router(
    GET("/now", () => text("now")),
    GET("/later", async () => {
      await gate;
      return text("later");
    }),
    GET("/long", () => text(long)),
    GET("/stream", () => new HttpResponse(200, {}, pieces(gate))),
    GET("/silent", ({ signal }) => {
      signal.addEventListener("abort", () => gone.resolve());
      return new HttpResponse(200, {}, pieces(new Promise(() => undefined)));
    }),
    GET("/events", (request) => {
      request.signal.addEventListener("abort", () => gone.resolve());
      return eventStream(request, silence(request.signal), { heartbeat: 2 ** 31 - 1 });
    }),
    GET("/waits", async ({ signal }) => {
      began.resolve();
      await once(signal, "abort");
      gone.resolve();
      return ok();
    }),
    POST("/echo", async (request) => text(await request.text())),
  );
}

let began = Promise.withResolvers<void>();
let gone = Promise.withResolvers<void>();

async function* silence(signal: AbortSignal): AsyncGenerator<{ data: string }> {
  await once(signal, "abort");
  yield { data: "never" };
}

async function* pieces(gate: Promise<unknown>): AsyncGenerator<string> {
  yield "one, ";
  await gate;
  for (let i = 0; i < 100; i++) yield "and more, ";
  yield "done";
}

async function withServer(
  use: (server: RunningServer) => Promise<void>,
  served = app(),
  options: ServeOptions = {},
): Promise<void> {
  const server = await serve(served, options);
  try {
    await use(server);
  } finally {
    await server.close({ grace: 0 });
  }
}

const head = (line: string, fields = ""): string => `${line} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;

/** What comes for these bytes until the server closes, when nothing follows them: `printf … | nc -N`. */
function received(socket: Socket, bytes: string): Promise<string> {
  socket.end(bytes);
  return textOf(socket);
}

const open = ({ port }: RunningServer): Socket => connect({ port, host: "127.0.0.1", allowHalfOpen: true });

const post = (content: string): string => head("POST /echo", `Content-Length: ${content.length}\r\n`) + content;
const streamed = "done\r\n0\r\n\r\n";

/** What is sent, and what is received in this order, the last of it at the end. */
const whole: Readonly<Record<string, readonly [sent: readonly string[], ...received: readonly string[]]>> = {
  "an answer of a synchronous handler": [[head("GET /now")], "HTTP/1.1 200 OK\r\n", "\r\n\r\nnow"],
  "one that is waited for": [[head("GET /later")], "\r\n\r\nlater"],
  "one that is longer than it takes at once": [[head("GET /long")], `\r\n\r\n${long}`],
  "a stream": [[head("GET /stream")], "one, ", streamed],
  "one to what it has sent": [[post("abc")], "\r\n\r\nabc"],
  several: [[head("GET /later"), head("GET /now"), post("a"), head("GET /stream")], "later", "now", "a", streamed],
  "one of HTTP/1.0": [["GET /later HTTP/1.0\r\n\r\n"], "HTTP/1.1 200 OK\r\n", "\r\n\r\nlater"],
};

function assertReceived(all: string, parts: readonly string[]): void {
  let place = 0;
  for (const part of parts) {
    const found = all.indexOf(part, place);
    assert.notEqual(found, -1, `${part.slice(0, 50)} is not in ${all.slice(0, 2000)}`);
    place = found + part.length;
  }
  assert.equal(place, all.length, "nothing follows");
}

describe("a client that has ended its side of the connection", () => {
  for (const [what, [messages, ...parts]] of Object.entries(whole)) {
    const sent = messages.join("");

    it(`gets ${what} whole, and then the server closes`, () =>
      withServer(async (server) => assertReceived(await received(open(server), sent), parts)));

    it(`gets ${what} whole over TLS`, () =>
      withServer(
        async ({ port }) => {
          const through = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
          const socket = connectTls({ socket: through, ca: tls.cert, servername: "localhost" });
          assertReceived(await received(socket, sent), parts);
        },
        app(),
        { tls },
      ));
  }

  it("gets what has not even begun when it does", async () => {
    const gate = Promise.withResolvers<void>();
    await withServer(async (server) => {
      const socket = open(server);
      const answer = received(socket, head("GET /later") + head("GET /stream"));
      // It is asked whether it is there.
      await once(socket, "readable");
      gate.resolve();
      assertReceived(await answer, ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK", "later", streamed]);
    }, app(gate.promise));
  });
});

describe("a client that has gone", () => {
  for (const [how, leave] of [
    ["is reset", (socket: Socket) => socket.resetAndDestroy()],
    ["is closed", (socket: Socket) => socket.destroy()],
  ] as const) {
    it(`aborts the signal of a request that waits when its connection ${how}`, async () => {
      [began, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await withServer(async (server) => {
        const socket = open(server);
        socket.write(head("GET /waits"));
        await began.promise;
        leave(socket);
        await gone.promise;
      });
    });
  }

  it("ends an event stream at once, whatever that waits for", async () => {
    gone = Promise.withResolvers<void>();
    await withServer(async (server) => {
      const socket = open(server);
      socket.write(head("GET /events"));
      await once(socket, "data");
      socket.destroy();
      await gone.promise;
    });
  });

  it("ends a stream that has nothing to send when nothing has been sent for the time of writeTimeout", async () => {
    gone = Promise.withResolvers<void>();
    await withServer(
      async (server) => {
        const socket = open(server);
        socket.write(head("GET /silent"));
        await once(socket, "data");
        socket.destroy();
        await gone.promise;
      },
      app(),
      { writeTimeout: 100 },
    );
  });
});
