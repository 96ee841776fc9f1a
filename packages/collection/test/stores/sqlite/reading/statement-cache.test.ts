import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { StatementCache } from "../../../../src/stores/sqlite/connections/statements.ts";

describe("prepared statements of SQLite", () => {
  it("are kept: the 100 that were used last", () => {
    using database = new DatabaseSync(":memory:");
    const cache = new StatementCache(database);
    const statements = Array.from({ length: 100 }, (_, i) => cache.prepare(`SELECT ${i}`));
    assert.equal(cache.prepare("SELECT 0"), statements[0]);
    cache.prepare("SELECT 100");
    assert.equal(cache.prepare("SELECT 0"), statements[0]);
    assert.notEqual(cache.prepare("SELECT 1"), statements[1]);
  });
});
