import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { type BulkCreation, type Document, StoreNotEmpty, StoreUnavailable } from "../../../src/index.ts";
import { create, everything, type WithStore } from "../given.ts";

export function describeBulkCreation(name: string, withStore: WithStore): void {
  describe(`${name}: createAll`, () => {
    const created = (count: number): BulkCreation => ({ kind: "created", count });

    it(
      "stores all documents and says how many",
      withStore(async (store) => {
        assert.deepEqual(await store.createAll([{ name: "Ada" }, { id: 7 }, { name: "Grace" }]), created(3));
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
      "stores none of none",
      withStore(async (store) => {
        assert.deepEqual(await store.createAll([]), created(0));
        assert.equal(await store.revision(), 0);
      }),
    );

    it(
      "takes what is produced one by one, at once or later",
      withStore(async (store) => {
        function* documents(): Generator<Document> {
          yield { name: "Ada" };
          yield { name: "Grace" };
        }
        async function* laterDocuments(): AsyncGenerator<Document> {
          yield* documents();
        }
        assert.deepEqual(await store.createAll(documents()), created(2));
        assert.deepEqual(await store.createAll(laterDocuments()), created(2));
        const names = (await everything(store)).map(({ json }) => JSON.parse(json).name);
        assert.deepEqual(names, ["Ada", "Grace", "Ada", "Grace"]);
      }),
    );

    it(
      "adds to the records that there are, unless there are to be none",
      withStore(async (store) => {
        await create(store, {});
        for (const documents of [[{}], []]) {
          await assert.rejects(store.createAll(documents, { onlyIfEmpty: true }), StoreNotEmpty);
        }
        assert.equal((await everything(store)).length, 1);
        assert.deepEqual(await store.createAll([{}]), created(1));
        assert.equal((await everything(store)).length, 2);
      }),
    );

    it(
      "takes a store for empty whose records have all been removed, and gives their ids to nobody",
      withStore(async (store) => {
        await create(store, { id: 7 });
        await store.remove(7);
        const conflicts = [{ position: 2, member: "id" }];
        assert.deepEqual(await store.createAll([{}, { id: 7 }]), { kind: "refused", conflicts });
        assert.deepEqual(await store.createAll([{}], { onlyIfEmpty: true }), created(1));
        const [only, ...others] = await everything(store);
        assert.ok(only !== undefined && only.id > 7 && only.revision > 2);
        assert.deepEqual(others, []);
      }),
    );

    it(
      "stores none when documents have what a record has or one before them, and names each of those",
      withStore(async (store) => {
        const ada = await create(store, { identifier: "A1" });
        const documents = [{ identifier: "A1" }, {}, { identifier: "B1" }, { id: 1 }, { identifier: "B1" }];
        assert.deepEqual(await store.createAll(documents), {
          kind: "refused",
          conflicts: [
            { position: 1, member: "identifier" },
            { position: 4, member: "id" },
            { position: 5, member: "identifier" },
          ],
        });
        assert.deepEqual(await everything(store), [ada]);
        assert.ok((await create(store, {})).id > 1);
      }),
    );

    it(
      "names a thousand conflicts and no more",
      withStore(async (store) => {
        const creation = await store.createAll(Array.from({ length: 2000 }, () => ({ identifier: "A1" })));
        assert.ok(creation.kind === "refused");
        assert.equal(creation.conflicts.length, 1000);
        assert.deepEqual(creation.conflicts.at(-1), { position: 1001, member: "identifier" });
      }),
    );

    it(
      "stores none when one has an invalid id",
      withStore(async (store) => {
        await assert.rejects(store.createAll([{}, { id: 0 }]), RangeError);
        assert.deepEqual(await everything(store), []);
      }),
    );

    for (const [when, count] of [
      ["at once", 1],
      ["after many", 5000],
    ] as const) {
      it(
        `stores none when producing them fails ${when}`,
        withStore(async (store) => {
          function* documents(): Generator<Document> {
            for (let i = 0; i < count; i++) yield {};
            throw new Error("the file ends here");
          }
          await assert.rejects(store.createAll(documents()), /the file ends here/);
          assert.deepEqual(await everything(store), []);
          const { id, revision } = await create(store, {});
          if (count === 1) assert.deepEqual([id, revision], [1, 1]); // of many, some numbers may be used up
        }),
      );
    }

    it(
      "stores none when they stop coming, and ends what produces them",
      withStore(async (store) => {
        await create(store, { name: "Eve" }); // opens a connection, for which a clock is needed
        mock.timers.enable({ apis: ["setTimeout"] });
        const isAsked = Promise.withResolvers<void>();
        let isEnded = false;
        const documents: AsyncIterable<Document> = {
          [Symbol.asyncIterator]: () => ({
            next() {
              isAsked.resolve();
              return new Promise(() => undefined);
            },
            async return() {
              isEnded = true;
              return { done: true, value: undefined };
            },
          }),
        };
        const loading = store.createAll(documents);
        const refused = assert.rejects(loading, StoreUnavailable);
        const waiting = create(store, { name: "Ada" });
        await isAsked.promise;
        // Where it need not wait, it is to be committed before the clock goes on, by which it would take too long.
        let isStored = false;
        waiting.then(() => {
          isStored = true;
        });
        for (const deadline = performance.now() + 500; !isStored && performance.now() < deadline; ) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        mock.timers.tick(10_000);
        await refused.finally(() => mock.timers.reset());
        assert.ok(isEnded);
        assert.equal((await waiting).id, 2);
      }),
    );

    it(
      "lets nobody see what is not all stored",
      withStore(async (store) => {
        const seen: number[] = [];
        async function* documents(): AsyncGenerator<Document> {
          for (let i = 0; i < 2000; i++) {
            if (i % 500 === 0) {
              seen.push((await everything(store)).length);
              await new Promise((resolve) => setImmediate(resolve));
            }
            yield { n: i };
          }
        }
        assert.deepEqual(await store.createAll(documents()), created(2000));
        assert.deepEqual(new Set(seen), new Set([0]));
        assert.equal((await everything(store)).length, 2000);
      }),
    );

    it(
      "goes on together with other writes, each whole",
      withStore(async (store) => {
        const documents = Array.from({ length: 1000 }, (_, n) => ({ n }));
        const creations = [store.create({}), store.createAll(documents), store.create({}), store.createAll(documents)];
        const kinds = (await Promise.all(creations)).map(({ kind }) => kind);
        assert.deepEqual(kinds, ["created", "created", "created", "created"]);
        const records = await everything(store);
        assert.equal(records.length, 2002);
        assert.equal(new Set(records.map(({ revision }) => revision)).size, 2002);
      }),
    );
  });
}
