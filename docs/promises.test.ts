import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { it } from "node:test";
import { presentLayouts as ofPostgres } from "../packages/collection/src/stores/postgres/layout/migrations.ts";
import { presentLayouts as ofSqlite } from "../packages/collection/src/stores/sqlite/connections/migrations.ts";
import { readPage } from "./page.ts";

it("the page of promises names each layout, of which there is a file", () => {
  const { rows } = readPage(join(import.meta.dirname, "for-you.md"));
  const engines = [
    { name: "SQLite", layouts: ofSqlite },
    { name: "PostgreSQL", layouts: ofPostgres },
  ];
  for (const { name, layouts } of engines) {
    const present = layouts.length;
    assert.deepEqual(
      rows.find(([engine, numbers = ""]) => engine === name && /^1/.test(numbers)),
      [name, present === 1 ? "1" : `1 to ${present}`, String(present)],
    );
    const pattern = `${name === "SQLite" ? "sqlite" : "postgres"}-*`;
    const files = globSync(pattern, { cwd: join(import.meta.dirname, "../packages/collection/test/layouts") });
    const numbers = files.map((file) => Number(basename(file).match(/\d+/)?.[0])).toSorted((a, b) => a - b);
    assert.deepEqual(
      numbers,
      Array.from({ length: present }, (_, before) => before + 1),
    );
  }
});
