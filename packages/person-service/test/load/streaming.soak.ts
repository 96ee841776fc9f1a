import assert from "node:assert/strict";
import { it } from "node:test";
import { createSqliteFile } from "../tools/databases.ts";
import { fillWithPeople, streamPeople, streamPeopleAs } from "./streaming.ts";

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

it("sends 120 MiB of people in little memory, in every format", async (t) => {
  const database = await createSqliteFile();
  const most = 112 * 2 ** 20; // as in streaming.serial.long.test.ts
  try {
    await fillWithPeople(database.location, 30_000, 3900);
    for (const type of ["application/xml", "application/ld+json", "application/x-ndjson", "text/csv", "text/vcard"]) {
      let { sent, growth } = await streamPeopleAs(database.location, 30_000, type);
      t.diagnostic(`${sent} bytes were sent as ${type}, and memory grew by ${growth} bytes`);
      if (growth >= most) ({ sent, growth } = await streamPeopleAs(database.location, 30_000, type));
      assert.ok(sent > most);
      assert.ok(growth < most, `memory grew by ${growth} bytes`);
    }
  } finally {
    await database.remove();
  }
});
