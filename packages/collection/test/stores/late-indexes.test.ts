import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { type Database, openDatabase, type Store } from "../../src/index.ts";

const folder = openFolder("late-indexes");

const open = (file: string, lateIndexes?: boolean): Promise<Database> =>
  openDatabase(file, {
    collections: [{ name: "person", members: { name: { filter: "text" }, identifier: { unique: true } } }],
    ...(lateIndexes !== undefined && { lateIndexes }),
  });

const indexesOf = (file: string): readonly unknown[] => {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name").all();
  } finally {
    database.close();
  }
};

/** The indexes of a file that was opened without the option. */
const due = async (): Promise<readonly unknown[]> => {
  const file = folder.newFile();
  await (await open(file)).close();
  return indexesOf(file);
};

const people = Array.from({ length: 100 }, (_, i) => ({ name: `Person ${i % 10}`, identifier: `M${i}` }));

const named = async (store: Store): Promise<number> =>
  (await store.batch({ filters: [{ member: "name", operator: "eq", value: "Person 7" }] })).records.length;

describe("indexes that are made late", () => {
  it("are those of any other file, and unique values are so before", async () => {
    const file = folder.newFile();
    const database = await open(file, true);
    const store = database.store("person");
    await store.createAll(people);
    assert.notDeepEqual(indexesOf(file), await due());
    assert.deepEqual(await store.create({ identifier: "M7" }), { kind: "conflict", member: "identifier" });
    await database.makeIndexes();
    assert.deepEqual(indexesOf(file), await due());
    assert.equal(await named(store), 10);
    await database.makeIndexes(); // has nothing left to make
    await database.close();
  });

  it("are made by the next program that opens a file whose indexes were never made", async () => {
    const file = folder.newFile();
    const database = await open(file, true);
    await database.store("person").createAll(people);
    await database.close();
    const next = await open(file);
    assert.deepEqual(indexesOf(file), await due());
    assert.equal(await named(next.store("person")), 10);
    await next.close();
  });

  it("are made by another program that opens the file meanwhile, with or without the option", async () => {
    for (const isLate of [true, false]) {
      const file = folder.newFile();
      const loading = await open(file, true);
      await loading.store("person").createAll(people.slice(0, 50));
      const other = await open(file, isLate);
      assert.equal(await named(other.store("person")), 5);
      await loading.store("person").createAll(people.slice(50));
      assert.equal(await named(other.store("person")), 10);
      await loading.makeIndexes();
      assert.deepEqual(indexesOf(file), await due());
      await Promise.all([loading.close(), other.close()]);
    }
  });

  it("stay where there is a table, which others may read", async () => {
    const file = folder.newFile();
    await (await open(file)).close();
    const database = await open(file, true);
    assert.deepEqual(indexesOf(file), await due());
    await database.close();
  });
});
