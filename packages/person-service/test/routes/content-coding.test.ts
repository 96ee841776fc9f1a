import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  brotliCompressSync,
  brotliDecompressSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";
import { asJson, assertProblem, asXml, read, readAll, store } from "../tools/answers.ts";
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
  describe("the people", () => {
    const service = openService();

    it("are sent in the coding that the client prefers", async () => {
      for (let i = 0; i < 20; i++) await store(service, asJson({ name: `Ada Lovelace ${i}` }));
      const plain = await service.send("GET", "/person");
      assert.equal(plain.headers["content-encoding"], undefined);
      assert.equal(plain.headers["vary"], "Prefer, Accept, Accept-Encoding");
      for (const [name, , decode] of codings) {
        const answer = await service.send("GET", "/person", { headers: { "Accept-Encoding": name } });
        assert.equal(answer.headers["content-encoding"], name);
        assert.equal(answer.headers["vary"], "Prefer, Accept, Accept-Encoding");
        assert.equal(answer.headers["content-type"], "application/json");
        assert.ok(answer.bytes.length < plain.bytes.length / 3);
        assert.equal(decode(answer.bytes).toString(), plain.text);
      }
    });
  });

  describe("content that is sent in one", () => {
    const service = openService();

    it("is stored as if it had come without", async () => {
      for (const [name, encode] of codings) {
        for (const message of [asJson({ name: `Ada ${name}` }), asXml(`<person><name>Ada ${name}</name></person>`)]) {
          const id = await store(service, coded(message, name, encode));
          assert.equal((await read(service, id))["name"], `Ada ${name}`);
        }
      }
    });

    it("is refused when it becomes longer than 1 MiB, however short it was, and the connection goes on", async () => {
      const before = (await readAll(service)).length;
      for (const [name, encode] of codings) {
        const bomb = coded(asJson("[".repeat(2 ** 24)), name, encode);
        const answer = await service.send("POST", "/person", bomb);
        assert.equal((await assertProblem(service, answer, 413, "content-too-large"))["limit"], 2 ** 20);
        const next = await service.send("GET", "/person");
        assert.deepEqual([next.status, next.connection], [200, answer.connection]);
      }
      assert.equal((await readAll(service)).length, before);
    });
  });
});
