import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create, everything, replace, type WithStore } from "../given.ts";

export function describeRemoval(name: string, withStore: WithStore): void {
  describe(`${name}: remove`, () => {
    it(
      "removes the record, once",
      withStore(async (store) => {
        await create(store, { identifier: "A1" });
        const other = await create(store, {});
        assert.deepEqual(await store.remove(1), { kind: "removed" });
        assert.equal(await store.find(1), undefined);
        assert.deepEqual(await everything(store), [other]);
        assert.deepEqual(await store.remove(1), { kind: "missing" });
        assert.deepEqual(await store.replace(1, {}), { kind: "missing" });
        await create(store, { identifier: "A1" });
      }),
    );

    it(
      "leaves a record that does not have the expected revision",
      withStore(async (store) => {
        await create(store, {});
        const record = await replace(store, 1, { name: "Ada" });
        assert.deepEqual(await store.remove(1, 1), { kind: "changed", record });
        assert.deepEqual(await store.find(1), record);
        assert.deepEqual(await store.remove(1, 2), { kind: "removed" });
      }),
    );

    it(
      "has no id used again: it is neither assigned nor taken",
      withStore(async (store) => {
        for (const id of [1, 2, 9]) await create(store, { id });
        for (const id of [9, 2]) await store.remove(id);
        assert.deepEqual(await store.create({ id: 9 }), { kind: "conflict", member: "id" });
        assert.deepEqual(await store.create({ id: 2 }), { kind: "conflict", member: "id" });
        assert.ok(![1, 2, 9].includes((await create(store, {})).id));
        assert.equal((await create(store, { id: 5 })).id, 5);
      }),
    );
  });
}
