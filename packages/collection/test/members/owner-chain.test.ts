import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type App, GET, group, POST, type Route, router } from "waymark";
import { openApi } from "waymark/openapi";
import { RoutingError } from "waymark/routing";
import { z } from "zod";
import { type CollectionHandlers, collection, type Database, jsonArrayDecoder, openDatabase } from "../../src/index.ts";
import { storeWith } from "../stores/store-with.ts";
import { type Answer, ask as askOf, idsOf } from "../tools/ask.ts";

const schema = z.strictObject({ title: z.string().min(1) });
const loose = z.object({ title: z.string().min(1) });

let database: Database;

beforeEach(async () => {
  database = await openDatabase(":memory:", {
    collections: [
      { name: "review", owner: { collection: "book", member: "bookId" } },
      {
        name: "book",
        members: { authorId: { filter: "number" }, title: { filter: "text" } },
        owner: { collection: "author", member: "authorId" },
      },
      { name: "author", owner: { collection: "publisher", member: "publisherId" } },
      { name: "publisher" },
    ],
  });
  // Publisher 1 has authors 1 and 2, publisher 2 has author 3; author n has book n, which has review n.
  await database.store("publisher").createAll([{ title: "A" }, { title: "B" }]);
  const create = async (name: string, owner: number) => database.store(name).within(owner).create({ title: "x" });
  for (const owner of [1, 1, 2]) await create("author", owner);
  for (const owner of [1, 2, 3]) await create("book", owner);
  for (const owner of [1, 2, 3]) await create("review", owner);
});

afterEach(() => database.close());

const listDecoders = [jsonArrayDecoder];

const of = (name: string): CollectionHandlers<{ title: string }> =>
  collection({ store: database.store(name), schema, lenientSchema: loose, listDecoders });

const ask = (app: App, line: string, content?: unknown, headers = {}): Promise<Answer> =>
  askOf(app, line, headers, content);

describe("owners of owners", () => {
  /** Every method on a path of reviews, with the status where the path is right; what removes comes last. */
  const methods: readonly [method: string, item: boolean, status: number, body?: unknown][] = [
    ["GET", false, 200],
    ["HEAD", false, 200],
    ["POST", false, 201, { title: "y" }],
    ["POST", false, 200, [{ title: "y" }]],
    ["GET", true, 200],
    ["HEAD", true, 200],
    ["POST", true, 409, { title: "y" }],
    ["PUT", true, 204, { title: "y" }],
    ["PATCH", true, 204, { title: "z" }],
    ["DELETE", true, 200],
  ];
  /** The path of the reviews of book 2, which is author 2's, who is publisher 1's; and paths that say something else. */
  // biome-ignore format: a table
  const depths: readonly [path: string, right: string, wrong: readonly string[]][] = [
    ["/books/{bookId}/reviews", "/books/2/reviews", ["/books/1/reviews", "/books/7/reviews", "/books/0/reviews"]],
    ["/authors/{authorId}/books/{bookId}/reviews", "/authors/2/books/2/reviews",
      ["/authors/1/books/2/reviews", "/authors/3/books/2/reviews", "/authors/7/books/2/reviews", "/authors/2/books/1/reviews"]],
    ["/publishers/{publisherId}/authors/{authorId}/books/{bookId}/reviews", "/publishers/1/authors/2/books/2/reviews",
      ["/publishers/2/authors/2/books/2/reviews", "/publishers/1/authors/1/books/2/reviews", "/publishers/1/authors/2/books/1/reviews",
        "/publishers/2/authors/3/books/2/reviews", "/publishers/9007199254740993/authors/2/books/2/reviews",
        "/publishers/-1/authors/2/books/2/reviews"]],
  ];

  for (const [path, right, wrong] of depths) {
    for (const [method, isItem, status, body] of methods) {
      const line = (base: string) => `${method} ${base}${isItem ? "/2" : ""}`;
      it(`are checked: ${line(path)}`, async () => {
        const app = router(group(path, of("review").routes()));
        for (const base of wrong) {
          if (!isItem && base.endsWith("/1/reviews") && path.startsWith("/books")) continue; // There are such reviews.
          const { status, text } = await ask(app, line(base), body);
          assert.deepEqual([status, text], [404, ""], base);
        }
        assert.equal(await database.store("review").count(), 3);
        const taken = await ask(app, line(right), body);
        assert.equal(taken.status, status);
        if (status === 201) assert.equal(taken.header("Location"), `${right}/4`);
      });
    }
  }

  it("that are no integers are a 400", async () => {
    const app = router(group("/authors/{authorId}/books/{bookId}/reviews", of("review").routes()));
    for (const base of ["/authors/x/books/1/reviews", "/authors/1/books/01/reviews"]) {
      const { status, value } = await ask(app, `GET ${base}`);
      assert.deepEqual([status, value.type], [400, "/problems/invalid-id"], base);
    }
  });

  it("have their records in pages, whose links have the path", async () => {
    const app = router(group("/authors/{authorId}/books", of("book").routes()));
    for (const title of ["b", "a"]) await ask(app, "POST /authors/2/books", { title });
    const counted = { Prefer: "count=exact" };
    const page = await ask(app, "GET /authors/2/books?sort=title&limit=2&fields=title", undefined, counted);
    assert.deepEqual([page.text, page.header("X-Total-Count")], ['[{"title":"a"},{"title":"b"}]', "3"]);
    const next = page.links["next"] ?? "";
    assert.ok(next.startsWith("/authors/2/books?sort=title"), next);
    assert.equal((await ask(app, `GET ${next}`)).text, '[{"title":"x"}]');
  });

  it("get records back as they were read, and give them to no other owner", async () => {
    const app = router(group("/authors/{authorId}/books", of("book").routes()));
    const { value: read } = await ask(app, "GET /authors/2/books/2");
    assert.equal((await ask(app, "PUT /authors/2/books/2", { ...read, title: "Emma." })).status, 204);
    const { value: now } = await ask(app, "GET /authors/2/books/2");
    const operations = [{ op: "replace", path: "/authorId", value: 1 }];
    for (const [method, content, pointer, fields] of [
      ["PUT", { ...now, authorId: 1 }, "#/authorId", {}],
      ["PATCH", { authorId: 1 }, "#/authorId", {}],
      ["PATCH", { authorId: null }, "#/authorId", {}],
      ["PATCH", operations, "#/0/path", { "Content-Type": "application/json-patch+json" }],
    ] as const) {
      const { status, value } = await ask(app, `${method} /authors/2/books/2`, content, fields);
      assert.deepEqual([status, value.errors[0].pointer], [400, pointer]);
    }
    assert.equal((await ask(app, "GET /authors/2/books/2")).value.authorId, 2);
  });
});

describe("a path for records that have owners", () => {
  // biome-ignore format: a table
  const wrong: readonly [path: string, message: RegExp][] = [
    ["/authors/{autorId}/books", /variable \{autorId\}, which names no owner of the records; did you mean authorId\?/],
    ["/authors/{author}/books", /variable \{author\}, .*did you mean authorId\?/],
    ["/authors/{id}/books", /variable \{id\}, which names no owner of the records\. Owners: \{authorId\}, \{publisherId\}/],
    ["/publishers/{publisherId}/books", /variable \{publisherId\} without \{authorId\}, which is between/],
    ["/{tenant}/authors/{authorId}/books", /variable \{tenant\}, which names no owner/],
  ];
  for (const [path, message] of wrong) {
    it(`is refused when the collection is made: ${path}`, () => {
      const made = () => collection({ store: database.store("book"), schema, path });
      assert.throws(made, { name: "TypeError", message });
    });

    it(`is refused when the router is built: ${path}`, () => {
      const books = of("book");
      const routes: readonly Route[] = [group(path, books.routes()), POST(path, books.create)];
      for (const route of routes) {
        assert.throws(() => router(route), { message });
        assert.throws(() => router(route), { message: /\.ts:\d+:\d+\)/ });
      }
    });
  }

  it("is one error, where the routes of the collection are made", () => {
    const routes = group("/authors/{autorId}/books", of("book").routes());
    assert.throws(
      () => router(routes),
      (error) => {
        assert(error instanceof RoutingError);
        assert.deepEqual(
          error.findings.map(({ site }) => String(site).replace(/^.*\/|:.*$/g, "")),
          ["owner-chain.test.ts"],
        );
        return true;
      },
    );
  });

  it("is refused at a request where a function around the handler hides it from the router", async () => {
    const faults: unknown[] = [];
    const books = of("book");
    const app = router(
      { onFault: (error) => faults.push(error) },
      GET("/authors/{autorId}/books", (request) => books.list(request)),
      GET("/a/{id}/books", (request) => books.list(request)),
    );
    assert.deepEqual(
      [(await ask(app, "GET /authors/1/books")).status, (await ask(app, "GET /a/1/books")).status],
      [500, 500],
    );
    assert.match(String(faults[0]), /did you mean authorId\?/);
    assert.match(String(faults[1]), /\{id\}, which names no owner/);
  });

  it("may have other variables that are named", async () => {
    const books = collection({ store: database.store("book"), schema, otherVariables: ["tenant"] });
    const app = router(group("/{tenant}/authors/{authorId}/books", books.routes()));
    assert.equal((await ask(app, "GET /t/authors/1/books/1")).status, 200);
    assert.equal((await ask(app, "GET /t/authors/1/books/2")).status, 404);
  });
});

describe("the records of all owners", () => {
  const app = (): App => router(group("/books", of("book").routes()));

  it("are listed, read and filtered by their owner", async () => {
    assert.deepEqual(idsOf(await ask(app(), "GET /books")), [1, 2, 3]);
    assert.deepEqual(idsOf(await ask(app(), "GET /books?authorId=2")), [2]);
    assert.equal((await ask(app(), "GET /books/3")).value.authorId, 3);
  });

  it("are created for the owner that they name", async () => {
    const returned = { Prefer: "return=representation" };
    const created = await ask(app(), "POST /books", { title: "Emma", authorId: 2 }, returned);
    assert.deepEqual([created.status, created.header("Location")], [201, "/books/4"]);
    assert.match(created.text, /^\{"id":4,"authorId":2,"title":"Emma"/);
    assert.equal((await database.store("book").within(2).find(4))?.id, 4);
  });

  for (const authorId of [undefined, null, "2", 2.5, 0, -1, 7, 2 ** 53, {}]) {
    it(`are not created for what is no owner: ${JSON.stringify(authorId)}`, async () => {
      const { status, value } = await ask(app(), "POST /books", { title: "", authorId });
      assert.equal(status, 400);
      assert.deepEqual(
        value.errors.map(({ pointer }: { pointer: string }) => pointer),
        ["#/authorId", "#/title"],
      );
      assert.match(value.errors[0].detail, /^must be the id of the record that owns this one/);
      const many = await ask(app(), "POST /books", [
        { title: "x", authorId: 1 },
        { title: "x", authorId },
      ]);
      const [error] = many.value.errors;
      assert.deepEqual([many.status, error.line, error.pointer], [400, 2, "#/authorId"]);
      const dry = await ask(app(), "POST /books?dry-run=true", [{ title: "x", authorId }]);
      assert.deepEqual([dry.status, dry.value.stored], [200, 0]);
      assert.equal(await database.store("book").count(), 3);
    });
  }

  it("are created together, each for its owner", async () => {
    const records = [1, 2, 2].map((authorId) => ({ title: "x", authorId }));
    for (const headers of [{}, { Prefer: "handling=lenient" }]) {
      assert.equal((await ask(app(), "POST /books", records, headers)).value.stored, 3);
    }
    assert.equal(await database.store("book").within(2).count(), 5);
  });

  it("are a 400 when their owner goes while they come", async () => {
    const found = { id: 2, revision: 1, updatedAt: 0, json: "{}" };
    const gone = storeWith({
      owner: { member: "authorId", store: storeWith({ find: () => found }) },
      create: async () => ({ kind: "ownerless" }),
      changeAll: async () => ({ kind: "ownerless" }),
    });
    const books = collection({ store: gone, schema, listDecoders });
    const atBooks = router(group("/books", books.routes()));
    const book = { title: "Emma", authorId: 2 };
    for (const body of [book, [book]]) {
      const { status, value } = await ask(atBooks, "POST /books", body);
      assert.deepEqual([status, value.errors[0].pointer], [400, "#/authorId"]);
      assert.match(value.errors[0].detail, /which has been removed$/);
    }
  });

  it("are changed and removed, and keep their owner", async () => {
    const { value: read } = await ask(app(), "GET /books/2");
    assert.equal((await ask(app(), "PUT /books/2", { ...read, title: "Emma" })).status, 204);
    assert.equal((await ask(app(), "PUT /books/2", { title: "Emma" })).status, 204);
    assert.equal((await ask(app(), "PATCH /books/2", { title: "Sanditon" })).status, 204);
    const moved = await ask(app(), "PATCH /books/2", { authorId: 1 });
    assert.deepEqual([moved.status, moved.value.errors[0].pointer], [400, "#/authorId"]);
    assert.match((await ask(app(), "GET /books/2")).text, /"authorId":2,"title":"Sanditon"/);
    assert.equal((await ask(app(), "POST /books/2", {})).status, 409);
    assert.equal((await ask(app(), "DELETE /books/2")).status, 200);
    assert.equal((await ask(app(), "GET /books/2")).status, 404);
  });

  it("may have the owner in their schema", async () => {
    const withAuthor = z.strictObject({ title: z.string(), authorId: z.int() });
    const books = collection({ store: database.store("book"), schema: withAuthor });
    const app = router(group("/books", books.routes()));
    assert.equal((await ask(app, "POST /books", { title: "Emma", authorId: 2 })).status, 201);
    const { status, value } = await ask(app, "POST /books", { title: "Emma", authorId: 7 });
    assert.deepEqual([status, value.errors.length, value.errors[0].pointer], [400, 1, "#/authorId"]);
  });

  it("need their owner in the OpenAPI document, where the path does not name it, and else have its 404", async () => {
    const books = of("book");
    for (const [path, required, isMissing] of [
      ["/books", ["authorId", "title"], false],
      ["/authors/{authorId}/books", ["title"], true],
    ] as const) {
      const app = router(group(path, books.routes()));
      const { components, paths } = await openApi(app, { title: "x", version: "1" });
      assert.deepEqual((components.schemas["Books"] as { required: string[] }).required, required);
      assert.equal("404" in (paths[path]?.["get"]?.responses ?? {}), isMissing);
    }
  });
});
