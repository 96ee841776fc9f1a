import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { mergePatch } from "../../src/patch/merge-patch.ts";

// What a patch makes of a target, for each rule of RFC 7396 §2.
const cases: readonly [target: unknown, patch: unknown, result: unknown][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", c: 1 }, { a: null }, { c: 1 }],
  [{}, { a: null }, {}],
  [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
  [{ a: { b: 1, c: 2 } }, { a: { b: null, d: 3 } }, { a: { c: 2, d: 3 } }],
  [{ a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
  [{ a: 1 }, { a: { b: { c: null } } }, { a: { b: {} } }],
  [{ a: 1 }, ["x"], ["x"]],
  [{ a: 1 }, null, null],
  ["text", { a: 1 }, { a: 1 }],
  [{}, { constructor: { name: "x" } }, { constructor: { name: "x" } }],
];

describe("a JSON merge patch", () => {
  for (const [target, patch, result] of cases) {
    it(`${JSON.stringify(patch)} makes ${JSON.stringify(result)} of ${JSON.stringify(target)}`, () => {
      const before = JSON.stringify([target, patch]);
      assert.deepEqual(mergePatch(target, patch), result);
      assert.equal(JSON.stringify([target, patch]), before);
    });
  }

  it("applied twice makes what it made once", () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
        const once = mergePatch(target, patch);
        assert.deepEqual(mergePatch(once, patch), once);
      }),
    ));

  it("leaves no null in an object that it makes", () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.constantFrom(null, 1)), (patch) => {
        assert.ok(!Object.values(mergePatch({}, patch) as object).includes(null));
      }),
    ));

  it("does not reach a prototype", () => {
    mergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}'));
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });
});
