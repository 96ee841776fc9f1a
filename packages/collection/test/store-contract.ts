import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import fc from "fast-check";
import {
  type BulkCreation,
  type Creation,
  type Database,
  type Document,
  type Replacement,
  type Store,
  type StoredRecord,
  StoreNotEmpty,
  StoreUnavailable,
} from "../src/index.ts";

/** The time at which everything in these tests is stored. */
export const noon: Date = new Date("2026-06-15T12:00:00.000Z");

/**
 * What every store does. `open` gives an empty database with this clock and the collection `person`, in which `identifier`
 * is unique; each is closed after its test.
 */
export function describeStore(name: string, open: (now: () => Date) => Promise<Database>): void {
  const withStore =
    (use: (store: Store, database: Database) => Promise<void>, now: () => Date = () => noon) =>
    async () => {
      const database = await open(now);
      try {
        await use(database.store("person"), database);
      } finally {
        await database.close();
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

  describe(`${name}: replace`, () => {
    it(
      "has the record say what the document says, under the same id and with the next revision",
      withStore(async (store) => {
        await create(store, { name: "Ada", email: "ada@example.org" });
        await create(store, {});
        const record = await replace(store, 1, { name: "Ada Lovelace" });
        assert.equal(
          record.json,
          '{"id":1,"name":"Ada Lovelace","createdAt":"2026-06-15T12:00:00.000Z","updatedAt":"2026-06-15T12:00:00.000Z"}',
        );
        assert.equal(record.revision, 3);
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
        for (const revision of [0, 2, 4, -1, Number.NaN]) {
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

  describe(`${name}: remove`, () => {
    it(
      "removes the record, once",
      withStore(async (store) => {
        await create(store, { identifier: "A1" });
        const other = await create(store, {});
        assert.deepEqual(await store.remove(1), { kind: "removed" });
        assert.equal(await store.find(1), undefined);
        assert.deepEqual(await everything(store), [other]);
        assert.deepEqual(await store.remove(1), { kind: "missing" });
        assert.deepEqual(await store.replace(1, {}), { kind: "missing" });
        await create(store, { identifier: "A1" });
      }),
    );

    it(
      "leaves a record that does not have the expected revision",
      withStore(async (store) => {
        await create(store, {});
        const record = await replace(store, 1, { name: "Ada" });
        assert.deepEqual(await store.remove(1, 1), { kind: "changed", record });
        assert.deepEqual(await store.find(1), record);
        assert.deepEqual(await store.remove(1, 2), { kind: "removed" });
      }),
    );

    it(
      "has no id used again: it is neither assigned nor taken",
      withStore(async (store) => {
        for (const id of [1, 2, 9]) await create(store, { id });
        for (const id of [9, 2]) await store.remove(id);
        assert.deepEqual(await store.create({ id: 9 }), { kind: "conflict", member: "id" });
        assert.deepEqual(await store.create({ id: 2 }), { kind: "conflict", member: "id" });
        assert.equal((await create(store, {})).id, 10);
        assert.equal((await create(store, { id: 3 })).id, 3);
      }),
    );
  });

  describe(`${name}: revision`, () => {
    it(
      "grows by one with every change, removals included, and with nothing else",
      withStore(async (store) => {
        const seen = [await store.revision()];
        const changes: readonly (() => Promise<unknown>)[] = [
          () => store.create({ identifier: "A1" }),
          () => store.create({ identifier: "A1" }),
          () => store.replace(1, { name: "Ada" }),
          () => store.replace(1, { name: "Ada" }),
          () => store.replace(1, { name: "Grace" }, 1),
          () => store.remove(1, 1),
          () => store.remove(1),
          () => store.remove(1),
          () => store.create({}),
        ];
        for (const change of changes) {
          await change();
          seen.push(await store.revision());
        }
        assert.deepEqual(seen, [0, 1, 1, 2, 2, 2, 2, 3, 3, 4]);
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
      withStore(async (store, database) => {
        await store.createAll(Array.from({ length: 200 }, () => ({ description: "x".repeat(70_000) })));
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
        assert.deepEqual(
          (await everything(store)).map(({ id, revision }) => [id, revision]),
          [[8, 3]],
        );
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
        const { id, revision } = await create(store, {});
        assert.deepEqual([id, revision], [2, 2]);
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
      "stores none when one has an id that is none",
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
          assert.deepEqual([id, revision], [1, 1]);
        }),
      );
    }

    it(
      "stores none when they stop coming, and ends what produces them",
      withStore(async (store) => {
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
        mock.timers.tick(10_000);
        await refused.finally(() => mock.timers.reset());
        assert.ok(isEnded);
        assert.equal((await waiting).id, 1);
      }),
    );

    it(
      "lets nobody see what is not all stored",
      withStore(async (store) => {
        const seen: number[] = [];
        async function* documents(): AsyncGenerator<Document> {
          for (let i = 0; i < 2000; i++) {
            if (i % 500 === 0) {
              seen.push((await everything(store)).length, await store.revision());
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
        assert.deepEqual(
          records.map(({ revision }) => revision),
          records.map((_record, i) => i + 1),
        );
      }),
    );
  });

  describe(`${name}: database`, () => {
    it(
      "resolves a check while it is open",
      withStore(async (_store, database) => {
        await database.check();
      }),
    );

    it(
      "has no store of a collection that it was opened without",
      withStore(async (_store, database) => {
        assert.throws(() => database.store("order"), RangeError);
      }),
    );

    it(
      "is unavailable once it is closed",
      withStore(async (store, database) => {
        await database.close();
        await assert.rejects(async () => store.find(1), StoreUnavailable);
        await assert.rejects(everything(store), StoreUnavailable);
        await assert.rejects(store.create({}), StoreUnavailable);
        await assert.rejects(store.createAll([]), StoreUnavailable);
        await assert.rejects(store.replace(1, {}), StoreUnavailable);
        await assert.rejects(store.remove(1), StoreUnavailable);
        await assert.rejects(async () => store.revision(), StoreUnavailable);
        await assert.rejects(database.check(), StoreUnavailable);
      }),
    );

    it(
      "closes once, however often it is told to",
      withStore(async (_store, database) => {
        await database.close();
        await database.close();
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

/** The record that says what the document says. */
export async function replace(
  store: Store,
  id: number,
  document: Document,
  expectedRevision?: number,
): Promise<StoredRecord> {
  const replacement: Replacement = await store.replace(id, document, expectedRevision);
  assert.ok(replacement.kind === "replaced", replacement.kind);
  return replacement.record;
}

/** Every record in one array. */
export async function everything(store: Store): Promise<readonly StoredRecord[]> {
  return (await Array.fromAsync(store.list())).flat();
}
