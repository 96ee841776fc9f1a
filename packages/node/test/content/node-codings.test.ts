import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { nodeCodings } from "@waymark/node";
import fc from "fast-check";
import { HttpError } from "waymark";
import type { ContentCoding } from "waymark/content";
import { decodePieces } from "../../../waymark/src/content/coded-content.ts";
import { runs } from "../../../waymark/test/tools/runs.ts";

const text = Buffer.from("the same again and ".repeat(500));
const compress: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  zstd: zstdCompressSync,
  br: brotliCompressSync,
  gzip: gzipSync,
};

describe("nodeCodings", () => {
  it("are zstd, br and gzip, which has two names", () => {
    assert.deepEqual(
      nodeCodings.map(({ name, aliases }) => [name, ...aliases]),
      [["zstd"], ["br"], ["gzip", "x-gzip"]],
    );
  });
});

for (const coding of nodeCodings) {
  const coded = compress[coding.name]?.(text) ?? assert.fail(); // each has one

  describe(`the coding ${coding.name}`, () => {
    it("decodes what it coded, in any pieces", async () => {
      const bytes = fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc
          .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(2000))
          .map(([unit, times]) =>
            Uint8Array.from({ length: unit.length * times }, (_, i) => unit[i % unit.length] as number),
          ),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(bytes, { maxLength: 6 }), fc.integer({ min: 1, max: 400 }), async (pieces, cut) => {
          const whole = await encode(coding, ...pieces);
          const cuts = Array.from({ length: Math.ceil(whole.length / cut) }, (_, i) =>
            whole.subarray(i * cut, (i + 1) * cut),
          );
          assert.ok((await decode(coding, ...cuts)).equals(Buffer.concat(pieces)));
        }),
        { numRuns: runs(20) },
      );
    });

    it("has each piece ready for a decoder when it is written", async () => {
      const encoding = coding.encode();
      const decoding = coding.decode();
      encoding.readable.pipeTo(decoding.writable as WritableStream<unknown>).catch(() => undefined);
      const writer = encoding.writable.getWriter();
      const reader = decoding.readable.getReader();
      for (const piece of ["one ", "two"]) {
        writer.write(Buffer.from(piece)).catch(() => undefined);
        assert.equal(Buffer.from((await reader.read()).value ?? assert.fail()).toString(), piece);
      }
      await reader.cancel();
    });

    it("makes text a tenth", async () => {
      const size = (await encode(coding, text)).length;
      assert.ok(size < text.length / 10, String(size));
    });

    const broken: Readonly<Record<string, readonly Uint8Array[]>> = {
      "no bytes at all": [],
      "an empty piece": [Buffer.alloc(0)],
      "another format": [Buffer.from('{"name":"Ada"}')],
      "a part of it": [coded.subarray(0, -3)],
      "its first byte": [coded.subarray(0, 1)],
      "it with garbage at its end": [Buffer.concat([coded, Buffer.from("garbage")])],
      "it with garbage in a piece that follows": [coded, Buffer.from("garbage")],
    };
    for (const [what, pieces] of Object.entries(broken)) {
      it(`finds ${what} malformed`, async () => {
        await assert.rejects(decode(coding, ...pieces), (error) => {
          assert.match(detailOf(error), new RegExp(`^The content is not ${coding.name}: `));
          return true;
        });
      });
    }

    it("throws what the pieces throw", async () => {
      const fault = new Error("the client went away");
      const pieces = (async function* () {
        yield coded.subarray(0, 5);
        throw fault;
      })();
      await assert.rejects(Array.fromAsync(decodePieces(coding, pieces, unbounded)), fault);
    });

    it("makes no more than is asked for, and ends the pieces when it is ended", async () => {
      const bomb = await encode(coding, Buffer.alloc(64 * 2 ** 20));
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const pieces = (async function* () {
        try {
          yield bomb;
          yield bomb;
        } finally {
          end();
        }
      })();
      let size = 0;
      let largest = 0;
      for await (const piece of decodePieces(coding, pieces, unbounded)) {
        size += piece.length;
        largest = Math.max(largest, piece.length);
        if (size > 200_000) break;
      }
      assert.ok(largest <= 65_536, String(largest));
      await ended;
    });
  });
}

describe("the coding gzip", () => {
  it("may have several members", async () => {
    const members = Buffer.concat([gzipSync("one "), gzipSync(""), gzipSync("two")]);
    assert.equal((await decode(named("gzip"), members)).toString(), "one two");
    assert.equal((await decode(named("gzip"), members.subarray(0, 30), members.subarray(30))).toString(), "one two");
  });

  it("gives what was coded, or nothing, when a bit of it is wrong", async () => {
    const coded = gzipSync(text);
    await fc.assert(
      fc.asyncProperty(fc.nat(coded.length - 1), fc.nat(7), async (at, bit) => {
        const faulty = Buffer.from(coded);
        faulty[at] = (coded[at] as number) ^ (1 << bit); // in bounds
        const decoded = await decode(named("gzip"), faulty).catch((error: unknown) => {
          detailOf(error);
          return text;
        });
        assert.ok(decoded.equals(text));
      }),
    );
  });
});

describe("the coding zstd", () => {
  it("refuses a frame that would need more than 8 MiB at a time", async () => {
    const content = Buffer.alloc(2 ** 24 + 1);
    const frame = (windowLog: number): Buffer =>
      zstdCompressSync(content, { params: { [constants.ZSTD_c_windowLog]: windowLog } });
    assert.equal((await decode(named("zstd"), frame(23))).length, content.length);
    await assert.rejects(decode(named("zstd"), frame(24)), (error) => /^The content is not zstd/.test(detailOf(error)));
  });
});

const named = (name: string): ContentCoding => nodeCodings.find((coding) => coding.name === name) ?? assert.fail();

async function encode(coding: ContentCoding, ...pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  const { readable, writable } = coding.encode();
  ReadableStream.from(pieces)
    .pipeTo(writable as WritableStream<unknown>)
    .catch(() => undefined);
  return Buffer.concat(await Array.fromAsync(readable as AsyncIterable<Uint8Array>));
}

async function decode(coding: ContentCoding, ...pieces: readonly Uint8Array[]): Promise<Buffer> {
  const source = (async function* () {
    yield* pieces;
  })();
  return Buffer.concat(await Array.fromAsync(decodePieces(coding, source, unbounded)));
}

const unbounded = { limit: Number.POSITIVE_INFINITY, maxExpansion: Number.POSITIVE_INFINITY };

function detailOf(error: unknown): string {
  assert.ok(error instanceof HttpError, String(error));
  assert.equal(error.response.status, 400);
  return JSON.parse(String(error.response.body)).detail;
}
