import assert from "node:assert/strict";
import { it } from "node:test";
import { createSqliteFile } from "../tools/databases.ts";
import { holdLists } from "./slow-readers.ts";
import { fillWithPeople } from "./streaming.ts";

for (const target of ["/person?limit=1000", "/person?limit=1000&sort=-description", "/person"]) {
  it(`goes on while 1,000 connections read nothing of ${target}`, async (t) => {
    const database = await createSqliteFile();
    try {
      await fillWithPeople(database.location, 2_000, 3_900);
      const { statuses, growth } = await holdLists(database.location, target, 1_000, true);
      t.diagnostic(`memory grew by ${growth} bytes; ${JSON.stringify(statuses)}`);
      assert.ok((statuses[200] ?? 0) >= 20, "some are served");
      assert.deepEqual(Object.keys(statuses), ["200", "503"]);
    } finally {
      await database.remove();
    }
  });
}
