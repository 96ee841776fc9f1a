import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client } from "pg";
import {
  type CollectionDefinition,
  type Database,
  openDatabase,
  openPostgresDatabase,
  type PostgresDatabaseOptions,
  type Store,
  StoreHistoryLost,
  StoreOpenError,
} from "../src/index.ts";
import { emptiedPostgresDatabase, emptiedPostgresDatabases, execute, newPostgresDatabase } from "./postgres-server.ts";
import { create, describeChanges, everything, replace } from "./store-contract.ts";

const inPartitions = (url: string, options: PostgresDatabaseOptions): Promise<Database> =>
  openPostgresDatabase(url, { ...options, partitions: 16 });

const emptied = emptiedPostgresDatabase();
const apart = emptiedPostgresDatabases(3);
describeChanges(
  "PostgreSQL in 16 partitions",
  async (options) => inPartitions(await emptied(options.collections), options),
  // Of fewer.
  async (options) => openPostgresDatabase(await apart(options.collections), { ...options, partitions: 4 }),
  16,
);

const collections: readonly CollectionDefinition[] = [
  { name: "person", members: { identifier: { unique: true } } },
  { name: "book", owner: { collection: "person", member: "personId" } },
];

/** Gives a test several programs on one database whose collections have 16 partitions. */
const withPrograms =
  (count: number, use: (programs: readonly Database[], url: string) => Promise<void>) => async () => {
    const url = await emptied(collections);
    const programs: Database[] = [];
    // A busy machine must not have a change refused that waits for a lock.
    const patient = { collections, lockTimeout: 60_000, statementTimeout: 60_000 };
    for (let n = 0; n < count; n++) programs.push(await inPartitions(url, patient));
    try {
      await use(programs, url);
    } finally {
      await Promise.all(programs.map((program) => program.close()));
    }
  };

const withStore = (use: (people: Store, database: Database, url: string) => Promise<void>) =>
  withPrograms(1, async ([database], url) => {
    assert.ok(database);
    await use(database.store("person"), database, url);
  });

describe("a collection in partitions", () => {
  it(
    "numbers its records one after another, and counts changes where the id of their record belongs",
    withStore(async (people) => {
      const numbers: (readonly [id: number, revision: number])[] = [];
      for (let n = 0; n < 18; n++) {
        const { id, revision } = await create(people, {});
        numbers.push([id, revision]);
      }
      // Those of one transaction are of one partition.
      assert.deepEqual(
        numbers,
        Array.from({ length: 18 }, (_, n) => [n + 1, n < 16 ? 1 : 2]),
      );
      assert.equal((await replace(people, 4, { name: "Ada" })).revision, 2);
      assert.equal((await create(people, { id: 40 })).revision, 2);
      assert.equal(await people.revision(), 20);
    }),
  );

  it(
    "names another state after each change, and the same one to every program",
    withPrograms(2, async ([one, other]) => {
      assert.ok(one && other);
      const [people, others] = [one.store("person"), other.store("person")];
      const states = [await people.state()];
      for (const change of [
        () => people.create({}),
        () => others.create({}),
        () => people.replace(2, { name: "Ada" }),
        () => others.remove(1),
      ]) {
        await change();
        states.push(await people.state());
        assert.equal(await others.state(), states.at(-1));
      }
      assert.equal(new Set(states).size, states.length);
      assert.match(states.join(), /^[\w-]{22}(,[\w-]{22}){4}$/);
    }),
  );

  it(
    "reads its state once for all that ask at the same time, after the changes that were answered before",
    withPrograms(2, async ([one, other]) => {
      assert.ok(one && other);
      const people = one.store("person");
      const ask = (count: number): Promise<readonly string[]> =>
        Promise.all(Array.from({ length: count }, async () => people.state()));
      const before = ask(2000); // a pool lets 1,000 queries wait
      await create(other.store("person"), {});
      const after = await ask(2000);
      assert.deepEqual(new Set(after), new Set([await other.store("person").state()]));
      assert.equal((await before).length, 2000);
    }),
  );

  it(
    "gives no id, no revision of a partition, no unique value and no key to two of what several programs store",
    withPrograms(4, async (programs) => {
      const stores = programs.map((program) => program.store("person"));
      const outcomes = await Promise.all(
        stores.flatMap((store, program) =>
          Array.from({ length: 150 }, (_, n) => {
            if (n % 10 === 0) return store.create({ identifier: `shared ${n}` });
            const idempotency = { key: `key ${n}`, fingerprint: "" };
            if (n % 10 === 1) return store.create({}, { idempotency });
            return store.create(n % 10 === 2 ? { id: 2 ** 52 + 1 + n * 4 + program } : {});
          }),
        ),
      );
      const kinds = Object.groupBy(outcomes, ({ kind }) => kind);
      assert.deepEqual([kinds.conflict?.length, kinds.repeated?.length], [45, 45]);
      const records = await everything(stores[0] as Store);
      assert.equal(records.length, 600 - 90);
      assert.equal(new Set(records.map(({ id, revision }) => `${id % 16} ${revision}`)).size, records.length);
      assert.equal(await stores[1]?.revision(), records.length);
    }),
  );

  it(
    "stores each position of a source once, also where several programs store them in different partitions",
    withPrograms(4, async (programs) => {
      const positions = Array.from({ length: 300 }, (_, n) => n);
      const settled = await Promise.all(
        programs.flatMap((program, p) =>
          // Each begins elsewhere, so that transactions of different programs add to one key.
          [0, 1, 2].map((part) => {
            const turned = positions.map((n) => (n + 75 * p + 25 * part) % 300);
            const source = { key: "file", positions: turned };
            return program.store("person").createEach(Array(300).fill({}), { source });
          }),
        ),
      );
      const kinds = Object.groupBy(settled.flat(), (each) =>
        each.status === "fulfilled" ? each.value.kind : each.reason,
      );
      assert.deepEqual(Object.keys(kinds).toSorted(), ["created", "repeated"]);
      assert.equal(kinds["created"]?.length, 300);
      assert.equal(await programs[0]?.store("person").count(), 300);
    }),
  );

  it(
    "keeps no record without its owner, and counts what goes with it, while several programs change both",
    withPrograms(3, async (programs) => {
      const people = programs.map((program) => program.store("person"));
      const books = programs.map((program) => program.store("book"));
      await people[0]?.createAll(Array.from({ length: 30 }, () => ({})));
      const changes = programs.flatMap((_program, p) =>
        Array.from({ length: 60 }, (_, n) =>
          n % 6 === 5 ? people[p]?.remove(1 + ((n + p) % 30)) : books[p]?.within(1 + ((n * 7 + p) % 30)).create({}),
        ),
      );
      const outcomes = (await Promise.all(changes)).map((outcome) => outcome?.kind);
      const created = outcomes.filter((kind) => kind === "created").length;
      const alive = new Set((await everything(people[0] as Store)).map(({ id }) => id));
      assert.equal(alive.size, 30 - outcomes.filter((kind) => kind === "removed").length);
      const left = await everything(books[0] as Store);
      for (const { json } of left) assert.ok(alive.has(JSON.parse(json).personId), json);
      assert.equal(await books[1]?.revision(), created + (created - left.length));
    }),
  );

  it(
    "takes changes while a partition is held, but for those of its records",
    withStore(async (people, _database, url) => {
      await people.createAll([{}, {}, {}]);
      const holder = new Client(url);
      await holder.connect();
      try {
        await holder.query("BEGIN");
        await holder.query("SELECT 1 FROM waymark_collections WHERE name = 'person' AND partition = 2 FOR UPDATE");
        let isHeld = true;
        const ofTheHeldOne = people.replace(2, { name: "Grace" }).then(() => isHeld);
        await Promise.all([replace(people, 1, { name: "Ada" }), create(people, {})]);
        isHeld = false;
        await holder.query("COMMIT");
        assert.equal(await ofTheHeldOne, false);
      } finally {
        await holder.end();
      }
    }),
  );

  it(
    "takes no change where one of its partitions has gone back to an older state, until it is resumed",
    withStore(async (people, database, url) => {
      await people.createAll([{}, {}, {}]);
      await replace(people, 3, { name: "Ada" });
      await execute(url, "UPDATE waymark_collections SET revision = 1 WHERE name = 'person' AND partition = 3");
      await assert.rejects(people.replace(3, { name: "Grace" }), StoreHistoryLost);
      await assert.rejects(database.check(), { message: /gone back to an older state of person/ });
      await database.resume();
      await database.check();
      assert.equal((await replace(people, 3, { name: "Grace" })).revision, 1_000_002);
      assert.equal((await replace(people, 1, { name: "Grace" })).revision, 1_000_002);
      assert.ok((await create(people, {})).id > 1_000_000);
    }),
  );
});

describe("the number of partitions", () => {
  it("is fixed when the collection is made, and is what it is where it is left out", async () => {
    const url = await newPostgresDatabase();
    await (await openDatabase(url, { collections, partitions: 4 })).close();
    await assert.rejects(openDatabase(url, { collections, partitions: 8 }), (error) => {
      assert.ok(error instanceof StoreOpenError);
      assert.match(
        error.message,
        /person in it has 4 partitions, not 8, which was fixed when it was made; ask for 4, or copy/,
      );
      return true;
    });
    const database = await openDatabase(url, { collections });
    for (const _ of Array(5)) await create(database.store("person"), {});
    assert.equal((await create(database.store("person"), { id: 9 })).revision, 3);
    await database.close();
  });

  for (const partitions of [0, 1.5, 257]) {
    it(`is not ${partitions}`, async () => {
      const opening = openDatabase("postgres://unused", { collections, partitions });
      await assert.rejects(opening, { name: "RangeError", message: /from 1 to 256/ });
    });
  }

  it("is 1 in SQLite, which has one writer", async () => {
    await (await openDatabase(":memory:", { collections, partitions: 1 })).close();
    await assert.rejects(openDatabase(":memory:", { collections, partitions: 2 }), {
      name: "StoreOpenError",
      message:
        /SQLite has one writer, so that partitions would gain nothing: leave their number out, or name a PostgreSQL/,
    });
  });
});

describe("a copy to another number of partitions", () => {
  it("has every record with its id and revision, owned ones too, and gives no id or revision again", async () => {
    const source = await openDatabase(":memory:", { collections });
    await source.store("person").createAll(Array.from({ length: 40 }, (_, n) => ({ identifier: `${n}` })));
    await source.store("person").remove(40);
    await replace(source.store("person"), 7, { name: "Ada" });
    for (const owner of [3, 9, 9]) await create(source.store("book").within(owner), {});
    const url = await newPostgresDatabase();
    const target = await inPartitions(url, { collections });
    const back = await openDatabase(":memory:", { collections });
    const databases = [source, target, back];
    for (const [from, to] of [
      [source, target],
      [target, back],
    ] as const) {
      const snapshot = await from.snapshot();
      await to.restore(snapshot);
      await snapshot.close();
      for (const name of ["person", "book"]) {
        assert.deepEqual(await everything(to.store(name)), await everything(from.store(name)));
      }
      const people = to.store("person");
      assert.deepEqual(await people.create({ id: 40 }), { kind: "conflict", member: "id" });
      assert.deepEqual(await people.create({ identifier: "3" }), { kind: "conflict", member: "identifier" });
      const before = new Set((await everything(people)).map(({ id }) => id));
      for (const _ of Array(20)) {
        const { id, revision } = await create(people, {});
        assert.ok(id > 40 && revision > 42 && !before.has(id), `${id}`);
      }
      const owner = to === target ? 9 : 3;
      assert.deepEqual(await people.remove(owner), { kind: "removed" });
      assert.equal(await to.store("book").count(), to === target ? 1 : 0);
    }
    await Promise.all(databases.map((database) => database.close()));
  });
});
