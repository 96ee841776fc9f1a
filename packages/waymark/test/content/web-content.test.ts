import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { webContent } from "../../src/adapter/fetch.ts";

const sourceOf = (init: RequestInit): ReturnType<typeof webContent> => webContent(new Request("http://a/", init));

describe("the content of a web request", () => {
  it("has the length that is declared, or an unknown one, where there is some", () => {
    const sent = (init: RequestInit): number | undefined => sourceOf(init)?.length;
    assert.equal(sourceOf({}), undefined);
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
    const content = sourceOf({ method: "POST", body, duplex: "half" }) ?? assert.fail();
    for await (const piece of content.stream(100)) {
      assert.equal(piece.length, 10);
      break;
    }
    await cancelled.promise;
  });

  it("that breaks is interrupted, which is not a fault", async () => {
    const body = new ReadableStream({ start: (to) => to.error(new Error("gone")) });
    const content = sourceOf({ method: "POST", body, duplex: "half" }) ?? assert.fail();
    await assert.rejects(content.bytes(100), { name: "HttpError", message: "HTTP 400" });
  });

  it("must be bytes", async () => {
    const body = new ReadableStream({ start: (to) => to.enqueue("text") });
    const content = sourceOf({ method: "POST", body, duplex: "half" }) ?? assert.fail();
    await assert.rejects(content.bytes(100), {
      name: "TypeError",
      message: "The content of a web Request must be bytes",
    });
  });
});
