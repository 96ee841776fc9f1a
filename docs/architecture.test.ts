import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readResults, withTable } from "../conformance/results.ts";
import { suites } from "../conformance/suites.ts";
import { readPage } from "./page.ts";

const root = join(import.meta.dirname, "..");
const file = join(import.meta.dirname, "architecture.md");

describe("the page on the architecture", () => {
  it("shows the last counts of every suite of others", async () => {
    const results = await readResults();
    assert.deepEqual(Object.keys(results).toSorted(), suites.map(({ name }) => name).toSorted());
    const page = readFileSync(file, "utf8");
    assert.equal(withTable(page, results), page, "npm run conformance -- --write writes the table");
    for (const { cases, asExpected, decided } of Object.values(results)) {
      assert.equal(asExpected + decided, cases);
    }
  });

  it("names commands that run tests, and cases that the tests generate", () => {
    const folders = ["packages/*/test", "docs", "examples", "benchmarks"];
    const sources = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }));
    const rows = readPage(file).rows.filter(([, , command = ""]) => command.startsWith("`npm test"));
    assert.ok(rows.length > 15, `${rows.length} rows`);
    for (const [subject, , command = "", generated = "", soak = ""] of rows) {
      const words = command.replaceAll("`", "").split(" ").slice(3);
      const tests = sources.filter((path) => path.endsWith(".test.ts") && words.some((word) => path.includes(word)));
      for (const word of words)
        assert.ok(
          tests.some((path) => path.includes(word)),
          `${subject}: ${word}`,
        );
      if (generated === "") continue;
      // A number stands in a test, or in a file of the same name beside it.
      const stems = tests.map((path) => path.replace(/(\.serial)?(\.long)?\.test\.ts$/, ""));
      const beside = sources.filter((path) => stems.some((stem) => path.startsWith(stem)));
      const code = beside.map((path) => readFileSync(join(root, path), "utf8")).join("\n");
      const numbers = new Set(code.replaceAll(/(?<=\d)_(?=\d)/g, "").match(/\b\d+\b/g));
      const [usual, long] = [generated, soak].map((cell) => cell.replaceAll(",", ""));
      assert.ok(numbers.has(String(usual)), `${subject}: ${generated}`);
      // The thorough run has twenty times as many cases of a property.
      assert.ok(numbers.has(String(long)) || Number(long) === 20 * Number(usual), `${subject}: ${soak}`);
    }
  });
});
