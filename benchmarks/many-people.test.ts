import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { newPostgresDatabase } from "../packages/collection/test/postgres-server.ts";
import { openFolder } from "../packages/waymark/test/folder.ts";
import { measureManyPeople } from "./many-people.ts";
import { toManyPeopleTable } from "./report.ts";

// Nothing here says how long anything may take: the soak finds that out, with more people.

describe("the measurement of many people", () => {
  const folder = openFolder("many-people");
  const people = 2_000;
  const file = folder.path("people.db");
  const databaseAt = (name: string, address: string) => ({
    address,
    people,
    figuresFile: folder.path(`${name}.json`),
    scratchFile: folder.path("scratch.db"),
  });

  it("fills, reads, searches, changes, copies and migrates a database of each kind once", async () => {
    const sqlite = await measureManyPeople(databaseAt("sqlite", file), undefined, 5);
    const postgres = await measureManyPeople(databaseAt("postgres", await newPostgresDatabase()), file, 5);
    for (const figures of [sqlite, postgres]) {
      const vacuum = figures === postgres ? ["vacuum"] : [];
      assert.deepEqual(Object.keys(figures.steps), ["fill", ...vacuum, "copy", "migrate"]);
      assert.ok(Number(figures.bytes) > people * 500);
      assert.deepEqual(
        Object.entries(figures.requests).map(([kind, { count }]) => [kind, count]),
        [
          ["start", 1],
          ...["person", "page", "sortedPage", "filter", "search", "commonSearch"].map((kind) => [kind, 5]),
          ["count", 1],
          ["post", 5],
          ["bulk", 1],
        ],
      );
    }
    const table = toManyPeopleTable([{ name: "SQLite", figures: sqlite }]);
    assert.match(table, /^ +SQLite\nsize +0\.00 GB\n/);
    assert.match(table, /^post, median +\d+(\.\d)? m?s$/m);
    assert.ok(!existsSync(folder.path("scratch.db")));
    const again = await measureManyPeople(databaseAt("sqlite", file), undefined, 5);
    assert.deepEqual(again.steps, sqlite.steps, "a step was taken again");
  });
});
