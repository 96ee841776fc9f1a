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
import { parsePostgresAddress } from "../src/stores/postgres/connections/address.ts";
import { openServerAt } from "../src/stores/postgres/connections/servers.ts";
import { prepareDatabase } from "../src/stores/postgres/database.ts";
import { type Layouts, presentLayouts } from "../src/stores/postgres/layout/migrations.ts";
import { toStoredCollections } from "../src/stores/table/definition.ts";
import { assertFilled, optionsOf } from "./layouts/content.ts";
import { assertLanded, layoutFile } from "./layouts/landed.ts";
import { disposable, execute, newPostgresDatabase } from "./postgres-server.ts";
import { create, everything, replace } from "./store-contract.ts";

const person: CollectionDefinition = {
  name: "person",
  members: {
    identifier: { unique: true },
    name: { filter: "text", search: true },
    email: { filter: "text" },
    height: { filter: "number" },
    seen: { filter: "time" },
  },
};
const book: CollectionDefinition = { name: "book", owner: { collection: "person", member: "personId" } };
const page: CollectionDefinition = { name: "page", owner: { collection: "book", member: "bookId" } };
const collections: readonly CollectionDefinition[] = [page, book, person];

const open = (url: string, definitions = collections): Promise<Database> =>
  openPostgresDatabase(url, { collections: definitions });

const idsBy = async (store: Store, selection: Selection): Promise<readonly number[]> =>
  (await Array.fromAsync(store.list(selection))).flat().map(({ id }) => id);

/** The number of the present layout. */
const present = presentLayouts.length;

const layoutOf = (url: string): Promise<unknown> => execute(url, "SELECT number FROM waymark_layout");

/** A database with the tables of the dump of a layout. */
async function databaseOf(layout: number): Promise<string> {
  const url = await newPostgresDatabase();
  await execute(url, await readFile(layoutFile(`postgres-${layout}.sql`), "utf8"));
  return url;
}

describe("the layouts of PostgreSQL databases", () => {
  it("are those that landed, and there is a dump of each", () => {
    assertLanded(presentLayouts, ["94ec4241aff6cd1f"], (layout) => layoutFile(`postgres-${layout}.sql`));
  });

  const numbers = Array.from({ length: present }, (_, before) => before + 1);

  for (const layout of numbers) {
    it(`are brought to the present one from ${layout}, with records, words, used ids, keys, revisions and entity tags`, async () => {
      const url = await databaseOf(layout);
      const before = await rowsOf(url);
      await using opened = disposable(await openPostgresDatabase(url, optionsOf(30)));
      assert.deepEqual(await layoutOf(url), [[String(present)]]);
      assert.deepEqual(await rowsOf(url), before);
      await assertFilled(opened.database);
    });

    it(`have the same tables when they come from ${layout} as in a new database`, async () => {
      const [migrated, fresh] = [await databaseOf(layout), await newPostgresDatabase()];
      await (await openPostgresDatabase(migrated, optionsOf(30))).close();
      await (await openPostgresDatabase(fresh, optionsOf(30))).close();
      assert.deepEqual(await execute(migrated, tables), await execute(fresh, tables));
    });
  }

  it("have the same tables after a restore", async () => {
    const [restored, fresh] = [await newPostgresDatabase(), await newPostgresDatabase()];
    for (const url of [restored, fresh]) await (await openPostgresDatabase(url, optionsOf(30))).close();
    await using opened = disposable(await openPostgresDatabase(restored, { ...optionsOf(30), forRestore: true }));
    const snapshot = await openSnapshot(layoutFile("sqlite-1.db"));
    await opened.database.restore(snapshot);
    await snapshot.close();
    assert.deepEqual(await execute(restored, tables), await execute(fresh, tables));
    await assertFilled(opened.database);
  });

  for (const layout of numbers.slice(0, -1)) {
    it(`are to be brought to the present one before a snapshot is read from ${layout}`, async () => {
      const url = await databaseOf(layout);
      await assert.rejects(openSnapshot(url), /its layout is that of an older version; start this version on it once/);
      assert.deepEqual(await layoutOf(url), [[String(layout)]]);
    });
  }
});

/** What clients see of the records, and the counters. */
const rowsOf = (url: string): Promise<readonly unknown[]> =>
  Promise.all(
    [
      "SELECT id, revision, created_at, updated_at, document FROM person ORDER BY id",
      "SELECT id, revision, owner, document FROM book ORDER BY id",
      "SELECT name FROM waymark_collections ORDER BY name",
      "SELECT collection, id FROM waymark_removals ORDER BY collection, id",
      "SELECT collection, owner, key, fingerprint, id, revision, time FROM waymark_keys ORDER BY key",
    ].map((text) => execute(url, text)),
  );

/** What all tables and indexes are, without the order of the columns. */
const tables = `
  SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace = current_schema::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT relname, replace(pg_get_indexdef(pg_class.oid), current_schema || '.', ''), NULL, NULL, NULL
    FROM pg_class WHERE relnamespace = current_schema::regnamespace AND relkind = 'i'
  UNION ALL SELECT conname, pg_get_constraintdef(oid), NULL, NULL, NULL
    FROM pg_constraint WHERE connamespace = current_schema::regnamespace AND contype <> 'n'
  ORDER BY 1, 2`;

describe("a PostgreSQL database of an older layout", () => {
  /** A layout that no version has, after the present one. */
  const laterLayouts: Layouts = [
    ...presentLayouts,
    [
      "ALTER TABLE waymark_collections ADD COLUMN title text",
      "UPDATE waymark_collections SET title = 'Title of ' || name",
    ],
  ];
  const migrate = (url: string, layouts: Layouts): Promise<unknown> =>
    prepareDatabase(
      openServerAt(parsePostgresAddress(url)),
      { connect: 3000, statement: 5000, lock: 2000 },
      { collections: toStoredCollections(collections) },
      layouts,
    );

  it("is brought to the next one with all that it has, once by programs that start together", async () => {
    const url = await newPostgresDatabase();
    await using opened = disposable(await open(url));
    const ada = await create(opened.database.store("person"), { name: "Ada" });
    await Promise.all(Array.from({ length: 4 }, () => migrate(url, laterLayouts)));
    assert.deepEqual(await layoutOf(url), [[String(present + 1)]]);
    assert.deepEqual(await execute(url, "SELECT title FROM waymark_collections WHERE name = 'person'"), [
      ["Title of person"],
    ]);
    assert.deepEqual(await opened.database.store("person").find(1), ada);
    const newer = `a newer version of this program wrote it (layout ${present + 1}, and this one knows ${present})`;
    await assert.rejects(open(url), (error) => error instanceof Error && error.message.includes(newer));
  });

  it("is brought from nothing through all of them", async () => {
    const url = await newPostgresDatabase();
    await migrate(url, laterLayouts);
    assert.deepEqual(await layoutOf(url), [[String(present + 1)]]);
    assert.deepEqual(await execute(url, "SELECT title FROM waymark_collections"), [[null], [null], [null]]);
  });

  it("stays as it is when a step fails", async () => {
    const url = await newPostgresDatabase();
    await (await open(url)).close();
    await assert.rejects(migrate(url, [...laterLayouts, ["SELECT 1 / 0"]]), /division by zero/);
    assert.deepEqual(await layoutOf(url), [[String(present)]]);
    await assert.rejects(execute(url, "SELECT title FROM waymark_collections"), /title/);
    await using opened = disposable(await open(url));
    await create(opened.database.store("person"), {});
  });

  it("is refused with the way out where it is from before layout 1, and stays as it is", async () => {
    const url = await newPostgresDatabase();
    await execute(
      url,
      `CREATE TABLE waymark_layout (version integer PRIMARY KEY, identity text NOT NULL);
      INSERT INTO waymark_layout VALUES (5, 'of before');
      CREATE TABLE waymark_collections (name text PRIMARY KEY)`,
    );
    for (const opening of [() => open(url), () => openSnapshot(url)]) {
      await assert.rejects(opening, (error) => {
        assert.ok(error instanceof StoreOpenError);
        assert.match(
          error.message,
          /a version from before the first release wrote it; export its records with that version, and import them into a new database/,
        );
        return true;
      });
    }
    assert.deepEqual(await execute(url, "SELECT to_regclass('waymark_removals'), to_regclass('person')"), [
      [null, null],
    ]);
  });
});

describe("what a PostgreSQL database is made of", () => {
  it("compares text by code points also where the database compares it by the rules of a language", async () => {
    const url = new URL(await newPostgresDatabase());
    url.searchParams.delete("options");
    await execute(
      url.href,
      "CREATE DATABASE linguistic TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'",
    );
    url.pathname = "/linguistic";
    assert.deepEqual(await execute(url.href, "SELECT 'a' < 'B'"), [["t"]]);
    await using opened = disposable(await open(url.href, [{ name: "person", members: { name: { filter: "exact" } } }]));
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
  it("that another version has made again get no records without values: changes are refused, which a check says, and reads go on", async () => {
    const url = await newPostgresDatabase();
    await using older = disposable(await open(url, [{ name: "person" }]));
    const people = older.database.store("person");
    const ada = await create(people, { name: "Ada" });
    await using newer = disposable(await open(url, [person]));
    const changes = [() => people.create({}), () => people.replace(1, { name: "Eve" }), () => people.remove(1)];
    for (const change of changes) {
      await assert.rejects(change, (error) => {
        assert.ok(error instanceof StoreUnavailable);
        assert.match(error.message, /Another version of this program has changed the columns of person: start this/);
        return true;
      });
    }
    await assert.rejects(older.database.check(), /has changed the columns of person/);
    await newer.database.check();
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
      `UPDATE waymark_forms SET form = '{"owner":null,"columns":{}}' WHERE name = 'person';
      UPDATE person SET words = NULL WHERE id > 200; ALTER TABLE person DROP COLUMN folded_name`,
    );
    await using opened = disposable(await open(url));
    const people = opened.database.store("person");
    assert.equal(await people.count({ words: ["ada"] }), 450);
    assert.equal(await people.count({ filters: [{ member: "name", operator: "prefix", value: "Ada" }] }), 450);
  });
});
