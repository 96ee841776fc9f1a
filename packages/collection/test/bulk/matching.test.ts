import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeenValues } from "../../src/bulk/changes/earlier-lines.ts";
import { matchingOf } from "../../src/bulk/matching.ts";
import type { StoredRecord } from "../../src/index.ts";
import { storeWith } from "../stores/store-with.ts";

describe("the lines of a list that may be stored already", () => {
  /** Judges two batches of lines, and returns how often the store was read. */
  async function readsOver(records: readonly StoredRecord[]): Promise<number> {
    let reads = 0;
    const store = storeWith({
      members: [{ name: "email", type: "text" }],
      async batch() {
        reads++;
        return { records, next: undefined, state: "0", revisions: [0] };
      },
    });
    const matching = matchingOf({
      ...{ store, alike: [["email"]], onMatch: "skip", serverMembers: [], schema: {}, columns: undefined },
      began: undefined,
      validate: (value) => ({ value: value as object }),
    });
    for (const email of ["a", "b"]) await matching.judge([{ email }], new SeenValues());
    return reads;
  }

  it("are looked up among the records that there were before", async () => {
    const json = JSON.stringify({ email: "a", createdAt: "2026-01-01T00:00:00.000Z" });
    assert.ok((await readsOver([{ id: 1, revision: 1, updatedAt: 0, json }])) > 1);
  });

  it("are not looked up in a collection that was empty", async () => assert.equal(await readsOver([]), 1));
});

it("values that are held are found again, and no others, however many there are", () => {
  const held = new SeenValues();
  for (let n = 0; n < 10_000; n++) {
    assert.ok(!held.has(`value ${n}`));
    for (const _ of ["once", "again"]) held.add(`value ${n}`);
  }
  for (let n = 0; n < 20_000; n++) assert.equal(held.has(`value ${n}`), n < 10_000);
});
