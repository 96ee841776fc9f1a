import assert from "node:assert/strict";
import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { Agent, request as sendOverHttps } from "node:https";
import { connect as connectTcp } from "node:net";
import { afterEach, describe, it } from "node:test";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { type RunningServer, type ServeOptions, serve } from "@waymark/node";
import { exchangeOf } from "waymark/internal";
import { HeaderList } from "../../../waymark/src/fields/header-list.ts";
import { content, HttpResponse, json, notFound, ok, text } from "../../../waymark/src/response.ts";
import { type TinyApp, type TinyHandler, tinyApp } from "../../../waymark/test/tools/tiny-app.ts";
import { field, frame, frames, getFields, headers, postFields, received, speak, tls } from "./http2-frames.ts";

const opened: { server: RunningServer; sessions: ClientHttp2Session[] }[] = [];
afterEach(async () => {
  for (const { server, sessions } of opened.splice(0)) {
    for (const session of sessions) session.destroy();
    await server.close({ grace: 0 });
  }
});

interface Served {
  readonly app: TinyApp;
  readonly server: RunningServer;
  connect(options?: SecureClientSessionOptions): ClientHttp2Session;
}

async function served(handler: TinyHandler, options: ServeOptions = {}): Promise<Served> {
  const app = tinyApp(handler);
  const server = await serve(app, { tls, ...options });
  const sessions: ClientHttp2Session[] = [];
  opened.push({ server, sessions });
  const connect = (settings?: SecureClientSessionOptions): ClientHttp2Session => {
    const session = connectHttp2(server.url, { ca: tls.cert, ...settings });
    session.on("error", () => undefined);
    sessions.push(session);
    return session;
  };
  return { app, server, connect };
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders & IncomingHttpStatusHeader;
  readonly body: string;
  /** With which code the stream was closed. */
  readonly code: number | undefined;
}

async function ask(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders | readonly string[],
  body?: string,
): Promise<Answer> {
  const stream = session.request(headers as OutgoingHttpHeaders, { endStream: body === undefined });
  let answer: IncomingHttpHeaders & IncomingHttpStatusHeader = {};
  stream.on("response", (received) => {
    answer = received;
  });
  let received = "";
  stream.setEncoding("utf8").on("data", (piece) => {
    received += piece;
  });
  stream.on("error", () => undefined);
  if (body !== undefined) stream.end(body);
  await new Promise((resolve) => stream.on("close", resolve));
  return { status: answer[":status"], headers: answer, body: received, code: stream.rstCode };
}

describe("a server with TLS", () => {
  it("speaks HTTP/2 and HTTP/1.1 on one port", async () => {
    const { server, connect } = await served(({ method, path }) => text(`${method} ${path}`));
    assert.match(server.url, /^https:\/\/127\.0\.0\.1:\d+$/);
    assert.equal((await ask(connect(), { ":path": "/two" })).body, "GET /two");
    const agent = new Agent({ ca: tls.cert, keepAlive: true });
    for (let i = 0; i < 2; i++) {
      const body = await new Promise<string>((resolve, reject) => {
        sendOverHttps(`${server.url}/one`, { agent }, (response) => {
          response.toArray().then((pieces) => resolve(Buffer.concat(pieces).toString()), reject);
        })
          .once("error", reject)
          .end();
      });
      assert.equal(body, "GET /one");
    }
    agent.destroy();
  });

  it("answers HTTP/1.1 that asks for nothing better, with a wish to upgrade and one behind it", async () => {
    const { server } = await served(({ client }) => json(client));
    const socket = connectTls({ port: server.port, host: "127.0.0.1", ca: tls.cert });
    const get = (line: string): string => `GET / HTTP/1.1\r\nHost: a:1\r\n${line}\r\n\r\n`;
    socket.write(get("Connection: upgrade\r\nUpgrade: h2c") + get("X: y") + get("Connection: close"));
    const received = Buffer.concat(await socket.toArray()).toString();
    assert.equal(received.match(/HTTP\/1.1 200 OK/g)?.length, 3);
    assert.match(received, /\{"address":"127.0.0.1","scheme":"https","host":"a:1"\}/);
  });

  it("speaks no HTTP without TLS, and harms nobody", async () => {
    const { server, connect } = await served(() => ok());
    const socket = connectTcp(server.port, "127.0.0.1");
    socket.on("error", () => undefined).write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    socket.resume();
    await once(socket, "close");
    assert.equal((await ask(connect(), {})).status, 200);
  });

  it("takes another certificate for new connections, but not a broken one", async () => {
    const { server, connect } = await served(() => ok());
    const session = connect();
    await ask(session, {});
    assert.throws(() => server.reloadTls({ key: tls.key, cert: "none" }));
    assert.throws(() => server.reloadTls({ key: "none", cert: tls.cert }), {
      name: "TypeError",
      message: "tls.key must be the text in PEM, as readFileSync(…) returns it, and not the name of a file",
    });
    server.reloadTls(tls);
    assert.equal((await ask(session, {})).status, 200);
    assert.equal((await ask(connect(), {})).status, 200);
  });

  for (const part of [{}, { key: tls.key }, { cert: tls.cert }]) {
    it(`does not listen without a key and a certificate: ${Object.keys(part)}`, async () => {
      await assert.rejects(
        serve(
          tinyApp(() => ok()),
          { tls: part },
        ),
        {
          name: "TypeError",
          message:
            'tls needs a key and a cert, or a pfx: { key: readFileSync("key.pem"), cert: readFileSync("cert.pem") }',
        },
      );
    });
  }

  it("is the only one with a certificate to be reloaded", async () => {
    const server = await serve(tinyApp(() => ok()));
    assert.throws(() => server.reloadTls(tls), /^TypeError: A server without TLS has no certificate to reload$/);
    await server.close();
  });
});

describe("a request of HTTP/2", () => {
  it("knows the turn of the event loop", async () => {
    const { connect } = await served((request) => text(typeof exchangeOf(request).turn?.began));
    assert.equal((await ask(connect(), {})).body, "number");
  });

  it("has Host, and its cookies in one line", async () => {
    const { connect } = await served(({ headers, cookies, client }) => json([headers.flat, [...cookies], client]));
    const { body } = await ask(connect(), { ":authority": "example.org:8", cookie: ["a=1", "b=2"], "x-own": "1" });
    assert.deepEqual(JSON.parse(body), [
      ["host", "example.org:8", "x-own", "1", "cookie", "a=1; b=2"],
      [
        ["a", "1"],
        ["b", "2"],
      ],
      { address: "127.0.0.1", scheme: "https", host: "example.org:8" },
    ]);
  });

  it("has content, whole and in pieces", async () => {
    const { connect } = await served(async (request) => {
      if (request.path === "/whole") return text(await request.text());
      let size = 0;
      for await (const piece of request.stream()) size += piece.length;
      return json(size);
    });
    const session = connect();
    const post = { ":method": "POST" };
    assert.equal((await ask(session, { ...post, ":path": "/whole" }, "hello")).body, "hello");
    assert.equal((await ask(session, { ...post, ":path": "/whole", "content-length": 5 }, "hello")).body, "hello");
    assert.equal((await ask(session, { ...post, ":path": "/pieces" }, "x".repeat(1_000_000))).body, "1000000");
  });

  it("whose content is too long is answered before it has come, and the session goes on", async () => {
    const { connect } = await served(async (request) => text(await request.text({ limit: 10 })));
    const session = connect();
    assert.equal((await ask(session, { ":method": "POST" }, "x".repeat(1_000_000))).status, 413);
    assert.equal((await ask(session, { ":method": "POST" }, "short")).body, "short");
  });

  it("whose content nobody reads is answered", async () => {
    const { connect } = await served(() => notFound());
    const session = connect();
    for (let i = 0; i < 3; i++)
      assert.equal((await ask(session, { ":method": "POST" }, "x".repeat(1_000_000))).status, 404);
  });

  for (const code of [constants.NGHTTP2_CANCEL, constants.NGHTTP2_NO_ERROR]) {
    it(`whose content is reset with code ${code} fails its reading, and aborts the signal`, async () => {
      const outcome = Promise.withResolvers<unknown>();
      const { server, app } = await served(async (request) => {
        const { signal } = request;
        const name = await request.text().catch((error: Error) => error.name);
        if (!signal.aborted) await once(signal, "abort");
        outcome.resolve(name);
        return ok();
      });
      const reset = Buffer.from([0, 0, 0, code]);
      const socket = speak(
        server.port,
        headers(postFields),
        frame(frames.data, 0, Buffer.from("part")),
        frame(frames.rstStream, 0, reset),
      );
      assert.equal(await outcome.promise, "HttpError");
      assert.deepEqual(app.faults, []);
      socket.destroy();
    });
  }

  it("that expects 100-continue gets it when its content is read; another expectation is refused", async () => {
    const { connect } = await served(async (request) => text(await request.text()));
    const session = connect();
    const stream = session.request({ ":method": "POST", expect: "100-continue" }, { endStream: false });
    await once(stream, "continue");
    stream.end("now");
    assert.equal(Buffer.concat(await stream.toArray()).toString(), "now");
    assert.equal((await ask(session, { ":method": "POST", expect: "wonders" }, "x")).status, 417);
  });

  for (const [what, headers, status, code] of [
    ["to CONNECT", { ":method": "CONNECT", ":authority": "a:80" }, 501, "not-implemented"],
    ["with two hosts", { ":authority": "a", host: "b" }, 400, "malformed-message"],
    ["with a long target", { ":path": `/${"x".repeat(8192)}` }, 414, "target-too-long"],
    ["with long fields", { x: "y".repeat(17_000) }, 431, "head-too-large"],
    [
      "with many fields",
      Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x${i}`, "y"])),
      431,
      "head-too-large",
    ],
    ["with a broken target", { ":path": "/%zz" }, 400, "malformed-target"],
  ] as const) {
    it(`${what} is refused with ${status}, and the session goes on`, async () => {
      const { connect } = await served(() => text("served"));
      const session = connect();
      const { status: given, body, headers: answered } = await ask(session, headers);
      assert.deepEqual([given, JSON.parse(body).type], [status, `/problems/${code}`]);
      assert.equal(answered["content-type"], "application/problem+json");
      assert.equal((await ask(session, {})).body, "served");
    });
  }

  for (const [what, headers] of [
    ["a host that is not a host", { ":authority": "a b" }],
    ["the target *", { ":path": "*" }],
  ] as const) {
    it(`with ${what} is a stream error, and the session goes on`, async () => {
      const { connect } = await served(() => text("served"));
      const session = connect();
      const { status, code } = await ask(session, headers);
      assert.deepEqual([status, code], [undefined, constants.NGHTTP2_PROTOCOL_ERROR]);
      assert.equal((await ask(session, {})).body, "served");
    });
  }

  it("has its fields without the blanks around them", async () => {
    const values: (string | undefined)[] = [];
    const { server } = await served(({ headers }) => {
      values.push(headers.get("If-Match"));
      return ok();
    });
    const given = [' "a"', '"a" ', '\t"a" \t'];
    const socket = speak(
      server.port,
      ...given.map((value, i) => headers([...getFields, ...field("if-match", value)], 2 * i + 1, true)),
    );
    let answers = 0;
    for await (const { type } of received(socket)) if (type === frames.headers && ++answers === given.length) break;
    assert.deepEqual(values, ['"a"', '"a"', '"a"']);
  });

  it("with a field of a connection is a stream error", async () => {
    const { server } = await served(() => assert.fail("the handler ran"));
    const socket = speak(server.port, headers([...postFields, 0, 2, ...Buffer.from("te"), 4, ...Buffer.from("gzip")]));
    const protocolError = frame(frames.rstStream, 0, Buffer.from([0, 0, 0, constants.NGHTTP2_PROTOCOL_ERROR]));
    let received = Buffer.alloc(0);
    while (!received.includes(protocolError)) received = Buffer.concat([received, (await once(socket, "data"))[0]]);
    socket.destroy();
  });

  it("whose head has no end costs its client the session", async () => {
    const { server, connect } = await served(() => ok());
    const flood = Array.from({ length: 20_000 }, () =>
      frame(frames.continuation, 0, Buffer.from([0, 1, 0x78, 1, 0x79])),
    );
    const socket = speak(server.port, frame(frames.headers, 0, Buffer.from(postFields)), ...flood);
    socket.resume();
    await once(socket, "close");
    assert.equal((await ask(connect(), {})).status, 200);
  });

  it("with a character beyond ASCII in its target is refused, and the answer has its escapes", async () => {
    const { connect } = await served(() => ok());
    const { status, body } = await ask(connect(), { ":path": Buffer.from("/?name=Zoë").toString("latin1") });
    assert.equal(status, 400);
    assert.match(JSON.parse(body).detail, /"ë", which must be written as %C3%AB,/);
  });

  it("may have fields and a target that are as long as they may be", async () => {
    const { connect } = await served(({ search }) => text(`${search.length}`));
    // Each counts 32 bytes more here.
    const fields = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`x-${i}`, "y".repeat(170)]));
    const { status } = await ask(connect(), { ...fields, ":path": `/?${"q".repeat(8_100)}` });
    assert.equal(status, 200);
  });

  for (const [what, length, expected] of [
    ["too long are refused", 20_000, 431],
    ["far too long are reset, before all of them are read", 30_000, undefined],
  ] as const) {
    it(`with fields that are ${what}`, async () => {
      const { connect } = await served(() => text("served"));
      const session = connect();
      // The bound is for what follows the client's acknowledgement of the settings.
      assert.equal((await ask(session, {})).status, 200);
      // One field again and again: the client sends the first whole, and each other one as a byte.
      const { status, code } = await ask(session, { x: Array(length / 1_000).fill("y".repeat(1_000)) });
      assert.equal(status, expected);
      assert.notEqual(code, constants.NGHTTP2_INTERNAL_ERROR);
    });
  }

  it("whose content does not come in time gets 408", async () => {
    const { connect } = await served(async (request) => text(await request.text()), { requestTimeout: 200 });
    const stream = connect().request({ ":method": "POST" }, { endStream: false });
    const [headers] = await once(stream, "response");
    assert.equal(headers[":status"], 408);
    stream.close();
  });
});

describe("a response of HTTP/2", () => {
  it("has lower-case fields, Date, its length, and nothing of a connection", async () => {
    const fields = HeaderList.of({
      "X-Own": "1",
      Connection: "close",
      Upgrade: "h2c",
      Vary: "A",
      "Set-Cookie": ["a", "b"],
      Location: ["/a", "/b"],
    });
    const { connect } = await served(() => new HttpResponse(200, fields.withAdded("vary", "B"), "ä"));
    const { headers, body } = await ask(connect(), {});
    assert.equal(body, "ä");
    assert.ok(Date.parse(headers["date"] as string) > 0);
    const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "date"));
    assert.deepEqual(rest, {
      ":status": 200,
      "x-own": "1",
      vary: "A, B",
      "set-cookie": ["a", "b"],
      location: "/a",
      "content-length": "2",
    });
  });

  it("in pieces comes whole", async () => {
    const { connect } = await served(() =>
      content("text/plain", ["one ", new Uint8Array([116, 119, 111]), "x".repeat(1_000_000)]),
    );
    assert.equal((await ask(connect(), {})).body.length, 1_000_007);
  });

  it("that fails before its first piece is a 500, and later a reset stream; the session goes on", async () => {
    const { connect, app } = await served(({ path }) => {
      if (path === "/throws") throw new Error("secret");
      return path === "/ok" ? ok() : content("text/plain", failsAfter(path === "/late" ? ["one"] : []));
    });
    const session = connect();
    assert.equal((await ask(session, { ":path": "/early" })).status, 500);
    assert.equal((await ask(session, { ":path": "/throws" })).status, 500);
    assert.equal((await ask(session, { ":path": "/late" })).code, constants.NGHTTP2_INTERNAL_ERROR);
    assert.equal((await ask(session, { ":path": "/ok" })).status, 200);
    assert.deepEqual(app.faults.map(String), ["Error: secret", "Error: secret", "Error: secret"]);
  });

  it("is made no faster than the client takes it, and ended when the client goes", async () => {
    const ended = Promise.withResolvers<void>();
    const { connect } = await served(() => content("text/plain", endless(ended.resolve)));
    const session = connect();
    const stream = session.request({});
    stream.on("error", () => undefined);
    await once(stream, "response");
    const other = await ask(session, { ":method": "HEAD" });
    assert.equal(other.status, 200);
    stream.close(constants.NGHTTP2_CANCEL);
    await ended.promise;
  });

  it("is reset when the client takes nothing of it for too long", async () => {
    const ended = Promise.withResolvers<void>();
    const { connect } = await served(() => content("text/plain", endless(ended.resolve)), { writeTimeout: 20 });
    const stream = connect().request({});
    stream.on("error", () => undefined);
    await ended.promise;
  });

  for (const length of [100, 100_000]) {
    it(`of ${length} bytes is reset when the client gives it no room, whatever else it sends on the session`, async () => {
      const gone = Promise.withResolvers<void>();
      const handler: TinyHandler = ({ path, signal }) => {
        if (path === "/other") return ok();
        signal.addEventListener("abort", () => gone.resolve());
        return text("x".repeat(length));
      };
      const { connect } = await served(handler, { writeTimeout: 20 });
      const session = connect({ settings: { initialWindowSize: 0 } });
      const stream = session.request({ ":path": "/" }).on("error", () => undefined);
      const closed = new Promise((resolve) => stream.once("close", resolve));
      const others = setInterval(() => session.ping(() => undefined), 2);
      await gone.promise;
      clearInterval(others);
      await closed;
      assert.equal(stream.rstCode, constants.NGHTTP2_INTERNAL_ERROR);
      assert.equal((await ask(session, { ":path": "/other" })).status, 200);
    });
  }
});

describe("a server of HTTP/2", () => {
  it("takes a limited number of streams of a client at a time", async () => {
    let most = 0;
    let inHand = 0;
    const { connect } = await served(async () => {
      most = Math.max(most, ++inHand);
      for (let turn = 0; turn < 5; turn++) await eventLoopTurn();
      inHand--;
      return ok();
    });
    const session = connect();
    await once(session, "remoteSettings");
    const answers = await Promise.all(Array.from({ length: 300 }, () => ask(session, {})));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.ok(most <= 100, `${most} at a time`);
  });

  it("begins few of the streams that a client opens to reset them, ends its session, and serves others", async () => {
    let begun = 0;
    const handler: TinyHandler = ({ path }) => {
      if (path === "/other") return ok();
      begun++;
      return new Promise(() => undefined);
    };
    const { server, connect } = await served(handler);
    const cancel = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]);
    const socket = speak(server.port);
    for (let id = 1; id < 10_000 && !socket.destroyed; id += 2) {
      socket.write(Buffer.concat([headers(postFields, id), frame(frames.rstStream, 0, cancel, id)]));
      await eventLoopTurn();
    }
    if (!socket.destroyed) await once(socket.resume(), "close");
    assert.ok(begun < 500, `${begun} were begun`);
    assert.equal((await ask(connect(), { ":path": "/other" })).status, 200);
  });

  it("goes on with a client whose streams it resets itself", async () => {
    const gate = Promise.withResolvers<void>();
    const { connect, app } = await served(({ path }) =>
      path === "/slow" ? gate.promise.then(() => text("slow")) : content("text/plain", failsAfter(["one"])),
    );
    const session = connect();
    const slow = ask(session, { ":path": "/slow" });
    for (let i = 0; i < 8; i++) await Promise.all(Array.from({ length: 50 }, () => ask(session, {})));
    gate.resolve();
    assert.equal((await slow).body, "slow");
    assert.equal(app.faults.length, 400);
  });

  it("goes on with a client that resets some of its streams", async () => {
    const { connect } = await served(({ path }) => (path === "/other" ? ok() : new Promise(() => undefined)));
    const session = connect();
    await once(session, "remoteSettings");
    for (let i = 0; i < 50; i++) session.request({}).close(constants.NGHTTP2_CANCEL);
    assert.equal((await ask(session, { ":path": "/other" })).status, 200);
  });

  it("ends a session whose head does not come to its end, and no other", async () => {
    const { server, connect } = await served(() => ok());
    const other = connect();
    assert.equal((await ask(other, {})).status, 200);
    const socket = speak(server.port, frame(frames.headers, 0, Buffer.from(postFields)));
    // However it goes on: a field at a time, and in between.
    const drip = setInterval(() => socket.write(frame(frames.continuation, 0, Buffer.from([0, 1, 0x78, 1, 0x79]))), 20);
    await once(socket.resume(), "close");
    clearInterval(drip);
    assert.equal((await ask(other, {})).status, 200);
  });

  it("closes a session on which nothing happens", async () => {
    const { connect } = await served(() => ok(), { keepAliveTimeout: 20 });
    const session = connect();
    await ask(session, {});
    await once(session, "close");
  });

  it("closes an idle session whose last answer took longer than the timeout", async () => {
    const { connect } = await served(
      async ({ native }) => {
        await once((native as ServerHttp2Stream).session as ServerHttp2Session, "timeout"); // that of an open stream
        return ok();
      },
      { keepAliveTimeout: 20 },
    );
    const session = connect();
    assert.equal((await ask(session, {})).status, 200);
    await once(session, "close");
  });

  it("that closes answers what is in hand, and ends the session", async () => {
    const began = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const { connect, server } = await served(async () => {
      began.resolve();
      await gate.promise;
      return text("answered");
    });
    const [session, idle] = [connect(), connect()];
    await once(idle, "connect");
    const answer = ask(session, {});
    await began.promise;
    const closed = server.close({ grace: 2 ** 31 - 1 });
    gate.resolve();
    assert.equal((await answer).body, "answered");
    await closed;
  });

  it("that gives notice serves each new session once", async () => {
    const { connect, server } = await served(() => json(server.draining));
    const closed = server.close({ notice: 2 ** 31 - 1 });
    const session = connect();
    assert.equal((await ask(session, {})).body, "true");
    if (!session.closed) await once(session, "close");
    assert.equal((await ask(connect(), {})).body, "true");
    await server.close();
    await closed;
  });

  it("that closes does not wait for handshakes of TLS", async () => {
    const { connect, server } = await served(() => ok());
    const silent = connectTcp(server.port, "127.0.0.1").resume();
    silent.on("error", () => undefined);
    await once(silent, "connect");
    // By this answer the server has accepted the connection made before it.
    await ask(connect(), {});
    await server.close({ grace: 2 ** 31 - 1 });
    if (!silent.closed) await once(silent, "close");
  });

  it("cuts what is left when the grace is over", async () => {
    const began = Promise.withResolvers<void>();
    const { connect, server } = await served(() => {
      began.resolve();
      return new Promise<HttpResponse>(() => undefined);
    });
    const session = connect();
    const answer = ask(session, {});
    await began.promise;
    await server.close({ grace: 1 });
    assert.equal((await answer).status, undefined);
  });
});

function* endless(onEnd: () => void = () => undefined): Generator<string> {
  try {
    for (;;) yield "x".repeat(1000);
  } finally {
    onEnd();
  }
}

async function* failsAfter(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
  throw new Error("secret");
}
