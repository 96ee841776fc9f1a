import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type Creation,
  type Document,
  type Store,
  type StoredRecord,
  StoreNotEmpty,
  StoreUnavailable,
} from "../src/index.ts";

/** The time at which everything in these tests is stored. */
export const noon: Date = new Date("2026-06-15T12:00:00.000Z");

/**
 * What every store does. `open` gives an empty one whose clock stands at `noon` and in which `identifier` is unique; each
 * is closed after its test.
 */
export function describeStore(name: string, open: () => Promise<Store>): void {
  const withStore = (use: (store: Store) => Promise<void>) => async () => {
    const store = await open();
    try {
      await use(store);
    } finally {
      await store.close();
    }
  };

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
      "takes the greatest id, and then has none to assign",
      withStore(async (store) => {
        const record = await create(store, { id: Number.MAX_SAFE_INTEGER });
        assert.deepEqual(await store.find(Number.MAX_SAFE_INTEGER), record);
        await assert.rejects(store.create({}), /No id is left/);
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
        const member = fc.string({ unit: "binary", minLength: 1 }).map((key) => `_${key}`);
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

  describe(`${name}: conflicts`, () => {
    it(
      "names the id when a record has it",
      withStore(async (store) => {
        await create(store, { id: 7, name: "Ada" });
        assert.deepEqual(await store.create({ id: 7, name: "Grace" }), { kind: "conflict", member: "id" });
        assert.equal(JSON.parse((await store.find(7))?.json ?? "").name, "Ada");
      }),
    );

    it(
      "names a unique member when a record has its value",
      withStore(async (store) => {
        await create(store, { identifier: "A1" });
        assert.deepEqual(await store.create({ identifier: "A1" }), { kind: "conflict", member: "identifier" });
        assert.equal((await everything(store)).length, 1);
      }),
    );

    it(
      "leaves no trace of what it refused: neither an id nor a revision is used up",
      withStore(async (store) => {
        await create(store, { identifier: "A1" });
        await store.create({ id: 90, identifier: "A1" });
        const { id, revision } = await create(store, {});
        assert.deepEqual([id, revision], [2, 2]);
      }),
    );

    const distinct = ["A1", "a1", "A1 ", "Ａ1", "é", "e\u0301", "", "1", 1, "null"];
    it(
      `tells ${JSON.stringify(distinct)} apart`,
      withStore(async (store) => {
        for (const identifier of distinct) await create(store, { identifier });
        for (const identifier of distinct) assert.equal((await store.create({ identifier })).kind, "conflict");
      }),
    );

    it(
      "lets any number of records be without the member, or have null",
      withStore(async (store) => {
        for (const document of [{}, {}, { identifier: null }, { identifier: null }]) await create(store, document);
      }),
    );

    it(
      "lets one of 50 creates at the same time have a value",
      withStore(async (store) => {
        const creations = await Promise.all(Array.from({ length: 50 }, () => store.create({ identifier: "A1" })));
        assert.equal(creations.filter(({ kind }) => kind === "created").length, 1);
        assert.equal((await everything(store)).length, 1);
      }),
    );

    it(
      "gives 50 creates at the same time 50 ids and revisions",
      withStore(async (store) => {
        const records = await Promise.all(Array.from({ length: 50 }, () => create(store, {})));
        assert.equal(new Set(records.map(({ id }) => id)).size, 50);
        assert.equal(new Set(records.map(({ revision }) => revision)).size, 50);
      }),
    );
  });

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
      "gives 20,000 records in batches of about 64 KiB",
      withStore(async (store) => {
        const document = { description: "x".repeat(100) };
        await store.createAll(Array.from({ length: 20_000 }, () => document));
        let next = 1;
        for await (const batch of store.list()) {
          const size = batch.reduce((sum, { json }) => sum + json.length, 0);
          assert.ok(size > 32_768 || batch.at(-1)?.id === 20_000, `a batch of ${size}`);
          assert.ok(size < 131_072, `a batch of ${size}`);
          for (const { id } of batch) assert.equal(id, next++);
        }
        assert.equal(next, 20_001);
      }),
    );

    it(
      "reads a batch only when it is asked for",
      withStore(async (store) => {
        const large = { description: "x".repeat(70_000) };
        await store.createAll(Array.from({ length: 200 }, () => large));
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
      withStore(async (store) => {
        await store.createAll(Array.from({ length: 200 }, () => ({ description: "x".repeat(70_000) })));
        for await (const batch of store.list()) {
          assert.ok(batch.length > 0);
          break;
        }
        const abandoned = store.list()[Symbol.asyncIterator]();
        await abandoned.next();
        await create(store, {});
        await store.close();
        await assert.rejects(abandoned.next(), StoreUnavailable);
      }),
    );
  });

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

  describe(`${name}: check and close`, () => {
    it(
      "resolves a check while it is open",
      withStore(async (store) => {
        await store.check();
      }),
    );

    it(
      "is unavailable once it is closed",
      withStore(async (store) => {
        await store.close();
        await assert.rejects(async () => store.find(1), StoreUnavailable);
        await assert.rejects(everything(store), StoreUnavailable);
        await assert.rejects(store.create({}), StoreUnavailable);
        await assert.rejects(store.createAll([]), StoreUnavailable);
        await assert.rejects(store.check(), StoreUnavailable);
      }),
    );

    it(
      "closes once, however often it is told to",
      withStore(async (store) => {
        await store.close();
        await store.close();
      }),
    );
  });
}

/** The record that a document becomes. */
export async function create(store: Store, document: Document): Promise<StoredRecord> {
  const creation: Creation = await store.create(document);
  assert.ok(creation.kind === "created", `a conflict on ${"member" in creation ? creation.member : ""}`);
  return creation.record;
}

/** Every record in one array. */
export async function everything(store: Store): Promise<readonly StoredRecord[]> {
  return (await Array.fromAsync(store.list())).flat();
}
