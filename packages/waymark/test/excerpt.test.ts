import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { excerpt, shorten } from "../src/message-text.ts";

describe("shorten", () => {
  it("leaves 40 characters as they are, however long they are in code units", () => {
    for (const character of ["a", "\u{1f600}"]) assert.equal(shorten(character.repeat(40)), character.repeat(40));
  });

  it("cuts after the 40th character, and through none", () => {
    for (const character of ["a", "\u{1f600}"]) {
      assert.equal(shorten(character.repeat(41)), `${character.repeat(40)}…`);
      assert.equal(shorten(`a${character.repeat(1000)}`), `a${character.repeat(39)}…`);
    }
  });
});

describe("excerpt", () => {
  it("quotes, so that no character is lost or breaks out", () => {
    assert.equal(excerpt('a"\n\ud800'), '"a\\"\\n\\ud800"');
    assert.equal(excerpt("a".repeat(41)), `"${"a".repeat(40)}…"`);
  });
});
