import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import {
  type PathSegment,
  type StandardSchemaV1,
  toPointer,
  toShortPointer,
} from "../../src/content/standard-schema.ts";
import { anyText } from "../tools/any-text.ts";

// Those of RFC 6901 §6 among them; more than it needs may be escaped.
const pointers: readonly (readonly [path: readonly PathSegment[], pointer: string])[] = [
  [[], "#"],
  [["foo"], "#/foo"],
  [["foo", 0], "#/foo/0"],
  [[""], "#/"],
  [["a/b"], "#/a~1b"],
  [["c%d"], "#/c%25d"],
  [["e^f"], "#/e%5Ef"],
  [["g|h"], "#/g%7Ch"],
  [["i\\j"], "#/i%5Cj"],
  [['k"l'], "#/k%22l"],
  [[" "], "#/%20"],
  [["m~n"], "#/m~0n"],
  [["~1"], "#/~01"],
  [["address", "postalCode"], "#/address/postalCode"],
  [[{ key: "items" }, { key: 2 }, "é"], "#/items/2/%C3%A9"],
  [["#"], "#/%23"],
  [[Symbol("tag")], "#/Symbol(tag)"],
  [["\ud800"], "#/%EF%BF%BD"],
];

describe("toShortPointer", () => {
  it("makes # of a path to a member whose name is very long", () => {
    assert.equal(toShortPointer(["a", "x".repeat(196)]), `#/a/${"x".repeat(196)}`);
    assert.equal(toShortPointer(["a", "x".repeat(197)]), "#");
    assert.equal(toShortPointer(undefined), "#");
  });
});

describe("toPointer", () => {
  for (const [path, pointer] of pointers) {
    it(`makes ${pointer}`, () => assert.equal(toPointer(path), pointer));
  }

  it("makes # of no path", () => assert.equal(toPointer(undefined), "#"));

  it("makes a URI fragment from which the path can be had back", () => {
    fc.assert(
      fc.property(fc.array(anyText()), (path) => {
        const pointer = toPointer(path);
        assert.match(pointer, /^#(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-F]{2})*$/);
        const [, ...tokens] = pointer.slice(1).split("/");
        const back = tokens.map((token) => decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"));
        assert.deepEqual(back, path);
      }),
    );
  });
});

describe("StandardSchemaV1", () => {
  it("is what a zod schema is, with the type of its output", async () => {
    const schema: StandardSchemaV1<unknown, { name: string; born: Date }> = z.object({
      name: z.string(),
      born: z.iso.date().transform((text) => new Date(text)),
    });
    const result = await schema["~standard"].validate({ name: "Ada", born: "1815-12-10" });
    assert.deepEqual(result, { value: { name: "Ada", born: new Date("1815-12-10") } });
  });
});
