import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pagesWithTables, withTables } from "../scripts/tables.ts";

const root = join(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

describe("the tables of the pages", () => {
  for (const file of pagesWithTables) {
    it(`${file} has those of the code; npm run tables writes them`, () => {
      assert.equal(read(file), withTables(read(file)));
    });
  }

  it("are of the settings and of all kinds of problems", () => {
    assert.deepEqual(pagesWithTables.toSorted(), ["docs/configuration.md", "docs/errors.md"]);
    const names = pagesWithTables.flatMap((file) => read(file).match(/<!-- table: /g) ?? []);
    assert.equal(names.length, 5);
  });

  it("have each event of the log that the service writes", () => {
    const files = globSync("packages/person-service/src/**/*.ts", { cwd: root });
    const sources = files.map(read).join("\n");
    // Those of a state, such as overload, are written by a watch.
    const written = [
      ...sources.matchAll(/\bwrite\(\s*(?:"(?:info|warn|error)",\s*)?"((?!info|warn|error)[a-z-]+)"/g),
    ].map(([, name = ""]) => name);
    const [table = ""] = /^\| `event` \|.*\n(?:\|.*\n)+/m.exec(read("docs/operating.md")) ?? [];
    const shown = table.split("\n").flatMap((line) => line.split("|")[1]?.match(/(?<=`)[a-z-]+(?=`)/g) ?? []);

    assert.deepEqual(
      [...new Set(written)].filter((name) => !shown.includes(name)),
      [],
    );
  });
});
