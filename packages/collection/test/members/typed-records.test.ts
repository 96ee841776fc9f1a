import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { HttpRequest, type Route, router } from "waymark";
import { z } from "zod";
import {
  type CollectionHandlers,
  type CollectionRoutesOptions,
  collection,
  type Database,
  openDatabase,
  openSnapshot,
  parseRecord,
} from "../../src/index.ts";

const Book = z.strictObject({ title: z.string(), year: z.int().optional() });
type Book = z.infer<typeof Book>;

/** True when the types are the same. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only when its argument is true. */
const assertType = <Truth extends true>(truth: Truth): void => assert.equal(truth, true);

let database: Database;
let books: CollectionHandlers<Book>;

before(async () => {
  database = await openDatabase(":memory:", { collections: [{ name: "book" }], now: () => new Date(0) });
  books = collection({ path: "/books", store: database.store("book"), schema: Book });
});

after(() => database.close());

describe("a record of a typed store", () => {
  it("has a value of the type that was named", async () => {
    const store = database.store<Book>("book");
    const created = await store.create({ title: "Emma", year: 1815 });
    assert.ok(created.kind === "created");
    const value = parseRecord(created.record);
    assertType<Equal<typeof value.title, string>>(true);
    assertType<Equal<typeof value.year, number | undefined>>(true);
    assertType<Equal<typeof value.id, number>>(true);
    const time = "1970-01-01T00:00:00.000Z";
    assert.deepEqual(value, { id: created.record.id, title: "Emma", year: 1815, createdAt: time, updatedAt: time });
  });

  it("has a value of the type of the schema in the store of a collection", async () => {
    const { store } = collection({ path: "/b", store: database.store("book"), schema: Book });
    const created = await store.create({ title: "Persuasion" });
    assert.ok(created.kind === "created");
    const found = parseRecord(await store.find(created.record.id));
    assertType<Equal<typeof found extends { title: string } | undefined ? true : false, true>>(true);
    assert.equal(found?.title, "Persuasion");
    assert.equal(parseRecord(await store.find(999)), undefined);
    for await (const batch of store.list()) for (const record of batch) assert.ok(parseRecord(record).title);
    // @ts-expect-error: a book has a title
    const create = () => store.create({ titel: "Emma" });
    assert.ok(create);
  });
});

describe("the routes of a collection", () => {
  const rowsOf = (options?: CollectionRoutesOptions): readonly string[] => {
    const made: Route = books.routes(options);
    return router({ strict: true }, made).routes.map(
      ({ methods, path, consumes, produces }) => `${methods} ${path} ${[...consumes, ...produces].join(" ")}`,
    );
  };

  it("are those that one would write by hand", () => {
    assert.deepEqual(rowsOf(), [
      "GET /books application/json",
      "GET /books/changes ",
      "GET /books/{id} application/json",
      "POST /books application/json",
      "POST /books application/x-ndjson",
      "PATCH /books application/json",
      "POST /books/{id} ",
      "PUT /books/{id} application/json",
      "PATCH /books/{id} application/merge-patch+json application/json-patch+json application/json",
      "DELETE /books/{id} ",
    ]);
  });

  it("leave out what is named, which is a 405 then", async () => {
    const without = ["remove", "replace", "amend", "createMany", "amendMany", "refuseCreate"] as const;
    assert.deepEqual(rowsOf({ without }), [
      "GET /books application/json",
      "GET /books/changes ",
      "GET /books/{id} application/json",
      "POST /books application/json",
    ]);
    const app = router(books.routes({ without }));
    const answer = await app.handle(HttpRequest.of({ method: "DELETE", target: "/books/1" }));
    assert.deepEqual([answer.status, answer.header("Allow")], [405, "GET, HEAD, OPTIONS"]);
  });

  it("take no other method where the changes are, and an id without a feed of changes", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const request = HttpRequest.of({ method, target: "/books/changes" });
      const answer = await router(books.routes()).handle(request);
      assert.deepEqual([answer.status, answer.header("Allow")], [405, "GET, HEAD, OPTIONS"], method);
    }
    const options = HttpRequest.of({ method: "OPTIONS", target: "/books/changes" });
    assert.equal((await router(books.routes()).handle(options)).header("Allow"), "GET, HEAD, OPTIONS");
    const remove = HttpRequest.of({ method: "DELETE", target: "/books/changes" });
    assert.equal((await router(books.routes({ without: ["changes"] })).handle(remove)).status, 400);
  });

  it("refuse the name of no handler, with the nearest", () => {
    const misspelt = { without: ["delete", "remov"] } as unknown as CollectionRoutesOptions; // as of a program without types
    assert.throws(() => books.routes(misspelt), {
      name: "TypeError",
      message: /^A collection has no handler "delete"\. Known: list, changes, read, create, /,
    });
    const unknown = { witout: [] } as CollectionRoutesOptions; // likewise
    assert.throws(() => books.routes(unknown), /routes\(\{ … \}\) has no option "witout"; did you mean without\?/);
  });
});

describe("a definition that says something else", () => {
  // As of a program without types.
  // biome-ignore format: a table
  for (const [what, options, message] of [
    ["no list of collections", { collections: {} }, /^A database needs the list of its collections: \{ collections: /],
    ["a misspelt list", { collection: [] }, /has no option "collection"; did you mean collections\?/],
    ["a misspelt question", { collections: [], onForgoten: () => {} }, /did you mean onForgotten\?/],
    ["no clock", { collections: [], now: 5 }, /\{ now \}\) is of the type function, not number$/],
    ["a name for a definition", { collections: ["book"] }, /^A definition of a collection takes an object of options, not string/],
    ["a misspelt option", { collections: [{ name: "book", member: {} }] }, /"member"; did you mean members\?/],
    [
      "a list of members",
      { collections: [{ name: "book", members: ["title"] }] },
      /The members of book are a table such as \{ title: \{ filter: "text" \} \}, not a list/,
    ],
    [
      "a misspelt use of a member",
      { collections: [{ name: "book", members: { title: { filtre: "text" } } }] },
      /The member "title" of a collection has no option "filtre"; did you mean filter\?/,
    ],
    [
      "a way to compare that there is not",
      { collections: [{ name: "book", members: { title: { filter: "string" } } }] },
      /The filter of title is one of text, exact, date, number, boolean, time, not "string"/,
    ],
    [
      "a name for an owner",
      { collections: [{ name: "book", owner: "author" }] },
      /^The owner of book takes an object of options, not string\. Known: collection, member/,
    ],
    [
      "an owner without its member",
      { collections: [{ name: "author" }, { name: "book", owner: { collection: "author" } }] },
      /^The owner of book needs the member that has its id: \{ collection: "user", member: "userId" \}$/,
    ],
    ["no options", undefined, /^A database needs the list of its collections/],
  ] as const) {
    it(`is refused with what is right: ${what}`, async () => {
      await assert.rejects(openDatabase(":memory:", options as never), { name: "TypeError", message });
    });
  }

  it("is refused where the database was not awaited", () => {
    const store = openDatabase(":memory:", { collections: [{ name: "book" }] }) as never;
    assert.throws(() => collection({ store, schema: Book }), /^TypeError: store must be .* await openDatabase\(…\)$/);
  });
});

describe("the address of a database", () => {
  for (const [address, found] of [
    ["mysql://me:secret@db/books", "mysql://..."],
    ["sqlite:books.db", "sqlite:..."],
    ["postgres:/me:secret@db/books", "postgres:..."],
    [undefined, "undefined"],
  ] as const) {
    const message = `The address of a database is the path of a file or a URL postgres://..., not ${found}`;

    it(`is not ${address}, which is not the path of a file either`, async () => {
      const collections = [{ name: "book" }];
      await assert.rejects(openDatabase(address as string, { collections }), { name: "TypeError", message }); // as of an environment
      await assert.rejects(openSnapshot(address as string), { name: "TypeError", message }); // likewise
    });
  }
});
