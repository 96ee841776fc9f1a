import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../../waymark/test/tools/any-text.ts";
import { create, everything, noon, type WithStore } from "../given.ts";

export function describeCreation(name: string, withStore: WithStore): void {
  describe(`${name}: create and find`, () => {
    it(
      "keeps the JSON text that is sent: id, the document's members in their order, times",
      withStore(async (store) => {
        const record = await create(store, { name: "Ada", address: { postalCode: "75001" }, birthDate: "1815-12-10" });
        assert.equal(
          record.json,
          '{"id":1,"name":"Ada","address":{"postalCode":"75001"},"birthDate":"1815-12-10",' +
            '"createdAt":"2026-06-15T12:00:00.000Z","updatedAt":"2026-06-15T12:00:00.000Z"}',
        );
        assert.equal(record.updatedAt, noon.getTime());
        assert.deepEqual(await store.find(1), record);
      }),
    );

    it(
      "numbers records from 1 and changes from 1, in the order of the commits",
      withStore(async (store) => {
        const records = [await create(store, {}), await create(store, {}), await create(store, {})];
        assert.deepEqual(
          records.map(({ id, revision }) => [id, revision]),
          [
            [1, 1],
            [2, 2],
            [3, 3],
          ],
        );
      }),
    );

    it(
      "uses an id that is given, and assigns those beyond it afterwards",
      withStore(async (store) => {
        assert.equal((await create(store, { id: 7 })).id, 7);
        assert.equal((await create(store, {})).id, 8);
        assert.equal((await create(store, { id: 3 })).id, 3);
        assert.equal((await create(store, {})).id, 9);
      }),
    );

    for (const [what, document, message] of [
      ["a promise", Promise.resolve({ name: "Ada" }), /not a promise: write await/],
      ["an array", [1], /not array/],
      ["undefined", undefined, /not undefined/],
      ["text", "Ada", /not string/],
    ] as const) {
      it(
        `refuses ${what} in the place of a document`,
        withStore(async (store) => {
          await create(store, { name: "Ada" });
          const wrong = document as object; // which the compiler takes a promise and an array for
          for (const write of [
            () => store.create(wrong),
            () => store.replace(1, wrong),
            () => store.createAll([wrong]),
          ]) {
            await assert.rejects(write, { name: "TypeError", message });
          }
          assert.equal((await everything(store)).length, 1);
          assert.match((await store.find(1))?.json ?? "", /"name":"Ada"/);
        }),
      );
    }

    it(
      "puts a given id first, wherever the document has it",
      withStore(async (store) => {
        assert.match((await create(store, { name: "Ada", id: 7 })).json, /^\{"id":7,"name":"Ada",/);
      }),
    );

    it(
      "sets the times itself, whatever the document says",
      withStore(async (store) => {
        const { json } = await create(store, { createdAt: "1815", name: "Ada", updatedAt: 1 });
        assert.deepEqual(Object.keys(JSON.parse(json)), ["id", "name", "createdAt", "updatedAt"]);
        assert.equal(JSON.parse(json).createdAt, noon.toISOString());
      }),
    );

    it(
      "takes the greatest id, which uses up none of those that it assigns",
      withStore(async (store) => {
        const record = await create(store, { id: Number.MAX_SAFE_INTEGER });
        assert.deepEqual(await store.find(Number.MAX_SAFE_INTEGER), record);
        assert.equal((await create(store, {})).id, 1);
        await create(store, { id: 2 ** 52 });
        assert.equal((await create(store, {})).id, 2 ** 52 + 1);
        assert.equal((await create(store, { id: 5 })).id, 5);
      }),
    );

    for (const id of [0, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, "1", null, 1n]) {
      it(
        `refuses ${typeof id} ${String(id)} as an id`,
        withStore(async (store) => {
          await assert.rejects(store.create({ id }), RangeError);
          assert.deepEqual(await everything(store), []);
        }),
      );
    }

    const numbers = [
      0,
      -1,
      2,
      1.5,
      -(2 ** 53),
      2 ** 31,
      2 ** 32 + 1,
      2 ** 53 - 1,
      2 ** 53,
      2 ** 63,
      2 ** 64 + 1,
      1e300,
    ];
    for (const id of [...numbers, Number.NaN, Number.POSITIVE_INFINITY]) {
      it(
        `finds nobody under ${id}`,
        withStore(async (store) => {
          await create(store, {});
          assert.equal(await store.find(id), undefined);
        }),
      );
    }

    it(
      "gives back every JSON document as it was",
      withStore(async (store) => {
        const member = anyText({ minLength: 1 }).map((key) => `_${key}`);
        await fc.assert(
          fc.asyncProperty(fc.dictionary(member, fc.jsonValue()), async (document) => {
            const { id, json } = await create(store, document);
            const found = await store.find(id);
            assert.equal(found?.json, json);
            const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...members } = JSON.parse(json);
            assert.equal(JSON.stringify(members), JSON.stringify(document));
          }),
          { numRuns: 50 },
        );
      }),
    );

    for (const value of ["'); DROP TABLE person; --", 'a"b\\c', "\u0000", "😀", "\u2028", "\ud800", "%_*"]) {
      it(
        `keeps ${JSON.stringify(value)} as data`,
        withStore(async (store) => {
          const { id } = await create(store, { name: value, identifier: value });
          const found = await store.find(id);
          assert.equal(JSON.parse(found?.json ?? "").name, value);
        }),
      );
    }
  });
}
