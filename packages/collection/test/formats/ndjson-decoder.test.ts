import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ndjsonDecoder } from "../../src/index.ts";
import { decodeList, inPieces } from "./decoded-list.ts";

const mebibyte = 1_048_576;

describe("NDJSON", () => {
  const contents: readonly [what: string, content: string, values: readonly (readonly [line: number, value: unknown])[]][] =
    [
      ["nothing", "", []],
      ["a value a line", '{"a":1}\n[2]\nnull\n', [[1, { a: 1 }], [2, [2]], [3, null]]],
      ["a last line without an end", '1\n{"a":"b"}', [[1, 1], [2, { a: "b" }]]],
      ["lines that end with CRLF", "1\r\n2\r\n", [[1, 1], [2, 2]]],
      ["blank lines, which are counted", "\n \t\n1\n\r\n2\n\n", [[3, 1], [5, 2]]],
      ["characters of several bytes", '"Zoë 🎉"\n', [[1, "Zoë 🎉"]]],
    ]; // biome-ignore format: a table
  for (const [what, content, values] of contents) {
    it(`may have ${what}`, async () => {
      const due = values.map(([line, value]) => ({ line, value }));
      assert.deepEqual(await decodeList(ndjsonDecoder, [Buffer.from(content)]), due);
      assert.deepEqual(await decodeList(ndjsonDecoder, inPieces(content, 1)), due);
    });
  }

  const faults: readonly [what: string, line: string | Buffer, said: RegExp][] = [
    ["half a value", '{"name":"Ada', /^The string has no closing quote at column 13$/],
    ["no JSON", "Ada", /^Expected a value, but found Ada at column 1$/],
    ["two values", "1 2", /^Expected nothing more after the value, but found "2" at column 3$/],
    ["two members of one name", '{"a":1,"a":2}', /"a" occurs twice at column 8$/],
    ["the member __proto__", '{"__proto__":{}}', /__proto__/],
    ["NUL", '"\u0000"', /U\+0000 must be escaped/],
    ["a byte order mark", "\ufeff1", /byte order mark/],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xe9, 0x22]), /not UTF-8: 0xE9/],
  ];
  for (const [what, line, said] of faults) {
    it(`with ${what} on a line has a fault there and nowhere else`, async () => {
      const content = Buffer.concat([Buffer.from("1\n"), Buffer.from(line), Buffer.from("\n3\n")]);
      const [first, second, third] = await decodeList(ndjsonDecoder, [content]);
      assert.deepEqual([first, third], [{ line: 1, value: 1 }, { line: 3, value: 3 }]); // biome-ignore format: short
      assert.equal(second?.line, 2);
      assert.match(second?.issues?.[0]?.message ?? "", said);
    });
  }

  it("takes a line of 1 MiB, and no longer one", async () => {
    const longest = `"${"x".repeat(mebibyte - 2)}"`;
    for (const end of ["\n", "\r\n"]) {
      const content = `${longest}${end}"${longest}${end}3`;
      const [first, ...others] = await decodeList(ndjsonDecoder, inPieces(content, 65_536));
      assert.equal(first?.value, longest.slice(1, -1));
      assert.deepEqual(others, [
        { line: 2, issues: [{ message: "is longer than 1048576 bytes" }] },
        { line: 3, value: 3 },
      ]);
    }
  });

  it("takes 1,000,000 blank lines, and refuses more", async () => {
    const blank = "\n".repeat(1_000_000);
    assert.deepEqual(await decodeList(ndjsonDecoder, [Buffer.from(`${blank}1`)]), [{ line: 1_000_001, value: 1 }]);
    await assert.rejects(decodeList(ndjsonDecoder, [Buffer.from(`${blank}1\n\n`)]), {
      detail: "The content has more than 1,000,000 blank lines",
      line: 1_000_002,
    });
  });

  it("is read in the same way however it is cut into pieces", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), fc.integer({ min: 1, max: 20 }), async (values, size) => {
        const content = values.map((value) => `${JSON.stringify(value)}\n`).join("");
        const due = values.map((value, i) => ({ line: i + 1, value: JSON.parse(JSON.stringify(value)) }));
        const isStrict = !content.includes("__proto__") && !content.includes("\\ud") && !/[0-9]e|\d{16}/.test(content);
        fc.pre(isStrict);
        assert.deepEqual(await decodeList(ndjsonDecoder, inPieces(content, size)), due);
      }),
    );
  });
});
