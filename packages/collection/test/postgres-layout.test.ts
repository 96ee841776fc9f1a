import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import {
  type CollectionDefinition,
  type Database,
  openPostgresDatabase,
  openSnapshot,
  type Selection,
  type Store,
  StoreOpenError,
  StoreUnavailable,
} from "../src/index.ts";
import { execute, newPostgresDatabase } from "./postgres-server.ts";
import { create, everything, replace } from "./store-contract.ts";

const person: CollectionDefinition = {
  name: "person",
  unique: ["identifier"],
  selectable: [
    { name: "name", type: "text" },
    { name: "email", type: "caseless-text" },
    { name: "height", type: "number" },
    { name: "seen", type: "time" },
  ],
  fullText: ["name"],
};
const book: CollectionDefinition = { name: "book", owner: { collection: "person", member: "personId" } };
const page: CollectionDefinition = { name: "page", owner: { collection: "book", member: "bookId" } };
const collections: readonly CollectionDefinition[] = [page, book, person];

/** A minute after the records of layout 1 were stored. */
const now = (): Date => new Date(60_000);

const open = (url: string, definitions = collections): Promise<Database> =>
  openPostgresDatabase(url, { collections: definitions, now });

async function databaseOfLayout1(): Promise<string> {
  const url = await newPostgresDatabase();
  await execute(url, await readFile(new URL("postgres-layout-1.sql", import.meta.url), "utf8"));
  return url;
}

const idsBy = async (store: Store, selection: Selection): Promise<readonly number[]> =>
  (await Array.fromAsync(store.list(selection))).flat().map(({ id }) => id);

describe("a PostgreSQL database of layout 1", () => {
  it("has its records, as they were, and all that is known of them, once it is opened", async () => {
    await using opened = disposable(await open(await databaseOfLayout1()));
    const [people, books, pages] = ["person", "book", "page"].map((name) => opened.database.store(name)) as [
      Store,
      Store,
      Store,
    ];
    assert.deepEqual(await everything(people), [
      {
        id: 1,
        revision: 5,
        updatedAt: 1000,
        json: '{"id":1,"name":"Zoë Müller","email":"Zoe@Example.org","height":1.5,"identifier":"A2","createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:01.000Z"}',
      },
      {
        id: 2,
        revision: 2,
        updatedAt: 0,
        json: '{"id":2,"name":"Ada \\u0000","identifier":"A1","seen":"2026-06-15T14:00:00+02:00","createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.000Z"}',
      },
      {
        id: 3,
        revision: 3,
        updatedAt: 0,
        json: '{"id":3,"createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.000Z"}',
      },
    ]);
    const found: readonly (readonly [Selection, readonly number[]])[] = [
      [{ words: ["muller", "zo"] }, [1]],
      [{ filters: [{ member: "name", operator: "eq", value: "Ada \0" }] }, [2]],
      [{ filters: [{ member: "email", operator: "eq", value: "zoe@example.ORG" }] }, [1]],
      [{ filters: [{ member: "height", operator: "gt", value: 1 }] }, [1]],
      [{ filters: [{ member: "seen", operator: "eq", value: Date.parse("2026-06-15T12:00:00Z") }] }, [2]],
      [
        {
          order: [
            { member: "name", descending: true },
            { member: "id", descending: true },
          ],
        },
        [1, 2, 3],
      ],
    ];
    for (const [selection, ids] of found) assert.deepEqual(await idsBy(people, selection), ids);
    assert.deepEqual(await Promise.all([people, books, pages].map((store) => store.revision())), [6, 4, 1]);
    assert.deepEqual(await people.create({ identifier: "A1" }), { kind: "conflict", member: "identifier" });
    assert.deepEqual(await people.create({ id: 4 }), { kind: "conflict", member: "id" });
    assert.deepEqual(await books.within(1).create({ id: 3 }), { kind: "conflict", member: "id" });
    const idempotency = { key: "k1", fingerprint: "f1" };
    assert.deepEqual(await people.create({}, { idempotency }), { kind: "repeated", record: await people.find(3) });
    await people.remove(1);
    assert.deepEqual(await idsBy(books, {}), [2]);
    assert.deepEqual([await books.revision(), await pages.revision()], [5, 2]);
    assert.deepEqual(await books.within(2).create({ id: 1 }), { kind: "conflict", member: "id" });
  });

  it("is brought to the present layout once by programs that start together", async () => {
    const url = await databaseOfLayout1();
    const databases = await Promise.all(Array.from({ length: 4 }, () => open(url)));
    const records = await Promise.all(databases.map((database) => create(database.store("person"), {})));
    assert.deepEqual(records.map(({ id }) => id).toSorted(), [5, 6, 7, 8]);
    await Promise.all(databases.map((database) => database.close()));
  });

  it("is brought there with the collections that are opened later alone", async () => {
    const url = await databaseOfLayout1();
    await (await open(url, [person])).close();
    await using later = disposable(await open(url));
    assert.deepEqual(await idsBy(later.database.store("page"), {}), [1]);
    assert.deepEqual(await later.database.store("person").remove(1), { kind: "removed" });
    assert.equal(await later.database.store("page").count(), 0);
  });

  it("stays as it is when the bringing fails", async () => {
    const url = await databaseOfLayout1();
    await execute(url, "CREATE VIEW names AS SELECT member_name FROM person");
    await assert.rejects(open(url), /member_name/);
    assert.deepEqual(await execute(url, "SELECT version FROM waymark_layout"), [["1"]]);
    assert.deepEqual(await execute(url, "SELECT member_name FROM person WHERE id = 1"), [["Zoë Müller"]]);
  });

  it("is not copied from before, and the message says what to do", async () => {
    const url = await databaseOfLayout1();
    await assert.rejects(openSnapshot(url), (error) => {
      assert.ok(error instanceof StoreOpenError);
      assert.match(error.message, /another version of this program wrote it \(layout 1, and this one reads 2\); start/);
      return true;
    });
  });

  it("tells programs that know no later one its number where they look for it", async () => {
    const url = await databaseOfLayout1();
    await (await open(url)).close();
    assert.deepEqual(await execute(url, "SELECT version FROM waymark_layout"), [["2"]]);
  });
});

describe("what a PostgreSQL database is made of", () => {
  /** What other engines that speak PostgreSQL's protocol lack, or have otherwise. */
  const notEverywhere = `
    SELECT 'trigger', tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
      WHERE relnamespace = current_schema::regnamespace AND NOT tgisinternal
    UNION ALL SELECT 'function', proname FROM pg_proc WHERE pronamespace = current_schema::regnamespace
    UNION ALL SELECT 'sequence', relname FROM pg_class WHERE relnamespace = current_schema::regnamespace AND relkind = 'S'
    UNION ALL SELECT 'deferrable', conname FROM pg_constraint
      WHERE connamespace = current_schema::regnamespace AND condeferrable
    UNION ALL SELECT 'cascade', conname FROM pg_constraint
      WHERE connamespace = current_schema::regnamespace AND contype = 'f' AND confdeltype <> 'a'
    UNION ALL SELECT 'generated', attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = current_schema::regnamespace AND (attgenerated <> '' OR attidentity <> '' OR atthasdef)
    UNION ALL SELECT 'type', attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = current_schema::regnamespace AND atttypid IN ('json'::regtype, 'jsonb'::regtype, 'tsvector'::regtype)
    UNION ALL SELECT 'collation', attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = current_schema::regnamespace AND relkind = 'r'
        AND attcollation NOT IN (0, (SELECT oid FROM pg_collation WHERE collname = 'default'))`;

  it("is what the engines have in common: no trigger, function, sequence, generated column, deferred or cascading constraint", async () => {
    const url = await newPostgresDatabase();
    await using opened = disposable(await open(url));
    await create(opened.database.store("person"), {});
    assert.deepEqual(await execute(url, notEverywhere), []);
  });

  it("is told by the same question of layout 1, which had all of them but a sequence", async () => {
    const found = await execute(await databaseOfLayout1(), notEverywhere);
    const kinds = ["cascade", "collation", "deferrable", "function", "generated", "trigger", "type"];
    assert.deepEqual([...new Set(found.map(([kind]) => kind))].toSorted(), kinds);
  });

  it("is that also of a database that was brought from layout 1, but for the order that was declared of names", async () => {
    const url = await databaseOfLayout1();
    await (await open(url)).close();
    const found = await execute(url, notEverywhere);
    assert.deepEqual([...new Set(found.map(([kind]) => kind))], ["collation"]);
  });

  it("compares text by code points also where the database compares it by the rules of a language", async () => {
    const url = new URL(await newPostgresDatabase());
    url.searchParams.delete("options");
    await execute(
      url.href,
      "CREATE DATABASE linguistic TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'",
    );
    url.pathname = "/linguistic";
    assert.deepEqual(await execute(url.href, "SELECT 'a' < 'B'"), [["t"]]);
    await using opened = disposable(await open(url.href));
    const people = opened.database.store("person");
    await people.createAll(["a", "B", "b", "A", "\u{1f600}", "\uffee", "é"].map((name) => ({ name })));
    const order = ["name", "id"].map((member) => ({ member, descending: false }));
    assert.deepEqual(await idsBy(people, { order }), [4, 2, 1, 3, 7, 6, 5]);
    const between = [
      { member: "name", operator: "gt", value: "B" },
      { member: "name", operator: "lt", value: "b" },
    ] as const;
    assert.deepEqual(await idsBy(people, { filters: between }), [1]);
  });
});

describe("columns of a PostgreSQL database", () => {
  it("that another version has made anew are not stored without their values: changes are refused, reads go on", async () => {
    const url = await newPostgresDatabase();
    await using older = disposable(await open(url, [{ name: "person" }]));
    const people = older.database.store("person");
    const ada = await create(people, { name: "Ada" });
    await using newer = disposable(await open(url, [person]));
    for (const change of [people.create({}), people.replace(1, { name: "Eve" }), people.remove(1)]) {
      await assert.rejects(change, (error) => {
        assert.ok(error instanceof StoreUnavailable);
        assert.match(error.message, /Another version of this program has made the columns of person anew: start this/);
        return true;
      });
    }
    assert.deepEqual(await people.find(1), ada);
    assert.deepEqual(await everything(people), [ada]);
    await replace(newer.database.store("person"), 1, { name: "Grace" });
    assert.deepEqual(await idsBy(newer.database.store("person"), { words: ["grace"] }), [1]);
  });

  it("are filled when the filling was broken off, by an engine that does not undo the making of columns", async () => {
    const url = await newPostgresDatabase();
    const before = await open(url);
    await before.store("person").createAll(Array.from({ length: 450 }, (_, n) => ({ name: `Ada ${n}` })));
    await before.close();
    await execute(
      url,
      `UPDATE waymark_collections SET form = '{"owner":null,"columns":{}}' WHERE name = 'person';
      UPDATE person SET words = NULL WHERE id > 200; ALTER TABLE person DROP COLUMN text_name`,
    );
    await using opened = disposable(await open(url));
    const people = opened.database.store("person");
    assert.equal(await people.count({ words: ["ada"] }), 450);
    assert.equal(await people.count({ filters: [{ member: "name", operator: "prefix", value: "Ada" }] }), 450);
  });
});

/** A database that is closed when its scope ends. */
function disposable(database: Database): AsyncDisposable & { readonly database: Database } {
  return { database, [Symbol.asyncDispose]: () => database.close() };
}
