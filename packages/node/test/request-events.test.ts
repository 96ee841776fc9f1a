import assert from "node:assert/strict";
import diagnosticsChannel from "node:diagnostics_channel";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import {
  nodeCodings,
  observeRequests,
  type RequestObserver,
  type RunningServer,
  serve,
  toNodeListener,
  upgrade,
} from "@waymark/node";
import { before, empty, GET, HttpRequest, mount, POST, type Route, router, text } from "waymark";
import { content } from "../../waymark/src/response.ts";
import { RawConnection } from "./tools/raw-connection.ts";

const endless = new ReadableStream<string>({ pull: (controller) => controller.enqueue("x".repeat(65_536)) });

const routes: readonly Route[] = [
  GET("/books/{id}", () => text("Dune ✓")),
  GET("/unchanged", () => text("Dune ✓", 304)),
  GET("/books", () => content("text/plain", ["one\n", "two\n"])),
  POST("/books", async (request) => text(await request.text())),
  POST("/pieces", async (request) => text(`${(await Array.fromAsync(request.stream())).length > 0}`)),
  POST("/unread", () => empty(204)),
  mount("/mounted", router(POST("", async (request) => text(await request.text())))),
  GET("/endless", () => content("text/plain", endless)),
  GET(
    "/socket",
    upgrade("echo", ({ socket }) => {
      socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\nhello");
    }),
  ),
];

/** Collects what ended, and lets a test wait for so many. */
function recorder(): RequestObserver & {
  readonly ended: (count: number) => Promise<readonly observeRequests.Event[]>;
} {
  const events: observeRequests.Event[] = [];
  let wake = (): void => undefined;
  return {
    onEnd(event) {
      events.push(event);
      wake();
    },
    async ended(count) {
      while (events.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return events;
    },
  };
}

const summary = ({ request, response, contentBytes, isSent }: observeRequests.Event) =>
  [request.method, request.route?.path, response?.status, contentBytes, isSent] as const;

describe("the events of requests", () => {
  const servers: RunningServer[] = [];
  after(async () => {
    for (const server of servers) await server.close({ grace: 0 });
  });

  it("are observed by a filter: route, status, bytes of content and whether all was sent, refusals included", async () => {
    const recorded = recorder();
    const server = await serve(router({ filters: [observeRequests(recorded)] }, ...routes));
    servers.push(server);
    const connection = new RawConnection(server.port);
    const ask = async (line: string, method: "GET" | "HEAD" = "GET", ...fields: string[]) =>
      connection.request(line, ...fields).response(method);
    await ask("GET /books/1");
    await ask("HEAD /books/1", "HEAD");
    await ask("GET /books");
    await ask("GET /nothing");
    await ask("DELETE /books");
    await ask("GET /a%zz");
    await ask("GET /unchanged");
    const events = await recorded.ended(7);
    assert.deepEqual(events.map(summary), [
      ["GET", "/books/{id}", 200, 8, true],
      ["HEAD", "/books/{id}", 200, 0, true],
      ["GET", "/books", 200, 8, true],
      ["GET", undefined, 404, Buffer.byteLength(String(events[3]?.response?.body)), true],
      ["DELETE", undefined, 405, Buffer.byteLength(String(events[4]?.response?.body)), true],
      ["GET", undefined, 400, Buffer.byteLength(String(events[5]?.response?.body)), true],
      ["GET", "/unchanged", 304, 0, true],
    ]);
    for (const { duration, started } of events) assert(duration > 0 && started <= performance.now());
    connection.destroy();
  });

  it("count what was read of the content of a request, in its content coding", async () => {
    const recorded = recorder();
    const app = router({ filters: [observeRequests(recorded)], codings: nodeCodings }, ...routes);
    const server = await serve(app);
    servers.push(server);
    const coded = gzipSync("x".repeat(1000));
    const send = async (
      path: string,
      body: string | Uint8Array<ArrayBuffer>,
      headers: Readonly<Record<string, string>> = {},
    ) => {
      const answer = await fetch(`${server.url}${path}`, { method: "POST", headers, body });
      await answer.bytes();
    };
    await send("/books", "Dune ✓");
    await send("/books", coded, { "Content-Encoding": "gzip" });
    await send("/pieces", "Dune ✓");
    await send("/pieces", coded, { "Content-Encoding": "gzip" });
    await send("/mounted", "Dune ✓");
    await send("/unread", "Dune ✓");
    await send("/nothing", "Dune ✓");
    const events = await recorded.ended(7);
    assert.deepEqual(
      events.map(({ receivedBytes }) => receivedBytes),
      [8, coded.length, 8, coded.length, 8, 0, 0],
    );
  });

  it("say that the client has gone before all was sent", async () => {
    const recorded = recorder();
    const server = await serve(router({ filters: [observeRequests(recorded)] }, ...routes));
    servers.push(server);
    const connection = new RawConnection(server.port).request("GET /endless");
    await connection.through("200 OK");
    connection.reset();
    const [event] = await recorded.ended(1);
    assert.deepEqual([event?.response?.status, event?.isSent], [200, false]);
  });

  it("are published on channels while somebody subscribes, by serve and by a listener", async () => {
    const recorded = recorder();
    const started: unknown[] = [];
    const onStart = (message: unknown): void => void started.push(message);
    const onEnd = (message: unknown): void => recorded.onEnd?.(message as observeRequests.Event); // the channel's messages
    const app = router(...routes);
    const server = await serve(app);
    servers.push(server);
    assert.equal((await fetch(`${server.url}/books/1`)).status, 200);
    diagnosticsChannel.subscribe(observeRequests.channels.start, onStart);
    diagnosticsChannel.subscribe(observeRequests.channels.end, onEnd);
    try {
      await (await fetch(`${server.url}/books/2`)).text();
      const http = await import("node:http");
      const other = http.createServer(toNodeListener(app)).listen(0, "127.0.0.1");
      await new Promise((resolve) => other.once("listening", resolve));
      const address = other.address();
      assert(typeof address === "object" && address !== null);
      await (await fetch(`http://127.0.0.1:${address.port}/books/3`)).text();
      const events = await recorded.ended(2);
      other.close();
      other.closeAllConnections();
      assert.deepEqual(
        events.map(({ request }) => request.path),
        ["/books/2", "/books/3"],
      );
      assert.deepEqual(events, started);
    } finally {
      diagnosticsChannel.unsubscribe(observeRequests.channels.start, onStart);
      diagnosticsChannel.unsubscribe(observeRequests.channels.end, onEnd);
    }
  });

  it("are known to filters further in, which know the caller for instance", async () => {
    const recorded = recorder();
    const callers = new WeakMap<observeRequests.Event, string>();
    const note = before((request) => {
      const event = request.attribute(observeRequests.event);
      if (event !== undefined) callers.set(event, "ada");
      return request;
    });
    const app = router(
      { filters: [observeRequests(recorded), note] },
      GET("/", () => empty(204)),
    );
    await app.handle(HttpRequest.of({ target: "/" }));
    const [event] = await recorded.ended(1);
    assert(event !== undefined);
    assert.equal(callers.get(event), "ada");
  });

  it("do not end a connection that is handed over", async () => {
    const server = await serve(router({ filters: [observeRequests(recorder())] }, ...routes));
    servers.push(server);
    const connection = new RawConnection(server.port).request("GET /socket", "Connection: Upgrade", "Upgrade: echo");
    assert.equal(await connection.rest(), "HTTP/1.1 101 Switching Protocols\r\n\r\nhello");
  });
});
