import assert from "node:assert/strict";
import { once } from "node:events";
import { get as getHttp } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2, constants, type ServerHttp2Stream } from "node:http2";
import { Agent, get as getHttps } from "node:https";
import { afterEach, describe, it, mock } from "node:test";
import { gzipSync } from "node:zlib";
import { nodeCodings, type RunningServer, type ServeOptions, serve } from "@waymark/node";
import { HttpResponse, POST, router, text } from "waymark";
import type { HttpRequest } from "../../../waymark/src/request.ts";
import { type Permit, Permits } from "../../src/content/permits.ts";
import { frame, frames, headers, received, speak, tls } from "../http2/http2-frames.ts";
import { RawConnection } from "../tools/raw-connection.ts";

interface Sender {
  /** Sends more of the content. */
  send(length: number): void;
  /** Resolves with the status, the code of a problem, and Retry-After. */
  readonly answer: Promise<readonly [number, string, string | undefined]>;
  destroy(): void;
}

/** How a client opens a request whose content, of this length in all, follows. */
type Open = (length: number, path?: string) => Sender;

const opened: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const codeOf = (body: string): string => /\/problems\/([a-z-]+)/.exec(body)?.[1] ?? body;

function overHttp1({ port }: RunningServer): Open {
  return (length, path = "/") => {
    const client = new RawConnection(port);
    client.sendLines(`POST ${path} HTTP/1.1`, "Host: a", `Content-Length: ${length}`, "");
    opened.push(() => client.destroy());
    const answer = client
      .response()
      .then(({ status, body, headers }) => [status, codeOf(body), headers["retry-after"]] as const);
    answer.catch(() => undefined);
    return { send: (count) => void client.send("x".repeat(count)), answer, destroy: () => client.reset() };
  };
}

function overHttp2({ url }: RunningServer): Open {
  return (length, path = "/") => {
    // A session for each, so that its window is its own.
    const session: ClientHttp2Session = connectHttp2(url, { ca: tls.cert });
    session.on("error", () => undefined);
    opened.push(() => session.destroy());
    const stream = session.request({ ":method": "POST", ":path": path, "content-length": length });
    stream.on("error", () => undefined);
    const answer = once(stream, "response").then(async ([headers]) => {
      const body = Buffer.concat(await stream.toArray()).toString();
      return [headers[":status"], codeOf(body), headers["retry-after"]] as const;
    });
    answer.catch(() => undefined);
    let left = length;
    const send = (count: number): void => {
      left -= count;
      stream.write("x".repeat(count));
      if (left === 0) stream.end();
    };
    return { send, answer, destroy: () => stream.close(constants.NGHTTP2_CANCEL) };
  };
}

type Handler = (request: HttpRequest) => Promise<HttpResponse>;
const readAll: Handler = async (request) => text(`${(await request.bytes()).length}`);

async function served(options: ServeOptions, handler: Handler = readAll): Promise<RunningServer> {
  const app = router({ codings: nodeCodings, contentLimit: 2 ** 22 }, POST("/{*rest}", handler));
  const server = await serve(app, { warn: () => undefined, ...options });
  opened.push(() => server.close({ grace: 0 }));
  return server;
}

const ok = (length: number) => [200, `${length}`, undefined] as const;
const busy = [503, "content-busy", "1"] as const;
const kB = 1_000;

/** Resolves when the server has read what had come before. */
async function fetchOther({ url }: RunningServer): Promise<void> {
  const agent = new Agent({ ca: tls.cert, ALPNProtocols: ["http/1.1"] });
  const sent = url.startsWith("https") ? getHttps(url, { agent }) : getHttp(url);
  const [answer] = await once(sent, "response");
  await answer.toArray();
  agent.destroy();
}

/** Sends two requests that stall, with nearly as much as may be held, and one that then has to wait: it takes the place of one of them. */
async function assertStalledRefused(open: Open): Promise<void> {
  const stalled = [open(200 * kB), open(200 * kB)];
  for (const sender of stalled) sender.send(199 * kB);
  const other = open(150 * kB);
  other.send(150 * kB);
  assert.deepEqual(await Promise.race(stalled.map(({ answer }) => answer)), busy);
  assert.deepEqual(await other.answer, ok(150 * kB));
}

for (const [version, overVersion, options] of [
  ["HTTP/1.1", overHttp1, {}],
  ["HTTP/2", overHttp2, { tls }],
] as const) {
  describe(`content that is held, over ${version}`, { concurrency: false }, () => {
    it("waits while there is too much, and one is always read to its end", async () => {
      const open = overVersion(await served({ ...options, contentMemory: 2_000 * kB }));
      const senders = Array.from({ length: 5 }, () => open(3_000 * kB));
      for (const sender of senders) sender.send(3_000 * kB);
      for (const { answer } of senders) assert.deepEqual(await answer, ok(3_000 * kB));
    });

    it("of clients that do not go on is refused while others wait", async () => {
      await assertStalledRefused(overVersion(await served({ ...options, contentMemory: 380 * kB })));
    });

    it("is let go when its client goes", async () => {
      const arrived = Promise.withResolvers<void>();
      const gone = Promise.withResolvers<void>();
      const server = await served({ ...options, contentMemory: 300 * kB }, async (request) => {
        if (request.path === "/gone") {
          arrived.resolve();
          request.signal.addEventListener("abort", () => gone.resolve());
        }
        return readAll(request);
      });
      const open = overVersion(server);
      const first = open(400 * kB, "/gone");
      first.send(399 * kB);
      await arrived.promise;
      const other = open(400 * kB);
      other.send(400 * kB);
      first.destroy();
      await gone.promise;
      assert.deepEqual(await other.answer, ok(400 * kB));
    });

    it("is counted until its response is sent", async () => {
      const release = Promise.withResolvers<void>();
      const begun: string[] = [];
      const held = Promise.withResolvers<void>();
      const server = await served({ ...options, contentMemory: 300 * kB }, async (request) => {
        const { length } = await request.bytes();
        begun.push(request.path);
        held.resolve();
        if (request.path === "/1") await release.promise;
        return text(`${length}`);
      });
      const open = overVersion(server);
      const first = open(400 * kB, "/1");
      first.send(400 * kB);
      await held.promise;
      const second = open(400 * kB, "/2");
      second.send(400 * kB);
      await fetchOther(server);
      assert.deepEqual(begun, ["/1"]);
      release.resolve();
      assert.deepEqual(await Promise.all([first.answer, second.answer]), [ok(400 * kB), ok(400 * kB)]);
    });
  });
}

describe("content that waits to be read, over HTTP/2", { concurrency: false }, () => {
  const readSome: Handler = (request) => (request.path === "/unread" ? new Promise(() => undefined) : readAll(request));

  it("is refused when there is too much, and that of others is read", async () => {
    const open = overHttp2(await served({ tls, contentMemory: 600 * kB }, readSome));
    const unread = Array.from({ length: 3 }, () => open(200 * kB, "/unread"));
    for (const sender of unread) sender.send(60 * kB);
    assert.deepEqual(await Promise.race(unread.map(({ answer }) => answer)), busy);
    const read = open(400 * kB);
    read.send(400 * kB);
    assert.deepEqual(await read.answer, ok(400 * kB));
  });

  it("is counted with what Node needs for each frame, and is let go even if its client takes no answer", async () => {
    let begun: HttpRequest | undefined;
    const server = await served({ tls, contentMemory: 400 * kB }, async (request) => {
      if (request.path !== "/unread") return readAll(request);
      begun = request;
      return new Promise(() => undefined);
    });
    const noWindow = Buffer.from([0, 4, 0, 0, 0, 0]); // SETTINGS_INITIAL_WINDOW_SIZE
    const post = [0x83, 0x87, 4, 7, ...Buffer.from("/unread"), 0x41, 1, 0x61];
    const bytes = Buffer.concat(Array.from({ length: 2_000 }, () => frame(frames.data, 0, Buffer.from("x"))));
    const socket = speak(server.port, frame(frames.settings, 0, noWindow, 0), headers(post), bytes);
    opened.push(() => void socket.destroy());
    for await (const { type } of received(socket)) if (type === frames.headers) break;
    const stream = begun?.native as ServerHttp2Stream | undefined; // over HTTP/2 it is one
    assert.equal(stream?.readableLength, 0);
  });
});

describe("content that is held", () => {
  it("has a bound for each address", () => {
    const held: string[] = [];
    const permits = new Permits(400, { most: 100, keyOf: (address) => address });
    const take = (bytes: number, address: string): Permit => {
      const holder = { received: 0, isAwaited: false, resume: () => held.push(address), refuse: () => assert.fail() };
      return permits.take(bytes, address, holder);
    };
    const first = take(60, "a");
    const second = take(60, "a");
    const other = take(60, "b");
    assert.deepEqual(held, ["a", "b"]);
    first.release();
    assert.deepEqual(held, ["a", "b", "a"]);
    for (const permit of [second, other]) permit.release();
  });

  it("waits for 10 seconds at most", async () => {
    const release = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const server = await served({ contentMemory: 100 * kB }, async (request) => {
      const { length } = await request.bytes();
      held.resolve();
      await release.promise;
      return text(`${length}`);
    });
    const open = overHttp1(server);
    const first = open(200 * kB);
    first.send(200 * kB);
    await held.promise;
    // That of the connections has begun.
    mock.timers.enable({ apis: ["setInterval"] });
    const waiting = open(200 * kB);
    waiting.send(200 * kB);
    // All has come by then.
    await fetchOther(server);
    mock.timers.tick(10_250);
    assert.deepEqual(await waiting.answer, busy);
    mock.timers.reset();
    release.resolve();
    assert.deepEqual(await first.answer, ok(200 * kB));
  });

  it("is counted as it is decoded", async () => {
    const release = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const begun: string[] = [];
    const server = await served({ contentMemory: 500 * kB }, async (request) => {
      const { length } = await request.bytes();
      begun.push(request.path);
      held.resolve();
      if (request.path === "/1") await release.promise;
      return text(`${length}`);
    });
    const body = gzipSync("x".repeat(600 * kB));
    const post = async (path: string) => {
      const headers = { "Content-Encoding": "gzip" };
      return (await fetch(`${server.url}${path}`, { method: "POST", body, headers })).text();
    };
    const first = post("/1");
    await held.promise;
    const others = ["/2", "/3", "/4"].map(post);
    await fetchOther(server);
    assert.deepEqual(begun, ["/1"]);
    release.resolve();
    assert.deepEqual(await Promise.all([first, ...others]), Array(4).fill(`${600 * kB}`));
  });

  it("passes through where it is streamed, however much others hold", async () => {
    const release = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const server = await served({ contentMemory: 100 * kB }, async (request) => {
      if (request.path === "/held") {
        await request.bytes();
        held.resolve();
        await release.promise;
        return new HttpResponse(204);
      }
      let length = 0;
      for await (const piece of request.stream()) length += piece.length;
      return text(`${length}`);
    });
    const open = overHttp1(server);
    const first = open(200 * kB, "/held");
    first.send(200 * kB);
    await held.promise;
    const streamed = open(1_000 * kB);
    streamed.send(1_000 * kB);
    assert.deepEqual(await streamed.answer, ok(1_000 * kB));
    release.resolve();
    assert.equal((await first.answer)[0], 204);
  });
});
