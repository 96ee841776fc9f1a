import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { after, afterEach, describe, it } from "node:test";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { ListenError, type RunningServer, type ServeOptions, serve } from "@waymark/node";
import { parsedHeaders } from "../../waymark/src/fields/header-list.ts";
import type { HttpRequest } from "../../waymark/src/request.ts";
import { content, HttpResponse, json, noContent, notFound, ok, text } from "../../waymark/src/response.ts";
import { type TinyApp, type TinyHandler, tinyApp } from "../../waymark/test/tools/tiny-app.ts";
import { RawConnection } from "./tools/raw-connection.ts";

const opened: { server: RunningServer; connections: RawConnection[] }[] = [];

interface Served {
  readonly app: TinyApp;
  readonly server: RunningServer;
  connect(): RawConnection;
}

async function served(handler: TinyHandler, options: ServeOptions = {}): Promise<Served> {
  const app = tinyApp(handler);
  const server = await serve(app, options);
  const connections: RawConnection[] = [];
  opened.push({ server, connections });
  const connect = (): RawConnection => {
    const connection = new RawConnection(server.port);
    connections.push(connection);
    return connection;
  };
  return { app, server, connect };
}

afterEach(async () => {
  for (const { server, connections } of opened.splice(0)) {
    for (const connection of connections) connection.destroy();
    await server.close({ grace: 0 });
  }
});

// A rejection that nobody handles would end a real process.
const unhandled: unknown[] = [];
const note = (error: unknown): void => {
  unhandled.push(error);
};
process.on("unhandledRejection", note);
after(() => {
  process.off("unhandledRejection", note);
  assert.deepEqual(unhandled, []);
});

const describePath = ({ method, path, search }: HttpRequest): HttpResponse => text(`${method} ${path} ${search}`);

describe("the head of a response", () => {
  it("is followed by the right next response after HEAD", async () => {
    const { connect } = await served(() => text("content"));
    const client = connect().request("HEAD /").request("GET /");
    const head = await client.response("HEAD");
    assert.equal(head.headers["content-length"], "7");
    assert.equal((await client.response()).body, "content");
  });

  it("is all that HEAD takes of an endless body that never waits", async () => {
    const { connect } = await served(() => content("text/plain", endless()));
    const client = connect().request("HEAD /").request("HEAD /");
    for (let i = 0; i < 2; i++) {
      const { status, headers } = await client.response("HEAD");
      assert.equal(status, 200);
      assert.equal(headers["transfer-encoding"], undefined);
    }
  });

  for (const status of [204, 304]) {
    it(`has neither length nor coding nor type with ${status}, and the connection is kept`, async () => {
      const { connect } = await served(() => content("text/plain", "text", status));
      const client = connect().request("GET /").request("GET /");
      for (let i = 0; i < 2; i++) {
        const { head, headers } = await client.response();
        assert.doesNotMatch(head, /content-|transfer-encoding/i);
        assert.equal(headers["connection"], "keep-alive");
      }
    });
  }

  it("has the handler's fields, Date, and nothing of the handler's about the connection", async () => {
    const fields = { "X-Own": "1", Connection: "upgrade", "Keep-Alive": "timeout=9", Date: "never" };
    const { connect } = await served(() => new HttpResponse(200, fields, "text"));
    const { head, headers } = await connect().request("GET /").response();
    assert.equal(headers["x-own"], "1");
    assert.equal(headers["connection"], "keep-alive");
    assert.equal(head.match(/^date:/gim)?.length, 1);
    assert.ok(Date.parse(headers["date"] as string) > 0);
  });

  it("cannot be split by a field value: a constant 500 goes out, and the connection is kept", async () => {
    const { connect } = await served(({ path }) =>
      path === "/bad" ? new HttpResponse(200, parsedHeaders(["X", "a\r\n\r\nHTTP/1.1 200 OK"])) : ok(),
    );
    const client = connect().request("GET /bad").request("GET /");
    const { head, body } = await client.response();
    assert.match(head, /^HTTP\/1.1 500 Internal Server Error\r\n/);
    assert.equal(body, '{"type":"/problems/internal-error","title":"Internal Server Error","status":500}');
    assert.equal((await client.response()).status, 200);
  });

  it("has the real length, also where the handler says another, so that the next response is found", async () => {
    const { connect } = await served(() => text("six by").withHeader("Content-Length", "2"));
    const client = connect().request("GET /").request("GET /");
    assert.equal((await client.response()).body, "six by");
    assert.equal((await client.response()).body, "six by");
  });
});

describe("a request", () => {
  for (const [target, seen] of [
    ["/person/1?a=b", "GET /person/1 a=b"],
    ["http://other.example/person/1", "GET /person/1 "],
    ["http://other.example", "GET / "],
    ["//other.example/x", "GET //other.example/x "],
    ["/%61dmin", "GET /admin "],
  ] as const) {
    it(`with the target ${target} is ${seen}`, async () => {
      const { connect } = await served(describePath);
      assert.equal((await connect().request(`GET ${target}`).response()).body, seen);
    });
  }

  it("for OPTIONS may have the target *", async () => {
    const { connect } = await served(describePath);
    assert.equal((await connect().request("OPTIONS *").response()).body, "OPTIONS * ");
  });

  for (const target of ["/%zz", "/%80", "/a/../b", "/a/%2e%2e/b", "/a\\b", "/a#b", "ftp://x/", "/%00"]) {
    it(`with the target ${target} is refused with 400, and the connection is kept`, async () => {
      const { connect } = await served(describePath);
      const client = connect().request(`GET ${target}`).request("GET /ok");
      const { status, headers, body } = await client.response();
      assert.equal(status, 400);
      assert.equal(headers["content-type"], "application/problem+json");
      assert.equal(JSON.parse(body).type, "/problems/malformed-target");
      assert.equal((await client.response()).body, "GET /ok ");
    });
  }

  for (const [what, lines, status] of [
    ["without Host", ["GET / HTTP/1.1"], 400],
    ["with two Host lines", ["GET / HTTP/1.1", "Host: a", "hOST: a"], 400],
    ["with two Host lines in HTTP/1.0", ["GET / HTTP/1.0", "Host: a", "Host: b"], 400],
    ["of HTTP/2.0", ["GET / HTTP/2.0", "Host: a"], 505],
    ["that expects without Host", ["GET / HTTP/1.1", "Expect: wonders"], 400],
  ] as const) {
    it(`${what} is refused with ${status}, and the connection is closed`, async () => {
      const { connect } = await served(() => assert.fail("the handler ran"));
      const client = connect().sendLines(...lines, "");
      const response = await client.response();
      assert.equal(response.status, status);
      assert.equal(JSON.parse(response.body).status, status);
      assert.equal(response.headers["connection"], "close");
      assert.equal(await client.closed, "ended");
    });
  }

  it("of HTTP/1.0 needs no Host, and its stream is neither chunked nor kept, even when it asks for it", async () => {
    const { connect } = await served(() => content("text/plain", ["one ", "two"]));
    const client = connect().sendLines("GET / HTTP/1.0", "TE: chunked", "Connection: keep-alive", "");
    const { headers, body } = await client.response();
    assert.equal(headers["transfer-encoding"], undefined);
    assert.equal(headers["connection"], "close");
    assert.equal(body, "one two");
  });

  it("keeps every one of its fields, however many are allowed", async () => {
    const { connect } = await served(({ headers }) => json(headers.getAll("a").length));
    const client = connect().request("GET /", ...Array.from({ length: 99 }, () => "a:1"));
    assert.equal((await client.response()).body, "99");
  });

  it("may come byte by byte", async () => {
    const { connect } = await served(async (request) => text(await request.text()));
    const client = connect();
    client.socket.setNoDelay(true);
    for (const byte of "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello") {
      client.send(byte);
      await eventLoopTurn();
    }
    assert.equal((await client.response()).body, "hello");
  });

  it("that asks for an upgrade is answered as any other", async () => {
    const { connect } = await served(() => text("plain"));
    const client = connect().request("GET /", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c");
    assert.equal((await client.response()).body, "plain");
  });

  it("is answered in its turn when ten come at once", async () => {
    const { connect } = await served(async ({ path }) => {
      // The later ones are faster.
      for (let turn = Number(path.slice(1)); turn < 10; turn++) await eventLoopTurn();
      return text(path);
    });
    const client = connect();
    client.send(Array.from({ length: 10 }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
    for (let i = 0; i < 10; i++) assert.equal((await client.response()).body, `/${i}`);
  });
});

describe("a request behind others on its connection", () => {
  const get = "GET /list HTTP/1.1\r\nHost: a\r\n\r\n";
  const post = (name: string): string =>
    `POST /${name} HTTP/1.1\r\nHost: a\r\nContent-Length: ${name.length}\r\n\r\n${name}`;

  it("sees what they have done, and nothing of those behind it", async () => {
    const stored: string[] = [];
    const { connect } = await served(async (request) => {
      if (request.method === "GET") return json(stored);
      const name = await request.text();
      for (let turn = 0; turn < 5; turn++) await eventLoopTurn();
      stored.push(name);
      return ok();
    });
    const client = connect().send(get + post("a") + get + get + post("b") + post("c") + get);
    const seen: string[] = [];
    for (let i = 0; i < 7; i++) seen.push((await client.response()).body);
    assert.deepEqual(seen, ["[]", "", '["a"]', '["a"]', "", "", '["a","b","c"]']);
  });

  it("is begun after a response in pieces that does not change anything has been sent", async () => {
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    const { connect } = await served(({ path, method }) => {
      begun.push(path);
      return method === "GET" ? content("text/plain", opens("part", gate.promise)) : ok();
    });
    const client = connect().send(get + post("a"));
    await client.through("part");
    assert.deepEqual(begun, ["/list"]);
    gate.resolve();
    await client.through("HTTP/1.1 200");
    assert.deepEqual(begun, ["/list", "/a"]);
  });

  it("is not begun any more when the client has gone", async () => {
    const begun: string[] = [];
    const aborted = Promise.withResolvers<void>();
    const { connect } = await served(async ({ path, signal }) => {
      begun.push(path);
      if (signal.aborted) return ok();
      signal.addEventListener("abort", () => aborted.resolve());
      await aborted.promise;
      return ok();
    });
    const client = connect().send(post("a") + post("b"));
    while (begun.length === 0) await eventLoopTurn();
    client.destroy();
    await aborted.promise;
    for (let turn = 0; turn < 5; turn++) await eventLoopTurn();
    assert.deepEqual(begun, ["/a"]);
  });

  it("is not even read when there are many", async () => {
    const gate = Promise.withResolvers<void>();
    const { connect } = await served(async ({ method }) => {
      if (method === "POST") await gate.promise;
      return ok();
    });
    const flood = `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(15_000)}\r\n\r\n`.repeat(2_000);
    const { socket } = connect().send(post("a") + flood);
    let before = -1;
    while (socket.writableLength !== before) {
      before = socket.writableLength;
      for (let turn = 0; turn < 200; turn++) await eventLoopTurn();
    }
    assert.ok(before > flood.length / 2, `all but ${before} bytes were read`);
    gate.resolve();
    while (socket.writableLength > 0) await once(socket, "drain");
  });
});

describe("bytes that are not a request", () => {
  for (const [what, bytes, status, code] of [
    ["garbage in the fields", "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400, "malformed-message"],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      400,
      "malformed-message",
    ],
    ["an unknown method", "FOO / HTTP/1.1\r\nHost: a\r\n\r\n", 501, "not-implemented"],
    ["a method in lower case", "get / HTTP/1.1\r\nHost: a\r\n\r\n", 501, "not-implemented"],
    ["an unknown version", "GET / HTTP/3.7\r\nHost: a\r\n\r\n", 505, "version-not-supported"],
    ...["1", "1.x", "11.1", "1.10", "", "one"].map(
      (version) =>
        [`the version "${version}"`, `GET / HTTP/${version}\r\nHost: a\r\n\r\n`, 400, "malformed-message"] as const,
    ),
    [
      "a head that is too long",
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(8_000_000)}\r\n\r\n`,
      431,
      "head-too-large",
    ],
    ["an end in the middle", "GET / HT", 400, "malformed-message"],
  ] as const) {
    it(`are answered with ${status} for ${what}, and the connection is closed`, async () => {
      const { connect, app } = await served(() => assert.fail("the handler ran"));
      const client = connect().send(bytes);
      if (what.startsWith("an end")) client.socket.end();
      const response = await client.response();
      assert.equal(response.status, status);
      assert.equal(JSON.parse(response.body).type, `/problems/${code}`);
      assert.equal(response.headers["content-type"], "application/problem+json");
      assert.equal(response.headers["connection"], "close");
      assert.ok(Date.parse(response.headers["date"] as string) > 0);
      assert.equal(await client.rest(), "");
      // Broken is what it would be if the server closed on what the client is still sending, which may cost the answer.
      assert.equal(await client.closed, "ended");
      assert.deepEqual(app.faults, []);
    });
  }

  it("are answered with 408 when they do not become a head in time", async () => {
    const { connect } = await served(() => ok(), { requestTimeout: 20 });
    const client = connect().send("GET / HTTP/1.1\r\nHost:");
    const { status, headers } = await client.response();
    assert.equal(status, 408);
    assert.equal(headers["connection"], "close");
    await client.closed;
  });

  it("are answered with 408 when they do not become the whole content in time", async () => {
    const { connect, app } = await served(async (request) => text(await request.text()), { requestTimeout: 20 });
    const client = connect().send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe");
    assert.equal((await client.response()).status, 408);
    await client.closed;
    assert.deepEqual(app.faults, []);
  });

  it("are answered after the requests before them", async () => {
    const gate = Promise.withResolvers<void>();
    const { connect } = await served(async () => {
      await gate.promise;
      return text("first");
    });
    const client = connect().request("GET /").send("NONSENSE / HTTP/1.1\r\n\r\n");
    await eventLoopTurn();
    gate.resolve();
    assert.equal((await client.response()).body, "first");
    assert.equal((await client.response()).status, 501);
    assert.equal(await client.rest(), "");
  });

  it("are answered with 400 within content that the handler waits for", async () => {
    const { connect, app } = await served(async (request) => text(await request.text()));
    const client = connect().send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nzz\r\n");
    assert.equal((await client.response()).status, 400);
    assert.equal(await client.rest(), "");
    assert.deepEqual(app.faults, []);
  });

  it("reach no handler where the content that came with the head is malformed", async () => {
    const { connect } = await served(() => text("too early"));
    const client = connect().send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
    assert.equal((await client.response()).status, 400);
    assert.equal(await client.rest(), "");
  });

  it("get no answer within content whose response has begun", async () => {
    const { connect } = await served(() => content("text/plain", waitsAfter("begun")));
    const client = connect().send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    await client.through("begun\r\n");
    client.send("zz\r\n");
    assert.equal(await client.rest(), "");
  });
});

describe("content that is not read", () => {
  const declared = (length: number): string => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
  const chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

  for (const [how, handler] of [
    ["by a synchronous handler", () => notFound()],
    ["by an asynchronous handler", async () => notFound()],
    ["by a streaming handler", () => content("text/plain", ["a", "b"], 404)],
    [
      "to its end by a streaming handler",
      async (request) => {
        for await (const _ of request.stream()) break;
        return content("text/plain", ["a", "b"], 404);
      },
    ],
    ["because it is too long", async (request) => text(await request.text({ limit: 10 }))],
    [
      "to its end",
      async (request) => {
        for await (const _ of request.stream()) break;
        return notFound();
      },
    ],
  ] satisfies [string, TinyHandler][]) {
    for (const [form, bytes] of [
      ["declared", [declared(200_000), "x".repeat(200_000)]],
      ["chunked", [chunked, `30d40\r\n${"x".repeat(200_000)}\r\n0\r\n\r\n`]],
    ] as const) {
      it(`${how} leaves the connection usable, ${form}`, async () => {
        const { connect, app } = await served(handler);
        const client = connect();
        for (let i = 0; i < 3; i++) {
          client.send(bytes[0]);
          // The rest comes after the handler has run, at the latest while it answers.
          await eventLoopTurn();
          client.send(bytes[1]);
          const { status, headers } = await client.response();
          assert.ok(status === 404 || status === 413);
          assert.equal(headers["connection"], "keep-alive");
        }
        assert.deepEqual(app.faults, []);
      });
    }
  }

  it("closes the connection when it is declared longer than the bound, and the answer arrives", async () => {
    const { connect } = await served(() => notFound());
    const client = connect().send(declared(10_000_000) + "x".repeat(500_000));
    const { status, headers } = await client.response();
    assert.equal(status, 404);
    assert.equal(headers["connection"], "close");
    await client.closed;
  });

  it("closes the connection when it turns out longer than the bound, and the answer arrives", async () => {
    const { connect } = await served(() => notFound());
    const client = connect().send(chunked);
    assert.equal((await client.response()).status, 404);
    for (let i = 0; i < 3; i++) client.send(`300000\r\n${"x".repeat(0x300000)}\r\n`);
    await client.closed;
  });

  it("closes the connection when it does not come in time", async () => {
    const { connect } = await served(() => notFound());
    const client = connect().send(`${declared(10)}x`);
    assert.equal((await client.response()).status, 404);
    assert.equal(await client.closed, "ended");
  });

  it("is taken while a long response is sent, so that neither side waits for the other", async () => {
    const { connect } = await served(() => text("y".repeat(8_000_000)));
    const client = connect().send(declared(4_000_000) + "x".repeat(4_000_000));
    assert.equal((await client.response()).body.length, 8_000_000);
  });

  it("is not taken any more once it is too long", async () => {
    const gate = Promise.withResolvers<void>();
    const { connect } = await served(async (request) => {
      await assert.rejects(request.text({ limit: 10 }), { message: "HTTP 413" });
      await gate.promise;
      return ok();
    });
    const sent = "x".repeat(8_000_000);
    const { socket } = connect().send(declared(sent.length) + sent);
    let before = -1;
    while (socket.writableLength !== before) {
      before = socket.writableLength;
      for (let turn = 0; turn < 200; turn++) await eventLoopTurn();
    }
    assert.ok(before > 0, "all was read");
    gate.resolve();
  });

  it("that ends too early fails its reading, without a fault, and aborts the signal", async () => {
    const outcome = Promise.withResolvers<unknown>();
    const { connect, app } = await served(async (request) => {
      const { signal } = request;
      await request.text().catch((error: unknown) => outcome.resolve({ name: (error as Error).name, signal }));
      return ok();
    });
    const client = connect().send(`${declared(10)}x`);
    client.socket.once("connect", () => client.socket.resetAndDestroy());
    const { name, signal } = (await outcome.promise) as { name: string; signal: AbortSignal };
    assert.equal(name, "HttpError");
    if (!signal.aborted) await once(signal, "abort");
    assert.deepEqual(app.faults, []);
  });
});

describe("a request that expects", () => {
  const expecting = (expectation: string, version = "1.1"): string =>
    `POST / HTTP/${version}\r\nHost: a\r\nContent-Length: 5\r\nExpect: ${expectation}\r\n\r\n`;

  it("100-continue gets it when its content is read, and its connection is kept", async () => {
    const mayRead = Promise.withResolvers<void>();
    const { connect } = await served(async (request) => {
      await mayRead.promise;
      return text(await request.text());
    });
    const client = connect().send(expecting("100-Continue"));
    await eventLoopTurn();
    assert.equal(client.socket.bytesRead, 0);
    mayRead.resolve();
    assert.equal((await client.response()).status, 100);
    const { status, headers, body } = await client.send("hello").response();
    assert.deepEqual([status, body, headers["connection"]], [200, "hello", "keep-alive"]);
  });

  it("100-continue gets it when its content is streamed", async () => {
    const { connect } = await served(async (request) => {
      let size = 0;
      for await (const piece of request.stream()) size += piece.length;
      return json(size);
    });
    const client = connect().send(expecting("100-continue"));
    assert.equal((await client.response()).status, 100);
    assert.equal((await client.send("hello").response()).body, "5");
  });

  for (const [how, handler, status] of [
    ["not found", () => notFound(), 404],
    ["too long", async (request) => text(await request.text({ limit: 4 })), 413],
  ] satisfies [string, TinyHandler, number][]) {
    it(`100-continue and is ${how} gets only the refusal, and the connection is closed`, async () => {
      // The content will not come: there is no use in waiting for it.
      const { connect } = await served(handler);
      const client = connect().send(expecting("100-continue"));
      const response = await client.response();
      assert.equal(response.status, status);
      assert.equal(response.headers["connection"], "close");
      assert.equal(await client.closed, "ended");
    });
  }

  it("anything else is refused with 417", async () => {
    const { connect } = await served(() => assert.fail("the handler ran"));
    const response = await connect().send(expecting("a-miracle")).response();
    assert.equal(response.status, 417);
    assert.equal(JSON.parse(response.body).type, "/problems/expectation-failed");
  });

  for (const expectation of ["100-continue", "a-miracle"]) {
    it(`${expectation} in HTTP/1.0 is not heard`, async () => {
      const { connect } = await served(async (request) => text(await request.text()));
      const response = await connect()
        .send(`${expecting(expectation, "1.0")}hello`)
        .response();
      assert.deepEqual([response.status, response.body], [200, "hello"]);
    });
  }
});

describe("a stream", () => {
  it("is read no faster than the client reads", async () => {
    const total = 64 * 2 ** 20;
    let made = 0;
    const body = function* (): Generator<Uint8Array> {
      for (; made < total; made += 2 ** 16) yield new Uint8Array(2 ** 16);
    };
    const { connect } = await served(() => new HttpResponse(200, { "Content-Length": String(total) }, body()));
    const client = connect().request("GET /");
    client.socket.pause();
    let before = -1;
    while (made !== before || made === 0) {
      before = made;
      for (let turn = 0; turn < 200; turn++) await eventLoopTurn();
    }
    assert.ok(made < total / 2, `${made} bytes were made for a client that reads none`);
    let received = 0;
    client.socket.removeAllListeners("data").on("data", (piece) => {
      received += piece.length;
    });
    client.socket.resume();
    while (received < total) await once(client.socket, "data");
  });

  it("that never waits, read by a client that takes all, leaves room for others", async () => {
    const { connect } = await served(({ path }) => (path === "/" ? content("text/plain", endless()) : text("served")));
    const greedy = connect().request("GET /");
    greedy.socket.removeAllListeners("data").resume();
    await once(greedy.socket, "data");
    for (let i = 0; i < 10; i++) assert.equal((await connect().request("GET /other").response()).body, "served");
  });

  it("of tiny pieces that never waits leaves room for others", async () => {
    const pieces = async function* (): AsyncGenerator<string> {
      for (;;) yield "";
    };
    const { connect } = await served(({ path }) => (path === "/" ? content("text/plain", pieces()) : text("served")));
    await connect().request("GET /").through("\r\n\r\n");
    assert.equal((await connect().request("GET /other").response()).body, "served");
  });

  it("is ended at once when the client has gone before the handler answered", async () => {
    const ended = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const body = new ReadableStream({ cancel: () => ended.resolve() });
    const { connect } = await served(async ({ signal }) => {
      began.resolve();
      await once(signal, "abort");
      return content("text/plain", body);
    });
    const client = connect().request("GET /");
    await began.promise;
    client.destroy();
    await ended.promise;
  });

  it("that fails midway breaks an HTTP/1.0 connection, whose end would be the end of the content", async () => {
    const { connect } = await served(() => content("text/plain", failsAfter("one")));
    assert.equal(await connect().sendLines("GET / HTTP/1.0", "").closed, "broken");
  });

  it("that fails while an earlier response is on its way does not take that along", async () => {
    const gate = Promise.withResolvers<void>();
    const { connect, app } = await served(async ({ path }) => {
      if (path === "/fails") return content("text/plain", failsAfter("one"));
      await gate.promise;
      return text("first");
    });
    const client = connect().request("GET /").request("GET /fails");
    gate.resolve();
    assert.equal((await client.response()).body, "first");
    await client.through("one");
    await app.faulted;
    assert.equal(await client.rest(), "\r\n");
  });

  it("longer than its Content-Length never gets beyond it", async () => {
    const body = ["one", "HTTP/1.1 200 OK\r\n"];
    const { connect } = await served(() => new HttpResponse(200, { "Content-Length": "5" }, body));
    const client = connect().request("GET /").request("GET /");
    assert.match(await client.rest(), /\r\n\r\none$/);
  });

  it("keeps its connection when it ends well", async () => {
    const { connect } = await served(() => content("text/plain", ["a", "b"]));
    const client = connect().request("GET /").request("GET /");
    assert.equal((await client.response()).body, "ab");
    assert.equal((await client.response()).body, "ab");
  });
});

describe("closing a server", () => {
  it("answers what is in flight, closing its connection, and takes no new one", async () => {
    const began = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const { server, connect } = await served(async () => {
      began.resolve();
      await gate.promise;
      return text("answered");
    });
    const client = connect().request("GET /");
    await began.promise;
    const closed = server.close();
    assert.equal(await connect().closed, "broken");
    gate.resolve();
    const { body, headers } = await client.response();
    assert.equal(body, "answered");
    assert.equal(headers["connection"], "close");
    await closed;
    assert.equal(await client.closed, "ended");
  });

  it("closes connections that are kept for a next request, or have not had a first", async () => {
    const { server, connect } = await served(() => ok());
    const [kept, fresh] = [connect().request("GET /"), connect()];
    await kept.response();
    if (fresh.socket.connecting) await once(fresh.socket, "connect");
    // One more answer: by now the server has accepted the connections made before it.
    await connect().request("GET /").response();
    await server.close({ grace: 2 ** 31 - 1 });
    for (const client of [kept, fresh]) await client.closed;
  });

  it("answers the first request of a client that had connected before", async () => {
    const { server, connect } = await served(() => text("answered"));
    const fresh = connect();
    if (fresh.socket.connecting) await once(fresh.socket, "connect");
    const kept = connect().request("GET /");
    await kept.response(); // by now the server has accepted the connection made before
    const closed = server.close();
    await kept.closed; // and by now it has closed those that wait for a next request
    const { body, headers } = await fresh.request("GET /").response();
    assert.deepEqual([body, headers["connection"]], ["answered", "close"]);
    await closed;
  });

  it("answers a request whose head has arrived only in part", async () => {
    const { server, connect } = await served(() => text("answered"));
    const [kept, fresh] = [connect().request("GET /"), connect().send("GET / HT")];
    await kept.response();
    kept.send("G");
    // One more answer: by now the server has read what was sent before it.
    await connect().request("GET /").response();
    const closed = server.close({ grace: 2 ** 31 - 1 });
    assert.equal(await connect().closed, "broken");
    fresh.send("TP/1.1\r\nHost: a\r\n\r\n");
    kept.send("ET / HTTP/1.1\r\nHost: a\r\n\r\n");
    for (const client of [fresh, kept]) {
      const { body, headers } = await client.response();
      assert.deepEqual([body, headers["connection"]], ["answered", "close"]);
    }
    await closed;
  });

  it("does not keep a connection for content that nobody reads", async () => {
    const { server, connect } = await served(() => text("answered"));
    const client = connect().sendLines("POST / HTTP/1.1", "Host: a", "Content-Length: 10", "").send("01234");
    assert.equal((await client.response()).body, "answered");
    const closed = server.close({ grace: 2 ** 31 - 1 });
    assert.equal(await connect().closed, "broken");
    client.send("56789");
    await closed;
  });

  it("does not keep a connection once content is read whose request is answered", async () => {
    const { promise: read, resolve } = Promise.withResolvers<string>();
    const { server, connect } = await served((request) => {
      request.text().then(resolve);
      return text("answered");
    });
    const client = connect().sendLines("POST / HTTP/1.1", "Host: a", "Content-Length: 10", "").send("01234");
    assert.equal((await client.response()).body, "answered");
    const closed = server.close({ grace: 2 ** 31 - 1 });
    assert.equal(await connect().closed, "broken");
    client.send("56789");
    assert.equal(await read, "0123456789");
    await closed;
  });

  it("waits for the rest of a head no longer than for a whole request", async () => {
    const { server, connect } = await served(() => ok(), { requestTimeout: 50 });
    const client = connect().send("GET / HT");
    await connect().request("GET /").response();
    const closed = server.close({ grace: 2 ** 31 - 1 });
    assert.equal((await client.response()).status, 408);
    await closed;
  });

  it("lets a response end whose head has promised to keep the connection", async () => {
    const gate = Promise.withResolvers<void>();
    const body = async function* (): AsyncGenerator<string> {
      yield "one ";
      await gate.promise;
      yield "two";
    };
    const { server, connect } = await served(() => content("text/plain", body()));
    const client = connect().request("GET /");
    await client.through("one \r\n");
    const closed = server.close({ grace: 2 ** 31 - 1 });
    gate.resolve();
    await closed;
    assert.equal(await client.rest(), "3\r\ntwo\r\n0\r\n\r\n");
  });

  it("lets a response arrive that is made and still on its way", async () => {
    const { server, connect } = await served(() => text("x".repeat(20_000_000)));
    const client = connect().request("GET /");
    await once(client.socket, "data");
    const closed = server.close({ grace: 2 ** 31 - 1 });
    assert.equal((await client.response()).body.length, 20_000_000);
    await closed;
  });

  it("answers a request that comes behind one in flight, on the same connection", async () => {
    const began = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const { server, connect } = await served(async ({ path }) => {
      began.resolve();
      if (path === "/first") await gate.promise;
      return content("text/plain", [path]);
    });
    const client = connect().request("GET /first");
    await began.promise;
    gate.resolve();
    client.request("GET /second");
    const closed = server.close();
    const { headers, body } = await client.response();
    assert.deepEqual([body, headers["connection"]], ["/first", "close"]);
    await closed;
    assert.equal(await client.closed, "ended");
  });

  it("serves a request that had arrived when it began", async () => {
    const { server, connect } = await served(() => text("served"));
    const client = connect().request("GET /");
    await client.response();
    await new Promise((resolve) => client.socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n", resolve));
    const closed = server.close();
    const { body, headers } = await client.response();
    assert.deepEqual([body, headers["connection"]], ["served", "close"]);
    await closed;
  });

  it("destroys what is left when the grace is over", async () => {
    const began = Promise.withResolvers<AbortSignal>();
    const { server, connect } = await served((request) => {
      began.resolve(request.signal);
      return new Promise(() => undefined);
    });
    const client = connect().request("GET /");
    const signal = await began.promise;
    await server.close({ grace: 1 });
    await client.closed;
    if (!signal.aborted) await once(signal, "abort");
  });

  it("may be asked for again, also with less grace", async () => {
    const began = Promise.withResolvers<void>();
    const { server, connect } = await served(() => {
      began.resolve();
      return new Promise(() => undefined);
    });
    connect().request("GET /");
    await began.promise;
    const patient = server.close({ grace: 2 ** 31 - 1 });
    await server.close({ grace: 0 });
    await patient;
    await server.close();
  });

  it("still takes connections during the notice, and closes each with its answer", async () => {
    const { server, connect } = await served(() => json(server.draining));
    const kept = connect().request("GET /");
    assert.deepEqual([(await kept.response()).body, server.draining], ["false", false]);
    const closed = server.close({ notice: 2 ** 31 - 1 });
    assert.equal(server.draining, true);
    for (const client of [kept.request("GET /"), connect().request("GET /"), connect().request("GET /")]) {
      const { body, headers } = await client.response();
      assert.deepEqual([body, headers["connection"]], ["true", "close"]);
      assert.equal(await client.closed, "ended");
    }
    await server.close();
    await closed;
    assert.equal(await connect().closed, "broken");
  });

  it("stops when the notice is over", async () => {
    const { server, connect } = await served(() => ok());
    await server.close({ notice: 1 });
    assert.equal(await connect().closed, "broken");
  });

  it("refuses a notice that is not a time", async () => {
    const { server } = await served(() => noContent());
    await assert.rejects(
      server.close({ notice: 0.5 }),
      /^RangeError: notice must be an integer from 0 to 2147483647, not 0.5$/,
    );
  });

  it("refuses a grace that is not a time", async () => {
    const { server } = await served(() => noContent());
    await assert.rejects(
      server.close({ grace: -1 }),
      /^RangeError: grace must be an integer from 0 to 2147483647, not -1$/,
    );
  });
});

describe("the signal of a request", () => {
  it("is aborted when it is first asked for after the client has gone", async () => {
    const began = Promise.withResolvers<void>();
    const seen = Promise.withResolvers<boolean>();
    const { connect } = await served(async (request) => {
      began.resolve();
      // What it is over HTTP/1.1.
      await new Promise((resolve) => (request.native as Socket).once("close", resolve));
      seen.resolve(request.signal.aborted);
      return ok();
    });
    const client = connect().request("GET /");
    await began.promise;
    client.destroy();
    assert.equal(await seen.promise, true);
  });
});

describe("serve", () => {
  it("says where it listens", async () => {
    const { server } = await served(() => text("here"));
    assert.equal(server.url, `http://127.0.0.1:${server.port}`);
    assert.equal(await (await fetch(server.url)).text(), "here");
  });

  it("calls itself localhost when it listens everywhere", async () => {
    const { server } = await served(() => ok(), { host: "0.0.0.0" });
    assert.equal(server.url, `http://localhost:${server.port}`);
  });

  it("rejects when the port is taken, and says what to do", async () => {
    const { port } = (await served(() => ok())).server;
    await assert.rejects(
      serve(
        tinyApp(() => ok()),
        { port },
      ),
      (error) => {
        assert.ok(error instanceof ListenError);
        assert.equal(error.code, "port-taken");
        assert.equal(error.port, port);
        assert.equal(
          error.message,
          `Port ${port} on 127.0.0.1 is taken: stop what listens there, or choose another port`,
        );
        return true;
      },
    );
  });

  it("rejects when the host is not this machine's", async () => {
    await assert.rejects(
      serve(
        tinyApp(() => ok()),
        { host: "192.0.2.1" },
      ),
      { name: "ListenError", code: "host-unknown" },
    );
  });

  for (const [name, advice] of [
    ["maxUnsent", "contentMemory bounds what waits for clients"],
    ["proxyFields", 'write trustProxy: { proxies: […], fields: "Forwarded" }'],
    ["headersTimeout", "a head may take as long as requestTimeout, and at most 60 s"],
  ] as const) {
    it(`names what there is in place of ${name}`, () =>
      assert.rejects(
        serve(
          tinyApp(() => ok()),
          { [name]: 1 },
        ),
        { name: "TypeError", message: `serve has no option ${name}: ${advice}` },
      ));
  }

  for (const [options, message] of [
    [{ port: 65_536 }, "port must be an integer from 0 to 65535, not 65536"],
    [{ port: 1.5 }, "port must be an integer from 0 to 65535, not 1.5"],
    [{ keepAliveTimeout: -1 }, "keepAliveTimeout must be an integer from 0 to 2147482647, not -1"],
    [{ maxHeaderSize: 0 }, "maxHeaderSize must be an integer from 1 to 1073741824, not 0"],
    [{ contentMemory: Number.NaN }, "contentMemory must be an integer from 0 to 9007199254740991, not NaN"],
    [{ writeTimeout: 2 ** 31 }, "writeTimeout must be an integer from 0 to 2147483647, not 2147483648"],
  ] as const) {
    it(`refuses ${JSON.stringify(options)}`, async () => {
      await assert.rejects(
        serve(
          tinyApp(() => ok()),
          options,
        ),
        { name: "RangeError", message },
      );
    });
  }
});

function* endless(onEnd: () => void = () => undefined): Generator<string> {
  try {
    for (;;) yield "x".repeat(1000);
  } finally {
    onEnd();
  }
}

async function* opens(piece: string, gate: Promise<void>): AsyncGenerator<string> {
  yield piece;
  await gate;
}

async function* failsAfter(piece: string): AsyncGenerator<string> {
  yield piece;
  throw new Error("secret");
}

async function* waitsAfter(piece: string): AsyncGenerator<string> {
  yield piece;
  await new Promise(() => undefined);
}
