import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create, replace, type WithStore } from "./given.ts";

export function describeRevision(name: string, withStore: WithStore): void {
  describe(`${name}: revision`, () => {
    it(
      "grows by one with every change, removals included, and with nothing else",
      withStore(async (store) => {
        const seen = [await store.revision()];
        const changes: readonly (() => Promise<unknown>)[] = [
          () => store.create({ identifier: "A1" }),
          () => store.create({ identifier: "A1" }),
          () => store.replace(1, { name: "Ada" }),
          () => store.replace(1, { name: "Ada" }),
          () => store.replace(1, { name: "Grace" }, 1),
          () => store.remove(1, 1),
          () => store.remove(1),
          () => store.remove(1),
          () => store.create({}),
        ];
        for (const change of changes) {
          await change();
          seen.push(await store.revision());
        }
        assert.deepEqual(seen, [0, 1, 1, 2, 2, 2, 2, 3, 3, 4]);
      }),
    );

    it(
      "is that of the record that changed last",
      withStore(async (store) => {
        await store.createAll([{}, {}, {}]);
        assert.equal(await store.revision(), 3);
        assert.equal((await replace(store, 2, { name: "Ada" })).revision, await store.revision());
        assert.equal((await create(store, {})).revision, await store.revision());
      }),
    );
  });
}
