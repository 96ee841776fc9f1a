import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Document, Store } from "../../src/index.ts";
import { create, everything, noon, type WithStore } from "./given.ts";

export function describeEachCreation(name: string, withStore: WithStore): void {
  describe(`${name}: createEach`, () => {
    const key = "file 'a'\"";

    /** What becomes of documents at these positions of a source. */
    async function kinds(store: Store, documents: readonly Document[], positions: readonly number[]): Promise<string> {
      const settled = await store.createEach(documents, { source: { key, positions } });
      return settled.map((each) => (each.status === "fulfilled" ? each.value.kind : each.reason)).join(" ");
    }

    it(
      "creates what nothing keeps from it, and says what became of each",
      withStore(async (store) => {
        await create(store, { identifier: "A1" });
        const settled = await store.createEach([
          { identifier: "A2" },
          { identifier: "A1" },
          { id: 1 },
          { id: 700 },
          { identifier: "A2" },
        ]);
        const outcomes = settled.map((each) => each.status === "fulfilled" && each.value);
        assert.deepEqual(outcomes, [
          { kind: "created" },
          { kind: "conflict", member: "identifier" },
          { kind: "conflict", member: "id" },
          { kind: "created" },
          { kind: "conflict", member: "identifier" },
        ]);
        assert.equal(await store.count(), 3);
        assert.deepEqual(await store.createEach([]), []);
      }),
    );

    it(
      "creates one record for a position of a source, however often and in whatever order it comes",
      withStore(async (store) => {
        assert.equal(await kinds(store, [{}, {}, {}], [1, 3, 2]), "created created created");
        assert.equal(await kinds(store, [{}, {}, {}, {}], [0, 1, 2, 5]), "created repeated repeated created");
        assert.equal(await kinds(store, [{}, {}, {}], [4, 4, 5]), "created repeated repeated");
        await store.remove(1);
        assert.equal(await kinds(store, [{}, {}], [1, 2]), "repeated repeated");
        assert.equal(await store.count(), 5);
        await store.createEach([{}], { source: { key: `${key} `, positions: [1] } });
        await store.create({}, { idempotency: { key, fingerprint: "" } });
        assert.equal(await store.count(), 7);
      }),
    );

    it(
      "creates one record for each of a thousand positions that come four times at the same time, and keeps a key for them",
      withStore(async (store, database) => {
        const positions = Array.from({ length: 1000 }, (_, i) => 40 + i);
        const documents = positions.map(() => ({}));
        const given = await Promise.all(Array.from({ length: 4 }, () => kinds(store, documents, positions)));
        const counts = Object.groupBy(
          given.flatMap((each) => each.split(" ")),
          (kind) => kind,
        );
        assert.deepEqual([counts["created"]?.length, counts["repeated"]?.length], [1000, 3000]);
        assert.equal(await store.count(), 1000);
        const snapshot = await database.snapshot();
        const keys = (await Array.fromAsync(snapshot.keys("person"))).flat();
        await snapshot.close();
        assert.ok(
          keys.length <= 2 && keys.every(({ fingerprint }) => fingerprint.length <= 256),
          "a key for each record",
        );
      }),
    );

    it(
      "does not use up a position by what is refused",
      withStore(async (store) => {
        await create(store, { identifier: "A1" });
        assert.equal(await kinds(store, [{ identifier: "A1" }, {}], [0, 1]), "conflict created");
        assert.equal(await kinds(store, [{ identifier: "A2" }, {}], [0, 1]), "created repeated");
      }),
    );

    let time = noon.getTime();
    it(
      "keeps positions for 24 hours after the last one near them",
      withStore(
        async (store) => {
          const day = 86_400_000;
          time = noon.getTime();
          assert.equal(await kinds(store, [{}], [0]), "created");
          time += day - 1;
          assert.equal(await kinds(store, [{}, {}], [0, 1]), "repeated created");
          time += day - 1;
          assert.equal(await kinds(store, [{}, {}], [0, 1]), "repeated repeated");
          time += 1;
          assert.equal(await kinds(store, [{}, {}], [0, 1]), "created created");
        },
        () => new Date(time),
      ),
    );

    it(
      "has the positions of an owner apart from those of others, and refuses what has no owner",
      withStore(async (people, database) => {
        for (let i = 0; i < 2; i++) await create(people, {});
        const books = database.store("book");
        for (const kind of ["created", "repeated"]) {
          for (const store of [people, books.within(1), books.within(2)])
            assert.equal(await kinds(store, [{}], [0]), kind);
        }
        assert.equal(await kinds(books.within(9), [{}], [0]), "ownerless");
        assert.equal((await everything(books)).length, 2);
      }),
    );

    it(
      "rejects a document whose id is invalid, and creates no other",
      withStore(async (store) => {
        await assert.rejects(store.createEach([{}, { id: 0 }]), RangeError);
        assert.equal(await store.count(), 0);
      }),
    );
  });
}
