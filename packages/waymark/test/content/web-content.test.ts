import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WebContent } from "../../src/adapter/fetch.ts";

describe("the content of a web request", () => {
  it("has the length that is declared, none, or an unknown one", () => {
    const sent = (init: RequestInit): number | undefined => new WebContent(new Request("http://a/", init)).length;
    assert.equal(sent({}), 0);
    assert.equal(sent({ method: "POST", body: "hello" }), undefined);
    assert.equal(sent({ method: "POST", body: "hello", headers: { "Content-Length": "5" } }), 5);
    assert.equal(sent({ method: "POST", body: "hello", headers: { "Content-Length": "five" } }), undefined);
  });

  it("is cancelled when its reader gives up", async () => {
    const cancelled = Promise.withResolvers<void>();
    const body = new ReadableStream({
      pull: (to) => to.enqueue(new Uint8Array(10)),
      cancel: () => cancelled.resolve(),
    });
    const content = new WebContent(new Request("http://a/", { method: "POST", body, duplex: "half" }));
    for await (const piece of content.stream(100)) {
      assert.equal(piece.length, 10);
      break;
    }
    await cancelled.promise;
  });

  it("that breaks is interrupted, which is not a fault", async () => {
    const body = new ReadableStream({ start: (to) => to.error(new Error("gone")) });
    const content = new WebContent(new Request("http://a/", { method: "POST", body, duplex: "half" }));
    await assert.rejects(content.bytes(100), { name: "HttpError", message: "HTTP 400" });
  });

  it("must be bytes", async () => {
    const body = new ReadableStream({ start: (to) => to.enqueue("text") });
    const content = new WebContent(new Request("http://a/", { method: "POST", body, duplex: "half" }));
    await assert.rejects(content.bytes(100), {
      name: "TypeError",
      message: "The content of a web Request must be bytes",
    });
  });
});
