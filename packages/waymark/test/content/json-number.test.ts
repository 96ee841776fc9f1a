import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isKeptByDouble } from "../../src/content/decimal.ts";

const kept = [
  ..."0 -0 0.0 -0.0e5 0e999999999999999999999 1 -1 1.0 10 1e2 1E+2 1e-2 100e-2 0.1 0.10 123456789012345 1e23".split(
    " ",
  ),
  ..."9007199254740991 9007199254740992 9007199254740994 -9007199254740994 1.7976931348623157e308 5e-324".split(" "),
  ..."0.30000000000000004 30000000000000004e-17 0.0000000001e10 1000000000000000000000000e-24".split(" "),
];
const rounded = [
  ..."9007199254740993 -9007199254740993 9007199254740993e0 90071992547409930e-1 9007199254740992.5".split(" "),
  ..."0.1000000000000000055511151231257827 3.14159265358979323846264 0.30000000000000003 36028797018963968".split(" "),
  ..."1e400 -1e400 1e309 1.7976931348623159e308 1e999999999999999999999 1e-400 -1e-400 4e-324 1e-999999999999999999999".split(
    " ",
  ),
];

describe("isKeptByDouble", () => {
  for (const number of kept) it(`is true of ${number}`, () => assert.equal(isKeptByDouble(number), true));
  for (const number of rounded) it(`is false of ${number}`, () => assert.equal(isKeptByDouble(number), false));

  it("is true of every decimal of up to 15 digits", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 15n - 1n), fc.integer({ min: -280, max: 290 }), (digits, exponent) =>
        isKeptByDouble(`${digits}e${exponent}`),
      ),
    );
  });

  it("does not depend on how a value is spelled", () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{0,24}$/);
    fc.assert(
      fc.property(digits, fc.nat(30), fc.nat(30), fc.integer({ min: -50, max: 50 }), (all, before, after, exponent) => {
        const plain = isKeptByDouble(`${all}e${exponent}`);
        assert.equal(isKeptByDouble(`${all}${"0".repeat(after)}e${exponent - after}`), plain);
        assert.equal(isKeptByDouble(`0.${"0".repeat(before)}${all}E${exponent + before + all.length}`), plain);
        assert.equal(isKeptByDouble(`-${all}.${"0".repeat(after + 1)}e${exponent < 0 ? "" : "+"}${exponent}`), plain);
      }),
    );
  });
});
