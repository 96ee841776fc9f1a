import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keptCounts } from "../../src/stores/reading/kept-counts.ts";

describe("kept counts", () => {
  const lovelace = { words: ["lovelace"] };

  /** Counts in a collection of which a test says the revision. */
  function collection() {
    const counted: number[] = [];
    const state = { revision: 1, records: 5, during: () => {} };
    const keptCount = keptCounts(() => `${state.revision}`);
    const count = (selection = lovelace, owner?: number): Promise<number> =>
      keptCount(selection, owner, {}, (notBefore) => {
        assert.equal(notBefore, `${state.revision}`);
        counted.push(state.revision);
        state.during();
        return state.records;
      });
    return { state, counted, count };
  }

  it("are counted once for each state of the collection", async () => {
    const { state, counted, count } = collection();
    assert.deepEqual([await count(), await count()], [5, 5]);
    state.revision = 2;
    state.records = 6;
    assert.deepEqual([await count(), await count()], [6, 6]);
    assert.deepEqual(counted, [1, 2]);
  });

  it("are those of a selection and an owner, whatever its order and its page", async () => {
    const { counted, count } = collection();
    await count();
    await count({ ...lovelace, limit: 5, order: [{ member: "name", descending: true }] } as never);
    assert.equal(counted.length, 1);
    await count(lovelace, 1);
    await count({ words: ["lovelac"] });
    await count({ words: ["lovelace"], filters: [{ member: "name", operator: "eq", value: "a" }] } as never);
    assert.equal(counted.length, 4);
  });

  it("are not kept of what has changed while it was counted", async () => {
    const { state, counted, count } = collection();
    state.during = () => {
      state.revision++;
      state.during = () => {};
    };
    await count();
    await count();
    await count();
    assert.deepEqual(counted, [1, 2]);
  });

  it("are those of the state that a page shows, which is not asked for again", async () => {
    const keptCount = keptCounts(() => assert.fail());
    const countIn = (revision: number): Promise<number> =>
      keptCount(lovelace, undefined, { notBefore: `${revision}` }, (notBefore) => 10 * Number(notBefore));
    assert.deepEqual([await countIn(3), await countIn(3), await countIn(4)], [30, 30, 40]);
  });

  it("are not those of a state before the one that another server has shown", async () => {
    const keptCount = keptCounts(() => "3");
    assert.equal(await keptCount(lovelace, undefined, {}, () => 5), 5);
    assert.equal(await keptCount(lovelace, undefined, { notBefore: "3" }, () => 0), 5);
    const later = await keptCount(lovelace, undefined, { notBefore: "4" }, Number);
    assert.equal(later, 4);
  });

  it("are of a bounded number, each of a bounded length", async () => {
    const { counted, count } = collection();
    for (let n = 0; n < 257; n++) await count({ words: [`${n}`] });
    assert.equal(counted.length, 257);
    await count({ words: ["0"] });
    assert.equal(counted.length, 257);
    await count({ words: ["256"] });
    assert.equal(counted.length, 258);
    for (let n = 0; n < 2; n++) await count({ words: ["a".repeat(2000)] });
    assert.equal(counted.length, 260);
  });
});
