import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  essence,
  type MediaType,
  matchesMediaType,
  parseMediaRange,
  parseMediaType,
} from "../../src/fields/media-type.ts";
import { anyText } from "../tools/any-text.ts";

const mediaType = (text: string): MediaType => {
  const parsed = parseMediaType(text);
  assert.ok(parsed, `${text} is a media type`);
  return parsed;
};

const mediaRange = (text: string): MediaType => {
  const parsed = parseMediaRange(text);
  assert.ok(parsed, `${text} is a media range`);
  return parsed;
};

describe("parseMediaType", () => {
  const wellFormed: readonly (readonly [text: string, essence: string, parameters?: Record<string, string>])[] = [
    ["application/json", "application/json"],
    ["Application/JSON", "application/json"],
    [" \tapplication/json\t ", "application/json"],
    ["application/vnd.x+json", "application/vnd.x+json"],
    ["a!#$%&'*+.^_`|~1-/b!#$%&'*+.^_`|~2-", "a!#$%&'*+.^_`|~1-/b!#$%&'*+.^_`|~2-"],
    ["application/*+json", "application/*+json"],
    ["application/json;charset=utf-8", "application/json", { charset: "utf-8" }],
    ["application/json; CHARSET=UTF-8", "application/json", { charset: "utf-8" }],
    ['application/json;charset="UTF-8"', "application/json", { charset: "utf-8" }],
    ["application/json;charset=utf8", "application/json", { charset: "utf-8" }],
    ["application/json;charset=US-ASCII", "application/json", { charset: "utf-8" }],
    ["text/csv;Header=Present", "text/csv", { header: "Present" }],
    ['text/csv;header="present"', "text/csv", { header: "present" }],
    ["a/b \t; \tx=1\t ;\ty=2 ", "a/b", { x: "1", y: "2" }],
    ['a/b;x="1,2;q=0"', "a/b", { x: "1,2;q=0" }],
    ['a/b;x="say \\"hi\\" \\\\ \\n"', "a/b", { x: 'say "hi" \\ n' }],
    ['a/b;x=""', "a/b", { x: "" }],
    ['a/b;x="\t\xe9"', "a/b", { x: "\t\xe9" }],
    ["a/b;", "a/b"],
    ["a/b;;; ;x=1;", "a/b", { x: "1" }],
    ["a/b;constructor=x;tostring=y", "a/b", { constructor: "x", tostring: "y" }],
  ];
  for (const [text, name, parameters = {}] of wellFormed) {
    it(`reads ${JSON.stringify(text)}`, () => {
      const parsed = mediaType(text);
      assert.equal(essence(parsed), name);
      assert.deepEqual([...parsed.parameters], Object.entries(parameters));
    });
  }

  const malformed: readonly string[] = [
    "",
    " ",
    "json",
    "/",
    "application/",
    "/json",
    "application /json",
    "application/ json",
    "application/json/x",
    "application/json x",
    "application/json, text/html",
    "application/json,",
    "application\\json",
    "appl\u00efcation/json",
    "application/json\n",
    "application/json\u00a0",
    "a/b;x",
    "a/b;x=",
    "a/b;=1",
    "a/b;x =1",
    "a/b;x= 1",
    "a/b;x=1 y=2",
    "a/b;x=1,2",
    "a/b;x=(1)",
    'a/b;x="1',
    'a/b;x="1\\"',
    'a/b;x="1"2',
    'a/b;x=1"2"',
    'a/b;x="\n"',
    'a/b;x="\\\u0000"',
    'a/b;x="\u20ac"',
    "a/b;charset=utf-8;charset=utf-8",
    "a/b;x=1;X=2",
  ];
  for (const text of malformed) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parseMediaType(text), undefined);
      assert.equal(parseMediaRange(text), undefined);
    });
  }

  for (const text of ["*/*", "image/*", "*/json", "*", "image/*;x=1"]) {
    it(`refuses the wildcard ${text}`, () => assert.equal(parseMediaType(text), undefined));
  }

  it("keeps what it has read, but not for ever and not when it is long", () => {
    const first = mediaType("text/plain;x=1");
    assert.equal(mediaType("text/plain;x=1"), first);
    for (let i = 0; i < 2000; i++) assert.equal(mediaType(`text/plain;x=${i}`).parameters.get("x"), String(i));
    assert.notEqual(mediaType("text/plain;x=1"), first);
    assert.deepEqual(mediaType("text/plain;x=1"), first);
    const long = `text/plain;x=${"1".repeat(1000)}`;
    assert.notEqual(mediaType(long), mediaType(long));
  });

  it("reads a token and a quoted string of the same text alike", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/), (value) => {
        const quoted = value.replace(/[^A-Z]/g, "\\$&");
        assert.deepEqual(mediaType(`a/b;x=${value}`), mediaType(`a/b;x="${quoted}"`));
      }),
    );
  });

  it("gives back any parameters that were written as RFC 9110 says", () => {
    const name = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9a-z-]{1,8}$/).filter((text) => text !== "charset");
    const value = fc.stringMatching(/^[\t -~\x80-\xff]{0,20}$/);
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key }), (parameters) => {
        const written = parameters.map(([key, text]) => `; ${key}="${text.replace(/["\\]/g, "\\$&")}"`).join("");
        assert.deepEqual([...mediaType(`a/b${written}`).parameters], parameters);
      }),
    );
  });

  it("never throws", () => {
    const piece = fc.constantFrom("a", "/", ";", "=", '"', "\\", ",", " ", "*", "q", "\n", "\ud800");
    fc.assert(
      fc.property(
        fc.oneof(
          anyText(),
          fc.array(piece).map((pieces) => pieces.join("")),
        ),
        (text) => {
          const parsed = parseMediaType(text);
          if (parsed !== undefined) assert.deepEqual(parseMediaRange(text), parsed);
        },
      ),
    );
  });

  // A parser that goes over the text again for each character of it would not come to an end here.
  const length = 500_000;
  const long: readonly (readonly [name: string, text: string, parameters: number | undefined])[] = [
    ["semicolons", `a/b${";".repeat(length)}`, 0],
    ["semicolons with spaces", `a/b${" ; ".repeat(length)}`, 0],
    ["spaces at the end", `a/b${" ".repeat(length)}`, 0],
    ["spaces in front of garbage", `a/b${" ".repeat(length)}x`, undefined],
    ["a quoted string that never ends", `a/b;x="${"\\a".repeat(length)}`, undefined],
    ["a parameter name without a value", `a/b;${"x".repeat(length)}`, undefined],
    ["a long value", `a/b;x="${"\\a".repeat(length)}"`, 1],
  ];
  for (const [name, text, parameters] of long) {
    it(`takes linear time over ${name}`, () => assert.equal(parseMediaType(text)?.parameters.size, parameters));
  }
});

describe("parseMediaRange", () => {
  it("reads every type as its own range", () => {
    assert.deepEqual(mediaRange("text/csv;header=present"), mediaType("text/csv;header=present"));
  });

  for (const text of ["*/*", "image/*", "*/*;x=1", "image/*;x=1"]) {
    it(`reads the wildcard ${text}`, () => assert.ok(text.startsWith(essence(mediaRange(text)))));
  }

  for (const text of ["*", "*/json", "/*", "*/", "**", "*/*/*"]) {
    it(`refuses ${text}`, () => assert.equal(parseMediaRange(text), undefined));
  }
});

describe("matchesMediaType", () => {
  const cases: readonly (readonly [range: string, type: string, matches: boolean])[] = [
    ["application/json", "application/json", true],
    ["APPLICATION/json", "application/JSON", true],
    ["application/json", "application/xml", false],
    ["application/json", "text/json", false],
    ["image/*", "image/png", true],
    ["image/*", "text/png", false],
    ["*/*", "image/png", true],
    ["application/*+json", "application/ld+json", false],
    ["application/*+json", "application/*+json", true],
    ["application/json", "application/ld+json", false],
    ["application/json", "application/json;charset=utf-8", true],
    ["application/json", "application/json;charset=iso-8859-1", true],
    ["application/json;charset=utf-8", "application/json", true],
    ['application/json;charset="UTF-8"', "application/json;charset=utf-8", true],
    ["application/json;charset=utf-8", "application/json;charset=iso-8859-1", false],
    ["application/json;charset=iso-8859-1", "application/json", false],
    ["application/json;version=2", "application/json", false],
    ["application/json;version=2", "application/json;version=1", false],
    ["application/json;version=2", "application/json;version=2", true],
    ["application/json;version=a", "application/json;version=A", false],
    ["text/csv", "text/csv;header=present", true],
    ["text/csv;header=present", "text/csv;delimiter=tab;header=present", true],
    ["text/csv;header=present;delimiter=tab", "text/csv;header=present", false],
    ["text/*;header=present", "text/csv;header=present", true],
    ["text/*;header=present", "text/csv", false],
    ["*/*;header=present", "text/csv", false],
  ];
  for (const [range, type, matches] of cases) {
    it(`${range} ${matches ? "has" : "does not have"} ${type}`, () => {
      assert.equal(matchesMediaType(mediaRange(range), mediaType(type)), matches);
    });
  }
});
