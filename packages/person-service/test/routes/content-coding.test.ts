import assert from "node:assert/strict";
import { it } from "node:test";
import {
  brotliCompressSync,
  brotliDecompressSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";
import { asJson, assertProblem, asXml, read, store } from "../tools/answers.ts";
import { describeService, type Message } from "../tools/transports.ts";

type Code = (bytes: string | Uint8Array) => Buffer<ArrayBuffer>;

const codings: readonly (readonly [name: string, encode: Code, decode: (bytes: Uint8Array) => Buffer])[] = [
  ["zstd", zstdCompressSync, zstdDecompressSync],
  ["br", brotliCompressSync, brotliDecompressSync],
  ["gzip", gzipSync, gunzipSync],
];

/** The message with its content in a coding. */
function coded({ headers, body = "" }: Message, name: string, encode: Code): Message {
  return { headers: { ...headers, "Content-Encoding": name }, body: encode(body) };
}

describeService("content codings", (openService) => {
  const service = openService();

  for (const [name, encode, decode] of codings) {
    it(`are read and sent: ${name}`, async () => {
      for (const message of [asJson({ name }), asXml(`<person><name>${name}</name></person>`)]) {
        assert.equal((await read(service, await store(service, coded(message, name, encode))))["name"], name);
      }
      await store(service, asJson({ name: "Ada", description: "long ".repeat(200).trim() }));
      const plain = await service.send("GET", "/person");
      const answer = await service.send("GET", "/person", { headers: { "Accept-Encoding": name } });
      assert.equal(answer.headers["content-encoding"], name);
      for (const { headers } of [plain, answer]) assert.equal(headers["vary"], "Prefer, Accept, Accept-Encoding");
      assert.ok(answer.bytes.length < plain.bytes.length / 2);
      assert.equal(decode(answer.bytes).toString(), plain.text);
      const bomb = await service.send("POST", "/person", coded(asJson("[".repeat(2 ** 24)), name, encode));
      assert.equal((await assertProblem(service, bomb, 413, "content-too-large"))["limit"], 2 ** 20);
    });
  }

  it("that are not known are refused, with those that are", async () => {
    const answer = await service.send("POST", "/person", coded(asJson({ name: "Ada" }), "deflate", gzipSync));
    await assertProblem(service, answer, 415, "unsupported-content-coding");
    assert.equal(answer.headers["accept-encoding"], "zstd, br, gzip");
  });
});
