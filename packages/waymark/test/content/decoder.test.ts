import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ContentError, decodeUtf8 } from "../../src/content/decoder.ts";
import { anyText } from "../tools/any-text.ts";

const malformed: readonly (readonly [what: string, bytes: readonly number[], offset: number, byte: string])[] = [
  ["a byte that never occurs", [0x61, 0xff], 1, "0xFF"],
  ["a continuation byte that begins", [0x80], 0, "0x80"],
  ["Latin-1", [0x63, 0x61, 0x66, 0xe9, 0x21], 3, "0xE9"],
  ["an overlong slash", [0xc0, 0xaf], 0, "0xC0"],
  ["an overlong character of three bytes", [0xe0, 0x80, 0xaf], 0, "0xE0"],
  ["an overlong character of four bytes", [0xf0, 0x80, 0x80, 0xaf], 0, "0xF0"],
  ["a surrogate pair in UTF-8 (CESU-8)", [0x61, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], 1, "0xED"],
  ["a character beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80], 0, "0xF4"],
  ["a character of five bytes", [0xf8, 0x88, 0x80, 0x80, 0x80], 0, "0xF8"],
  ["a character that is cut off", [0xc3, 0xa9, 0xe2, 0x82], 2, "0xE2"],
  ["a character that another interrupts", [0xe2, 0x82, 0x61], 0, "0xE2"],
  ["UTF-16, little endian", [0xff, 0xfe, 0x7b, 0x00], 0, "0xFF"],
  ["UTF-16, big endian", [0xfe, 0xff, 0x00, 0x7b], 0, "0xFE"],
  ["a fault after a true U+FFFD", [0xef, 0xbf, 0xbd, 0xf0, 0x9f, 0x98, 0x80, 0xff], 7, "0xFF"],
];

describe("decodeUtf8", () => {
  for (const [what, bytes, offset, byte] of malformed) {
    it(`refuses ${what} and names its first byte`, () => {
      assert.throws(
        () => decodeUtf8(Uint8Array.from(bytes)),
        (error) => {
          assert.ok(error instanceof ContentError);
          const detail = `The content is not UTF-8: ${byte} at byte offset ${offset} begins no character`;
          assert.equal(error.detail, detail);
          return true;
        },
      );
    });
  }

  it("gives back every text, U+FFFD and a byte order mark included", () => {
    const encoder = new TextEncoder();
    for (const text of ["", "\ufeff", "\ufeffa\ufeff", "\ufffd", "\u0000"]) {
      assert.equal(decodeUtf8(encoder.encode(text)), text);
    }
    fc.assert(fc.property(anyText(), (text) => decodeUtf8(encoder.encode(text)) === text));
  });

  it("never gives U+FFFD that was not sent, and finds a fault that is in the content", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        try {
          assert.deepEqual(new TextEncoder().encode(decodeUtf8(bytes)), bytes);
        } catch (error) {
          assert.ok(error instanceof ContentError, String(error));
          const offset = Number(/offset (\d+)/.exec(error.detail)?.[1]);
          assert.ok(offset < bytes.length);
          assert.doesNotThrow(() => decodeUtf8(bytes.subarray(0, offset)), "what comes before it is UTF-8");
          assert.throws(() => decodeUtf8(bytes.subarray(offset)));
        }
      }),
    );
  });
});

describe("ContentError", () => {
  it("has the position in its message and as a member", () => {
    const fault = new ContentError("The row is short", { line: 17, column: 3 });
    assert.equal(fault.message, "The row is short at line 17, column 3");
    assert.deepEqual([fault.name, fault.detail, fault.line, fault.column], ["ContentError", "The row is short", 17, 3]);
  });

  it("needs no position", () => {
    const cause = new Error("why");
    const fault = new ContentError("It is not a picture", undefined, { cause });
    assert.equal(fault.message, "It is not a picture");
    assert.deepEqual([fault.line, fault.column, fault.cause], [undefined, undefined, cause]);
  });
});
