import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createSqliteFile, type TestDatabase } from "../tools/databases.ts";
import { holdLists } from "./slow-readers.ts";
import { fillWithPeople } from "./streaming.ts";

describe("clients that ask for a page and read nothing", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createSqliteFile();
    await fillWithPeople(database.location, 1_000, 3_900);
  });
  after(() => database.remove());

  it("hold little of it, and the service goes on", async (t) => {
    const { statuses, growth } = await holdLists(database.location, "/person?limit=1000", 60);
    t.diagnostic(`memory grew by ${growth} bytes`);
    // All together they are 240 MB, and the heap may be 96 MiB.
    assert.deepEqual(statuses, { 200: 60 });
  });
});
