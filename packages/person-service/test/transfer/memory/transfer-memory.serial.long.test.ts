import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { measureCommand, writePeople } from "./transfer-memory.ts";

/** Of about 4 KB each: the difference is 48 MB, more than the memory may grow by. With fewer, hardly any garbage has been collected. */
const [few, many] = [6_000, 18_000];
const mostGrowth = 40 * 2 ** 20;

describe("the memory of a command does not grow with the people", () => {
  const folder = openFolder("transfer-memory");
  const database = folder.path("people.db");
  let before = 0;

  const importFile = async (count: number) => {
    const file = folder.path(`${count}.csv`);
    await writePeople(file, "csv", count, 3900);
    return measureCommand("import", file, "--rejects", folder.path("rejected.csv"), "--database", database);
  };

  it("that imports them, and writes refused people to a file", async (t) => {
    before = (await importFile(few)).peak;
    const { stdout, peak } = await importFile(many);
    assert.match(stdout, /^stored 16,200 people in .*, 1,800 refused$/m);
    t.diagnostic(`${peak} bytes, and ${before} with ${few} people`);
    assert(peak - before < mostGrowth, `memory grew by ${peak - before} bytes`);
  });

  it("that exports them", async (t) => {
    const { stdout, peak } = await measureCommand("export", folder.path("exported.csv"), "--database", database);
    assert.match(stdout, /^exported 21,600 people from /m);
    t.diagnostic(`${peak} bytes`);
    assert(peak < before, `${peak} bytes, more than an import of ${few} people`);
  });
});
