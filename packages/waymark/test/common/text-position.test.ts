import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { positionAt } from "../../src/common/wording.ts";

const places: readonly (readonly [text: string, index: number, line: number, column: number])[] = [
  ["", 0, 1, 1],
  ["abc", 0, 1, 1],
  ["abc", 3, 1, 4],
  ["a\nb", 1, 1, 2],
  ["a\nb", 2, 2, 1],
  ["a\n", 2, 2, 1],
  ["a\r\nb", 1, 1, 2],
  ["a\r\nb", 3, 2, 1],
  ["a\rb", 2, 2, 1],
  ["a\r", 2, 2, 1],
  ["\n\r\n\r", 4, 4, 1],
  ["a\u2028b", 2, 1, 3],
  ["\u{1f600}b", 2, 1, 2],
  ["x\n\u{1f600}\u{1f600}b", 6, 2, 3],
  ["\ud83db", 1, 1, 2],
];

describe("positionAt", () => {
  for (const [text, index, line, column] of places) {
    it(`is line ${line}, column ${column} for index ${index} of ${JSON.stringify(text)}`, () => {
      assert.deepEqual(positionAt(text, index), { line, column });
    });
  }

  it("counts the lines before and the characters of the line", () => {
    const line = fc.string({ unit: "grapheme" }).filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(line), line, fc.constantFrom("\n", "\r\n", "\r"), (before, start, ending) => {
        const text = [...before, start].join(ending);
        assert.deepEqual(positionAt(`${text}rest`, text.length), {
          line: before.length + 1,
          column: Array.from(start).length + 1,
        });
      }),
    );
  });
});
