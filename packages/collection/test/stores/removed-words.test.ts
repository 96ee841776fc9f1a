import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { setTimeout as elapse } from "node:timers/promises";
import { openSqliteDatabase } from "../../src/index.ts";
import { create } from "../store-contract/contract.ts";

it("the words of removed and replaced records soon leave an SQLite file, while it is used", async () => {
  const directory = mkdtempSync(join(tmpdir(), "removed-words-"));
  const file = join(directory, "people.db");
  const database = await openSqliteDatabase(file, {
    collections: [{ name: "person", members: { name: { search: true } } }],
  });
  // No two begin alike, so that each is in the index as it is.
  const word = (n: number): string => `${String.fromCodePoint(0x4e00 + n)}word${n}`;
  const present = (): number[] => {
    const other = new DatabaseSync(file);
    other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    other.close();
    const bytes = readFileSync(file);
    return [1, 2, 3, 4].filter((n) => bytes.includes(word(n)));
  };
  try {
    const people = database.store("person");
    for (let n = 1; n <= 40; n++) await create(people, { name: word(n) });
    assert.deepEqual(present(), [1, 2, 3, 4]);
    await Promise.all([people.remove(1), people.remove(3), people.replace(4, { name: "other" })]);
    for (let attempt = 0; present().length > 1 && attempt < 2400; attempt++) await elapse(25); // milliseconds
    assert.deepEqual(present(), [2]);
    assert.equal(await people.count({ words: [word(2)] }), 1);
    assert.equal(await people.count({ words: ["other"] }), 1);
  } finally {
    await database.close();
    rmSync(directory, { recursive: true });
  }
});
