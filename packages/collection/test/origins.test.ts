import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { hasPosition, rowKeyOf, withPosition } from "../src/stores/writing/origins.ts";

describe("the positions of a source", () => {
  const position = fc.integer({ min: 0, max: 5000 });

  it("are those that were added, whatever their order, in rows of at most 256 characters", () => {
    fc.assert(
      fc.property(fc.array(position, { maxLength: 200 }), fc.array(position), (added, asked) => {
        const rows = new Map<string, string>();
        for (const position of added) {
          const origin = { key: "a", position };
          const row = rowKeyOf(origin);
          rows.set(row, withPosition(rows.get(row) ?? "", origin));
        }
        for (const position of [...asked, ...added]) {
          const origin = { key: "a", position };
          assert.equal(hasPosition(rows.get(rowKeyOf(origin)) ?? "", origin), added.includes(position));
        }
        for (const row of rows.values()) assert.match(row, /^[0-9a-f]{1,256}$/);
      }),
    );
  });

  it("of different sources are in different rows", () => {
    assert.notEqual(rowKeyOf({ key: "a", position: 1 }), rowKeyOf({ key: "b", position: 1 }));
    assert.notEqual(rowKeyOf({ key: "a", position: 0 }), rowKeyOf({ key: "a", position: 1024 }));
  });
});
