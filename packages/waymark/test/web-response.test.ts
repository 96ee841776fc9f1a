import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { fromWebResponse, HttpResponse } from "../src/response.ts";

describe("fromWebResponse", () => {
  it("takes over status, fields and body", async () => {
    const response = fromWebResponse(Response.json({ a: 1 }, { status: 201, headers: { Location: "/a" } }));
    assert.ok(response instanceof HttpResponse);
    assert.equal(response.status, 201);
    assert.equal(response.headers.get("Location"), "/a");
    assert.equal(response.headers.get("Content-Type"), "application/json");
    // A web body is a stream.
    assert.equal(await new Response(response.body as ReadableStream).text(), '{"a":1}');
  });

  it("keeps each line of Set-Cookie", () => {
    const headers = new Headers();
    headers.append("Set-Cookie", "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT");
    headers.append("Set-Cookie", "b=2");
    assert.deepEqual(fromWebResponse(new Response(null, { headers })).headers.getAll("Set-Cookie"), [
      "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT",
      "b=2",
    ]);
  });

  it("has no body for a response without one", () => {
    assert.equal(fromWebResponse(new Response(null, { status: 204 })).body, null);
  });

  for (const [headers, length] of [
    [{ "Content-Length": "3" }, "3"],
    [{ "Content-Length": "3", "Content-Encoding": "gzip" }, undefined],
  ] as const) {
    it(`has the Content-Length ${length} for ${JSON.stringify(headers)}`, () => {
      assert.equal(fromWebResponse(new Response("abc", { headers })).headers.get("Content-Length"), length);
    });
  }

  for (const [coding, sent, received] of [
    ["gzip", gzipSync("text"), undefined],
    ["deflate", deflateSync("text"), undefined],
    ["BR", brotliCompressSync("text"), undefined],
    ["gzip, br", brotliCompressSync(gzipSync("text")), undefined],
    ["x-own", "text", "x-own"],
  ] as const) {
    it(`of fetch has the Content-Encoding ${received} where ${coding} was sent`, async () => {
      const upstream = createServer((_, response) => {
        response.writeHead(200, { "Content-Encoding": coding, Connection: "close" }).end(sent);
      });
      await once(upstream.listen(0, "127.0.0.1"), "listening");
      const { port } = upstream.address() as AddressInfo; // it listens on a port
      const response = fromWebResponse(await fetch(`http://127.0.0.1:${port}`));
      assert.equal(response.headers.get("Content-Encoding"), received);
      assert.equal(await new Response(response.body as ReadableStream).text(), "text");
      upstream.close();
    });
  }

  it("refuses a Response that has been read, or is being read", async () => {
    const message = "The body of the web Response has been read already; return a clone() to send it too";
    const read = new Response("text");
    await read.text();
    assert.throws(() => fromWebResponse(read), { name: "TypeError", message });
    const locked = new Response("text");
    locked.body?.getReader();
    assert.throws(() => fromWebResponse(locked), { name: "TypeError", message });
  });

  it("refuses Response.error(), which is not a response", () => {
    assert.throws(() => fromWebResponse(Response.error()), RangeError);
  });
});
