import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { GET, HttpRequest, problem, problemTypes, router } from "waymark";
import { describeProblems } from "waymark/filters";
import { escapeUnprintable, excerpt, quote, shorten, withCommas } from "../../src/common/wording.ts";
import { anyText } from "../tools/any-text.ts";

/** What must never reach a message, by its Unicode properties. */
const deceptive = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/u;

const hardText = fc.oneof(
  anyText(),
  fc
    .array(fc.constantFrom("a", "\0", "\x1b", "\x7f", "\x85", "\x9b", "\u061c", "\u200e", "\u200f", "\u2028", "\u2029"))
    .map((parts) => parts.join("")),
  fc
    .array(
      fc.constantFrom(
        "é",
        "\u202a",
        "\u202e",
        "\u2066",
        "\u2069",
        "\ufeff",
        "\ud800",
        "\udfff",
        "\u{1f600}",
        "\n",
        "\t",
      ),
    )
    .map((parts) => parts.join("")),
);

describe("shorten", () => {
  it("leaves 40 characters as they are, however long they are in code units", () => {
    for (const character of ["a", "\u{1f600}"]) assert.equal(shorten(character.repeat(40)), character.repeat(40));
  });

  it("cuts after the 40th character, and never within one", () => {
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

describe("quoted text", () => {
  it("has none of the characters that could pretend to be something else", () => {
    fc.assert(
      fc.property(hardText, (text) => {
        assert.doesNotMatch(quote(text), deceptive);
        assert.doesNotMatch(excerpt(text), deceptive);
        assert.doesNotMatch(escapeUnprintable(text).replace(/[\t\n]/g, ""), deceptive);
      }),
      { numRuns: 1000 },
    );
  });

  it("loses nothing: it is JSON of the text", () => {
    fc.assert(fc.property(hardText, (text) => assert.equal(JSON.parse(quote(text)), text)));
  });

  it("leaves everything else as it is", () => {
    for (const text of ["", "é 漢字 \u{1f469}\u200d\u{1f52c}", "a\tb\nc"]) assert.equal(escapeUnprintable(text), text);
    assert.equal(quote("é"), '"é"');
  });
});

describe("a problem document", () => {
  it("has no such characters in its bytes or its sentences, whatever a client sent", () => {
    fc.assert(
      fc.property(hardText, (text) => {
        const { body } = problem(problemTypes.invalidContent, {
          detail: text,
          errors: [{ detail: text, pointer: text }],
          extension: text,
        });
        assert.doesNotMatch(String(body), deceptive);
        const { detail, errors, extension } = JSON.parse(String(body));
        for (const sentence of [detail, errors[0].detail]) {
          assert.doesNotMatch(sentence.replace(/[\t\n]/g, ""), deceptive);
        }
        assert.deepEqual([errors[0].pointer, extension], [text, text]);
      }),
    );
  });

  it("has no such characters in XML", async () => {
    const text = "a\x7f\x85\u061c\u202e\u2028\ufeffb";
    const app = router(
      { filters: [describeProblems()] },
      GET("/", () => problem(problemTypes.notFound, { name: text })),
    );
    const { body } = await app.handle(HttpRequest.of({ headers: { Accept: "application/xml" } }));
    assert.match(String(body), /<name>a&#x7f;&#x85;&#x61c;&#x202e;&#x2028;&#xfeff;b<\/name>/);
  });
});

describe("withCommas", () => {
  it("writes whole numbers as toLocaleString does in English", () => {
    fc.assert(fc.property(fc.maxSafeInteger(), (count) => assert.equal(withCommas(count), count.toLocaleString("en"))));
  });
});
