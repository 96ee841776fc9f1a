import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { type RunningServer, type ServeOptions, serve } from "@waymark/node";
import { type HttpResponse, text } from "../../../waymark/src/response.ts";
import { type TinyHandler, tinyApp } from "../../../waymark/test/tools/tiny-app.ts";
import { ByteQueue } from "../../src/content/byte-queue.ts";
import { IncomingContent } from "../../src/content/incoming-content.ts";
import { ChunkedDecoder } from "../../src/http1/chunked.ts";
import { type Head, HeadReader } from "../../src/http1/head/head.ts";
import { RawConnection } from "../tools/raw-connection.ts";

// What a client sends bounds the work for it: each of these takes milliseconds, and would take minutes if it were not linear.

const mebibyte = 2 ** 20;
let server: RunningServer | undefined;
afterEach(() => server?.close({ grace: 0 }));

async function connected(handler: TinyHandler, options: ServeOptions = {}): Promise<RawConnection> {
  server = await serve(tinyApp(handler), options);
  return new RawConnection(server.port);
}

const limits = { maxHeaderSize: mebibyte, maxHeaderFields: 100_000, maxTargetLength: mebibyte };

function readByteByByte(bytes: string): Head | undefined {
  const input = new ByteQueue();
  const heads = new HeadReader(limits);
  let head: Head | undefined;
  for (const byte of bytes) {
    input.append(Buffer.from(byte, "latin1"));
    head = heads.read(input);
  }
  return head;
}

describe("a head in pieces of one byte", () => {
  it("of 64 KiB of fields is read", () => {
    const value = "x".repeat(100);
    const head = readByteByByte(`GET / HTTP/1.1\r\nHost: a\r\n${`X: ${value}\r\n`.repeat(600)}\r\n`);
    assert.equal(head?.headers.getAll("X").length, 600);
    assert.equal(head?.refusal, undefined);
  });

  it("may have empty lines before it", () => {
    assert.equal(readByteByByte(`${"\r\n".repeat(1000)}GET / HTTP/1.1\r\nHost: a\r\n\r\n`)?.method, "GET");
  });
});

describe("fields that have come before", () => {
  it("are the same list from the second time on, and others are not", () => {
    const input = new ByteQueue();
    const heads = new HeadReader(limits);
    const read = (target: string, fields: string) => {
      input.append(Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`));
      return heads.read(input);
    };
    read("/1", "X: 1\r\n");
    const second = read("/2", "X: 1\r\n");
    const third = read("/3", "X: 1\r\n");
    assert.equal(third?.headers, second?.headers);
    assert.equal(third?.target, "/3");
    assert.equal(read("/3", "X: 2\r\n")?.headers.get("X"), "2");
    assert.equal(read("/4", "")?.headers.has("X"), false);
    // One whose fields begin like the last ones.
    assert.equal(read("/5", "Y: 1\r\n")?.headers.get("Y"), "1");
  });

  it("are not kept where they are long", () => {
    const input = new ByteQueue();
    const heads = new HeadReader(limits);
    const read = () => {
      input.append(Buffer.from(`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(4_096)}\r\n\r\n`));
      return heads.read(input)?.headers;
    };
    read();
    const second = read();
    assert.equal(second?.get("X")?.length, 4_096);
    assert.notEqual(read(), second);
  });

  it("are judged by the line before them", () => {
    const input = new ByteQueue();
    const heads = new HeadReader(limits);
    input.append(Buffer.from("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
    assert.equal(heads.read(input)?.refusal, undefined);
    input.append(Buffer.from("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
    assert.equal(heads.read(input)?.refusal?.closes, true);
  });
});

describe("chunks", () => {
  it("of one byte become one piece for each segment", () => {
    const input = new ByteQueue();
    input.append(Buffer.from(`${"1\r\na\r\n".repeat(10_000)}0\r\n\r\n`));
    const decoder = new ChunkedDecoder(16_384);
    assert.equal(decoder.decode(input).length, 10_000);
    assert.equal(decoder.isDone, true);
  });

  it("have extensions within a bound that is for all of them", () => {
    const input = new ByteQueue();
    input.append(Buffer.from(`1;${"x".repeat(100)}\r\na\r\n`.repeat(1_000)));
    assert.throws(() => new ChunkedDecoder(16_384).decode(input), { message: "HTTP 400" });
  });

  it("have a size below 2^53", () => {
    for (const [size, isSound] of [
      ["1fffffffffffff", true],
      ["20000000000000", false],
      ["ffffffffffffffff", false],
    ] as const) {
      const input = new ByteQueue();
      input.append(Buffer.from(`${size}\r\na`));
      const decode = () => new ChunkedDecoder(16_384).decode(input).toString();
      if (isSound) assert.equal(decode(), "a");
      else assert.throws(decode, { message: "HTTP 400" });
    }
  });
});

describe("requests in one segment", () => {
  it("are answered in their order, 10,000 of them, and others in between", async () => {
    const client = await connected(({ path }) => text(path));
    const count = 10_000;
    client.send(Array.from({ length: count }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
    const other = new RawConnection((server as RunningServer).port).request("GET /other");
    assert.equal((await other.response()).body, "/other");
    const last = await client.through(`/${count - 1}`);
    assert.equal(last.match(/HTTP\/1\.1 200 OK/g)?.length, count);
    client.destroy();
    other.destroy();
  });

  it("are begun one after another", async () => {
    const first = Promise.withResolvers<HttpResponse>();
    let begun = 0;
    const client = await connected(({ path }) => {
      if (path === "/other") return text("other");
      return ++begun === 1 ? first.promise : text("");
    });
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(50));
    const other = new RawConnection((server as RunningServer).port).request("GET /other");
    await other.response();
    assert.equal(begun, 1);
    first.resolve(text(""));
    for (let i = 0; i < 50; i++) assert.equal((await client.response()).status, 200);
    other.destroy();
    client.destroy();
  });

  it("are not begun while the client reads no answers", async () => {
    let begun = 0;
    const client = await connected(() => {
      begun++;
      return text("x".repeat(10_000));
    });
    client.socket.pause();
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(50_000));
    let before = -1;
    while (begun !== before || begun === 0) {
      before = begun;
      for (let turn = 0; turn < 200; turn++) await eventLoopTurn();
    }
    assert.ok(begun < 10_000, `${begun} were begun`);
    client.destroy();
  });
});

describe("content that nobody reads yet", () => {
  it("is taken up to 64 KiB", async () => {
    const content = new IncomingContent(undefined, () => undefined);
    content.push(Buffer.alloc(65_535));
    assert.equal(content.hasRoom, true);
    content.push(Buffer.alloc(1));
    assert.equal(content.hasRoom, false);
    const read = content.bytes(mebibyte);
    assert.equal(content.hasRoom, true);
    content.complete();
    assert.equal((await read).length, 65_536);
  });
});

describe("content in pieces of one byte", () => {
  it("takes no more room than its bytes", async () => {
    const client = await connected(async (request) => text(String((await request.bytes()).length)));
    client.socket.setNoDelay(true);
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n");
    for (let i = 0; i < 2_000; i++) {
      client.send("x");
      await eventLoopTurn();
    }
    assert.equal((await client.response()).body, "2000");
    client.destroy();
  });
});

describe("a message that is refused", () => {
  for (const [what, bytes, detail] of [
    [
      "a blank before the colon",
      "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
      "A field line has no colon straight behind its name.",
    ],
    [
      "a folded line",
      "GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n",
      "A field line begins with white space. Folded lines are not allowed.",
    ],
    ["a lone line feed", "GET / HTTP/1.1\r\nHost: a\n\r\n", "A line ends without a carriage return."],
    [
      "a NUL in a value",
      "GET / HTTP/1.1\r\nX: a\0b\r\n\r\n",
      "The value of X has a character that a field cannot carry.",
    ],
    [
      "two framings",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "The request has both Content-Length and Transfer-Encoding.",
    ],
    [
      "a tab in a coding",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\tchunked\r\n\r\n",
      "Transfer-Encoding has a tab, which some readers take for a part of its value.",
    ],
    ["no method", "\r\n\0", "The bytes are not a request."],
    [
      "an umlaut in the query, in UTF-8",
      "GET /person?q=m\u00c3\u00bcller HTTP/1.1\r\nHost: a\r\n\r\n",
      'The query has the character "ü", which must be written as %C3%BC, at offset 3. With curl, -G --data-urlencode "name=value" writes a query so.',
    ],
    [
      "an umlaut in the query, in Latin-1",
      "GET /person?q=m\u00fcller HTTP/1.1\r\nHost: a\r\n\r\n",
      'The query has the character "ü", which must be written as %C3%BC, at offset 3. With curl, -G --data-urlencode "name=value" writes a query so.',
    ],
    [
      "an umlaut in the path",
      "GET /b\u00c3\u00bccher HTTP/1.1\r\nHost: a\r\n\r\n",
      'The path has the character "ü", which must be written as %C3%BC, at offset 2.',
    ],
    [
      "a control character in the path",
      "GET /a\u0001b HTTP/1.1\r\nHost: a\r\n\r\n",
      "The path has the control character U+0001 at offset 2.",
    ],
    [
      "a space in the query",
      "GET /?q=a b HTTP/1.1\r\nHost: a\r\n\r\n",
      "The request line has more than a method, a target and a version: write a space as %20.",
    ],
    [
      "no target",
      "GET  HTTP/1.1\r\nHost: a\r\n\r\n",
      "The request line has more than one space before its target, or no target.",
    ],
  ] as const) {
    it(`for ${what} is answered at once`, async () => {
      const client = await connected(() => assert.fail("the handler ran"));
      const { status, body } = await client.send(bytes).response();
      const text = Buffer.from(body, "latin1").toString(); // The client reads a character for each byte.
      assert.deepEqual([status, JSON.parse(text).detail], [400, detail]);
      client.destroy();
    });
  }
});
