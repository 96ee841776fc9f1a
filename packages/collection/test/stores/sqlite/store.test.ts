import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import {
  type CollectionDefinition,
  type Database,
  type MemberTable,
  type MemberType,
  type MemberUse,
  openSqliteDatabase,
  type SqliteDatabaseOptions,
  type Store,
  StoreOpenError,
  StoreOutcomeUnknown,
} from "../../../src/index.ts";
import { create, describeStore, everything, noon, replace } from "../../store-contract/contract.ts";
import { withDatabase } from "./file.ts";

const folder = openFolder("sqlite-store");

interface Opening extends Omit<Partial<SqliteDatabaseOptions>, "collections"> {
  readonly file?: string;
  readonly person?: Partial<CollectionDefinition>;
}

/** A database with the collection `person`. Default: `identifier` is unique in it. */
const open = ({ file = ":memory:", person, ...options }: Opening = {}): Promise<Database> => {
  const definition = { name: "person", members: { identifier: { unique: true } }, ...person };
  return openSqliteDatabase(file, { collections: [definition], now: () => noon, ...options });
};

describeStore("SQLite in memory", (options) => openSqliteDatabase(":memory:", options));

describe("a SQLite file", () => {
  it("is made with the directories above it", async () => {
    const file = folder.path("made", "for", "it", "person.db");
    await (await open({ file })).close();
    assert.ok(statSync(file).isFile());
  });

  it("keeps records, ids and revisions when it is opened again", async () => {
    const file = folder.newFile();
    const beforeDatabase = await open({ file });
    const before = beforeDatabase.store("person");
    const ada = await create(before, { name: "Ada", identifier: "A1" });
    await create(before, { id: 40 });
    await beforeDatabase.close();

    const againDatabase = await open({ file });

    const again = againDatabase.store("person");
    assert.deepEqual(await again.find(1), ada);
    assert.deepEqual(await again.create({ identifier: "A1" }), { kind: "conflict", member: "identifier" });
    const next = await create(again, {});
    assert.deepEqual([next.id, next.revision], [41, 3]);
    await againDatabase.close();
  });

  it("assigns no id again whose record is gone", async () => {
    const file = folder.newFile();
    const database = await open({ file });
    const store = database.store("person");
    await create(store, {});
    await create(store, {});
    await database.close();
    withDatabase(file, (database) => database.exec("DELETE FROM person"));
    const againDatabase = await open({ file });
    const again = againDatabase.store("person");
    assert.equal((await create(again, {})).id, 3);
    await againDatabase.close();
  });

  it("keeps what was replaced and removed, and takes no id again, when it is opened again", async () => {
    const file = folder.newFile();
    const beforeDatabase = await open({ file });
    const before = beforeDatabase.store("person");
    await create(before, {});
    await create(before, { id: 7 });
    const ada = await replace(before, 1, { name: "Ada" });
    await before.remove(7);
    await beforeDatabase.close();

    const againDatabase = await open({ file });

    const again = againDatabase.store("person");
    assert.deepEqual(await everything(again), [ada]);
    assert.equal(again.revision(), 4);
    assert.deepEqual(await again.create({ id: 7 }), { kind: "conflict", member: "id" });
    assert.equal((await create(again, {})).id, 8);
    await againDatabase.close();
  });

  it("has what was stored though the store was never closed", async () => {
    const file = folder.newFile();
    const crashedDatabase = await open({ file });
    const crashed = crashedDatabase.store("person");
    await create(crashed, { name: "Ada" });
    const copy = folder.newFile();
    for (const suffix of ["", "-wal"]) writeFileSync(copy + suffix, readFileSync(file + suffix));
    const restoredDatabase = await open({ file: copy });
    const restored = restoredDatabase.store("person");
    assert.equal((await everything(restored)).length, 1);
    await restoredDatabase.close();
    await crashedDatabase.close();
  });

  it("is in WAL mode and marked as ours", async () => {
    const file = folder.newFile();
    await (await open({ file })).close();
    withDatabase(file, (database) => {
      assert.equal(pragmaOf(database, "PRAGMA journal_mode"), "wal");
      assert.equal(pragmaOf(database, "PRAGMA application_id"), 0x776d6b31);
    });
  });

  it("holds several collections, each with ids, revisions and removals of its own", async () => {
    const file = folder.newFile();
    const collections = [{ name: "user", members: { identifier: { unique: true } } }, { name: "order" }];
    const database = await openSqliteDatabase(file, { collections, now: () => noon });
    const [users, orders] = [database.store("user"), database.store("order")];
    await create(users, { identifier: "A1" });
    await create(users, {});
    const order = await create(orders, { identifier: "A1" });
    assert.deepEqual([order.id, order.revision], [1, 1]);
    assert.equal((await everything(users)).length, 2);
    await users.remove(2);
    assert.equal((await create(orders, { id: 2 })).id, 2);
    await database.close();
  });

  it("is not read as a URI", async () => {
    const file = folder.path("file:person.db?mode=memory");
    await (await open({ file })).close();
    assert.ok(statSync(file).isFile());
  });
});

describe("reads of a SQLite store", () => {
  it("are synchronous", async () => {
    const database = await open();
    const store = database.store("person");
    const record = await create(store, {});
    assert.deepEqual(store.find(1), record);
    assert.equal(store.find(2), undefined);
    await database.close();
  });
});

/** A table of members that all have the same use. */
const usesOf = (names: readonly string[], use: MemberUse): MemberTable =>
  Object.fromEntries(names.map((name) => [name, use]));

describe("unique members of a SQLite file", () => {
  it("may be added to one that has records", async () => {
    const file = folder.newFile();
    const beforeDatabase = await open({ file, person: { members: {} } });
    const before = beforeDatabase.store("person");
    await create(before, { identifier: "A1", email: "ada@example.org" });
    await beforeDatabase.close();
    const database = await open({
      file,
      person: { members: { identifier: { unique: true }, email: { unique: true } } },
    });
    const store = database.store("person");
    assert.deepEqual(await store.create({ email: "ada@example.org" }), { kind: "conflict", member: "email" });
    assert.deepEqual(await store.create({ identifier: "A1" }), { kind: "conflict", member: "identifier" });
    await database.close();
  });

  it("are no longer unique when they are left out", async () => {
    const file = folder.newFile();
    await (await open({ file })).close();
    const database = await open({ file, person: { members: {} } });
    const store = database.store("person");
    await create(store, { identifier: "A1" });
    await create(store, { identifier: "A1" });
    await database.close();
  });

  it("are unique again when they are named again", async () => {
    const file = folder.newFile();
    for (const unique of [["identifier"], []])
      await (await open({ file, person: { members: usesOf(unique, { unique: true }) } })).close();
    const database = await open({ file });
    const store = database.store("person");
    await create(store, { identifier: "A1" });
    assert.equal((await store.create({ identifier: "A1" })).kind, "conflict");
    await database.close();
  });

  it("are refused when records share a value", async () => {
    const file = folder.newFile();
    const database = await open({ file, person: { members: {} } });
    const store = database.store("person");
    await create(store, { identifier: "A1" });
    await create(store, { identifier: "A1" });
    await database.close();
    await assertNotOpened(file, /two records in it \(1 and 2\) have the same identifier/);
    const stillDatabase = await open({ file, person: { members: {} } });
    const still = stillDatabase.store("person");
    assert.equal((await everything(still)).length, 2);
    await stillDatabase.close();
  });

  it("are enforced by the database too", async () => {
    const file = folder.newFile();
    const database = await open({ file });
    const store = database.store("person");
    await create(store, { identifier: "A1" });
    withDatabase(file, (database) => {
      assert.throws(() => database.exec(`INSERT INTO person VALUES (9, 9, 0, 0, '{}', '"A1"')`), /UNIQUE/);
    });
    await database.close();
  });
});

describe("selectable members of a SQLite file", () => {
  const selectable = (...members: readonly [name: string, type: MemberType][]): Opening["person"] => ({
    members: Object.fromEntries(members.map(([name, type]) => [name, { filter: type }])),
  });
  const idsBy = async (database: Database, member: string): Promise<readonly number[]> => {
    const order = [
      { member, descending: false },
      { member: "id", descending: false },
    ];
    return (await Array.fromAsync(database.store("person").list({ order }))).flat().map(({ id }) => id);
  };

  it("may be added, have another type, and be dropped when it is opened again", async () => {
    const file = folder.newFile();
    const documents = [{ size: "9" }, { size: 10 }, { size: "10" }, { size: 9 }, { address: { country: "FR" } }];
    const changes: readonly [person: Opening["person"], expected: Readonly<Record<string, readonly number[]>>][] = [
      [{}, {}],
      [selectable(["size", "text"]), { size: [2, 4, 5, 3, 1] }],
      [
        selectable(["size", "number"], ["address.country", "text"]),
        { size: [1, 3, 5, 4, 2], "address.country": [1, 2, 3, 4, 5] },
      ],
      [selectable(["address.country", "date"]), { "address.country": [1, 2, 3, 4, 5] }],
      [{}, {}],
    ];
    for (const [person, expected] of changes) {
      const database = await open({ file, ...(person && { person }) });
      if (database.store("person").revision() === 0) await database.store("person").createAll(documents);
      for (const [member, ids] of Object.entries(expected)) assert.deepEqual(await idsBy(database, member), ids);
      if (!("size" in expected)) await assert.rejects(idsBy(database, "size"), TypeError);
      await database.close();
    }
    withDatabase(file, (database) => {
      const columns = database
        .prepare("SELECT name FROM pragma_table_xinfo('person')")
        .all()
        .map(({ name }) => name);
      assert.deepEqual(columns, ["id", "revision", "created_at", "updated_at", "document", "unique identifier"]);
    });
  });

  for (const name of ["", "a..b", ".a", "a.", "a'b", 'a"b', "a b", "id", "updatedAt", "x".repeat(64)]) {
    it(`are not named ${JSON.stringify(name)}`, async () => {
      await assert.rejects(open({ person: { ...selectable([name, "text"]) } }), TypeError);
    });
  }

  it("do not have names that differ in case only", async () => {
    await assert.rejects(open({ person: { ...selectable(["name", "text"], ["Name", "number"]) } }), TypeError);
  });
});

describe("the full text of a SQLite file", () => {
  it("has the words of other members when it is opened with them, also of the records that there are", async () => {
    const file = folder.newFile();
    const steps: readonly [fullText: readonly string[], expected: readonly number[]][] = [
      [[], []],
      [["name"], [1]],
      [
        ["name", "email"],
        [1, 2],
      ],
      [["email"], [2]],
      [[], []],
    ];
    for (const [fullText, expected] of steps) {
      const database = await open({ file, person: { members: usesOf(fullText, { search: true }) } });
      const store = database.store("person");
      if (store.revision() === 0) await store.createAll([{ name: "Ada" }, { email: "ada@example.org" }, {}]);
      assert.deepEqual(
        store.fullText,
        fullText.map((name) => ({ name, by: "words" })),
      );
      const listing = Array.fromAsync(store.list({ words: ["ada"] }));
      if (fullText.length === 0) await assert.rejects(listing, TypeError);
      else
        assert.deepEqual(
          (await listing).flat().map(({ id }) => id),
          expected,
        );
      await database.close();
    }
  });

  it("has nothing of the words before, where most records have one of the new members", async () => {
    const sizes: number[] = [];
    for (const steps of [[["name"], ["name", "email"]], [["name", "email"]]]) {
      const file = folder.newFile();
      for (const fullText of steps) {
        const database = await open({ file, person: { members: usesOf(fullText, { search: true }) } });
        const store = database.store("person");
        if (store.revision() === 0)
          await store.createAll([{ name: "Ada", email: "ada@example.org" }, { name: "Grace" }]);
        await database.close();
      }
      using database = new DatabaseSync(file);
      const size = database.prepare("SELECT sum(length(block)) AS size FROM waymark_words_person_data").get();
      sizes.push(Number(size?.["size"]));
    }
    assert.equal(sizes[0], sizes[1]);
  });

  it("has the digits of numbers when it is opened with them, beside the words, and again the words", async () => {
    const file = folder.newFile();
    const steps: readonly [telephone: MemberUse, text: string, expected: readonly number[]][] = [
      [{}, "7946", []],
      [{ search: "digits" }, "2079", [1]],
      [{ search: "digits" }, "ada", [2]],
      [{ search: true }, "2079", []],
      [{ search: true }, "7946", [1]],
    ];
    for (const [telephone, text, expected] of steps) {
      const database = await open({ file, person: { members: { name: { search: true }, telephone } } });
      const store = database.store("person");
      if (store.revision() === 0) await store.createAll([{ telephone: "+44 20 7946" }, { name: "Ada" }]);
      const found = (await Array.fromAsync(store.list({ words: [text] }))).flat();
      assert.deepEqual(
        found.map(({ id }) => id),
        expected,
        text,
      );
      await database.close();
    }
  });
});

describe("owners in a SQLite file", () => {
  const person: CollectionDefinition = { name: "person" };
  const owned = (collection: string): CollectionDefinition => ({
    name: "book",
    members: { title: { search: true } },
    owner: { collection, member: "ownerId" },
  });
  const openAll = (file: string, ...collections: readonly CollectionDefinition[]): Promise<Database> =>
    openSqliteDatabase(file, { collections, now: () => noon });

  it("can be added and removed while there is no record, and not afterwards", async () => {
    const file = folder.newFile();
    const company = { name: "company" };
    for (const book of [{ name: "book" }, owned("person"), owned("company"), owned("person")]) {
      await (await openAll(file, person, company, book)).close();
    }
    const database = await openAll(file, person, owned("person"));
    await create(database.store("person"), {});
    await create(database.store("book").within(1), { title: "Notes" });
    await database.close();
    for (const [book, due] of [
      [{ name: "book" }, "by nobody"],
      [owned("company"), "by company"],
    ] as const) {
      await assert.rejects(openAll(file, person, company, book), {
        name: "StoreOpenError",
        message: `Cannot open the database ${JSON.stringify(file)}: the records of book in it are owned by person, and are to be owned ${due}; remove them`,
      });
    }
    const again = await openAll(file, owned("person"), person);
    assert.equal(await again.store("book").count({ words: ["notes"] }), 1);
    await again.close();
  });

  it("take their records with them, also when another program removes them", async () => {
    const file = folder.newFile();
    const database = await openAll(file, person, owned("person"));
    await create(database.store("person"), {});
    const books = database.store("book").within(1);
    await create(books, { title: "Notes" });
    withDatabase(file, (other) => other.exec("PRAGMA foreign_keys = ON; DELETE FROM person"));
    assert.deepEqual([await books.count(), await books.count({ words: ["notes"] }), books.revision()], [0, 0, 2]);
    assert.deepEqual(await database.store("person").create({ id: 1 }), { kind: "conflict", member: "id" });
    await database.close();
  });

  it("are removed after their records where these are many, in steps between which other changes are made", async () => {
    const page: CollectionDefinition = { name: "page", owner: { collection: "book", member: "bookId" } };
    const database = await openAll(folder.newFile(), person, owned("person"), page);
    const [people, books, pages] = ["person", "book", "page"].map((name) => database.store(name)) as [
      Store,
      Store,
      Store,
    ];
    for (let n = 0; n < 2; n++) await create(people, {});
    const record = await replace(people, 1, { name: "Ada" });
    await books.within(1).createAll([{ title: "Notes" }, {}]);
    await pages.within(2).createAll(Array.from({ length: 20_001 }, () => ({})));
    const before = await pages.changes("now");
    assert.deepEqual(await people.remove(1, record.revision + 1), { kind: "changed", record });
    assert.equal(await pages.count(), 20_001);

    const ended: string[] = [];
    const removal = people.remove(1, record.revision).then(({ kind }) => ended.push(kind));
    // It is still there, and may be changed.
    await replace(people, 1, { name: "Ada Lovelace" });
    await create(books.within(2), {});
    assert.deepEqual(ended, []);
    await removal;
    assert.deepEqual(ended, ["removed"]);
    assert.deepEqual([await people.count(), await books.count(), await pages.count()], [1, 1, 0]);
    assert.equal(await books.count({ words: ["notes"] }), 0);
    const { changes } = await pages.changes(before.cursor);
    assert.ok(changes.length === 1000 && changes.every(({ kind }) => kind === "removed"));
    assert.equal((await pages.revision()) - before.revision, 20_001);
    await database.close();
  });

  it("are removed although they change between the steps, by what was so before the first", async () => {
    const page: CollectionDefinition = { name: "page", owner: { collection: "book", member: "bookId" } };
    const database = await openAll(folder.newFile(), person, owned("person"), page);
    const [people, books] = [database.store("person"), database.store("book")];
    const record = await create(people, {});
    await books.within(1).createAll(Array.from({ length: 20_001 }, () => ({})));
    await create(database.store("page").within(1), {});
    const removal = people.remove(1, record.revision);
    await replace(people, 1, { name: "Ada" });
    assert.deepEqual(await removal, { kind: "removed" });
    assert.equal(await books.count(), 0);
    await database.close();
  });

  it("are removed with an unknown outcome where the database closes between the steps", async () => {
    const database = await openAll(folder.newFile(), person, owned("person"));
    const [people, books] = [database.store("person"), database.store("book")];
    await create(people, {});
    await books.within(1).createAll(Array.from({ length: 20_001 }, () => ({})));
    const removal = assert.rejects(people.remove(1), StoreOutcomeUnknown);
    await create(people, {}); // behind the first step
    await database.close();
    await removal;
  });

  const senseless: readonly [what: string, collections: readonly CollectionDefinition[]][] = [
    ["of no collection", [owned("person")]],
    ["of itself", [owned("book")]],
    ["of one another", [owned("shelf"), { name: "shelf", owner: { collection: "book", member: "bookId" } }]],
    ["by a member of the store", [person, { name: "book", owner: { collection: "person", member: "id" } }]],
    ["by a member that has no name", [person, { name: "book", owner: { collection: "person", member: "a.b" } }]],
  ];
  for (const [what, collections] of senseless) {
    it(`are not ${what}`, async () => {
      await assert.rejects(openAll(":memory:", ...collections), TypeError);
    });
  }
});

describe("idempotency keys in a SQLite file", () => {
  it("are forgotten after a day, some with each change, also of other collections", async () => {
    const file = folder.newFile();
    let time = noon.getTime();
    const collections = [{ name: "person" }, { name: "order" }];
    const database = await openSqliteDatabase(file, { collections, now: () => new Date(time) });
    const [people, orders] = [database.store("person"), database.store("order")];
    const left: unknown[] = [];
    const look = (): void =>
      withDatabase(file, (other) => left.push(pragmaOf(other, "SELECT count(*) FROM waymark_keys")));
    for (let i = 0; i < 45; i++) await people.create({}, { idempotency: { key: `k${i}`, fingerprint: "a" } });
    time += 86_399_999;
    await create(orders, {});
    look();
    time += 1;
    await create(orders, {});
    look();
    await replace(orders, 1, { name: "Ada" });
    look();
    await Promise.all([create(people, {}), create(people, {})]);
    look();
    await orders.createAll([{}, {}]);
    look();
    assert.deepEqual(left, [45, 35, 25, 5, 0]);
    await database.close();
  });

  it("are kept when it is opened again, and forgotten ten at a time when they are a day old", async () => {
    const file = folder.newFile();
    let time = noon.getTime();
    const add = async (store: Store, key: string): Promise<string> =>
      (await store.create({}, { idempotency: { key, fingerprint: "a" } })).kind;
    const first = await open({ file, now: () => new Date(time) });
    for (let i = 0; i < 25; i++) await add(first.store("person"), `k${i}`);
    await first.close();

    const database = await open({ file, now: () => new Date(time) });
    assert.equal(await add(database.store("person"), "k7"), "repeated");
    time += 86_400_000;
    const left: unknown[] = [];
    for (const key of ["a", "b", "c"]) {
      await add(database.store("person"), key);
      withDatabase(file, (other) => left.push(pragmaOf(other, "SELECT count(*) FROM waymark_keys")));
    }
    assert.deepEqual(left, [16, 7, 3]);
    await database.close();
  });
});

describe("a SQLite file that is opened as it was", () => {
  it("is not written to", async () => {
    const file = folder.newFile();
    const person: Opening["person"] = { members: { name: { filter: "text", search: true } } };
    await (await open({ file, person })).close();
    const before = readFileSync(file);
    await (await open({ file, person })).close();
    assert.deepEqual(readFileSync(file), before);
  });
});

describe("a SQLite file that is damaged within", () => {
  it("says so where a read or a change comes to the damage, and whenever it is checked from then on", async () => {
    const file = folder.newFile();
    const before = await open({ file });
    await before.store("person").createAll(Array.from({ length: 300 }, () => ({ name: "x".repeat(2000) })));
    await before.close();
    const content = readFileSync(file);
    write(file, content.fill("garbage ", content.length / 2));
    const database = await open({ file });
    const people = database.store("person");
    const says = {
      name: "StoreDamaged",
      message: /The file of the database is damaged: stop the service, and restore a backup/,
    };
    await database.check();
    await assert.rejects(everything(people), says);
    await assert.rejects(database.check(), says);
    await assert.rejects(people.createAll(Array.from({ length: 300 }, () => ({}))), says);
    await assert.rejects(database.check(), says);
    await database.close();
  });
});

describe("a file that cannot be the database", () => {
  const cases: readonly [what: string, make: (file: string) => string, message: RegExp][] = [
    [
      "text",
      (file) => write(file, "What is written here is not a database.\n".repeat(40)),
      /it is not an SQLite database/,
    ],
    ["ours, overwritten but for its header", overwritten, /it is damaged; restore it from a backup/],
    ["a few bytes", (file) => write(file, "{}"), /it is not an SQLite database/],
    ["of another program", (file) => database(file, "CREATE TABLE t (x)"), /the database of another program/],
    [
      "marked by another program",
      (file) => database(file, "PRAGMA application_id = 7"),
      /the database of another program/,
    ],
    [
      "of a newer version",
      (file) => database(file, "PRAGMA application_id = 2003659569; PRAGMA user_version = 9999; CREATE TABLE t (x)"),
      /a newer version of this program wrote it \(layout 9999, and this one knows \d+\); upgrade/,
    ],
    ["a directory", directoryAt, /it is a directory; name a file in it/],
    ["below a file", (file) => join(write(file, "{}"), "person.db"), /a part of the path before it is not a directory/],
    [
      "far below a file",
      (file) => join(write(file, "{}"), "a", "person.db"),
      /a part of the path before it is not a directory/,
    ],
    ["a device", () => "/dev/null", /it is a device/],
    ["of no name", () => "", /the name is empty/],
    ["of a name that is too long", (file) => file.replace(".db", "x".repeat(300)), /the name is too long/],
    ["where no directory can be made", () => "/proc/nowhere/person.db", /its directory cannot be made/],
  ];
  for (const [what, make, message] of cases) {
    it(`is refused in one line: ${what}`, async () => {
      await assertNotOpened(make(folder.newFile()), message);
    });
  }

  it("stays as it was", async () => {
    const file = database(folder.newFile(), "CREATE TABLE t (x)");
    const before = readFileSync(file);
    await assertNotOpened(file, /another program/);
    assert.deepEqual(readFileSync(file), before);
  });

  it("is one whose note of what it compares is cut off", async () => {
    const file = folder.newFile();
    await (await open({ file })).close();
    const other = new DatabaseSync(file);
    other.exec("UPDATE waymark_collections SET declared = substr(declared, 1, 9)");
    other.close();
    await assertNotOpened(file, /it is damaged; restore it from a backup/);
  });

  it("is refused while another connection has locked it", async () => {
    const file = folder.newFile();
    await (await open({ file })).close();
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    await assertNotOpened(file, /another process has locked it/, 1);
    other.close();
    await (await open({ file })).close();
  });
});

describe("the names in a SQLite store", () => {
  it("are those of different collections", async () => {
    const collections = [{ name: "person" }, { name: "person" }];
    await assert.rejects(openSqliteDatabase(":memory:", { collections }), TypeError);
  });

  for (const collection of [
    "",
    "Person",
    "1st",
    "per son",
    'a"b',
    "sqlite_x",
    "waymark_collections",
    "x".repeat(64),
    "é",
  ]) {
    it(`do not have ${JSON.stringify(collection)} for a collection`, async () => {
      await assert.rejects(open({ person: { name: collection } }), TypeError);
    });
  }
  for (const unique of [[""], ["a..b"], ["a'b"], ['a"b'], ["$x"], ["name", "Name"]]) {
    it(`do not have ${JSON.stringify(unique)} for unique members`, async () => {
      await assert.rejects(open({ person: { members: usesOf(unique, { unique: true }) } }), TypeError);
    });
  }
  for (const collection of ["order", "select", "x".repeat(63), "a_1"]) {
    it(`may have ${collection} for a collection`, async () => {
      const database = await open({
        person: {
          name: collection,
          members: { order: { unique: true }, group: { unique: true }, _x: { unique: true } },
        },
      });
      const store = database.store(collection);
      await create(store, { order: 1 });
      assert.deepEqual(await store.create({ order: 1 }), { kind: "conflict", member: "order" });
      await database.close();
    });
  }
});

async function assertNotOpened(file: string, message: RegExp, busyTimeout = 1000): Promise<void> {
  await assert.rejects(open({ file, busyTimeout }), (error) => {
    assert.ok(error instanceof StoreOpenError, String(error));
    assert.match(error.message, message);
    assert.ok(error.message.includes(JSON.stringify(file)), error.message);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  });
}

/** A file of ours of which only what SQLite looks at first is left. */
function overwritten(file: string): string {
  database(file, "PRAGMA application_id = 2003659569; PRAGMA user_version = 1; CREATE TABLE t (x)");
  const content = readFileSync(file);
  return write(file, content.fill("garbage ", 100));
}

function directoryAt(path: string): string {
  mkdirSync(path);
  return path;
}

function write(file: string, content: string | Buffer): string {
  writeFileSync(file, content);
  return file;
}

/** A database file that another program made. */
function database(file: string, statements: string): string {
  withDatabase(file, (opened) => opened.exec(statements));
  return file;
}

function pragmaOf(database: DatabaseSync, query: string): unknown {
  return Object.values(database.prepare(query).get() ?? {})[0];
}
