import fc from "fast-check";

/**
 * Any character, but no half of a surrogate pair: what `unit: "binary"` of fast-check is, which takes each process a second, since it
 * makes a table of all 1.1 million.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** A text of any characters. Some texts are names such as `__proto__`, which fast-check puts in where the characters are ASCII. */
export function anyText(constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> {
  return fc.oneof(fc.string({ ...constraints, unit: anyCharacter }), fc.string(constraints));
}
