import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HttpError } from "../../../waymark/src/problem.ts";
import { ByteQueue } from "../../src/content/byte-queue.ts";
import { type FieldSection, readFieldSection } from "../../src/http1/head/field-section.ts";
import { HeadReader } from "../../src/http1/head/head.ts";
import { SharedFields } from "../../src/http1/head/known-fields.ts";

// The fields of a connection's last head are known by their bytes: no other head may be taken for it.

const limits = { maxHeaderSize: 16_384, maxHeaderFields: 100, maxTargetLength: 8_192 };
const names = ["Host", "accept", "Content-Length", "Connection", "cookie", "X-A", "X-B"];
const requestLine = "GET /person/1 HTTP/1.1\r\n";
const fields = "Host: a.example\r\nAccept: text/csv\r\nContent-Length: 12\r\nCookie: a=1\r\nX-A: 1\r\nX-B:\r\n\r\n";

/** Everything that a reader makes of a message; the text of the refusal where it refuses it. */
function read(reader: HeadReader, message: string): unknown {
  const queue = new ByteQueue();
  queue.append(Buffer.from(message, "latin1"));
  try {
    const head = reader.read(queue);
    if (head === undefined) return "incomplete";
    const { headers, ...others } = head;
    const asked = [...names, ...names].map((name) => headers.get(name));
    return { ...others, flat: headers.flat, asked, rest: queue.length };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return error.response.body;
  }
}

describe("a head behind another one on its connection", () => {
  it("is read as on a new connection, whichever byte of the fields differs", () => {
    for (let at = 0; at < fields.length; at++) {
      for (const byte of [
        "\0",
        "\t",
        "\n",
        "\r",
        " ",
        "0",
        "2",
        ":",
        "A",
        "x",
        "\x7f",
        "\xe9",
        "",
        "1\r\nX-B: 2\r\nX-C: ",
      ]) {
        const changed = requestLine + fields.slice(0, at) + byte + fields.slice(at + 1);
        const reader = new HeadReader(limits);
        // The second time they are known, and what is asked of them is remembered.
        for (let time = 0; time < 3; time++) read(reader, requestLine + fields);
        const message = JSON.stringify(changed);
        assert.deepEqual(read(reader, changed), read(new HeadReader(limits), changed), message);
      }
    }
  });

  it("is read as on a server of its own, whichever values differ from those on other connections", () => {
    const shared = new SharedFields();
    const values = ["", "1", "2, 3", " a b\t", "\x80", "\0", "x".repeat(400)];
    const hosts = ["a.example", "b.example", "@"];
    for (let n = 0; n < values.length ** 3 * hosts.length; n++) {
      const [a, b, c] = [0, 1, 2].map((i) => values[Math.floor(n / values.length ** i) % values.length]);
      const lines = [`X-A:${a}`, `Host: ${hosts[n % hosts.length]}`, `Cookie: ${b}`, "Connection: TE", `cookie: ${c}`];
      const message = `${requestLine}${lines.join("\r\n")}\r\n\r\n`;
      const expected = read(new HeadReader({ ...limits, maxHeaderSize: 900 }), message);
      assert.deepEqual(read(new HeadReader({ ...limits, maxHeaderSize: 900 }, shared), message), expected, message);
    }
  });

  it("has its own request line", () => {
    const reader = new HeadReader(limits);
    for (const line of [
      "GET /a HTTP/1.1",
      "POST /b HTTP/1.1",
      "GET /a HTTP/1.0",
      "G@T /a HTTP/1.1",
      "GET /a",
      "GET /a HTTP/2.0",
    ]) {
      const message = `${line}\r\n${fields}`;
      assert.deepEqual(read(reader, message), read(new HeadReader(limits), message), line);
    }
  });

  it("is recognized whatever follows it, and not before it is complete", () => {
    const reader = new HeadReader(limits);
    read(reader, requestLine + fields);
    for (const rest of ["", "x", "GET / HTTP/1.1\r\n"]) {
      const message = requestLine + fields + rest;
      assert.deepEqual(read(reader, message), read(new HeadReader(limits), message));
    }
    for (let length = 1; length < (requestLine + fields).length; length++) {
      const message = (requestLine + fields).slice(0, length);
      const other = new HeadReader(limits);
      read(other, requestLine + fields);
      assert.deepEqual(read(other, message), read(new HeadReader(limits), message), `${length} bytes`);
    }
  });
});

describe("fields like some that were parsed", () => {
  const section = (text: string): FieldSection => readFieldSection(text, 1, limits);
  const find = (shared: SharedFields, bytes: Buffer): FieldSection | undefined =>
    shared.findLike(bytes, 0, bytes.length, limits);

  it("are these, where no value differs", () => {
    const shared = new SharedFields();
    const bytes = Buffer.from("Host: a.example\r\nAccept: text/csv\r\n\r\n");
    const parsed = section(bytes.toString());
    shared.addLines(bytes, parsed);
    assert.equal(find(shared, bytes), parsed);
  });

  it("are compared with few, when they differ from many in the last line only", () => {
    const shared = new SharedFields();
    const lines = (value: string, last: string): string =>
      `Host: a.example\r\n${"ABCDEFGH".replace(/./g, `X-$&: ${value}\r\n`)}${last}: 1\r\n\r\n`;
    for (const last of "abcdefghijklmnop") shared.addLines(Buffer.from(lines("1", last)), section(lines("1", last)));
    let looks = 0;
    const bytes = Object.assign(Buffer.from(lines("2", "q")), {
      indexOf(this: Buffer, ...sought: Parameters<Buffer["indexOf"]>): number {
        looks++;
        return Buffer.prototype.indexOf.apply(this, sought);
      },
    });
    assert.equal(find(shared, bytes), undefined);
    assert.ok(looks <= 3 * 8, `${looks} ends of lines were looked for`);
  });
});
