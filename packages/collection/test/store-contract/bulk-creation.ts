import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Document, StoreNotEmpty } from "../../src/index.ts";
import { create, everything, type WithStore } from "./given.ts";

export function describeBulkCreation(name: string, withStore: WithStore): void {
  describe(`${name}: createAll`, () => {
    it(
      "stores all documents and says how many",
      withStore(async (store) => {
        assert.equal(await store.createAll([{ name: "Ada" }, { id: 7 }, { name: "Grace" }]), 3);
        assert.deepEqual(
          (await everything(store)).map(({ id, revision }) => [id, revision]),
          [
            [1, 1],
            [7, 2],
            [8, 3],
          ],
        );
      }),
    );

    it(
      "takes what is produced one by one",
      withStore(async (store) => {
        function* documents(): Generator<Document> {
          yield { name: "Ada" };
          yield { name: "Grace" };
        }
        assert.equal(await store.createAll(documents()), 2);
      }),
    );

    it(
      "refuses a store with a record in it",
      withStore(async (store) => {
        await create(store, {});
        await assert.rejects(store.createAll([{}]), StoreNotEmpty);
        await assert.rejects(store.createAll([]), StoreNotEmpty);
        assert.equal((await everything(store)).length, 1);
      }),
    );

    it(
      "loads a store whose records have all been removed, without their ids",
      withStore(async (store) => {
        await create(store, { id: 7 });
        await store.remove(7);
        await assert.rejects(store.createAll([{}, { id: 7 }]), {
          message: "Document 2 has the id of a record that was removed",
        });
        assert.equal(await store.createAll([{}]), 1);
        assert.deepEqual(
          (await everything(store)).map(({ id, revision }) => [id, revision]),
          [[8, 3]],
        );
      }),
    );

    const refused: readonly [what: string, documents: readonly Document[], message: RegExp][] = [
      [
        "a value twice",
        [{ identifier: "A1" }, {}, { identifier: "A1" }],
        /^Document 3 has the identifier of one before it$/,
      ],
      ["an id twice", [{}, { id: 1 }], /^Document 2 has the id of one before it$/],
      ["an id that is none", [{}, { id: 0 }], /from 1 to 9007199254740991, not 0$/],
    ];
    for (const [what, documents, message] of refused) {
      it(
        `stores none when the documents have ${what}`,
        withStore(async (store) => {
          await assert.rejects(store.createAll(documents), { message });
          assert.deepEqual(await everything(store), []);
          const { id, revision } = await create(store, {});
          assert.deepEqual([id, revision], [1, 1]);
        }),
      );
    }

    it(
      "stores none when producing them fails",
      withStore(async (store) => {
        function* documents(): Generator<Document> {
          yield {};
          throw new Error("the file ends here");
        }
        await assert.rejects(store.createAll(documents()), /the file ends here/);
        assert.deepEqual(await everything(store), []);
      }),
    );
  });
}
