import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ContentError } from "../../src/content/decoder.ts";
import { parseStrictJson, type StrictJsonOptions } from "../../src/content/json.ts";
import { anyText } from "../tools/any-text.ts";
import { invalidJson, validJson } from "./json-corpus.ts";

describe("parseStrictJson", () => {
  for (const text of validJson) {
    it(`accepts ${show(text)} as JSON.parse does`, () => assert.deepEqual(parseStrictJson(text), JSON.parse(text)));
  }

  for (const [text, line, column] of invalidJson) {
    it(`refuses ${show(text)} at line ${line}, column ${column}`, () => {
      const fault = refusalOf(text);
      assert.deepEqual([fault.line, fault.column], [line, column], fault.message);
    });
  }

  it("accepts nesting up to the bound and refuses more, where it begins", () => {
    assert.equal(depthOf(parseStrictJson("[".repeat(64) + "]".repeat(64))), 64);
    assert.equal(refusalOf("[".repeat(65) + "]".repeat(65)).column, 65);
    assert.equal(refusalOf(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`).column, 64 * 5 + 1);
    assert.equal(parseStrictJson("1", { maxDepth: 0 }), 1);
    assert.equal(refusalOf("[]", { maxDepth: 0 }).column, 1);
    assert.equal(depthOf(parseStrictJson("[[]]", { maxDepth: 2 })), 2);
    assert.equal(refusalOf("[[[]]]", { maxDepth: 2 }).column, 3);
    assert.equal(depthOf(parseStrictJson("[".repeat(1000) + "]".repeat(1000), { maxDepth: 1000 })), 1000);
  });

  it("counts depth, not brackets", () => {
    const wide = `[${"[[],{}],".repeat(100)}[]]`;
    assert.deepEqual(parseStrictJson(wide, { maxDepth: 3 }), JSON.parse(wide));
    const text = JSON.stringify("[".repeat(100));
    assert.equal(parseStrictJson(text), "[".repeat(100));
  });

  it("refuses five million brackets, closed or not, without building them", () => {
    const many = 5_000_000;
    assert.equal(refusalOf("[".repeat(many)).column, 65);
    assert.equal(refusalOf("[".repeat(many) + "]".repeat(many)).column, 65);
    assert.equal(refusalOf("]".repeat(many) + "[".repeat(many)).column, 1);
  });

  it("accepts as many values as there may be, and refuses the next, where it begins", () => {
    const zeros = (count: number): string => `[${"0,".repeat(count - 1)}0]`;
    const members = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join()}}`;
    assert.deepEqual(parseStrictJson(zeros(9_999)), Array(9_999).fill(0));
    assert.equal(refusalOf(zeros(10_000)).column, 2 * 10_000);
    assert.match(refusalOf(members(10_000)).message, /There are more than 10000 values at line 1/);
    assert.equal(refusalOf("[[],[]]", { maxValues: 2 }).column, 5);
    assert.deepEqual(parseStrictJson("[[],[]]", { maxValues: 3 }), [[], []]);
    assert.equal((parseStrictJson(zeros(100_000), { maxValues: Number.POSITIVE_INFINITY }) as []).length, 100_000);
  });

  it("refuses bounds that are not numbers of levels or values", () => {
    for (const maxValues of [0, -1, Number.NaN]) {
      assert.throws(() => parseStrictJson("1", { maxValues }), RangeError);
    }
    for (const maxDepth of [-1, 1.5, 1001, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => parseStrictJson("1", { maxDepth }), RangeError);
    }
  });

  it("gives ordinary objects and leaves every prototype as it was", () => {
    const value = parseStrictJson('{"constructor":{"prototype":{"polluted":1}}}');
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    refusalOf('{"__proto__":{"polluted":1}}');
    assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
  });

  it("finds a name that occurs twice also where a program has given all objects a member", () => {
    Object.defineProperty(Object.prototype, "inherited", { value: 1, enumerable: true, configurable: true });
    try {
      assert.equal(refusalOf('{"a":1,"a":2}').detail, 'The member "a" occurs twice');
      assert.equal((parseStrictJson('{"a":1,"b":2}') as { b: number }).b, 2); // the text has a number there
    } finally {
      Reflect.deleteProperty(Object.prototype, "inherited");
    }
  });

  it("judges numbers that are long, and takes time that grows with their length only", () => {
    const zeros = "0".repeat(500_000);
    assert.equal(parseStrictJson(`0.${zeros}1e500001`), 1);
    assert.equal(parseStrictJson(`1.${zeros}`), 1);
    assert.equal(refusalOf(`1${zeros}1`).column, 1);
    assert.equal(refusalOf(`1.${zeros}1`).column, 1);
  });

  it("gives back every value that was stringified", () => {
    const wellFormed = fc
      .jsonValue()
      .map((value) => JSON.stringify(value))
      .filter((text) => !/\\u[dD][89a-fA-F]/.test(text));
    fc.assert(
      fc.property(wellFormed, fc.constantFrom(undefined, 1, "\t"), (text, indent) => {
        fc.pre(!namesPrototype(JSON.parse(text)));
        const value: unknown = JSON.parse(text);
        assert.deepEqual(parseStrictJson(JSON.stringify(value, null, indent)), value);
      }),
    );
  });

  it("keeps every double that is written as JavaScript writes it", () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (double) => {
        // JSON.stringify writes -0 as 0.
        assert.equal(parseStrictJson(JSON.stringify(double)), double === 0 ? 0 : double);
        assert.equal(parseStrictJson(double.toExponential()), double === 0 ? 0 : double);
      }),
    );
  });

  it("takes those integers that JavaScript writes as they were read, and no other", () => {
    // Below 10^21 JavaScript writes integers without an exponent.
    const limit = 10n ** 21n - 1n;
    const zeros = fc.bigInt(-(10n ** 18n) + 1n, 10n ** 18n - 1n).map((integer) => integer * 1000n);
    fc.assert(
      fc.property(fc.oneof(fc.bigInt(-limit, limit), zeros), (integer) => {
        const fault = faultOf(() => parseStrictJson(String(integer)));
        if (String(Number(integer)) === String(integer)) assert.equal(fault, undefined);
        else assert.ok(fault instanceof ContentError);
      }),
    );
  });

  it("finds a name that occurs twice wherever it is", () => {
    const names = fc.uniqueArray(
      fc.string({ unit: "grapheme" }).filter((name) => name !== "__proto__"),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(names, fc.nat(), fc.nat(), (all, from, to) => {
        const twice = all[from % all.length] as string; // there is at least one
        const members = all.map((name) => `${JSON.stringify(name)}:[{}]`);
        assert.deepEqual(Object.keys(parseStrictJson(`{${members}}`) as object).length, all.length);
        members.splice(to % (members.length + 1), 0, `${escaped(twice)}:0`);
        assert.match(refusalOf(`[{"x":{${members}}}]`).detail, /^The member .* occurs twice$/s);
      }),
    );
  });

  it("accepts no text that JSON.parse refuses, gives the same values, and throws nothing but ContentError", () => {
    fc.assert(
      fc.property(mutated, (text) => {
        const fault = faultOf(() => parseStrictJson(text));
        if (fault === undefined) assert.deepEqual(parseStrictJson(text), JSON.parse(text));
        else assert.ok(fault instanceof ContentError, String(fault));
      }),
      { numRuns: 2000 },
    );
  });

  it("says what is wrong in its own words, at a place that is in the text or one past its end", () => {
    fc.assert(
      fc.property(mutated, (text) => {
        const fault = faultOf(() => parseStrictJson(text));
        fc.pre(fault instanceof ContentError);
        const { line, column, detail } = fault as ContentError; // the precondition
        const lines = text.split(/\r\n|\n|\r/);
        const length = Array.from(lines[(line ?? 0) - 1] ?? assert.fail(`line ${line} of ${lines.length}`)).length;
        assert.ok(column !== undefined && column >= 1 && column <= length + 1, `column ${column} of ${length}`);
        assert.ok(detail.length <= 200, detail);
        assert.doesNotMatch(detail, /JSON\.parse|Unexpected|position/);
      }),
      { numRuns: 2000 },
    );
  });
});

/** Valid texts, and what comes of them when pieces are put in, left out or replaced. */
const mutated: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...validJson),
      fc.json(),
      fc.json().map((text) => JSON.stringify(JSON.parse(text), null, 2)),
    ),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.oneof(
          anyText({ maxLength: 2 }),
          fc.constantFrom(
            ..."{}[]:,\"\\'0123456789+-.eEu/ \t\n\r\ud83d\ude00_\ufeff\u0000",
            "__proto__",
            "\\ud800",
            '"a":1,',
            "1e400",
          ),
        ),
      ),
      { maxLength: 4 },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((changed, [place, length, piece]) => {
      const at = place % (changed.length + 1);
      return changed.slice(0, at) + piece + changed.slice(at + length);
    }, text),
  );

function faultOf(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}

function refusalOf(text: string, options?: StrictJsonOptions): ContentError {
  const fault = faultOf(() => parseStrictJson(text, options));
  assert.ok(fault instanceof ContentError, `${show(text)} is refused`);
  return fault;
}

function depthOf(value: unknown): number {
  let depth = 0;
  for (let at = value; Array.isArray(at); at = at[0]) depth++;
  return depth;
}

function namesPrototype(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(namesPrototype);
}

const escaped = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")}"`;

/** A text in the name of a test, where no character may be invisible. */
function show(text: string): string {
  return text
    .slice(0, 60)
    .replace(/[^ -~]/gu, (character) => `<U+${character.codePointAt(0)?.toString(16).padStart(4, "0")}>`);
}
