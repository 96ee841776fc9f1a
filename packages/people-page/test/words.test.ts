import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));
const wordsOf = (language: string): object => JSON.parse(readFileSync(`${folder}src/words/${language}.json`, "utf8"));

/** The texts of a language by their paths; of a plural the text itself has none. */
function textsIn(words: object, before = ""): ReadonlyMap<string, string> {
  const entries = Object.entries(words).flatMap(([name, value]) =>
    typeof value === "string" ? [[before + name, value] as const] : [...textsIn(value, `${before}${name}.`)],
  );
  return new Map(entries);
}

const places = (text = ""): readonly string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();
const english = textsIn(wordsOf("en"));

describe("the words of the page", () => {
  for (const language of ["de", "fr", "es"]) {
    it(`are all there, with the same places: ${language}`, () => {
      const texts = textsIn(wordsOf(language));
      assert.deepEqual([...texts.keys()], [...english.keys()]);
      const others = [...english].filter(([path, text]) => String(places(text)) !== String(places(texts.get(path))));
      // A singular may have its number in words.
      assert.deepEqual(
        others.filter(([path]) => !path.endsWith(".one")),
        [],
      );
      assert.deepEqual(
        [...texts].filter(([, text]) => text.trim() === ""),
        [],
      );
    });
  }

  it("are all said somewhere", () => {
    const code = globSync("src/**/*.ts", { cwd: folder })
      .map((path) => readFileSync(folder + path, "utf8"))
      .join("\n");
    const parts = new Set(Array.from(english.keys(), (path) => path.split(".").slice(0, 2).join(".")));
    /** Those that are looked up by what the API says. */
    const byName = /^(?:truths|uses|people|filters|faults|about|problem\.(?:codes|titles))\b/;
    const unused = [...parts].filter((path) => !byName.test(path) && !code.includes(`words.${path}`));
    assert.deepEqual(
      unused.filter((path) => !/^import\.(?:skip|update|refuse|add)$/.test(path)),
      [],
    );
  });
});
