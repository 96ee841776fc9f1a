import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { type RunningServer, serve } from "@waymark/node";
import { RawConnection } from "../../../node/test/tools/raw-connection.ts";
import { text } from "../../src/response.ts";
import { tinyApp } from "../tools/tiny-app.ts";

// Each message is sent with a good request behind it: a server that finds another end to the first message gives another answer.

const next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
const head = (line: string, ...fields: string[]): string => [line, ...fields, "", ""].join("\r\n");
const get = (...fields: string[]): string => head("GET / HTTP/1.1", "Host: a", ...fields);
const post = (content: string, ...fields: string[]): string => head("POST / HTTP/1.1", "Host: a", ...fields) + content;
const chunks = (content: string): string => post(content, "Transfer-Encoding: chunked");
const coded = (coding: string): string => post("1\r\na\r\n0\r\n\r\n", `Transfer-Encoding: ${coding}`);
const hosted = (host: string): string => head("GET / HTTP/1.1", `Host:${host}`);
const twice = (name: string, value: string): string => get(`${name}: ${value}`, `${name.toUpperCase()}: ${value}`);

/** What, its bytes, the status, and the code of the problem. */
type Case = readonly [what: string, bytes: string, status: number, code: string];

const fatal: readonly Case[] = [
  ["two Host lines", head("GET / HTTP/1.1", "Host: a", "Host: a"), 400, "malformed-message"],
  ["an empty Host", hosted(""), 400, "malformed-message"],
  ...[" a b/?", " a/b", " a@b", " a:b", " :80", " [::1", " [::1]x", " a, b", " %zz", ' "a"'].map(
    (host): Case => [`the Host${host}`, hosted(host), 400, "malformed-message"],
  ),
  [
    "a length beside a transfer coding",
    post("0\r\n\r\n", "Content-Length: 5", "Transfer-Encoding: chunked"),
    400,
    "malformed-message",
  ],
  ["two lengths", post("ab", "Content-Length: 1", "Content-Length: 2"), 400, "malformed-message"],
  ["two equal lengths", post("a", "Content-Length: 1", "Content-Length: 1"), 400, "malformed-message"],
  ...["1, 1", "1, 2", "+1", "-1", "0x1", "1.0", "", "1".repeat(31)].map(
    (length): Case => [`the length "${length}"`, post("a", `Content-Length: ${length}`), 400, "malformed-message"],
  ),
  ["gzip under chunked", coded("gzip, chunked"), 501, "transfer-coding-unknown"],
  ["an empty coding before chunked", coded(", chunked"), 501, "transfer-coding-unknown"],
  ...[
    "gzip",
    "identity",
    "xchunked",
    "chunked, identity",
    "chunked, chunked",
    "chunked;q=1",
    '"chunked"',
    "\x0bchunked",
    "",
  ].map((coding): Case => [`the transfer coding ${JSON.stringify(coding)}`, coded(coding), 400, "malformed-message"]),
  [
    "a transfer coding in HTTP/1.0",
    `${head("POST / HTTP/1.0", "Transfer-Encoding: chunked")}0\r\n\r\n`,
    400,
    "malformed-message",
  ],
  ["a folded line", get("X: a", " b"), 400, "malformed-message"],
  ["a space before the colon", get("X : a"), 400, "malformed-message"],
  ["a space before the first field", head("GET / HTTP/1.1", " Host: a"), 400, "malformed-message"],
  ["a field without a name", get(": a"), 400, "malformed-message"],
  ...["\0", "\r", "\n", "\x01", "\x7f"].map(
    (character): Case => [
      `${JSON.stringify(character)} in a value`,
      get(`X: a${character}b`),
      400,
      "malformed-message",
    ],
  ),
  ["bare line feeds", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", 400, "malformed-message"],
  ["a bare line feed at the end of the head", "GET / HTTP/1.1\r\nHost: a\r\n\n", 400, "malformed-message"],
  ...[
    "1\na\r\n0\r\n\r\n",
    "1\r\na\n0\r\n\r\n",
    "0x1\r\na\r\n",
    "-1\r\na\r\n",
    "1_0\r\na\r\n",
    "1 \r\na\r\n",
    "1".repeat(17),
  ].map((content): Case => [`the chunk ${JSON.stringify(content)}`, chunks(content), 400, "malformed-message"]),
  ["a chunk extension of a megabyte", chunks(`1;${"x".repeat(1_000_000)}\r\n`), 400, "malformed-message"],
  ["a length in the trailers", chunks("1\r\na\r\n0\r\nContent-Length: 9\r\n\r\n"), 400, "malformed-message"],
  ["no end of the chunks", chunks("0\r\n"), 400, "malformed-message"],
  ["fields far past the limit of bytes", get(`X: ${"x".repeat(40_000)}`), 431, "head-too-large"],
  ["a target of a megabyte", head(`GET /?${"&".repeat(2 ** 20)} HTTP/1.1`, "Host: a"), 414, "target-too-long"],
  ["HTTP/0.9", "GET /\r\n\r\n", 505, "version-not-supported"],
  ["the one line of HTTP/0.9", "GET /\r\n", 505, "version-not-supported"],
  ["a request line that cannot be one, before the rest of the head", "GET / a HTTP/1.1\r\n", 400, "malformed-message"],
  ...["0.9", "2.0", "3.7"].map(
    (version): Case => [`HTTP/${version}`, head(`GET / HTTP/${version}`, "Host: a"), 505, "version-not-supported"],
  ),
  ["RTSP", head("DESCRIBE / RTSP/1.0", "CSeq: 1"), 505, "version-not-supported"],
  ["RTSP with a method of HTTP", head("OPTIONS * RTSP/1.0", "CSeq: 1"), 505, "version-not-supported"],
  ["Icecast", head("SOURCE / ICE/1.0", "Host: a"), 505, "version-not-supported"],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "malformed-message"],
  ["a TLS hello", "\x16\x03\x01\x02\x00\x01\x00", 400, "malformed-message"],
  ["an unknown method", head("FOO / HTTP/1.1", "Host: a"), 501, "not-implemented"],
  ["CONNECT", head("CONNECT a:80 HTTP/1.1", "Host: a:80"), 501, "not-implemented"],
  ["a method in lower case", head("get / HTTP/1.1", "Host: a"), 501, "not-implemented"],
  ["a raw space in the target", head("GET /a b HTTP/1.1", "Host: a"), 400, "malformed-message"],
  ["raw UTF-8 in the target", head("GET /\xc3\xa9 HTTP/1.1", "Host: a"), 400, "malformed-message"],
  ...["wonders", "100-continue, wonders", "wonders, 100-continue", "x-100-continue", "100-continue;q=1"].map(
    (expectation): Case => [`the expectation ${expectation}`, get(`Expect: ${expectation}`), 417, "expectation-failed"],
  ),
  ["a query alone as the target", head("GET ?q HTTP/1.1", "Host: a"), 400, "malformed-message"],
];

const mild: readonly Case[] = [
  ...[
    "Content-Type",
    "Authorization",
    "Proxy-Authorization",
    "If-Modified-Since",
    "If-Unmodified-Since",
    "If-Range",
  ].map((name): Case => [`two lines of ${name}`, twice(name, "a"), 400, "malformed-message"]),
  ...["Range", "Content-Range", "Origin", "Access-Control-Request-Method", "Max-Forwards", "Idempotency-Key"].map(
    (name): Case => [`two lines of ${name}`, twice(name, "a"), 400, "malformed-message"],
  ),
  ...["http://:80/", "http:///a", "http://a:b/", "http://a@/"].map(
    (target): Case => [`the target ${target}`, head(`GET ${target} HTTP/1.1`, "Host: a"), 400, "malformed-target"],
  ),
  ["101 fields", get(...Array.from({ length: 100 }, () => "a:1")), 431, "head-too-large"],
  ["2000 fields", get(...Array.from({ length: 2000 }, () => "a:1")), 431, "head-too-large"],
  ["fields past the limit of bytes", get(`X: ${"x".repeat(16_384 - 13)}`), 431, "head-too-large"],
  ["a target of 8193 bytes", head(`GET /${"x".repeat(8192)} HTTP/1.1`, "Host: a"), 414, "target-too-long"],
  ["a target of 20,000 bytes", head(`GET /${"x".repeat(20_000)} HTTP/1.1`, "Host: a"), 414, "target-too-long"],
  [
    "a refusal and a wish to upgrade",
    get("Connection: Upgrade", "Upgrade: h2c", "Range: a", "Range: b"),
    400,
    "malformed-message",
  ],
  ["GET of *", head("GET * HTTP/1.1", "Host: a"), 400, "malformed-target"],
  ["a fragment", head("GET /a#b HTTP/1.1", "Host: a"), 400, "malformed-target"],
  [
    "a refusal with content",
    post("abc", "Content-Type: a", "Content-Type: a", "Content-Length: 3"),
    400,
    "malformed-message",
  ],
];

const sound: readonly (readonly [what: string, bytes: string, seen: string])[] = [
  ["HTTP/1.2", head("GET / HTTP/1.2", "Host: a"), "GET / "],
  ...["a", "example.org:8080", "a:", "[::1]:80", "[v1.a:b]", "127.0.0.1", "a_b", "%41"].map(
    (host) => [`the Host ${host}`, hosted(` ${host}`), "GET / "] as const,
  ),
  ["chunked in another case", coded("Chunked"), "POST / a"],
  ["leading zeros in a chunk's size", chunks("00001\r\na\r\n0\r\n\r\n"), "POST / a"],
  ["small chunk extensions", chunks('1;a=b;c="d"\r\na\r\n0;x\r\n\r\n'), "POST / a"],
  ["trailers", chunks("1\r\na\r\n0\r\nX: y\r\n\r\n"), "POST / a"],
  ["names that only look like framing", post("", "Content_Length: 5", "Transfer_Encoding: chunked"), "POST / "],
  ["an empty line before it", `\r\n${get()}`, "GET / "],
  ["a wish to upgrade", get("Connection: Upgrade", "Upgrade: websocket"), "GET / "],
  [
    "a wish to upgrade to HTTP/2",
    get("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAAA"),
    "GET / ",
  ],
  ["upgrade as no option of the connection", get("Upgrade: websocket"), "GET / "],
  ["a trailer that is not allowed", chunks("1\r\na\r\n0\r\nAuthorization: x\r\n\r\n"), "POST / a"],
  ["content of GET", `${get("Content-Length: 3")}abc`, "GET / abc"],
  ["lists over two lines", get("Accept: a/b", "Accept: c/d"), "GET / "],
  ["100 fields", get(...Array.from({ length: 99 }, () => "a:1")), "GET / "],
  ["fields of 16,384 bytes", get(`X: ${"x".repeat(16_384 - 14)}`), "GET / "],
  ["a target of 8192 bytes", head(`GET /${"x".repeat(8191)} HTTP/1.1`, "Host: a"), `GET /${"x".repeat(8191)} `],
];

const app = tinyApp(async (request) => text(`${request.method} ${request.path} ${await request.text()}`));

let server: RunningServer;
before(async () => {
  server = await serve(app);
});
after(async () => {
  await server.close({ grace: 0 });
  assert.deepEqual(app.faults, []);
});

async function sendByteByByte(client: RawConnection, bytes: string): Promise<void> {
  client.socket.setNoDelay(true);
  for (const byte of bytes) {
    if (client.socket.readableEnded || client.socket.destroyed) return;
    client.send(byte);
    await eventLoopTurn();
  }
}

for (const [how, send, longest] of [
  ["at once", (client: RawConnection, bytes: string) => client.send(bytes), Number.POSITIVE_INFINITY],
  ["byte by byte", sendByteByByte, 300],
] as const) {
  const brief = (cases: readonly Case[]): readonly Case[] => cases.filter(([, bytes]) => bytes.length < longest);

  describe(`a message that comes ${how}`, () => {
    for (const [what, bytes, status, code] of brief(fatal)) {
      it(`with ${what} is answered with ${status} and nothing after`, async () => {
        const client = new RawConnection(server.port);
        await send(client, bytes + next);
        const response = await client.response();
        assert.deepEqual([response.status, JSON.parse(response.body).type], [status, `/problems/${code}`]);
        assert.equal(response.headers["content-type"], "application/problem+json");
        assert.equal(response.headers["connection"], "close");
        assert.ok(Date.parse(response.headers["date"] as string) > 0);
        client.socket.end();
        assert.equal(await client.rest(), "");
      });
    }

    for (const [what, bytes, status, code] of brief(mild)) {
      it(`with ${what} is answered with ${status}, and the next is served`, async () => {
        const client = new RawConnection(server.port);
        await send(client, bytes + next);
        const { status: given, headers, body } = await client.response();
        assert.deepEqual([given, JSON.parse(body).type], [status, `/problems/${code}`]);
        assert.equal(headers["connection"], "keep-alive");
        assert.equal((await client.response()).body, "GET /next ");
        client.destroy();
      });
    }

    for (const [what, bytes, seen] of sound.filter(([, bytes]) => bytes.length < longest)) {
      it(`with ${what} is served, and the next`, async () => {
        const client = new RawConnection(server.port);
        await send(client, bytes + next);
        assert.equal((await client.response()).body, seen);
        assert.equal((await client.response()).body, "GET /next ");
        client.destroy();
      });
    }
  });
}

describe("a connection", () => {
  it("gives the answer to CONNECT in its turn, makes no tunnel, and ends", async () => {
    const client = new RawConnection(server.port).request("GET /");
    client.sendLines("CONNECT example.org:80 HTTP/1.1", "Host: example.org:80", "").request("GET /");
    assert.equal((await client.response()).status, 200);
    const { status, headers } = await client.response();
    assert.deepEqual([status, headers["connection"]], [501, "close"]);
    client.socket.end();
    assert.equal(await client.rest(), "");
  });

  it("ends after an answer to HEAD that is refused, without content", async () => {
    const client = new RawConnection(server.port).sendLines("HEAD / HTTP/1.1", "");
    const { status, headers } = await client.response("HEAD");
    assert.deepEqual([status, headers["connection"]], [400, "close"]);
    client.socket.end();
    assert.equal(await client.rest(), "");
  });

  it("gives the refusal of a coding although the content that follows is broken", async () => {
    const client = new RawConnection(server.port);
    client.send(post("zz\r\n", "Transfer-Encoding: gzip, chunked"));
    assert.equal((await client.response()).status, 501);
    client.send("more\r\n".repeat(1000));
    client.socket.end();
    assert.equal(await client.rest(), "");
  });

  it("goes on after a request with content and a wish to upgrade", async () => {
    const client = new RawConnection(server.port);
    client.send(post("abc", "Connection: Upgrade", "Upgrade: h2c", "Content-Length: 3") + next);
    assert.equal((await client.response()).body, "POST / abc");
    assert.equal((await client.response()).body, "GET /next ");
    client.destroy();
  });

  it("gives nothing after the answer to a request that closes it", async () => {
    const client = new RawConnection(server.port).send(get("Connection: close") + next);
    assert.equal((await client.response()).headers["connection"], "close");
    assert.equal(await client.rest(), "");
  });

  it("is watched while requests before a wish to upgrade are answered, and what comes meanwhile is served", async () => {
    const gates = new Map(["/1", "/3"].map((path) => [path, Promise.withResolvers<void>()]));
    const aborted = new Map<string, Promise<unknown>>();
    const waiting = await serve(
      tinyApp(async ({ path, signal }) => {
        if (gates.has(path)) aborted.set(path, once(signal, "abort"));
        await gates.get(path)?.promise;
        return text(path);
      }),
    );
    const upgrade = get("Connection: Upgrade", "Upgrade: websocket");
    const [patient, gone] = [new RawConnection(waiting.port), new RawConnection(waiting.port)];
    patient.request("GET /1").request("GET /2").send(upgrade);
    gone.request("GET /3").request("GET /4").send(upgrade);
    while (aborted.size < 2) await eventLoopTurn();
    patient.send(next);
    gone.destroy();
    await aborted.get("/3");
    for (const gate of gates.values()) gate.resolve();
    for (const path of ["/1", "/2", "/", "/next"]) assert.equal((await patient.response()).body, path);
    patient.destroy();
    await waiting.close({ grace: 0 });
  });

  it("goes on after many wishes to upgrade, among requests that wait", async () => {
    const upgrade = get("Connection: Upgrade", "Upgrade: websocket");
    const client = new RawConnection(server.port).send((upgrade + next + upgrade + upgrade + next).repeat(10));
    for (let i = 0; i < 50; i++) assert.equal((await client.response()).status, 200);
    client.destroy();
  });
});
