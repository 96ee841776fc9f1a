import assert from "node:assert/strict";
import { it } from "node:test";
import { createSqliteFile } from "./databases.ts";
import { fillWithPeople, streamPeople } from "./streaming.ts";

/** How many people are listed, of about 300 bytes each: the variable STREAMED_RECORDS, or a million. */
const count = Number(process.env["STREAMED_RECORDS"] ?? 1_000_000);

it(`sends ${count} people in one list, in 64 MiB more than it needs to be there`, async (t) => {
  const database = await createSqliteFile();
  try {
    await fillWithPeople(database.location, count, 160);
    const { sent, growth } = await streamPeople(database.location, count);
    t.diagnostic(`${sent} bytes were sent, and memory grew by ${growth} bytes`);
    assert.ok(growth < 64 * 2 ** 20, `memory grew by ${growth} bytes`);
  } finally {
    await database.remove();
  }
});
