import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readerFor } from "../../src/pages/frame/reader.ts";
import { english } from "../../src/pages/words/english.ts";
import type { Words } from "../../src/pages/words/words.ts";
import { languages } from "../../src/person/languages.ts";
import { preferredMark } from "../../src/person/member-value.ts";
import { contexts, features, memberEntries } from "../../src/person/members.ts";

/** Every text of a table, by the path to it. */
function textsOf(value: unknown, path = ""): readonly (readonly [path: string, text: string])[] {
  if (typeof value === "string") return [[path, value]];
  return Object.entries(value as object).flatMap(([name, each]) => textsOf(each, `${path}.${name}`)); // a part of a table
}

const placesIn = (text: string): readonly string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe("the texts of the pages", () => {
  it("do not compile in a language that lacks one", () => {
    const { itself: _, ...others } = english;
    const { cancel: __, ...form } = english.form;
    const partial: readonly Words[] = [
      // @ts-expect-error: a text of the table
      others,
      // @ts-expect-error: a text of a part of it
      { ...english, form },
    ];
    assert.equal(partial.length, 2);
  });

  for (const language of languages) {
    const { words } = readerFor(language);

    it(`have the same places for values in ${language}`, () => {
      const known = new Map(textsOf(english));
      for (const [path, text] of textsOf(words)) {
        const model = known.get(path) ?? known.get(path.replace(/\w+$/, "other")) ?? "";
        assert.deepEqual(placesIn(text), placesIn(model), path);
        assert.notEqual(text.trim(), "", path);
      }
    });

    it(`name what a value is for in ${language}, each differently`, () => {
      assert.deepEqual(Object.keys(words.contacts).toSorted(), [...contexts, ...features, preferredMark].toSorted());
      const said = Object.values(words.contacts);
      assert.equal(new Set(said).size, said.length);
      for (const word of said) assert.match(word, /^\p{L}[^(),]*$/u, "what is typed in a form can be read");
    });

    it(`tell the members of a person apart in ${language}`, () => {
      const labels = memberEntries.map(([, { label }]) => label[language]);
      assert.equal(new Set(labels).size, labels.length);
    });
  }
});
