import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StoreUnavailable } from "../../src/index.ts";
import { create, everything, type WithStore } from "./given.ts";

export function describeList(name: string, withStore: WithStore): void {
  describe(`${name}: list`, () => {
    it(
      "gives no batch when there is no record",
      withStore(async (store) => {
        assert.deepEqual(await Array.fromAsync(store.list()), []);
      }),
    );

    it(
      "gives every record as find does, by ascending id",
      withStore(async (store) => {
        for (const id of [5, 2, 9, 1]) await create(store, { id });
        const records = await everything(store);
        assert.deepEqual(
          records.map(({ id }) => id),
          [1, 2, 5, 9],
        );
        for (const record of records) assert.deepEqual(record, await store.find(record.id));
      }),
    );

    it(
      "gives 5,000 records in batches of about 64 KiB",
      withStore(async (store) => {
        const document = { description: "x".repeat(100) };
        await store.createAll(Array.from({ length: 5_000 }, () => document));
        let next = 1;
        for await (const batch of store.list()) {
          const size = batch.reduce((sum, { json }) => sum + json.length, 0);
          assert.ok(size > 32_768 || batch.at(-1)?.id === 5_000, `a batch of ${size}`);
          assert.ok(size < 131_072, `a batch of ${size}`);
          for (const { id } of batch) assert.equal(id, next++);
        }
        assert.equal(next, 5_001);
      }),
    );

    it(
      "reads a batch only when it is asked for",
      withStore(async (store) => {
        const large = { description: "x".repeat(70_000) };
        await store.createAll(Array.from({ length: 40 }, () => large));
        const batches = store.list()[Symbol.asyncIterator]();
        const { value: first } = await batches.next();
        const added = await create(store, { id: 1_000 });
        let last = first?.at(-1);
        for (let step = await batches.next(); !step.done; step = await batches.next()) last = step.value.at(-1);
        assert.deepEqual(last, added);
      }),
    );

    it(
      "holds nothing for a reader who stops: the store takes writes, and closes",
      withStore(async (store, database) => {
        await store.createAll(Array.from({ length: 40 }, () => ({ description: "x".repeat(70_000) })));
        for await (const batch of store.list()) {
          assert.ok(batch.length > 0);
          break;
        }
        const abandoned = store.list()[Symbol.asyncIterator]();
        await abandoned.next();
        await create(store, {});
        await database.close();
        await assert.rejects(abandoned.next(), StoreUnavailable);
      }),
    );
  });
}
