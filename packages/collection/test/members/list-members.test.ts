import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { router } from "waymark";
import { openApi } from "waymark/openapi";
import { z } from "zod";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import {
  type CollectionDefinition,
  collection,
  type Database,
  type MemberFilter,
  openDatabase,
  type Selection,
} from "../../src/index.ts";
import { type Answer, ask } from "../tools/ask.ts";
import { newPostgresDatabase } from "../tools/postgres-server.ts";

const Book = z.strictObject({
  title: z.string(),
  tags: z.array(z.string()).optional(),
  shelf: z.string().optional(),
  shelves: z.array(z.strictObject({ code: z.string(), floor: z.number().optional() })).optional(),
});
type Book = z.infer<typeof Book>;

const book: CollectionDefinition<Book> = {
  name: "book",
  members: {
    title: { filter: "text", search: true },
    shelf: { filter: "text" },
    tags: { filter: "text", list: true, search: true },
    "shelves.code": { filter: "text", list: true, single: "shelf", search: true },
  },
};

const plain: CollectionDefinition<Book> = { name: "book", members: { title: { filter: "text", search: true } } };

const documents: readonly Book[] = [
  { title: "Emma", tags: ["novel", "english"] },
  { title: "Faust", tags: ["play"], shelf: "A1", shelves: [{ code: "A1" }, { code: "B2" }] },
  { title: "Woyzeck", tags: ["play", "english"], shelf: "b2" },
  { title: 'Notes on "tags":' },
];

const folder = openFolder("list-members");
const addresses: Readonly<Record<string, () => string | Promise<string>>> = {
  SQLite: () => folder.newFile(),
  PostgreSQL: newPostgresDatabase,
};

for (const [engine, newAddress] of Object.entries(addresses)) {
  describe(`the lists of a collection on ${engine}`, () => {
    const by = (member: string, value: string, operator: "eq" | "ne" | "prefix" = "eq"): Selection => ({
      filters: [{ member, operator, value } satisfies MemberFilter],
    });
    const idsOf = async (database: Database, selection: Selection): Promise<readonly number[]> =>
      (await Array.fromAsync(database.store("book").list(selection))).flat().map(({ id }) => id);

    it("are found in the records that there were before", async () => {
      const address = await newAddress();
      const before = await openDatabase(address, { collections: [plain] });
      await before.store("book").createAll(documents);
      await before.close();
      const expected: readonly [selection: Selection, ids: readonly number[]][] = [
        [by("tags", "english"), [1, 3]],
        [by("tags", "english", "ne"), [2, 4]],
        [by("tags", "pl", "prefix"), [2, 3]],
        [by("shelf", "B2"), [2, 3]],
        [by("shelves.code", "B2"), [2, 3]],
        [by("shelves.code", "a", "prefix"), [2]],
        [{ words: ["play"] }, [2, 3]],
        [{ words: ["b2"] }, [2]],
        [{ words: ["emma"] }, [1]],
      ];
      const now = await openDatabase(address, { collections: [book] });
      await now.makeIndexes();
      for (const [selection, ids] of expected) {
        assert.deepEqual(await idsOf(now, selection), ids, JSON.stringify(selection));
        assert.equal(await now.store("book").count(selection), ids.length);
      }
      await now.close();
      const back = await openDatabase(address, { collections: [plain] });
      await assert.rejects(idsOf(back, by("tags", "play")), TypeError);
      await back.close();
    });

    it("follow what is replaced and removed", async () => {
      const database = await openDatabase(await newAddress(), { collections: [book] });
      const store = database.store("book");
      for (const document of documents) await store.create(document);
      await store.replace(2, { title: "Faust", tags: ["tragedy"] });
      await store.remove(3);
      assert.deepEqual(await idsOf(database, by("tags", "play")), []);
      assert.deepEqual(await idsOf(database, by("tags", "tragedy")), [2]);
      assert.deepEqual(await idsOf(database, by("shelf", "b2")), []);
      await database.close();
    });
  });
}

describe("a list in the definition of a collection", () => {
  const refused: readonly [what: string, members: CollectionDefinition["members"], message: RegExp][] = [
    ["unique", { tags: { filter: "text", list: true, unique: true } }, /tags is a list, and cannot be unique/],
    ["of numbers", { tags: { filter: "number", list: true } }, /tags is a list, whose filter cannot be number/],
    ["with a value that lists are not filtered by", { tags: { filter: "text", list: true, single: "tag" } }, /^tag is/],
    ["that is no list, with a value", { tags: { filter: "text", single: "tag" } }, /tags is not a list, of which tag/],
  ];
  for (const [what, members, message] of refused) {
    it(`is refused when it is ${what}`, async () => {
      const collections = [{ name: "book", members: members ?? {} }];
      await assert.rejects(openDatabase(":memory:", { collections }), { name: "TypeError", message });
    });
  }
});

describe("a filter of a list in a query", () => {
  let database: Database;
  let app: ReturnType<typeof router>;
  before(async () => {
    database = await openDatabase(":memory:", { collections: [book] });
    await database.store("book").createAll(documents);
    app = router(collection({ path: "/books", store: database.store<Book>("book"), schema: Book }).routes());
  });
  after(() => database.close());
  const get = (query: string): Promise<Answer> => ask(app, `GET /books?${query}`);

  for (const [query, titles] of [
    ["tags=english", ["Emma", "Woyzeck"]],
    ["tags=english&tags[ne]=play", ["Emma"]],
    ["tags[in]=novel,play&sort=-title", ["Woyzeck", "Faust", "Emma"]],
    ["tags[prefix]=p&limit=1", ["Faust"]],
    ["shelf=b2", ["Faust", "Woyzeck"]],
    ["shelf[ge]=b", ["Woyzeck"]],
    ["shelves.code=A1&q=faust", ["Faust"]],
  ] as const) {
    it(`finds ${titles.join(", ")} by ${query}`, async () => {
      const books: readonly Book[] = (await get(query)).value;
      assert.deepEqual(
        books.map(({ title }) => title),
        titles,
      );
    });
  }

  for (const [query, detail] of [
    ["tags[ge]=a", 'needs a member with one value, but "tags" is a list'],
    ["sort=tags", 'cannot sort by "tags"'],
    ["tags[x]=a", "has no operator of a filter"],
  ] as const) {
    it(`is refused: ${query}`, async () => {
      const { status, value } = await get(query);
      assert.equal(status, 400);
      assert.ok(value.errors[0].detail.startsWith(detail), value.errors[0].detail);
    });
  }

  it("is documented as one, and not among what lists are sorted by", async () => {
    const parameters = JSON.stringify(await openApi(app, { title: "Books", version: "1" }));
    assert.match(parameters, /Those with this among `tags`\./);
    assert.match(parameters, /The members to sort by, [^"]*: id, createdAt, updatedAt, title, shelf\. /);
    assert.match(parameters, /tags\|shelves[^"]*\(\?:eq\|ne\|prefix\|in\)/);
  });

  it("is documented by filters that it takes", async () => {
    const parameters = JSON.stringify(await openApi(app, { title: "Books", version: "1" }));
    const [, examples = ""] =
      /Other filters, each a parameter `member\[operator\]`: (.*?)\. All/.exec(parameters) ?? [];
    const shown = Array.from(examples.matchAll(/`(.*?)`/g), ([, filter = ""]) => filter);
    assert.equal(shown.length, 4);
    for (const filter of shown) assert.equal((await get(filter)).status, 200, filter);
  });
});
