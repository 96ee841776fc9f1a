import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { describe, it } from "node:test";
import { Output } from "../../src/messages/output.ts";

/** An output whose stream takes everything at once, and the length of each write to it. */
function outputWithWrites(): { readonly output: Output; readonly writes: number[] } {
  const writes: number[] = [];
  const stream = new Writable({
    decodeStrings: false,
    highWaterMark: 65_536,
    write(chunk: string | Uint8Array, _encoding, taken) {
      writes.push(chunk.length);
      taken();
    },
    writev(chunks, taken) {
      writes.push(chunks.reduce((sum, { chunk }) => sum + chunk.length, 0));
      taken();
    },
  });
  const unsent = { hold: () => undefined, release: () => undefined } as never; // counts for all connections, which is another test
  const limits = { writeTimeout: 0, minWriteRate: 0, unsent };
  return {
    output: new Output(
      stream,
      limits,
      () => undefined,
      () => undefined,
    ),
    writes,
  };
}

const sent = (output: Output): Promise<void> => new Promise((resolve) => output.whenSent(resolve));

describe("what is written to a connection", () => {
  const cases: readonly (readonly [what: string, bytes: number, writes: readonly number[]])[] = [
    ["short bytes", 100, [105]],
    ["bytes of one slice", 16_380, [16_385]],
    ["long bytes, the first slice of which is short", 70_000, [16_384, 53_621]],
    ["bytes of several slices", 150_000, [16_384, 65_536, 65_536, 2_549]],
  ];
  for (const [what, length, expected] of cases) {
    it(`has ${what} in as few writes as slices, with what is around them`, async () => {
      const { output, writes } = outputWithWrites();
      output.bytes("abc", new Uint8Array(length), "de");
      await sent(output);
      assert.deepEqual(
        writes.filter((each) => each > 0),
        expected,
      );
    });
  }

  it("goes on with long slices while they are taken at once", async () => {
    const { output, writes } = outputWithWrites();
    output.bytes("", new Uint8Array(40_000));
    await sent(output);
    output.bytes("abc", new Uint8Array(40_000), "de");
    await sent(output);
    assert.deepEqual(
      writes.filter((each) => each > 0),
      [16_384, 23_616, 40_005],
    );
  });
});
