import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { setTimeout as elapse } from "node:timers/promises";
import { Client } from "pg";
import { GET, router } from "waymark";
import { z } from "zod";
import {
  type CollectionDefinition,
  collection,
  type Database,
  openPostgresDatabase,
  openSnapshot,
  type Selection,
  type Store,
  StoreOpenError,
} from "../../../src/index.ts";
import { parsePostgresAddress } from "../../../src/stores/postgres/connections/address.ts";
import { openServerAt } from "../../../src/stores/postgres/connections/servers.ts";
import { type Layouts, presentLayouts } from "../../../src/stores/postgres/layout/migrations.ts";
import { prepareDatabase } from "../../../src/stores/postgres/prepare-database.ts";
import { toStoredCollections } from "../../../src/stores/table/definition.ts";
import { assertFilled, optionsOf } from "../../layouts/content.ts";
import { assertLanded, layoutFile } from "../../layouts/landed.ts";
import { create, replace } from "../../store-contract/contract.ts";
import { disposable, execute, newPostgresDatabase } from "../../tools/postgres-server.ts";

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
    assertLanded(presentLayouts, ["921105dccbd95038"], (layout) => layoutFile(`postgres-${layout}.sql`));
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

describe("what a version adds to a PostgreSQL database that an older one uses", () => {
  const bare: CollectionDefinition = { name: "person", members: { name: { filter: "text" } } };
  const byEmail: Selection = { filters: [{ member: "email", operator: "eq", value: "ada@example.org" }] };
  const ada = { email: "Ada@example.org" };

  it("is made while both change records, and has what the older one stores then", async () => {
    const url = await newPostgresDatabase();
    await using older = disposable(await open(url, [bare]));
    const before = older.database.store("person");
    await before.createAll(Array.from({ length: 450 }, (_, n) => ({ ...ada, name: `Name ${n}` })));
    await using newer = disposable(await open(url, [person]));
    const after = newer.database.store("person");
    await newer.database.makeIndexes();
    assert.equal(await after.count(byEmail), 450);
    await Promise.all([create(before, ada), create(after, ada), replace(before, 1, ada), replace(before, 2, {})]);
    await newer.database.makeIndexes();
    assert.equal(await after.count(byEmail), 451);
    assert.equal(await after.count({ words: ["name"] }), 448);
    assert.equal(await before.count({ filters: [{ member: "name", operator: "prefix", value: "NAME" }] }), 448);
    await using again = disposable(await open(url, [person]));
    assert.equal(await again.database.store("person").count(byEmail), 451);
  });

  it("keeps nobody from changing records while it is made, and says so until it is", async () => {
    const url = await newPostgresDatabase();
    await using older = disposable(await open(url, [bare]));
    await older.database.store("person").createAll([ada, ada]);
    const other = new Client(url);
    await other.connect();
    await other.query("BEGIN; UPDATE person SET document = document WHERE id = 2");
    await using newer = disposable(await open(url, [{ name: "person", members: { email: { filter: "text" } } }]));
    const making = newer.database.makeIndexes();
    const waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%FOR UPDATE%' AND wait_event_type = 'Lock'";
    while (String(await execute(url, waiting)) === "0") await elapse(20);
    for (const { database } of [older, newer]) {
      await create(database.store("person"), ada);
      await replace(database.store("person"), 1, { ...ada, name: "Ada" });
    }
    const people = newer.database.store("person");
    await assert.rejects(async () => people.count(byEmail), /being prepared so that they can be selected by email/);
    const { list } = collection({ path: "/person", store: people, schema: z.object({ email: z.string() }) });
    const answer = await router(GET("/person", list)).fetch(
      new Request("http://localhost/person?email=ada@example.org"),
    );
    assert.equal(answer.status, 503);
    assert.match(await answer.text(), /being prepared so that they can be selected by email\. Try again later/);
    assert.equal(await people.count(), 4);
    await other.query("COMMIT");
    await other.end();
    await making;
    assert.equal(await people.count(byEmail), 4);
  });

  it("is left when the database is closed, however long it would wait for others, and made after the next start", async () => {
    const url = await newPostgresDatabase();
    await (await open(url, [bare])).close();
    const other = new Client(url);
    await other.connect();
    await other.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM person");
    const definitions = [{ name: "person", members: { email: { filter: "text" } } }] as const;
    const newer = await open(url, definitions);
    const waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event = 'virtualxid'";
    while (String(await execute(url, waiting)) === "0") await elapse(20);
    await newer.close();
    await other.query("COMMIT");
    await other.end();
    await using again = disposable(await open(url, definitions));
    await again.database.makeIndexes();
    assert.equal(await again.database.store("person").count(byEmail), 0);
  });

  it("is kept while the older one is in use, and named and dropped after that", async () => {
    const url = await newPostgresDatabase();
    await (await open(url, [bare])).close();
    await using newer = disposable(await open(url, [{ name: "person", members: { email: { filter: "text" } } }]));
    assert.deepEqual(await newer.database.unusedIndexes({ drop: true }), []);
    await execute(url, "UPDATE waymark_fills SET seen = now() - interval '2 hours' WHERE keys LIKE '%name%'");
    assert.deepEqual(await newer.database.unusedIndexes(), ["person_text1 name"]);
    assert.deepEqual(await newer.database.unusedIndexes({ drop: true }), ["person_text1 name"]);
    assert.deepEqual(await newer.database.unusedIndexes(), []);
    await newer.database.makeIndexes();
    assert.equal(await newer.database.store("person").count(byEmail), 0);
  });

  it("is made again where an ended attempt left it invalid", async () => {
    const url = await newPostgresDatabase();
    await (await open(url)).close();
    await execute(
      url,
      `UPDATE pg_index SET indisvalid = false WHERE indrelid = 'person'::regclass AND NOT indisprimary`,
    );
    await using opened = disposable(await open(url));
    await opened.database.makeIndexes();
    const invalid = "SELECT count(*) FROM pg_index WHERE indrelid = 'person'::regclass AND NOT indisvalid";
    assert.deepEqual(await execute(url, invalid), [["0"]]);
  });
});
