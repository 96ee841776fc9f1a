import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { openDatabase } from "@waymark/collection";
import { openFolder } from "../../waymark/test/tools/folder.ts";
import { personCollection } from "../src/person/collection.ts";
import { openPersonService } from "../src/service.ts";

const folder = openFolder("service");
const faulty = { bulk: { maxRecords: 0 } };

describe("a service whose options have a fault", () => {
  it("leaves no new file behind", async () => {
    const file = folder.newFile();
    await assert.rejects(openPersonService({ database: file, ...faulty }), RangeError);
    assert.ok(!existsSync(file));
  });

  it("leaves the database open that its caller has opened", async () => {
    const database = await openDatabase(":memory:", { collections: [personCollection] });
    await assert.rejects(openPersonService({ database, ...faulty }), RangeError);
    assert.deepEqual(await database.check(), { readOnly: false });
    await database.close();
  });
});
