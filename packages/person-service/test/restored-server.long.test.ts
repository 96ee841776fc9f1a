import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { restoreServer } from "../../../scripts/cluster/restore.ts";

describe("a PostgreSQL server whose files were put back to an older state", () => {
  for (const { partitions, remaining } of [
    { partitions: 1, remaining: ["reader"] },
    { partitions: 16, remaining: ["writer", "reader"] },
  ] as const) {
    it(`gives nothing twice, and takes nothing until it is resumed (P = ${partitions}, ${remaining.join(" and ")} of before)`, async () => {
      assert.deepEqual(await restoreServer({ partitions, people: 6, remaining }), {
        idsTwice: 0,
        tagsTwice: 0,
        unresumed: 0,
        unaware: 0,
        refused: 0,
      });
    });
  }
});
