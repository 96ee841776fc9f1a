import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { describe, it } from "node:test";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { openSqliteDatabase, type Selection, type Store } from "../../../src/index.ts";

const folder = openFolder("sqlite-log");

/** How large the log of a new file becomes, in bytes, while so much is written and others read: 10 MB during a read at most. */
async function largestLog(toWrite: number, read: (store: Store) => Promise<void>): Promise<number> {
  const file = folder.path(`${toWrite}.db`);
  const database = await openSqliteDatabase(file, { collections: [{ name: "person" }] });
  const store = database.store("person");
  await store.createAll(Array.from({ length: 8000 }, () => ({})));
  const document = { description: "x".repeat(20_000) };
  let isWriting = true;
  let isRead = Promise.withResolvers<void>();
  const readAll = async (): Promise<void> => {
    while (isWriting) {
      await read(store);
      isRead.resolve();
    }
  };
  const reading = [readAll(), readAll()];
  let largest = 0;
  for (let written = 0; written < toWrite; written += 10_000_000) {
    isRead = Promise.withResolvers();
    for (let batch = 0; batch < 10; batch++) {
      await Promise.all(Array.from({ length: 50 }, (_, n) => store.create({ ...document, n })));
      largest = Math.max(largest, statSync(`${file}-wal`).size);
    }
    await isRead.promise;
  }
  isWriting = false;
  await Promise.all(reading);
  await database.close();
  return largest;
}

/** The rest of this turn of the event loop, and all that was scheduled in it. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Some 300 ms for the thread that reads. */
const long: Selection = {
  filters: Array.from({ length: 900 }, (_, i) => ({ member: "createdAt", operator: "ne", value: i })),
};

describe("the write-ahead log of a SQLite file", () => {
  it("stays bounded however much is written while others read", async () => {
    const largest = await largestLog(40_000_000, async (store) => {
      for await (const _batch of store.list()) await turn();
    });
    assert.ok(largest < 12_000_000, `a log of ${largest} bytes`);
  });

  it("is emptied between long reads of which one follows the other", async () => {
    const largest = await largestLog(80_000_000, async (store) => {
      await store.count(long);
    });
    assert.ok(largest < 40_000_000, `a log of ${largest} bytes`);
  });
});
