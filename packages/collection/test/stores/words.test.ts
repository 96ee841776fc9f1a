import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../waymark/test/tools/any-text.ts";
import { toWords } from "../../src/index.ts";

describe("the words of a text", () => {
  const cases: readonly [text: string, words: readonly string[]][] = [
    ["", []],
    [" .,;-_%*\"'\u0000 ", []],
    ["Ada Lovelace", ["ada", "lovelace"]],
    ["Zoë's", ["zoe", "s"]],
    ["Zoe\u0308", ["zoe"]],
    ["ada@example.org", ["ada", "example", "org"]],
    ["Straße GROẞE STRASSE", ["strasse", "grosse", "strasse"]],
    ["ΟΔΟΣ οδος οδός", ["οδοσ", "οδοσ", "οδοσ"]],
    ["İstanbul ISTANBUL ıstanbul", ["istanbul", "istanbul", "istanbul"]],
    ["ﬁne Ａｄａ x²", ["fine", "ada", "x2"]],
    ["Łódź ĐINĐIĆ Þór Ærø Œuvre Ŧ", ["lodz", "dindic", "thor", "aero", "oeuvre", "t"]],
    ["Müller Mueller O’Brien", ["muller", "mueller", "o", "brien"]],
    ["李 小龍", ["李", "小龍"]],
    ["Иванов ЙОД", ["иванов", "иод"]],
    ["𝔄da 𐐀", ["ada", "𐐨"]],
    ["1815-12-10", ["1815", "12", "10"]],
    ["a".repeat(100), ["a".repeat(64)]],
    ["𐐨".repeat(100), ["𐐨".repeat(64)]],
  ];
  for (const [text, words] of cases) {
    it(`of ${JSON.stringify(text).slice(0, 40)} are ${words.join(" ").slice(0, 40) || "none"}`, () => {
      assert.deepEqual(toWords(text), words);
    });
  }

  it("are letters and digits, and are themselves the words of a text that has them", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 50 }), (text) => {
        const words = toWords(text);
        for (const word of words) assert.match(word, /^[\p{L}\p{N}]{1,64}$/u);
        assert.deepEqual(toWords(words.join(" ")), words);
      }),
      { numRuns: 2_000 },
    );
  });

  it("are those of the whole text folded at once, whatever its characters are beside", () => {
    const letters = [..."aO’ -ßẞäÖøŁıİΣςΟΔéﬃ½ⅣǅДй한ὀ𝜍ᄀ\u1161\u11a8\u0301\u0308\u0345中\ud83d\ude00\ud800\udc00"];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...letters), { maxLength: 20 }), (characters) => {
        const text = characters.join("");
        assert.deepEqual(toWords(text), wordsFoldedAtOnce(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

function wordsFoldedAtOnce(text: string): readonly string[] {
  const decompose = (each: string): string =>
    each
      .replaceAll(/\p{M}+/gu, "")
      .normalize("NFKD")
      .replaceAll(/\p{M}+/gu, "");
  const folded = decompose(decompose(text).toLowerCase().toUpperCase()).toLowerCase().replaceAll("ς", "σ");
  const plain = folded.replaceAll(/[ıøł]/g, (letter) => ({ ø: "o", ł: "l" })[letter] ?? letter);
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}
