import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ListChange, Store } from "../../src/index.ts";
import { create, everything, type WithStore } from "./given.ts";

export function describeBulkChange(name: string, withStore: WithStore): void {
  describe(`${name}: changeAll`, () => {
    const documents = async (store: Store): Promise<readonly unknown[]> =>
      (await everything(store)).map(({ json }) => {
        const { createdAt: _createdAt, updatedAt: _updatedAt, ...document } = JSON.parse(json);
        return document;
      });

    it(
      "creates, replaces and removes in the order of the changes, and says how many",
      withStore(async (store) => {
        const records = [await create(store, { name: "Ada" }), await create(store, { name: "Grace" })];
        const [ada, grace] = records.map(({ id, revision }) => ({ id, expectedRevision: revision }));
        assert(ada !== undefined && grace !== undefined);
        const changes: readonly ListChange[] = [
          { kind: "create", document: { id: 70, name: "Kay" } },
          { kind: "replace", ...ada, document: { name: "Ada Lovelace" } },
          { kind: "remove", ...grace },
          { kind: "replace", id: 70, document: { name: "Kay McNulty" } },
        ];
        assert.deepEqual(await store.changeAll(changes), { kind: "created", count: 4 });
        assert.deepEqual(await documents(store), [
          { id: ada.id, name: "Ada Lovelace" },
          { id: 70, name: "Kay McNulty" },
        ]);
        assert.equal(await store.find(grace.id), undefined);
      }),
    );

    it(
      "changes nothing where a record has another revision, or is gone",
      withStore(async (store) => {
        const { id, revision } = await create(store, { name: "Ada" });
        const before = await documents(store);
        const first: ListChange = { kind: "create", document: { name: "Grace" } };
        for (const late of [
          { kind: "replace", id, expectedRevision: revision + 1, document: { name: "Eve" } },
          { kind: "remove", id, expectedRevision: revision + 1 },
          { kind: "replace", id: id + 1000, document: { name: "Eve" } },
          { kind: "remove", id: id + 1000 },
        ] satisfies readonly ListChange[]) {
          assert.deepEqual(await store.changeAll([first, late]), { kind: "changed", position: 2 });
          assert.deepEqual(await documents(store), before);
        }
      }),
    );

    it(
      "makes many changes, each in its place",
      withStore(async (store) => {
        const made = await store.createAll(Array.from({ length: 3000 }, (_, n) => ({ name: `Person ${n}` })));
        assert.equal(made.kind, "created");
        const records = await everything(store);
        const changes = records.flatMap(({ id, revision }, n): readonly ListChange[] => {
          if (n % 3 === 0) return [{ kind: "remove", id, expectedRevision: revision }];
          if (n % 3 === 1)
            return [{ kind: "replace", id, expectedRevision: revision, document: { name: `Changed ${n}` } }];
          return [{ kind: "create", document: { name: `New ${n}` } }];
        });
        assert.deepEqual(await store.changeAll(changes), { kind: "created", count: 3000 });
        const names = (await documents(store)).map((document) => (document as { name: string }).name);
        const count = (word: string): number => names.filter((each) => each.startsWith(word)).length;
        assert.deepEqual([names.length, count("Changed"), count("New"), count("Person")], [3000, 1000, 1000, 1000]);
      }),
    );
  });
}
