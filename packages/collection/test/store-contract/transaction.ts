import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as elapse, setImmediate as endOfTurn } from "node:timers/promises";
import { type Database, parseRecord, type Store, type Transaction, toWords } from "../../src/index.ts";
import { changesBehind } from "./feed.ts";
import { create, everything, noon, replace, type WithStore } from "./given.ts";

interface Person {
  readonly name?: string;
  readonly identifier?: string;
  readonly count?: number;
}

export function describeTransaction(name: string, withStore: WithStore): void {
  describe(`${name}: transaction`, () => {
    const names = async (store: Store): Promise<readonly unknown[]> =>
      (await everything(store)).map((record) => (parseRecord(record) as Person).name);

    it(
      "changes records of several collections together, which others see once it is committed",
      withStore(async (people, database) => {
        const books = database.store("book");
        const { id } = await create(people, { name: "Ada" });
        const [cursor, state] = [(await changesBehind(people)).cursor, await people.state()];
        const seen = await database.transaction(async (tx) => {
          const [inPeople, inBooks] = [tx.store<Person>("person"), tx.store("book")];
          const grace = await inPeople.create({ name: "Grace" });
          assert.ok(grace.kind === "created");
          await replace(inPeople, id, { name: "Ada Lovelace" });
          await create(inBooks.within(grace.record.id), { title: "Nanoseconds" });
          assert.deepEqual([await names(people), await everything(books)], [["Ada"], []]);
          return names(inPeople);
        });
        assert.deepEqual(seen, ["Ada Lovelace", "Grace"]);
        assert.deepEqual(await names(people), seen);
        assert.notEqual(await people.state(), state);
        const { changes } = await changesBehind(people, cursor);
        assert.deepEqual(
          new Set(changes.map((change) => change.kind === "stored" && change.record.json)),
          new Set((await everything(people)).map(({ json }) => json)),
        );
        const [book] = await everything(books);
        assert.deepEqual(parseRecord(book as object as never), {
          id: 1,
          personId: 2,
          title: "Nanoseconds",
          createdAt: noon.toISOString(),
          updatedAt: noon.toISOString(),
        });
      }),
    );

    it(
      "sees what it has changed: by id, in lists, in searches and counts",
      withStore(async (_people, database) => {
        await database.transaction(async (tx) => {
          const people = tx.store("person");
          const { id } = await create(people, { name: "Ada", identifier: "A" });
          const grace = await create(people, { name: "Grace", identifier: "G" });
          await people.remove(id);
          await replace(people, grace.id, { name: "Grace Hopper", identifier: "G" }, grace.revision);
          const found = async (selection: Parameters<Store["list"]>[0]): Promise<readonly unknown[]> =>
            (await Array.fromAsync(people.list(selection)))
              .flat()
              .map((record) => (parseRecord(record) as Person).name);
          assert.equal(await people.find(id), undefined);
          assert.deepEqual(await found({ words: toWords("hopper") }), ["Grace Hopper"]);
          assert.deepEqual(await found({ filters: [{ member: "name", operator: "prefix", value: "grace" }] }), [
            "Grace Hopper",
          ]);
          assert.equal(await people.count({ words: toWords("ada") }), 0);
          for (let n = 0; n < 300; n++) await create(people, { name: `Reader ${n}`, note: "n".repeat(500) });
          const order = [
            { member: "name", descending: true },
            { member: "id", descending: false },
          ] as const;
          const pages = await Array.fromAsync(people.list({ order }));
          assert.ok(pages.length > 1);
          assert.equal(pages.flat().length, 301);
          assert.deepEqual(await found({ order, limit: 2 }), ["Reader 99", "Reader 98"]);
        });
      }),
    );

    it(
      "stores nothing where its work throws, and throws that on",
      withStore(async (people, database) => {
        const { id, revision } = await create(people, { name: "Ada", identifier: "A" });
        const state = await people.state();
        const reason = new Error("no");
        const work = async (tx: Transaction): Promise<void> => {
          await tx.store("person").remove(id);
          await create(tx.store("person"), { name: "Grace", identifier: "A" });
          throw reason;
        };
        await assert.rejects(database.transaction(work), (error) => error === reason);
        assert.deepEqual([await people.state(), (await people.find(id))?.revision], [state, revision]);
        assert.deepEqual(await people.create({ identifier: "A" }), { kind: "conflict", member: "identifier" });
      }),
    );

    it(
      "has the results of single changes, and goes on after a refusal",
      withStore(async (people, database) => {
        const ada = await create(people, { name: "Ada", identifier: "A" });
        const idempotency = { key: "k", fingerprint: "f" };
        await people.transaction(async (inside) => {
          assert.deepEqual(await inside.create({ identifier: "A" }), { kind: "conflict", member: "identifier" });
          assert.deepEqual(await inside.create({ id: ada.id }), { kind: "conflict", member: "id" });
          assert.equal((await inside.replace(ada.id, { name: "Eve" }, ada.revision + 1)).kind, "changed");
          assert.equal((await inside.replace(ada.id + 1, {})).kind, "missing");
          assert.equal((await inside.remove(ada.id + 1)).kind, "missing");
          const same = await replace(inside, ada.id, { name: "Ada", identifier: "A" });
          assert.equal(same.revision, ada.revision);
          await replace(inside, ada.id, { name: "Ada", identifier: "B" });
          const taken = await inside.create({ identifier: "A" }, { idempotency });
          assert.ok(taken.kind === "created" && taken.record.revision > ada.revision);
          assert.equal((await inside.create({ identifier: "A" }, { idempotency })).kind, "repeated");
          await assert.rejects(inside.create({ id: 0 }), RangeError);
        });
        assert.equal((await people.create({ identifier: "A" }, { idempotency })).kind, "repeated");
        assert.equal(
          (await people.create({}, { idempotency: { ...idempotency, fingerprint: "g" } })).kind,
          "key-reused",
        );
        const books = await database.store("book");
        assert.equal(
          await people.transaction(async (inside, tx) => {
            await create(tx.store("book"), { personId: ada.id, title: "t" });
            await inside.remove(ada.id);
            return tx.store("book").count();
          }),
          0,
        );
        assert.equal(await books.count(), 0);
      }),
    );

    it(
      "is of one owner where its store is",
      withStore(async (people, database) => {
        const [ada, grace] = [await create(people, { name: "Ada" }), await create(people, { name: "Grace" })];
        await database
          .store("book")
          .within(ada.id)
          .transaction(async (books) => {
            const { id } = await create(books, { title: "Notes" });
            assert.equal((await books.find(id))?.id, id);
          });
        await database
          .store("book")
          .within(grace.id)
          .transaction(async (books) => {
            assert.deepEqual(
              [await books.find(1), await books.count(), (await books.remove(1)).kind],
              [undefined, 0, "missing"],
            );
          });
        assert.equal(await database.store("book").count(), 1);
      }),
    );

    it(
      "makes many changes, each in the state that those before it have left",
      withStore(async (people, database) => {
        await database.transaction(async (tx) => {
          const inside = tx.store<Person>("person");
          const documents = ["A", "B"].map((identifier) => ({ identifier }));
          assert.deepEqual(await inside.createAll(documents), { kind: "created", count: 2 });
          const [a, b] = await everything(inside);
          assert.ok(a !== undefined && b !== undefined);
          const swapped = [
            { kind: "replace", id: a.id, document: { identifier: "B" } },
            { kind: "replace", id: b.id, document: { identifier: "A" } },
            { kind: "create", document: { identifier: "C" } },
          ] as const;
          const keep = { key: "list", text: () => "done" };
          assert.deepEqual(await inside.changeAll(swapped, { keep, locks: ["one", "two"] }), {
            kind: "created",
            count: 3,
          });
          assert.equal(await inside.kept("list"), "done");
        });
        const identifiers = (await everything(people)).map((record) => (parseRecord(record) as Person).identifier);
        assert.deepEqual([identifiers, await people.kept("list")], [["B", "A", "C"], "done"]);
      }),
    );

    it(
      "stores nothing where a list in it was refused or undone",
      withStore(async (people, database) => {
        const documents = [{ identifier: "A" }, { identifier: "A" }];
        const conflicts = [{ position: 2, member: "identifier" }];
        const refused = database.transaction(async (tx) => {
          assert.deepEqual(await tx.store("person").createAll(documents), { kind: "refused", conflicts });
        });
        await assert.rejects(
          refused,
          /^Error: The transaction that began at .*transaction\.ts:\d+:\d+ stores nothing, since a list in it was refused$/,
        );
        const undone = database.transaction((tx) =>
          tx.store("person").changeAll([{ kind: "create", document: {} }], { undo: () => true }),
        );
        await assert.rejects(undone, /a list in it was refused/);
        assert.equal(await people.count(), 0);
      }),
    );

    it(
      "is as if nothing else were done at the same time",
      withStore(async (people, database) => {
        const { id } = await create(people, { count: 0 });
        const increment = (tx: Transaction): Promise<unknown> => add(tx.store<Person>("person"), id);
        const plain = async (): Promise<void> => {
          for (let n = 0; n < 5; n++) await create(people, { name: "beside" });
        };
        await Promise.all([...Array.from({ length: 12 }, () => database.transaction(increment)), plain()]);
        assert.equal(countOf(await people.find(id)), 12);
        // Each creates a record only where no other has the name.
        const once = (tx: Transaction): Promise<unknown> => createOnce(tx.store("person"), "only");
        await Promise.all(Array.from({ length: 8 }, () => database.transaction(once)));
        assert.equal((await names(people)).filter((each) => each === "only").length, 1);
      }),
    );

    it(
      "makes what is asked for at the same time one after another, and all that was asked for before its end",
      withStore(async (people, database) => {
        await database.transaction(async (tx) => {
          const inside = tx.store("person");
          const outcomes = await Promise.all(["A", "A", "B"].map((identifier) => inside.create({ identifier })));
          assert.deepEqual(
            outcomes.map(({ kind }) => kind),
            ["created", "conflict", "created"],
          );
          inside.create({ identifier: "C" });
        });
        assert.equal(await people.count(), 3);
      }),
    );

    it(
      "cannot be used after its end, nor within itself",
      withStore(async (people, database) => {
        const inside = await database.transaction((tx) => tx.store("person"));
        const ended =
          /^Error: The transaction that began at .*transaction\.ts:\d+:\d+ has ended: await all that is done in it$/;
        for (const use of [() => inside.find(1), () => inside.create({}), () => inside.count(), () => inside.remove(1)])
          await assert.rejects(async () => use(), ended);
        await database.transaction(async (tx) => {
          const inside = tx.store("person");
          await assert.rejects(
            inside.transaction(async () => undefined),
            /There is a transaction already: use its stores/,
          );
          for (const use of [() => inside.changes(), () => inside.revision(), () => inside.state()])
            await assert.rejects(async () => use(), /store\.\w+ of person is not for a transaction: call it outside/);
          assert.throws(() => tx.store("persn"), /The database was opened without "persn"; did you mean person\?/);
        });
        assert.equal(await people.count(), 0);
      }),
    );
  });
}

/** Each database gives its own name to how long the work may wait. */
export function describeEndOfTransactions(name: string, openImpatient: () => Promise<Database>): void {
  describe(`${name}: a transaction`, () => {
    const within = (use: (database: Database, people: Store) => Promise<void>) => async () => {
      await using database = await openImpatient();
      await use(database, database.store("person"));
    };
    const waited =
      /^Error: The transaction that began at .*transaction\.ts:\d+:\d+ was ended, and nothing is stored: it waited for something else than its stores for more than 0\.3 s$/;

    it(
      "that waits for something else is ended, and others go on",
      within(async (database, people) => {
        const { promise: forever, resolve } = Promise.withResolvers<void>();
        let late: Promise<unknown> | undefined;
        const endless = database.transaction(async (tx) => {
          await tx.store("person").create({ name: "Ada" });
          await forever;
          late = tx.store("person").create({ name: "late" });
          await late;
        });
        await assert.rejects(endless, waited);
        resolve();
        await endOfTurn();
        assert.ok(late !== undefined);
        await assert.rejects(late, waited);
        await create(people, { name: "Grace" });
        assert.equal(await people.count(), 1);
      }),
    );

    it(
      "that waits for another one is ended",
      within(async (database, people) => {
        const inner = database.transaction(async (tx) => {
          const { id } = await create(tx.store("person"), { name: "Ada" });
          // Which waits for the end of this transaction, for its record or for all of it.
          await Promise.all([people.create({ id }), new Promise(() => undefined)]);
        });
        await assert.rejects(inner, waited);
      }),
    );

    it(
      "that goes on and on is ended",
      within(async (database, people) => {
        const busy = database.transaction(async (tx) => {
          for (;;) {
            await tx.store("person").find(1);
            await elapse(20);
          }
        });
        await assert.rejects(busy, /was ended, and nothing is stored: it took longer than 3 s$/);
        await create(people, {});
      }),
    );
  });
}

const countOf = (record: Parameters<typeof parseRecord<Person>>[0] | undefined): number =>
  record === undefined ? 0 : (parseRecord(record).count ?? 0);

async function add(people: Store<Person>, id: number): Promise<void> {
  const count = countOf(await people.find(id));
  await replace(people, id, { count: count + 1 });
}

async function createOnce(people: Store, name: string): Promise<void> {
  const filters = [{ member: "name", operator: "eq", value: name }] as const;
  if ((await people.count({ filters })) === 0) await create(people, { name });
}
