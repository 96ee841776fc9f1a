import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { nodeCodings } from "@waymark/node";
import fc from "fast-check";
import { type ContentCoding, ContentError, type Extent } from "waymark/content";
import { runs } from "../../waymark/test/runs.ts";

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
      const extent = fc.constantFrom<Extent>("part", "part", "flush");
      const bytes = fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc
          .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(2000))
          .map(([unit, times]) =>
            Uint8Array.from({ length: unit.length * times }, (_, i) => unit[i % unit.length] as number),
          ),
      );
      const body = fc.array(fc.tuple(bytes, extent), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(body, fc.integer({ min: 1, max: 400 }), async (pieces, cut) => {
          const encoder = coding.encoder();
          const out: Uint8Array[] = [];
          for (const [piece, until] of pieces) out.push(await encoder.encode(piece, until));
          out.push(await encoder.encode(new Uint8Array(), "end"));
          encoder.close();
          const whole = Buffer.concat(out);
          const cuts = Array.from({ length: Math.ceil(whole.length / cut) }, (_, i) =>
            whole.subarray(i * cut, (i + 1) * cut),
          );
          const decoded = await decode(coding, ...cuts);
          assert.ok(decoded.equals(Buffer.concat(pieces.map(([piece]) => piece))));
        }),
        { numRuns: runs(20) },
      );
    });

    it("has everything ready for a decoder once it is flushed", async () => {
      const encoder = coding.encoder();
      const incomplete = coding.decode(
        (async function* () {
          yield await encoder.encode(Buffer.from("one "), "part");
          yield await encoder.encode(Buffer.from("two"), "flush");
          throw new Error("nothing more");
        })(),
      );
      let seen = "";
      await assert.rejects(async () => {
        for await (const piece of incomplete) seen += Buffer.from(piece).toString();
      }, /nothing more/);
      assert.equal(seen, "one two");
      encoder.close();
    });

    it("makes text a tenth", async () => {
      const size = (await encode(coding, text)).length;
      assert.ok(size < text.length / 10, String(size));
    });

    it("rejects what is under way, and what comes later, once its encoder is closed", async () => {
      const encoder = coding.encoder();
      const underWay = encoder.encode(Buffer.alloc(1_000_000), "end");
      encoder.close();
      await assert.rejects(underWay);
      await assert.rejects(encoder.encode(Buffer.from("x"), "flush"));
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
          assert.ok(error instanceof ContentError, String(error));
          assert.match(error.detail, new RegExp(`^The content is not ${coding.name}: `));
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
      await assert.rejects(Array.fromAsync(coding.decode(pieces)), fault);
    });

    it("makes no more than is asked for, and ends the pieces when it is ended", async () => {
      const bomb = await encode(coding, Buffer.alloc(64 * 2 ** 20));
      let ended = false;
      const pieces = (async function* () {
        try {
          yield bomb;
          yield bomb;
        } finally {
          ended = true;
        }
      })();
      let size = 0;
      let largest = 0;
      for await (const piece of coding.decode(pieces)) {
        size += piece.length;
        largest = Math.max(largest, piece.length);
        if (size > 200_000) break;
      }
      assert.ok(largest <= 65_536, String(largest));
      assert.ok(ended);
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
          assert.ok(error instanceof ContentError, String(error));
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
    await assert.rejects(decode(named("zstd"), frame(24)), ContentError);
  });
});

const named = (name: string): ContentCoding => nodeCodings.find((coding) => coding.name === name) ?? assert.fail();

async function encode(coding: ContentCoding, bytes: Uint8Array): Promise<Uint8Array> {
  const encoder = coding.encoder();
  const coded = await encoder.encode(bytes, "end");
  encoder.close();
  return coded;
}

async function decode(coding: ContentCoding, ...pieces: readonly Uint8Array[]): Promise<Buffer> {
  const source = (async function* () {
    yield* pieces;
  })();
  return Buffer.concat(await Array.fromAsync(coding.decode(source)));
}
