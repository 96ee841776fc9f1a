import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Document } from "../../../src/index.ts";
import { create, everything, noon, replace, type WithStore } from "../given.ts";

export function describeReplacement(name: string, withStore: WithStore): void {
  describe(`${name}: replace`, () => {
    it(
      "has the record say what the document says, under the same id and with the next revision",
      withStore(async (store) => {
        const before = await create(store, { name: "Ada", email: "ada@example.org" });
        await create(store, {});
        const record = await replace(store, 1, { name: "Ada Lovelace" });
        assert.equal(
          record.json,
          '{"id":1,"name":"Ada Lovelace","createdAt":"2026-06-15T12:00:00.000Z","updatedAt":"2026-06-15T12:00:00.000Z"}',
        );
        assert.ok(record.revision > before.revision);
        assert.equal(await store.revision(), 3);
        assert.deepEqual(await store.find(1), record);
        assert.deepEqual((await everything(store))[0], record);
      }),
    );

    let time = noon;
    it(
      "keeps createdAt, and gives an updatedAt that is never earlier than the one before",
      withStore(
        async (store) => {
          const records = [await create(store, { name: "A" })];
          for (const [name, offset] of Object.entries({ B: 5_000, C: -5_000, D: 6_000 })) {
            time = new Date(noon.getTime() + offset);
            records.push(await replace(store, 1, { name }));
          }
          assert.deepEqual(
            records.map(({ updatedAt }) => updatedAt - noon.getTime()),
            [0, 5_000, 5_000, 6_000],
          );
          for (const { json, updatedAt } of records) {
            const times = { createdAt: noon.toISOString(), updatedAt: new Date(updatedAt).toISOString() };
            assert.partialDeepStrictEqual(JSON.parse(json), times);
          }
        },
        () => time,
      ),
    );

    it(
      "uses none of the document's own id and times",
      withStore(async (store) => {
        await create(store, {});
        const { json } = await replace(store, 1, { updatedAt: 1, id: 7, name: "Ada", createdAt: "1815" });
        assert.deepEqual(JSON.parse(json), {
          id: 1,
          name: "Ada",
          createdAt: noon.toISOString(),
          updatedAt: noon.toISOString(),
        });
        assert.equal(await store.find(7), undefined);
      }),
    );

    const same: readonly [what: string, document: Document][] = [
      ["the same", { name: "Ada", address: { postalCode: "75001", streetAddress: "Rue" } }],
      ["the same in another order", { address: { streetAddress: "Rue", postalCode: "75001" }, name: "Ada" }],
      [
        "the record itself",
        { id: 1, name: "Ada", address: { postalCode: "75001", streetAddress: "Rue" }, createdAt: "" },
      ],
    ];
    for (const [what, document] of same) {
      let later = noon;
      it(
        `changes nothing for ${what}`,
        withStore(
          async (store) => {
            const before = await create(store, { name: "Ada", address: { postalCode: "75001", streetAddress: "Rue" } });
            later = new Date(noon.getTime() + 5_000);
            assert.deepEqual(await store.replace(1, document), { kind: "replaced", record: before });
            assert.deepEqual(await store.find(1), before);
            assert.equal(await store.revision(), before.revision);
          },
          () => later,
        ),
      );
    }

    const different: readonly [Document, Document][] = [
      [{ name: "Ada" }, { name: "Eda" }],
      [{ list: [1, 2] }, { list: [2, 1] }],
      [{ value: "12" }, { value: 1234 }],
      [{ value: null }, { value: "no" }],
      [
        { a: "x", b: "y" },
        { a: "y", b: "x" },
      ],
    ];
    for (const [before, after] of different) {
      it(
        `tells ${JSON.stringify(after)} from ${JSON.stringify(before)}`,
        withStore(async (store) => {
          await create(store, before);
          assert.equal((await replace(store, 1, after)).revision, 2);
        }),
      );
    }

    for (const id of [0, -1, 2, 1.5, 2 ** 32 + 1, 2 ** 53, 2 ** 63, 1e300, Number.NaN]) {
      it(
        `finds nobody to replace or to remove under ${id}`,
        withStore(async (store) => {
          const record = await create(store, {});
          assert.deepEqual(await store.replace(id, { name: "Ada" }), { kind: "missing" });
          assert.deepEqual(await store.replace(id, { name: "Ada" }, 1), { kind: "missing" });
          assert.deepEqual(await store.remove(id), { kind: "missing" });
          assert.deepEqual(await everything(store), [record]);
          assert.equal(await store.revision(), 1);
        }),
      );
    }

    it(
      "compares the expected revision before anything else, and gives the record as it is",
      withStore(async (store) => {
        await create(store, { identifier: "A1" });
        await create(store, { identifier: "A2" });
        const record = await replace(store, 1, { name: "Ada" }, 1);
        for (const document of [{}, { name: "Ada" }, { identifier: "A2" }]) {
          assert.deepEqual(await store.replace(1, document, 1), { kind: "changed", record });
        }
        for (const revision of [0, record.revision - 1, record.revision + 1, -1, Number.NaN]) {
          assert.deepEqual(await store.replace(1, {}, revision), { kind: "changed", record });
        }
        assert.equal(await store.revision(), 3);
      }),
    );

    it(
      "lets one of 50 who expect the same revision through",
      withStore(async (store) => {
        await create(store, {});
        const replacements = await Promise.all(
          Array.from({ length: 50 }, (_, i) => store.replace(1, { name: `Ada ${i}` }, 1)),
        );
        const [record, ...others] = replacements.flatMap((each) => (each.kind === "replaced" ? [each.record] : []));
        assert.equal(others.length, 0);
        assert.deepEqual(await store.find(1), record);
        assert.equal(replacements.filter(({ kind }) => kind === "changed").length, 49);
      }),
    );

    it(
      "names a unique member when another record has its value, and changes nothing",
      withStore(async (store) => {
        await create(store, { identifier: "A1" });
        const before = await create(store, { identifier: "A2" });
        assert.deepEqual(await store.replace(2, { identifier: "A1" }), { kind: "conflict", member: "identifier" });
        assert.deepEqual(await store.find(2), before);
        assert.equal(await store.revision(), 2);
      }),
    );

    it(
      "lets a record keep its unique value, and frees one that it gives up",
      withStore(async (store) => {
        await create(store, { identifier: "A1" });
        await replace(store, 1, { identifier: "A1", name: "Ada" });
        await replace(store, 1, { identifier: "A2" });
        await create(store, { identifier: "A1" });
        assert.equal((await store.create({ identifier: "A2" })).kind, "conflict");
      }),
    );
  });
}
