import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { foldText } from "../../src/members/fold.ts";

describe("the folding of text that is compared", () => {
  const alike: readonly (readonly string[])[] = [
    ["Müller", "MÜLLER", "mu\u0308ller", "muller", "Ｍüller"],
    ["Straße", "STRASSE", "STRAẞE", "strasse"],
    ["Łódź", "LODZ"],
    ["Søren", "SOREN", "soren"],
    ["Þór", "thor"],
    ["Œuvre", "oeuvre"],
    ["İstanbul", "ISTANBUL", "ıstanbul", "istanbul"],
    ["Ὀδυσσεύς", "ΟΔΥΣΣΕΥΣ", "οδυσσευσ"],
    ["ﬁn", "FIN", "fin"],
    ["Đặng", "dang"],
    ["Ёлкин", "Елкин"],
  ];
  for (const texts of alike) {
    it(`is the same for ${texts.join(", ")}`, () => {
      assert.equal(new Set(texts.map(foldText)).size, 1, texts.map(foldText).join(", "));
    });
  }

  it("keeps the vowel signs by which names in the scripts of India differ, and all that is no letter", () => {
    for (const [one, other] of [
      ["राम", "रोम"],
      ["கி", "கு"],
      ["a b", "ab"],
      ["a-b", "ab"],
      ["1", "10"],
    ] as const) {
      assert.notEqual(foldText(one), foldText(other));
    }
  });

  it("is the same again for what is folded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.equal(foldText(foldText(text)), foldText(text));
      }),
    );
  });

  it("drops runs of marks that no text has, which would take minutes to sort", () => {
    for (const marks of ["\u0301\u0316", "\u0f71\u0f74", "\u0363\u0316"]) {
      assert.equal(foldText(`a${marks.repeat(250_000)}b`), "ab");
    }
  });
});
