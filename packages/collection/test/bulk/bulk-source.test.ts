import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BulkReader } from "../../src/stores/writing/bulk-source.ts";

describe("the writes of a bulk request that are stored together", () => {
  const readerOf = (count: number, members: string): BulkReader =>
    new BulkReader({
      documents: Array.from({ length: count }, () => ({})),
      toWrite: () => ({ kind: "create", id: undefined, members, time: 0 }),
      onlyIfEmpty: false,
      owner: undefined,
      locks: [],
      end: () => ({ isUndone: false, keyed: undefined }),
    });

  it("are 512 at most", async () => {
    const reader = readerOf(1_000, "{}");
    const sizes = [await reader.next(), await reader.next(), await reader.next()].map(({ length }) => length);
    assert.deepEqual(sizes, [512, 488, 0]);
  });

  it("have 65,536 characters, exceeded by at most one of them", async () => {
    assert.equal((await readerOf(10, "x".repeat(1_000_000)).next()).length, 1);
    assert.equal((await readerOf(10, "x".repeat(30_000)).next()).length, 3);
  });
});
