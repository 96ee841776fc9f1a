import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openPostgresDatabase } from "@waymark/collection";
import { Client } from "pg";
import { newPostgresDatabase } from "../../../../collection/test/tools/postgres-server.ts";
import { countSoon, reportProgress } from "../../../src/cli/terminal/streams.ts";
import { personCollection } from "../../../src/index.ts";

describe("reportProgress", () => {
  it("prints a line for each tenth", () => {
    const notes: string[] = [];
    const report = reportProgress({ printNote: (line) => notes.push(line) });
    for (let done = 0; done <= 200; done += 8) report(done, 200, "people");
    assert.equal(notes.length, 11);
    assert.deepEqual([notes[0], notes[1], notes.at(-1)], ["0 of 200 people", "24 of 200 people", "200 of 200 people"]);
  });

  it("draws a bar where a person watches", () => {
    const drawn: string[] = [];
    const report = reportProgress({ printNote: () => assert.fail(), draw: (text) => drawn.push(text) });
    report(0, 537, "people");
    report(50, 100, "%");
    report(0, 0, "people");
    assert.deepEqual(drawn, [
      `[${".".repeat(30)}] 0 of 537 people`,
      `[${"#".repeat(15)}${".".repeat(15)}] 50 %`,
      `[${"#".repeat(30)}] 0 of 0 people`,
    ]);
  });
});

describe("the number of people", () => {
  it("is left out where counting takes too long", async () => {
    const url = await newPostgresDatabase();
    const database = await openPostgresDatabase(url, { collections: [personCollection] });
    const other = new Client({ connectionString: url });
    await other.connect();
    try {
      const people = database.store("person");
      await people.create({ name: "Ada" });
      assert.equal(await countSoon(people, 60_000), 1);
      await people.create({ name: "Grace" }); // so that the count is not known
      await other.query("BEGIN; LOCK TABLE person IN ACCESS EXCLUSIVE MODE"); // which a count waits for
      assert.equal(await countSoon(people, 1), undefined);
      await other.query("ROLLBACK");
    } finally {
      await other.end();
      await database.close();
    }
  });
});
