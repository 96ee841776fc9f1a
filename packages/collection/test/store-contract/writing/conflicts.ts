import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create, everything, type WithStore } from "../given.ts";

export function describeConflicts(name: string, withStore: WithStore): void {
  describe(`${name}: conflicts`, () => {
    it(
      "names the id when a record has it",
      withStore(async (store) => {
        await create(store, { id: 7, name: "Ada" });
        assert.deepEqual(await store.create({ id: 7, name: "Grace" }), { kind: "conflict", member: "id" });
        assert.equal(JSON.parse((await store.find(7))?.json ?? "").name, "Ada");
      }),
    );

    it(
      "names a unique member when a record has its value",
      withStore(async (store) => {
        await create(store, { identifier: "A1" });
        assert.deepEqual(await store.create({ identifier: "A1" }), { kind: "conflict", member: "identifier" });
        assert.equal((await everything(store)).length, 1);
      }),
    );

    it(
      "names a unique member of an object",
      withStore(async (store) => {
        await create(store, { custom: { staffNumber: 7 } });
        await create(store, { custom: { staffNumber: "7" } });
        const conflict = { kind: "conflict", member: "custom.staffNumber" };
        assert.deepEqual(await store.create({ custom: { staffNumber: 7 } }), conflict);
      }),
    );

    it(
      "leaves no trace of what it refused",
      withStore(async (store) => {
        await create(store, { identifier: "A1" });
        await store.create({ id: 90, identifier: "A1" });
        const { id } = await create(store, {});
        assert.ok(id > 1);
        assert.equal(await store.revision(), 2);
      }),
    );

    const distinct = ["A1", "a1", "A1 ", "Ａ1", "é", "e\u0301", "", "1", 1, true, "null", ["A1"], '["A1"]'];
    it(
      `tells ${JSON.stringify(distinct)} apart`,
      withStore(async (store) => {
        for (const identifier of distinct) await create(store, { identifier });
        for (const identifier of distinct) assert.equal((await store.create({ identifier })).kind, "conflict");
      }),
    );

    it(
      "lets any number of records be without the member, or have null",
      withStore(async (store) => {
        for (const document of [{}, {}, { identifier: null }, { identifier: null }]) await create(store, document);
      }),
    );

    it(
      "lets one of 50 creates at the same time have a value",
      withStore(async (store) => {
        const creations = await Promise.all(Array.from({ length: 50 }, () => store.create({ identifier: "A1" })));
        assert.equal(creations.filter(({ kind }) => kind === "created").length, 1);
        assert.equal((await everything(store)).length, 1);
      }),
    );

    it(
      "gives 50 creates at the same time 50 ids and revisions",
      withStore(async (store) => {
        const records = await Promise.all(Array.from({ length: 50 }, () => create(store, {})));
        assert.equal(new Set(records.map(({ id }) => id)).size, 50);
        assert.equal(new Set(records.map(({ revision }) => revision)).size, 50);
      }),
    );
  });
}
