import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { describe, it } from "node:test";
import { type RunningServer, type ServeOptions, serve } from "@waymark/node";
import { content, GET, HttpRequest, mount, router, text } from "waymark";
import { RawConnection } from "../tools/raw-connection.ts";

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../fixtures/self-signed-for-tests.${name}.pem`, import.meta.url));
const tls = { key: fixture("key"), cert: fixture("cert") };

/** An event stream that goes on until the signal is aborted, and then says so. */
async function* events(until: AbortSignal): AsyncGenerator<string> {
  yield "data: first\n\n";
  if (!until.aborted) await once(until, "abort");
  yield "data: last\n\n";
}

const eventStream = GET("/events", ({ draining }) => content("text/event-stream", events(draining)));

async function serving(options: ServeOptions, use: (server: RunningServer) => Promise<void>): Promise<void> {
  const server = await serve(router(eventStream, mount("/inner", router(eventStream))), options);
  try {
    await use(server);
  } finally {
    await server.close({ grace: 0 });
  }
}

describe("an event stream that ends when the server drains", () => {
  for (const path of ["/events", "/inner/events"]) {
    it(`lets a shutdown end at once, over HTTP/1.1 at ${path}`, () =>
      serving({}, async (server) => {
        const client = new RawConnection(server.port).request(`GET ${path}`);
        await client.through("first");
        // Without an end of the stream this would wait for its grace, far beyond the time that a test has.
        await server.close({ grace: 2_000_000 });
        assert.match(await client.rest(), /data: last\n\n\r\n0\r\n\r\n$/);
        assert.equal(await client.closed, "ended");
      }));
  }

  it("lets a shutdown end at once, over HTTP/2", () =>
    serving({ tls }, async (server) => {
      const session = connectHttp2(server.url, { ca: tls.cert });
      const stream = session.request({ ":path": "/events" }).setEncoding("utf8");
      let received = String((await once(stream, "data"))[0]);
      stream.on("data", (piece) => {
        received += piece;
      });
      const over = once(stream, "end");
      await server.close({ grace: 2_000_000 });
      await over;
      assert.equal(received, "data: first\n\ndata: last\n\n");
    }));

  it("goes on while the server gives notice", () =>
    serving({}, async (server) => {
      const client = new RawConnection(server.port).request("GET /events");
      await client.through("first");
      const closed = server.close({ notice: 2_000_000, grace: 2_000_000 });
      const later = new RawConnection(server.port).request("GET /events");
      await later.through("first");
      await Promise.all([closed, server.close({ grace: 2_000_000 })]);
      for (const each of [client, later]) assert.match(await each.rest(), /data: last/);
    }));
});

describe("request.draining", () => {
  it("is one signal for all that is made of a request, and another for the next", async () => {
    const seen: AbortSignal[] = [];
    const app = router(
      GET("/", (request) => {
        seen.push(request.draining, request.withHeader("X-Seen", "1").draining);
        return text("");
      }),
    );
    const server = await serve(app);
    await fetch(server.url);
    await fetch(server.url);
    await server.close();
    assert.equal(seen[0], seen[1]);
    assert.notEqual(seen[1], seen[2]);
    assert.deepEqual(
      seen.map(({ aborted }) => aborted),
      [false, false, false, false],
      "the requests were over before the server drained",
    );
  });

  it("is never aborted where nothing drains, and is what a test gives", async () => {
    const app = router(GET("/", ({ draining }) => text(String(draining.aborted))));
    assert.equal(await (await app.fetch(new Request("http://localhost/"))).text(), "false");
    assert.equal((await app.handle(HttpRequest.of())).body, "false");
    assert.equal((await app.handle(HttpRequest.of({ draining: AbortSignal.abort() }))).body, "true");
  });
});
