import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { describe, it } from "node:test";
import { type App, group, HttpRequest, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { z } from "zod";
import { openFolder } from "../../waymark/test/folder.ts";
import {
  backupSqliteFile,
  collection,
  type Database,
  openDatabase,
  type Store,
  StoreCursorGone,
} from "../src/index.ts";
import { execute, newPostgresDatabase } from "./postgres-server.ts";
import { changesBehind, idOf, inOrderOfIds } from "./store-contract/feed.ts";
import { create, everything, replace } from "./store-contract.ts";

const folder = openFolder("feed");

const open = (address: string, partitions = 1): Promise<Database> =>
  openDatabase(address, { collections: [{ name: "person" }], ...(partitions > 1 && { partitions }) });

describe("the changes of a database that went back to an older state", () => {
  /** Ways to keep a database, and to put it back to the state in which it was kept, while no program uses it. */
  const databases = [
    {
      what: "an SQLite file",
      newAddress: async () => folder.newFile(),
      async keep(file: string): Promise<() => Promise<void>> {
        const kept = folder.newFile();
        await backupSqliteFile(file, kept);
        return async () => {
          for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
          copyFileSync(kept, file);
        };
      },
    },
    {
      what: "PostgreSQL",
      newAddress: newPostgresDatabase,
      async keep(url: string): Promise<() => Promise<void>> {
        const tables = ["person", "waymark_collections", "waymark_removals", "waymark_seals"];
        for (const table of tables) await execute(url, `CREATE TABLE kept_${table} AS TABLE ${table}`);
        return async () => {
          for (const table of tables) {
            await execute(url, `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM kept_${table}`);
          }
        };
      },
    },
  ] as const;

  for (const { what, newAddress, keep } of databases) {
    it(`are gone behind a cursor that has seen what is lost, and no others (${what})`, async () => {
      const address = await newAddress();
      const before = await open(address);
      const people = before.store("person");
      await create(people, { name: "Ada" });
      const early = await people.changes();
      await people.createAll([{ name: "Grace" }, { name: "Alan" }]);
      const within = await people.changes(early.cursor, { limit: 1 });
      const last = await people.changes(within.cursor);
      const putBack = await keep(address);
      await create(people, { name: "Lost" });
      await people.remove(2);
      const lost = await people.changes(last.cursor);
      await before.close();
      await putBack();

      const after = await open(address);
      const again = after.store("person");
      await assert.rejects(again.changes(lost.cursor), StoreCursorGone);
      assert.deepEqual((await again.changes(last.cursor)).changes, []);
      const others = [await create(again, { name: "One" }), await create(again, { name: "Two" })];
      await again.createAll([{ name: "Three" }, { name: "Four" }]);
      // The revision of the cursor is there again, of another change.
      await assert.rejects(again.changes(lost.cursor), StoreCursorGone);
      const { changes } = await changesBehind(again, last.cursor);
      assert.deepEqual(inOrderOfIds(changes).slice(0, 2), others);
      assert.equal(changes.length, 4);
      assert.equal((await changesBehind(again, within.cursor)).changes.length, 5);
      assert.equal((await changesBehind(again, early.cursor)).changes.length, 6);
      await after.resume();
      await assert.rejects(again.changes(lost.cursor), StoreCursorGone);
      assert.equal((await changesBehind(again, last.cursor)).changes.length, 4);
      await after.close();
    });
  }

  it("are gone behind a cursor that saw them before the database was resumed", async () => {
    const url = await newPostgresDatabase();
    const [first, second] = [await open(url), await open(url)];
    const people = first.store("person");
    await create(people, { name: "Ada" });
    const early = await people.changes();
    await create(people, { name: "Grace" });
    const lost = await people.changes();
    await execute(
      url,
      `DELETE FROM person WHERE id > 1; UPDATE waymark_collections SET revision = 1, last_id = 1;
      DELETE FROM waymark_seals WHERE revision > 1`,
    );
    await assert.rejects(people.create({ name: "Alan" }));
    await second.resume();
    const alan = await create(people, { name: "Alan" });
    await assert.rejects(people.changes(lost.cursor), StoreCursorGone);
    assert.deepEqual(inOrderOfIds((await changesBehind(people, early.cursor)).changes), [alan]);
    for (const database of [first, second]) await database.close();
  });
});

describe("the changes of a copy of a database", () => {
  const copies = [
    { from: "SQLite", to: "SQLite", partitions: [1, 1] },
    { from: "SQLite", to: "PostgreSQL in 16 partitions", partitions: [1, 16] },
    { from: "PostgreSQL in 4 partitions", to: "PostgreSQL in 16 partitions", partitions: [4, 16] },
    { from: "PostgreSQL in 4 partitions", to: "SQLite", partitions: [4, 1] },
  ] as const;
  const newAddress = async (kind: string): Promise<string> =>
    kind === "SQLite" ? folder.newFile() : newPostgresDatabase();

  for (const { from, to, partitions } of copies) {
    const areKept = partitions[1] % partitions[0] === 0;
    it(`${areKept ? "go on behind" : "are gone behind"} the cursors of the original (${from} to ${to})`, async () => {
      const [source, target] = [
        await open(await newAddress(from), partitions[0]),
        await open(await newAddress(to), partitions[1]),
      ];
      const [people, copied] = [source.store("person"), target.store("person")];
      await people.createAll(Array.from({ length: 40 }, (_, n) => ({ name: `Person ${n}` })));
      const early = await people.changes(undefined, { limit: 13 });
      for (const id of [3, 5, 39]) await people.remove(id);
      for (const id of [1, 20, 40]) await replace(people, id, { name: "changed" });
      const last = await changesBehind(people);
      const snapshot = await source.snapshot();
      await target.restore(snapshot);
      await snapshot.close();
      const beyond = await create(people, { name: "not copied" });
      const ahead = await changesBehind(people);
      const record = await create(copied, { name: "only in the copy" });
      await copied.remove(20);

      await assert.rejects(copied.changes(ahead.cursor), StoreCursorGone);
      if (areKept) {
        assert.deepEqual(inOrderOfIds((await changesBehind(copied, last.cursor)).changes), [20, record]);
        const expected = (await changesBehind(people, early.cursor)).changes.map(idOf);
        const found = (await changesBehind(copied, early.cursor)).changes.map(idOf);
        assert.deepEqual(new Set(found), new Set([...expected.filter((id) => id !== beyond.id), record.id]));
      } else {
        for (const cursor of [early.cursor, last.cursor]) await assert.rejects(copied.changes(cursor), StoreCursorGone);
      }
      const { changes } = await changesBehind(copied);
      const stored = changes.flatMap((change) => (change.kind === "stored" ? [change.record] : []));
      assert.deepEqual(
        inOrderOfIds(changes).filter((each) => typeof each === "number"),
        [3, 5, 20, 39],
      );
      assert.deepEqual(
        stored.toSorted((one, other) => one.id - other.id),
        await everything(copied),
      );
      for (const database of [source, target]) await database.close();
    });
  }
});

describe("the changes of a collection with owners", () => {
  it("are those of the owner whom the path names, and 410 where changes before the cursor are lost", async () => {
    const open = (file: string): Promise<Database> =>
      openDatabase(file, {
        collections: [{ name: "user" }, { name: "book", owner: { collection: "user", member: "userId" } }],
      });
    const file = folder.newFile();
    const database = await open(file);
    for (const name of ["Ada", "Grace"]) await database.store("user").create({ name });
    for (const [owner, title] of [
      [1, "Emma"],
      [2, "Diary"],
    ] as const) {
      await database.store("book").within(owner).create({ title });
    }
    const appOf = (store: Store): App => {
      const books = collection({ store, schema: z.strictObject({ title: z.string() }), decoders: [jsonDecoder] });
      return router(group("/users/{userId}/books", books.routes()), group("/books", books.routes()));
    };
    const ask = async (app: App, target: string) => {
      const { status, headers, body } = await app.handle(HttpRequest.of({ target }));
      const next = /<([^>]*)>/.exec(headers.get("Link") ?? "")?.[1] ?? "";
      return {
        status,
        next,
        text: String(body),
        titles: status === 200 ? JSON.parse(String(body)).map(({ title }: { title: string }) => title) : [],
      };
    };
    const app = appOf(database.store("book"));
    const [one, all] = [await ask(app, "/users/1/books/changes"), await ask(app, "/books/changes")];
    assert.deepEqual([one.titles, all.titles], [["Emma"], ["Emma", "Diary"]]);
    const [, cursor] = one.next.split("?");
    assert.equal((await ask(app, one.next)).status, 200);
    assert.equal((await ask(app, `/users/2/books/changes?${cursor}`)).status, 400);
    assert.equal((await ask(app, `/books/changes?${cursor}`)).status, 400);
    assert.equal((await ask(app, "/users/3/books/changes")).status, 404);
    await database.close();

    const other = await open(folder.newFile());
    const gone = await ask(appOf(other.store("book")), all.next);
    assert.equal(gone.status, 410);
    assert.match(gone.text, /Begin again without after and Last-Event-ID, and drop the records that then do not come/);
    await other.close();
  });
});
