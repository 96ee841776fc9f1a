import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, it } from "node:test";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { formatNames } from "../../../src/transfer/formats.ts";
import { measureCommand, writePeople } from "./transfer-memory.ts";

/** How many people are in a file, of about 200 bytes each: the variable IMPORTED_RECORDS, or a million. */
const count = Number(process.env["IMPORTED_RECORDS"] ?? 1_000_000);
const few = count / 20;
const mostGrowth = 64 * 2 ** 20;

describe("import and export", () => {
  const folder = openFolder("transfer-memory");
  for (const format of formatNames) {
    it(`take as much memory for ${count} people as for ${few}, as ${format}`, async (t) => {
      const transfer = async (people: number): Promise<number> => {
        const [file, database] = [folder.path(`${people}.${format}`), folder.path(`${people}.db`)];
        await writePeople(file, format, people, 160);
        const start = performance.now();
        const imported = await measureCommand("import", file, "--format", format, "--database", database);
        const seconds = Math.round((performance.now() - start) / 1000);
        const stored = (people * 0.9).toLocaleString("en");
        assert.match(imported.stdout, new RegExp(`^stored ${stored} people in .* refused$`, "m"));
        const exported = await measureCommand("export", file, "--format", format, "--database", database);
        assert.match(exported.stdout, new RegExp(`^exported ${stored} people from `, "m"));
        for (const path of [file, database]) rmSync(path);
        t.diagnostic(`${people} people: ${seconds} s, ${imported.peak} and ${exported.peak} bytes at most`);
        return Math.max(imported.peak, exported.peak);
      };
      const growth = -(await transfer(few)) + (await transfer(count));
      assert(growth < mostGrowth, `memory grew by ${growth} bytes`);
    });
  }
});
