import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Database, type Store, StoreNotEmpty } from "../../../src/index.ts";
import { create, everything, replace, type WithStore } from "../given.ts";

/** The collection `book` is owned by `person`, whose id is in `personId`, and owns `page` by `bookId`. */
export function describeOwner(name: string, withStore: WithStore): void {
  describe(`${name}: records of an owner`, () => {
    /** Two people, of whom the first has books 1 and 3, and the second book 2. */
    const withBooks = (use: (books: Store, people: Store, database: Database) => Promise<void>) =>
      withStore(async (people, database) => {
        for (const person of ["Ada", "Grace"]) await create(people, { name: person });
        const books = database.store("book");
        await create(books.within(1), { title: "Notes", isbn: "1" });
        await create(books.within(2), { title: "Compilers" });
        await create(books.within(1), { title: "A Sketch" });
        await use(books, people, database);
      });
    const titles = async (store: Store, member = "id") => {
      const order = [...new Set([member, "id"])].map((key) => ({ member: key, descending: false }));
      return (await Array.fromAsync(store.list({ order }))).flat().map(({ json }) => JSON.parse(json).title);
    };

    it(
      "are in a store that says what owns them, unless it is that of one owner",
      withBooks(async (books, people, database) => {
        assert.deepEqual(books.owner, { member: "personId", store: people });
        assert.deepEqual(database.store("page").owner, { member: "bookId", store: books });
        assert.equal(books.within(1).owner, undefined);
      }),
    );

    it(
      "have its id behind their own",
      withBooks(async (books) => {
        const record = await create(books.within(2), { title: "Emma", personId: 1, id: 9 });
        assert.match(record.json, /^\{"id":9,"personId":2,"title":"Emma","createdAt":/);
        assert.deepEqual(await books.find(9), record);
        assert.match(
          (await replace(books.within(2), 9, { title: "Lady Susan" })).json,
          /^\{"id":9,"personId":2,"title":"L/,
        );
      }),
    );

    it(
      "are those that are found, listed, searched and counted",
      withBooks(async (books) => {
        const [ofAda, ofGrace] = [books.within(1), books.within(2)];
        assert.deepEqual(await titles(ofAda), ["Notes", "A Sketch"]);
        assert.deepEqual(await titles(ofAda, "title"), ["A Sketch", "Notes"]);
        assert.deepEqual(await titles(ofGrace, "createdAt"), ["Compilers"]);
        assert.deepEqual(await titles(books, "title"), ["A Sketch", "Compilers", "Notes"]);
        assert.deepEqual([await ofAda.find(2), (await ofAda.find(3))?.id], [undefined, 3]);
        assert.deepEqual([await ofAda.count(), await ofGrace.count(), await books.count()], [2, 1, 3]);
        const search = { words: ["s"], filters: [{ member: "title", operator: "ge", value: "" }] } as const;
        assert.deepEqual([await ofAda.count(search), await ofGrace.count(search)], [1, 0]);
        for (const order of [[], [{ member: "title", descending: true }]]) {
          const selection = { ...search, order: [...order, { member: "id", descending: true }] };
          const [record] = (await Array.fromAsync(ofAda.list(selection))).flat();
          assert.equal(record?.id, 3);
        }
        assert.equal(await ofAda.revision(), 3);
      }),
    );

    it(
      "go on behind a place among its own",
      withBooks(async (books) => {
        await books.within(1).createAll(Array.from({ length: 60 }, (_, i) => ({ title: `T ${i % 7}` })));
        await books.within(2).createAll(Array.from({ length: 60 }, (_, i) => ({ title: `T ${i % 7}` })));
        const order = [
          { member: "title", descending: true },
          { member: "id", descending: true },
        ];
        const listed = (await Array.fromAsync(books.within(1).list({ order, after: ["T 3", 40] }))).flat();
        const all = (await everything(books.within(1))).map(({ json }) => JSON.parse(json));
        const expected = all
          .filter(({ title, id }) => title < "T 3" || (title === "T 3" && id < 40))
          .toSorted((one, other) => (one.title === other.title ? other.id - one.id : one.title < other.title ? 1 : -1));
        assert.ok(listed.length > 10);
        assert.deepEqual(
          listed.map(({ id }) => id),
          expected.map(({ id }) => id),
        );
      }),
    );

    it(
      "are those that are changed and removed",
      withBooks(async (books) => {
        assert.deepEqual(await books.within(2).replace(1, {}), { kind: "missing" });
        assert.deepEqual(await books.within(2).remove(1), { kind: "missing" });
        assert.deepEqual(await books.within(1).remove(1), { kind: "removed" });
        assert.deepEqual(await titles(books), ["Compilers", "A Sketch"]);
      }),
    );

    it(
      "share ids, revisions and unique values with those of others",
      withBooks(async (books) => {
        assert.deepEqual(await books.within(2).create({ isbn: "1" }), { kind: "conflict", member: "isbn" });
        assert.deepEqual(await books.within(2).create({ id: 1 }), { kind: "conflict", member: "id" });
        const { id } = await create(books.within(2), {});
        assert.ok(id > 3); // a refused creation may use up an id
        assert.ok((await books.revision()) > 3);
      }),
    );

    it(
      "are created for no owner that is gone, or never was",
      withBooks(async (books, people) => {
        await people.remove(1);
        for (const owner of [1, 7]) {
          assert.deepEqual(await books.within(owner).create({}), { kind: "ownerless" });
          assert.deepEqual(await books.within(owner).createAll([{}]), { kind: "ownerless" });
          assert.deepEqual(await titles(books.within(owner)), []);
        }
        assert.equal(await books.count(), 1);
      }),
    );

    it(
      "go with it, and what they own: their ids are not given again, the revision moves, and no word finds them",
      withBooks(async (books, people, database) => {
        const pages = database.store("page");
        for (const book of [1, 2, 3, 3]) await create(pages.within(book), {});
        await people.remove(1);
        assert.deepEqual(await titles(books), ["Compilers"]);
        assert.deepEqual([await books.revision(), await pages.revision(), await people.revision()], [5, 7, 3]);
        assert.equal(await pages.count(), 1);
        assert.equal(await books.count({ words: ["notes"] }), 0);
        assert.deepEqual(await books.within(2).create({ id: 3 }), { kind: "conflict", member: "id" });
        assert.equal((await create(books.within(2), { isbn: "1" })).id, 4);
      }),
    );

    it(
      "stay when it is only replaced, or not removed",
      withBooks(async (books, people) => {
        await replace(people, 1, { name: "Ada Lovelace" });
        await people.remove(1, 1);
        assert.equal(await books.count(), 3);
      }),
    );

    it(
      "are loaded into an owner that has none, whatever others have",
      withBooks(async (books, people) => {
        await create(people, {});
        await assert.rejects(books.within(1).createAll([{}], { onlyIfEmpty: true }), StoreNotEmpty);
        const loading = books.within(3).createAll([{}, { personId: 1 }], { onlyIfEmpty: true });
        assert.deepEqual(await loading, { kind: "created", count: 2 });
        assert.equal(await books.within(3).count(), 2);
      }),
    );

    it(
      "name it themselves to the store of all owners, and never change it",
      withBooks(async (books) => {
        assert.match((await create(books, { title: "Emma", personId: 2 })).json, /^\{"id":4,"personId":2,"title"/);
        assert.deepEqual(await books.create({ personId: 7 }), { kind: "ownerless" });
        for (const personId of [undefined, null, "2", 0]) {
          await assert.rejects(books.create({ personId }), RangeError);
          await assert.rejects(books.replace(4, { personId }), RangeError);
        }
        assert.deepEqual(await books.replace(4, { personId: 1 }), { kind: "missing" });
        assert.match((await replace(books, 4, { personId: 2 })).json, /^\{"id":4,"personId":2,"createdAt"/);
        assert.deepEqual(await books.remove(4), { kind: "removed" });
      }),
    );

    it(
      "are there in collections alone that have one",
      withStore(async (people) => {
        assert.throws(() => people.within(1), TypeError);
        assert.equal(people.owner, undefined);
      }),
    );
  });
}
