import assert from "node:assert/strict";
import { it } from "node:test";
import { databaseKinds } from "../tools/databases.ts";
import { importFormats, importPeople } from "./import.ts";

/** How many people are sent, of about 200 bytes each: the variable IMPORTED_RECORDS, or a million. */
const count = Number(process.env["IMPORTED_RECORDS"] ?? 1_000_000);

for (const kind of databaseKinds) {
  for (const format of importFormats) {
    for (const preference of [undefined, "handling=lenient"]) {
      it(`stores 20,000 large people as ${format.type}, ${preference ?? "all or none"} (${kind.name})`, async (t) => {
        const { sent, growth } = await importPeople(kind.create, format, 20_000, 3900, preference);
        t.diagnostic(`${sent} bytes were sent, and memory grew by ${growth} bytes`);
        assert.ok(sent > 75 * 2 ** 20);
        assert.ok(growth < 64 * 2 ** 20, `memory grew by ${growth} bytes`);
      });
    }

    it(`stores ${count} people of one ${format.type}, in 64 MiB more than it needs to be there (${kind.name})`, async (t) => {
      const start = performance.now();
      const { sent, growth } = await importPeople(kind.create, format, count, 160);
      const seconds = Math.round((performance.now() - start) / 1000);
      t.diagnostic(`${sent} bytes were sent and stored in ${seconds} s, and memory grew by ${growth} bytes`);
      assert.ok(growth < 64 * 2 ** 20, `memory grew by ${growth} bytes`);
    });
  }
}
