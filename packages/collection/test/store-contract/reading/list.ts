import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Document, type Selection, type Store, type StoredRecord, StoreUnavailable } from "../../../src/index.ts";
import { create, everything, replace, type WithStore } from "../given.ts";

const byNameDescending = ["name", "id"].map((member) => ({ member, descending: true }));

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
      "gives a page that has long records as find does",
      withStore(async (store) => {
        const sizes = Array.from({ length: 20 }, (_, n) => (n % 3 === 0 ? 30_000 : 10));
        for (const size of sizes) await create(store, { description: "x".repeat(size) });
        const records = (await Array.fromAsync(store.list({ limit: 18 }))).flat();
        assert.equal(records.length, 18);
        for (const record of records) assert.deepEqual(record, await store.find(record.id));
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

    describe("that no index has in its order", () => {
      const order = ["name", "email", "id"].map((member) => ({ member, descending: member === "email" }));
      const filters = [{ member: "name", operator: "ne", value: "Nobody" }] as const;
      const description = "x".repeat(4_000);
      const person = (n: number): Document => ({ name: `Ada ${n % 3}`, email: `${n % 7}@example.org`, description });

      /** Lists forty people, who are changed after the first batch; returns them as they were, and what is listed. */
      const listChanged = async (
        store: Store,
        selection: Selection,
        change: (before: readonly StoredRecord[]) => Promise<void>,
      ): Promise<{ readonly before: readonly StoredRecord[]; readonly listed: readonly StoredRecord[] }> => {
        await store.createAll(Array.from({ length: 40 }, (_, n) => person(n)));
        const before = (await Array.fromAsync(store.list({ order, filters }))).flat();
        assert.equal(before.length, 40);
        const batches = store.list(selection)[Symbol.asyncIterator]();
        const first = (await batches.next()).value ?? [];
        assert.ok(first.length < 20, `${first.length} in the first batch`);
        await change(before);
        const others = await Array.fromAsync({ [Symbol.asyncIterator]: () => batches });
        return { before, listed: [...first, ...others.flat()] };
      };

      it(
        "has the records that were found, each once and as it is when it is read",
        withStore(async (store) => {
          const { before, listed } = await listChanged(store, { order, filters }, async (people) => {
            const ids = people.map(({ id }) => id);
            const [first = 0, later = 0, removed = 0, other = 0] = [ids[0], ids[30], ids[31], ids[32]];
            await replace(store, first, { name: "Zoe", description }); // would be last now
            await replace(store, later, { name: "Aaron", description }); // would be first now
            await store.remove(removed);
            await replace(store, other, { name: "Nobody", description }); // is not selected now
            await create(store, { name: "Zoe", description });
          });
          const ids = before.map(({ id }) => id);
          assert.deepEqual(
            listed.map(({ id }) => id),
            ids.toSpliced(31, 2),
          );
          assert.match(listed[30]?.json ?? "", /"Aaron"/);
          assert.deepEqual(listed[0], before[0]);
        }),
      );

      it(
        "has as many as its limit, and goes on where a record would be now",
        withStore(async (store) => {
          const { before, listed } = await listChanged(store, { order, filters, limit: 35 }, async (people) => {
            const ids = people.map(({ id }) => id);
            const [later = 0, removed = 0] = [ids[30], ids[31]];
            await replace(store, later, { name: "Aaron", description });
            await store.remove(removed);
          });
          const ids = before.map(({ id }) => id);
          assert.deepEqual(
            listed.map(({ id }) => id),
            ids.toSpliced(30, 2).slice(0, 35),
          );
        }),
      );

      it(
        "can be read again from any batch on",
        withStore(async (store) => {
          await store.createAll(Array.from({ length: 40 }, (_, n) => person(n)));
          const { next } = await store.batch({ order });
          const [one, other] = [await next?.(), await next?.()];
          assert.deepEqual(one?.records, other?.records);
          assert.ok(Number(one?.records.length) > 0);
        }),
      );
    });

    it(
      "names the state that its first batch shows",
      withStore(async (store) => {
        for (const selection of [{}, { words: ["ada"] }, { order: byNameDescending, limit: 1 }]) {
          const before = await store.batch(selection);
          assert.equal(before.state, await store.state());
          await create(store, { name: "Ada" });
          const after = await store.batch({ ...selection });
          assert.equal(after.state, await store.state());
          assert.notEqual(after.state, before.state);
          assert.equal(await store.count({}, { notBefore: after.state }), await store.count());
        }
      }),
    );

    it(
      "is counted up to a number",
      withStore(async (store) => {
        await store.createAll(Array.from({ length: 40 }, (_, n) => ({ name: `Person ${n}` })));
        const words = ["person"];
        const filters = [{ member: "name", operator: "ge", value: "" }] as const;
        for (const selection of [{}, { filters }, { words: [], filters, limit: 3 }, { words }]) {
          const all = await store.count(selection);
          for (const most of [1, 39, 40, 41]) {
            assert.equal(await store.count(selection, { most }), Math.min(all, most), JSON.stringify(selection));
          }
        }
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
