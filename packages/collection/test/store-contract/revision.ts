import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create, replace, type WithStore } from "./given.ts";

export function describeRevision(name: string, withStore: WithStore): void {
  describe(`${name}: revision`, () => {
    it(
      "grows with every change, removals included, and with no other call but a refused creation",
      withStore(async (store) => {
        const calls: readonly (readonly [call: () => Promise<unknown>, grows: boolean])[] = [
          [() => store.create({ identifier: "A1" }), true],
          [() => store.replace(1, { name: "Ada" }), true],
          [() => store.replace(1, { name: "Ada" }), false],
          [() => store.replace(1, { name: "Grace" }, 1), false],
          [() => store.remove(1, 1), false],
          [() => store.remove(1), true],
          [() => store.remove(1), false],
          [() => store.create({}), true],
        ];
        assert.equal(await store.revision(), 0);
        for (const [call, grows] of calls) {
          const before = await store.revision();
          await call();
          assert.equal(await store.revision(), before + Number(grows), String(call));
        }
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
