import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isAsExpected } from "./expected-text.ts";
import { parsePage, partsOf } from "./page.ts";
import { toProgram } from "./program.ts";
import { readTranscript } from "./transcript.ts";

const fence = "```";

/** A page that has these lines as a block in the language. */
const pageWith = (language: string, ...lines: readonly string[]) =>
  parsePage("page.md", ["# Title", "", `${fence}${language}`, ...lines, fence].join("\n"));

describe("the program of a page", () => {
  it("has each line where it stands in the page", () => {
    const program = toProgram(pageWith("ts", "const a = 1;", "", "a + 1; // → 2"), "preamble;");
    const expected = ["preamble;", "", "", "const a = 1;", "", "await showResult(6, async () => (a + 1));", ""];
    assert.deepEqual(program?.source.split("\n"), expected);
    assert.deepEqual(program?.results, [{ line: 6, text: "2" }]);
  });

  it("takes a result below a statement of several lines, and the comments that go on with it", () => {
    const program = toProgram(pageWith("ts", "ask(", "  1,", ");", "// → one", "// two", "", "// three"), "");
    assert.deepEqual(program?.source.split("\n").slice(3, 6), [
      "await showResult(4, async () => (ask(",
      "  1,",
      ")));",
    ]);
    assert.deepEqual(program?.results, [{ line: 4, text: "one\ntwo" }]);
  });

  it("is made of the ts blocks that are to be run", () => {
    assert.equal(toProgram(pageWith("ts no-run", "x; // → 1"), ""), undefined);
    assert.equal(toProgram(pageWith("js", "x; // → 1"), ""), undefined);
    assert.equal(toProgram(pageWith("", "x; // → 1"), ""), undefined);
  });

  it("ends where the page begins another one", () => {
    const block = [`${fence}ts`, "const a = 1;", fence];
    const page = parsePage("page.md", [...block, "<!-- program -->", ...block].join("\n"));
    const sources = partsOf(page).map((part) => toProgram(part, "")?.source.trimEnd());
    assert.deepEqual(sources, ["\nconst a = 1;", "\n\n\n\n\nconst a = 1;"]);
  });

  for (const lines of [["// → 1"], ["const a = 1; // → 1"], ["f();", "", "// → 1"], ["a; // → 1", "// → 1"]]) {
    it(`cannot be made of ${JSON.stringify(lines)}, whose result belongs to nothing`, () => {
      assert.throws(
        () => toProgram(pageWith("ts", ...lines), ""),
        /page\.md:\d+ has a result that follows no expression/,
      );
    });
  }
});

describe("a text is as expected", () => {
  for (const [expected, actual, same] of [
    ["200", "200", true],
    ["200", "2000", false],
    ["200 …", "200 anything\nat all", true],
    ['{…,"limit":10}', '{"status":413,"limit":10}', true],
    ['{…,"limit":10}', '{"status":413,"limit":100}', false],
    ["a.c", "abc", false],
    ["two\nlines\n", "two  \nlines", true],
    ["two\nlines", "two lines", false],
    ["", "something", false],
  ] as const) {
    it(`${JSON.stringify(expected)} ${same ? "is" : "is not"} ${JSON.stringify(actual)}`, () => {
      assert.equal(isAsExpected(expected, actual), same);
    });
  }
});

it("a transcript has commands, which may go on after a backslash, and what they print", () => {
  const page = pageWith("console", "$ curl a \\", "  b", "one", "", "two", "$ curl c");
  assert.deepEqual(readTranscript(page), [
    { line: 4, command: "curl a \\\n  b", output: "one\n\ntwo" },
    { line: 9, command: "curl c", output: "" },
  ]);
  assert.throws(() => readTranscript(pageWith("console", "one")), /page\.md:4 is the output of no command/);
});

describe("a page", () => {
  it("has links, anchors and rows, but not those in its code", () => {
    const lines = [
      "# A title: `code`",
      "[one](a.md#b) and [two](b.md)",
      "`[x](y)`",
      fence,
      "[no](link)",
      "# none",
      fence,
    ];
    const page = parsePage("page.md", [...lines, "| a | b |", "|---|---|", "| `x` | y \\| z |"].join("\n"));
    assert.deepEqual(page.links, ["a.md#b", "b.md"]);
    assert.deepEqual(page.anchors, ["a-title-code"]);
    assert.deepEqual(page.rows, [["`x`", "y | z"]]);
  });

  it("closes its blocks", () => {
    assert.throws(() => parsePage("page.md", `text\n${fence}ts\ncode`), /page\.md:2 opens a block that nothing closes/);
  });
});
