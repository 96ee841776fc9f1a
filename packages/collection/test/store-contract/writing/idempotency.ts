import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Creation } from "../../../src/index.ts";
import { create, everything, noon, replace, type WithStore } from "../given.ts";

export function describeIdempotency(name: string, withStore: WithStore): void {
  describe(`${name}: idempotency keys`, () => {
    const day = 86_400_000;
    const idempotency = { key: "k'1\"", fingerprint: "a" };

    it(
      "create one record, however often they come",
      withStore(async (store) => {
        const creation = await store.create({ name: "Ada" }, { idempotency });
        assert.ok(creation.kind === "created");
        const { record } = creation;
        const repeated = { kind: "repeated", id: 1, revision: 1, record };
        assert.deepEqual(await store.create({ name: "Ada" }, { idempotency }), repeated);
        assert.deepEqual(await store.create({ name: "Eda" }, { idempotency }), repeated);
        assert.deepEqual(await everything(store), [record]);
        assert.equal(await store.revision(), 1);
      }),
    );

    it(
      "create one record of 50 that come at the same time",
      withStore(async (store) => {
        const creations = await Promise.all(Array.from({ length: 50 }, () => store.create({}, { idempotency })));
        const kinds = Map.groupBy(creations, ({ kind }) => kind);
        assert.deepEqual([kinds.get("created")?.length, kinds.get("repeated")?.length], [1, 49]);
        assert.equal(await store.count(), 1);
      }),
    );

    it(
      "name the record that was created, also when it is changed or gone, and keep nothing of what it said",
      withStore(async (store) => {
        const creation = await store.create({ name: "Ada" }, { idempotency });
        assert.ok(creation.kind === "created");
        const repeated = { kind: "repeated", id: 1, revision: 1, record: undefined };
        await replace(store, 1, { name: "Grace" });
        assert.deepEqual(await store.create({}, { idempotency }), repeated);
        await store.remove(1);
        assert.deepEqual(await store.create({}, { idempotency }), repeated);
      }),
    );

    it(
      "are refused for anything else",
      withStore(async (store) => {
        await store.create({ name: "Ada" }, { idempotency });
        const other = { ...idempotency, fingerprint: "b" };
        assert.deepEqual(await store.create({ name: "Grace" }, { idempotency: other }), { kind: "key-reused" });
        assert.equal(await store.count(), 1);
      }),
    );

    it(
      "are not used up by what is refused",
      withStore(async (store) => {
        await create(store, { identifier: "A1" });
        const refused = await store.create({ identifier: "A1" }, { idempotency });
        assert.deepEqual(refused, { kind: "conflict", member: "identifier" });
        assert.equal((await store.create({ identifier: "A2" }, { idempotency })).kind, "created");
      }),
    );

    it(
      "differ by every character",
      withStore(async (store) => {
        for (const key of ["k", "K", "k ", "", "😀"]) {
          assert.equal((await store.create({}, { idempotency: { key, fingerprint: "a" } })).kind, "created");
        }
      }),
    );

    let time = noon.getTime();
    it(
      "are kept for 24 hours",
      withStore(
        async (store) => {
          const kindAt = async (at: number): Promise<string> => {
            time = noon.getTime() + at;
            return (await store.create({}, { idempotency })).kind;
          };
          const kinds = [await kindAt(0), await kindAt(day - 1), await kindAt(day), await kindAt(2 * day - 1)];
          assert.deepEqual(kinds, ["created", "repeated", "created", "repeated"]);
          assert.equal(await store.count(), 2);
        },
        () => new Date(time),
      ),
    );

    it(
      "are forgotten ten for each record that is stored when they are a day old, keyed or not",
      withStore(
        async (store, database) => {
          const keep = (key: string): Promise<Creation> => store.create({}, { idempotency: { key, fingerprint: "a" } });
          const left: number[] = [];
          const after = async (...changes: readonly Promise<unknown>[]): Promise<void> => {
            await Promise.all(changes);
            const snapshot = await database.snapshot();
            left.push((await Array.fromAsync(snapshot.keys("person"))).flat().length);
            await snapshot.close();
          };
          time = noon.getTime();
          for (let i = 0; i < 75; i++) await keep(`k${i}`);
          time += day - 1;
          await after(create(store, {}));
          time += 1;
          await after(create(store, {}));
          await after(keep("new"));
          await after(replace(store, 1, { name: "Ada" }));
          await after(store.remove(2));
          await after(create(store, {}), create(store, {}));
          await after(store.createAll([{}, {}]));
          await after(create(store, {}));
          assert.deepEqual(left, [75, 65, 56, 46, 46, 26, 6, 1]);
        },
        () => new Date(time),
      ),
    );

    it(
      "are those of a collection, and of an owner in it",
      withStore(async (people, database) => {
        for (let i = 0; i < 2; i++) await create(people, {});
        const books = database.store("book");
        const stores = [people, books.within(1), books.within(2)];
        for (const kind of ["created", "repeated"]) {
          for (const store of stores) assert.equal((await store.create({}, { idempotency })).kind, kind);
        }
      }),
    );
  });
}
