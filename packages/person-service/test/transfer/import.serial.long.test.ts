import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSqliteFile, databaseKinds } from "../tools/databases.ts";
import { importFormats, importPeople, measureImport } from "./import.ts";

/** The bytes by which the memory of the service may grow; more than these are sent. */
const mostGrowth = 32 * 2 ** 20;

/** Of about 4 KB each. */
const count = 9000;

// Each database, each format and each preference once; the soak sends every combination of them.
const [ndjson, csv] = importFormats;
const imports = [
  { kind: "SQLite", format: csv, preference: undefined },
  { kind: "PostgreSQL", format: ndjson, preference: "handling=lenient" },
] as const;

describe("a long import", () => {
  for (const { kind, format, preference } of imports) {
    it(`is stored in little memory as ${format.type}, ${preference ?? "all or none"} (${kind})`, async (t) => {
      const { create } = databaseKinds.find(({ name }) => name === kind) ?? assert.fail(kind);
      let { sent, growth } = await importPeople(create, format, count, 3900, preference);
      t.diagnostic(`${sent} bytes were sent, and memory grew by ${growth} bytes`);
      // On a busy machine garbage may wait for its collection; what an import really holds, it holds each time.
      if (growth >= mostGrowth) ({ sent, growth } = await importPeople(create, format, count, 3900, preference));
      assert.ok(sent > mostGrowth);
      assert.ok(growth < mostGrowth, `memory grew by ${growth} bytes`);
    });
  }
});

describe("a long import of one line", () => {
  it("is refused in little memory", async (t) => {
    const line = Array<string>(1280).fill("x".repeat(65_536));
    const content = { type: "application/x-ndjson", pieces: line };
    const measured = () =>
      measureImport(createSqliteFile, content, async ({ answer }) => {
        const { status, errors } = JSON.parse(answer);
        const error = { line: 1, pointer: "#", detail: "is longer than 1048576 bytes", code: "invalid" };
        assert.deepEqual([status, errors], [400, [error]]);
      });
    let { sent, growth } = await measured();
    if (growth >= 64 * 2 ** 20) ({ sent, growth } = await measured()); // for the same reason
    t.diagnostic(`${sent} bytes were sent, and memory grew by ${growth} bytes`);
    assert.ok(growth < 64 * 2 ** 20, `memory grew by ${growth} bytes`);
  });
});
