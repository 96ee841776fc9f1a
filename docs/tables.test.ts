import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { toBulkSettings, toListSettings } from "../packages/collection/src/limits.ts";
import { toServeSettings } from "../packages/node/src/options.ts";
import { pagesWithTables, withTables } from "../scripts/tables.ts";

const root = join(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

describe("the tables of the pages", () => {
  for (const file of pagesWithTables) {
    it(`${file} has those of the code; npm run tables writes them`, () => {
      assert.equal(read(file), withTables(read(file)));
    });
  }

  it("are of the settings, of all kinds of problems, and of the options that are limits", () => {
    const names = pagesWithTables.flatMap((file) => read(file).match(/<!-- table: /g) ?? []);
    assert.equal(names.length, 10);
    const rows = (file: string): number => read(file).match(/^\| `(?:max\w+|\w+Time(?:out|Limit)?)` \|/gm)?.length ?? 0;
    const pages = ["serving", "changing", "lists", "databases"].map((page) => rows(`docs/${page}.md`));
    assert.deepEqual(pages, [5, 11, 3, 8]);
  });

  it("have the defaults that the code has", () => {
    const { port, maxConnections, maxHeaderSize, requestTimeout, writeTimeout, contentMemory } = toServeSettings({});
    const numbers = { port, maxConnections, maxHeaderSize, requestTimeout, writeTimeout, contentMemory };
    for (const [file, defaults] of [
      ["docs/serving.md", numbers],
      ["docs/changing.md", toBulkSettings({})],
      ["docs/lists.md", toListSettings({})],
    ] as const) {
      for (const [name, value] of Object.entries(defaults)) {
        const row = read(file)
          .split("\n")
          .find((line) => line.startsWith(`| \`${name}\` |`));
        assert.equal(row?.split(" | ").at(-1), `${value.toLocaleString("en")} |`, name);
      }
    }
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
