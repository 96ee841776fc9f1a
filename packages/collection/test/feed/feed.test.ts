import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type App, group, HttpRequest, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { z } from "zod";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { collection, type Database, openDatabase, type Store, StoreCursorGone } from "../../src/index.ts";
import { create, everything, replace } from "../store-contract/contract.ts";
import { changesBehind, inOrderOfIds } from "../store-contract/feed.ts";
import { newPostgresDatabase } from "../tools/postgres-server.ts";

const folder = openFolder("feed");

const open = (address: string): Promise<Database> => openDatabase(address, { collections: [{ name: "person" }] });

describe("the changes of a copy of a database", () => {
  const addresses = { SQLite: async () => folder.newFile(), PostgreSQL: newPostgresDatabase } as const;

  for (const [from, to] of [
    ["SQLite", "SQLite"],
    ["SQLite", "PostgreSQL"],
    ["PostgreSQL", "PostgreSQL"],
    ["PostgreSQL", "SQLite"],
  ] as const) {
    it(`are all that is in it, and gone behind the cursors of the original (${from} to ${to})`, async () => {
      const [source, target] = [await open(await addresses[from]()), await open(await addresses[to]())];
      const [people, copied] = [source.store("person"), target.store("person")];
      await people.createAll(Array.from({ length: 40 }, (_, n) => ({ name: `Person ${n}` })));
      const early = await people.changes(undefined, { limit: 13 });
      for (const id of [3, 5, 39]) await people.remove(id);
      for (const id of [1, 20, 40]) await replace(people, id, { name: "changed" });
      const last = await changesBehind(people);
      const snapshot = await source.snapshot();
      await target.restore(snapshot);
      await snapshot.close();
      await create(copied, { name: "only in the copy" });
      await copied.remove(20);

      for (const cursor of [early.cursor, last.cursor]) await assert.rejects(copied.changes(cursor), StoreCursorGone);
      const { changes } = await changesBehind(copied);
      assert.deepEqual(inOrderOfIds(changes), await everything(copied));
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
