import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { MediaType } from "waymark/fields";
import { jsonArrayDecoder } from "../../src/index.ts";

const mediaType = MediaType.parse("application/json");
assert.ok(mediaType !== undefined);
const reading = { mediaType, lenient: false };

async function decode(text: string, size = text.length): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(text);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < bytes.length; start += Math.max(size, 1)) yield bytes.subarray(start, start + size);
  }
  return Array.fromAsync(jsonArrayDecoder.decode(pieces(), reading), ({ line, value, issues }) =>
    issues === undefined ? [line, value] : [line, issues[0]?.message],
  );
}

describe("a JSON array of records", () => {
  it("yields its values with their numbers, however it is cut into pieces", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 5 }),
        fc.nat(9),
        fc.nat(2),
        async (values, size, indent) => {
          // What strict JSON refuses is not the matter here.
          const text = JSON.stringify(values, undefined, indent);
          fc.pre(!/__proto__|-0|e[+-]?\d|\\ud/.test(text));
          assert.deepEqual(
            await decode(text, size + 1),
            (JSON.parse(text) as unknown[]).map((value, i) => [i + 1, value]),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  it("may be empty, and have brackets and quotation marks in its texts", async () => {
    assert.deepEqual(await decode(" \n[ ] \n", 1), []);
    const values = ["]", { a: '["}' }, [1, [2]]];
    assert.deepEqual(
      await decode(JSON.stringify(values), 1),
      values.map((value, i) => [i + 1, value]),
    );
  });

  it("is not spoiled by a value that is not JSON", async () => {
    const [one, two, three] = (await decode("[{'a':1},{},{\"a\":1}}]")) as [number, string][];
    assert.match(one?.[1] ?? "", /double quotes.* at line 1, column 2 of the record$/);
    assert.deepEqual(two, [2, {}]);
    assert.match(three?.[1] ?? "", /at line 1, column 8 of the record$/);
  });

  it("has the place of a fault counted from the beginning of its record", async () => {
    const [, two] = (await decode('[\n  { "a": 1 },\n  {\n    "a": 01 }\n]')) as [number, string][];
    assert.match(two?.[1] ?? "", /leading zero at line 2, column 10 of the record$/);
  });

  it("has a fault where a comma has no value behind it", async () => {
    assert.equal((await decode("[1,]")).length, 2);
    assert.equal((await decode("[,1]")).length, 2);
  });

  it("is not spoiled by a value that is too long", async () => {
    const values = await decode(`["${"x".repeat(1_048_576)}",2]`, 65_536);
    assert.deepEqual(values, [
      [1, "is longer than 1048576 bytes"],
      [2, 2],
    ]);
  });

  for (const [text, message] of [
    ["", /is not a JSON array/],
    ["{}", /is not a JSON array/],
    ["[1", /is not closed: the content ends in record 1/],
    ["[1, ", /is not closed: the content ends before record 2/],
    ['[1,"', /is not closed: the content ends in record 2/],
    ["[1] x", /continues after the end of the JSON array/],
  ] as const) {
    it(`is not ${JSON.stringify(text)}`, () => assert.rejects(decode(text), message));
  }
});
