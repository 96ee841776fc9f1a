import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ContentError } from "../../src/content/decoder.ts";
import { assertStrictJson } from "../../src/content/json.ts";

const details: readonly (readonly [text: string, detail: string])[] = [
  ["", "Expected a value, but found no content"],
  ["  ", "Expected a value, but found the end of the content"],
  ["\ufeff{}", "Expected a value, but found a byte order mark, which JSON does not have"],
  ["[1] 2", 'Expected nothing more after the value, but found "2"'],
  ["nul", "Expected a value, but found nul"],
  ["NaN", "Expected a value, but found NaN"],
  ["-Infinity", "Expected a digit, but found Infinity"],
  ["'a'", "Expected a value, but found a single quote"],
  ["+1", 'Expected a value, but found "+"'],
  ["é", 'Expected a value, but found "é"'],
  ["\u0000", "Expected a value, but found U+0000"],
  ["\u00a0", "Expected a value, but found U+00A0"],
  ["\u{e0001}", "Expected a value, but found U+E0001"],
  ["// none", "Expected a value, but found a comment, which JSON does not have"],
  ["[1 /* one */]", 'Expected "," or "]", but found a comment, which JSON does not have'],
  ["[", 'Expected a value or "]", but found the end of the content'],
  ["[1,]", 'Expected a value after the comma, but found "]"'],
  ["[1 2]", 'Expected "," or "]", but found "2"'],
  ['["a" "b"]', 'Expected "," or "]", but found a double quote'],
  ["{name:1}", 'Expected a member name in double quotes or "}", but found name'],
  ['{"a":1,}', 'Expected a member name in double quotes after the comma, but found "}"'],
  ['{"a" 1}', 'Expected ":" after the member name "a", but found "1"'],
  ['{"a":}', 'Expected a value, but found "}"'],
  ['{"a":1]', 'Expected "," or "}", but found "]"'],
  ["1.", "Expected a digit, but found the end of the content"],
  ["1e+x", "Expected a digit, but found x"],
  ["-01", "A number must not have a leading zero"],
  ['"a', "The string has no closing quote"],
  ['"\n"', "The control character U+000A must be escaped in a string"],
  ['"\\x"', "The backslash must begin an escape, but is followed by x"],
  ['"\\', "The backslash must begin an escape, but is followed by the end of the content"],
  ['"\\u12"', 'The escape "\\u" needs four hexadecimal digits'],
  ['"\\uD800"', 'The escape "\\uD800" is half of a surrogate pair without the other half'],
  ['"\udc00"', "U+DC00 is half of a surrogate pair"],
  ["9007199254740993", "The number 9007199254740993 would be rounded to 9007199254740992"],
  ["1e-400", "The number 1e-400 would be rounded to 0"],
  ["1e400", "The number 1e400 is too large for a double"],
  ['{"name":1,"name":2}', 'The member "name" occurs twice'],
  ['{"a\\n\\"b":1,"a\\n\\"b":2}', 'The member "a\\n\\"b" occurs twice'],
  ['{"__proto__":1}', 'A member must not be named "__proto__"'],
  ["[[[[]]]]", "Arrays and objects nest more than 3 deep"],
];

describe("assertStrictJson", () => {
  for (const [text, detail] of details) {
    it(`says of ${JSON.stringify(text)}: ${detail}`, () => assert.equal(faultOf(text).detail, detail));
  }

  it("repeats no more than 40 characters of the content", () => {
    const long = "\u{1f600}".repeat(1000);
    const shown = `${"\u{1f600}".repeat(40)}…`;
    assert.equal(faultOf(`{"${long}":1,"${long}":2}`).detail, `The member "${shown}" occurs twice`);
    assert.equal(faultOf("a".repeat(1000)).detail, `Expected a value, but found ${"a".repeat(40)}…`);
    assert.equal(faultOf(`1${"0".repeat(1000)}`).detail, `The number 1${"0".repeat(39)}… is too large for a double`);
  });

  it("throws nothing for strict JSON", () => {
    assert.doesNotThrow(() => assertStrictJson(' {"a": [1, "\\u00e9", {"a": null}]} ', 3));
    assert.doesNotThrow(() => assertStrictJson('[[[]],[[]],{"a":{}},[],{},[[]]]', 3));
  });

  it("reports the first of several faults", () => {
    assert.equal(faultOf('{"a":9007199254740993,"a":1 x').line, 1);
    assert.match(faultOf('{"a":9007199254740993,"a":1 x').detail, /rounded/);
    assert.match(faultOf('{"a":1,"a":9007199254740993}').detail, /twice/);
  });
});

function faultOf(text: string): ContentError {
  try {
    assertStrictJson(text, 3);
  } catch (error) {
    assert.ok(error instanceof ContentError, String(error));
    return error;
  }
  return assert.fail("no fault was found");
}
