import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contract } from "@waymark/testing";
import { group, POST, router, text } from "waymark";
import type { StandardSchemaV1 } from "waymark/content";
import { docs, type JsonSchema, namedSchema, type OpenApiDocument, openApi } from "waymark/openapi";
import { z } from "zod";
import { type CollectionDefinition, type CollectionOptions, collection, openDatabase } from "../../src/index.ts";
import { ask } from "../tools/ask.ts";

const Book = z.strictObject({
  title: z.string(),
  isbn: z.string().optional(),
  author: z.object({ familyName: z.string(), born: z.object({ town: z.string() }).nullish() }).optional(),
  shelves: z.array(z.strictObject({ code: z.string() })).optional(),
});
type Book = z.infer<typeof Book>;

type Options = Partial<CollectionOptions<object>>;
type Definition = Omit<CollectionDefinition, "name">;

/** Makes a collection over a database that has this definition of it. */
async function make(definition: Definition, schema: StandardSchemaV1<unknown, object>, options: Options = {}) {
  const owner = { collection: "shelf", member: "shelfId" };
  const collections = [{ name: "shelf" }, { name: "book", owner, ...definition }];
  await using database = await openDatabase(":memory:", { collections });
  collection({ store: database.store("book"), schema, ...options });
}

describe("the name of a member that the schema does not have", () => {
  const filtered = { filter: "text" } as const;
  // biome-ignore format: a table
  const misspelt: readonly [what: string, definition: Definition, options: Options, message: RegExp][] = [
    ["unique ones", { members: { ibsn: { unique: true } } }, {}, /^members has "ibsn", .*did you mean isbn\? Known: title, isbn, author, /],
    ["those to filter by", { members: { titel: filtered } }, {}, /^members has "titel", .*did you mean title\?/],
    ["those of objects", { members: { "author.name": filtered } }, {}, /^members has "author\.name", /],
    ["those of objects", { members: { "autor.familyName": filtered } }, {}, /did you mean author\.familyName\?/],
    ["those to search", { members: { title: { search: true }, titl: { search: true } } }, {}, /^members has "titl", /],
    ["those to search", { members: { "title.de": { search: true } } }, {}, /^members has "title\.de", /],
    ["nouns", {}, { nouns: { one: "b", many: "bs", always: ["ttle"] } }, /^nouns\.always has "ttle", .*title\?/],
  ];
  for (const [what, definition, options, message] of misspelt) {
    it(`is refused among ${what}: ${String(message)}`, async () => {
      await assert.rejects(make(definition, Book, options), { name: "TypeError", message });
    });
  }

  it("differs from members of objects, of the store and of the owner", async () => {
    const objects = { "author.familyName": filtered, "author.born.town": filtered };
    const members = {
      isbn: { unique: true },
      shelfId: { filter: "number" },
      title: { search: true },
      ...objects,
    } as const;
    await make({ members }, Book, { nouns: { one: "b", many: "bs", always: ["id", "createdAt", "shelfId"] } });
  });

  const Tree: z.ZodType<{ label?: string | undefined }> = z.strictObject({
    label: z.string().optional(),
    get child() {
      return Tree.optional();
    },
  });
  // biome-ignore format: a table
  const schemas: readonly [what: string, schema: StandardSchemaV1<unknown, object>, knows: boolean][] = [
    ["an object that leaves others out", z.object({ title: z.string() }), true],
    ["an object with a rule for the whole", z.strictObject({ title: z.string() }).refine(() => true), true],
    ["a choice of objects", z.union([z.object({ a: z.string() }), z.object({ title: z.string() })]), true],
    ["an object that has itself in it", Tree, true],
    ["an object of another name", namedSchema("Book", z.object({ title: z.string() })), true],
    ["an object that may have others", z.looseObject({ title: z.string() }), false],
    ["a record", z.record(z.string(), z.string()), false],
    ["anything", z.any(), false],
    ["a choice of an object and a record", z.union([z.object({}), z.record(z.string(), z.string())]), false],
    ["what a function returns", z.object({ title: z.string() }).transform(({ title }) => ({ isbn: title })), false],
    [
      "a schema without a JSON Schema",
      { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as object }) } },
      false,
    ],
  ];
  for (const [what, schema, knows] of schemas) {
    it(`is ${knows ? "refused by" : "left to"} ${what}`, async () => {
      const made = make({ members: { isbn: { unique: true } } }, schema);
      if (knows) await assert.rejects(made, /members has "isbn"/);
      else await made;
    });
  }

  it("is seen in an object that has itself in it", async () => {
    await make({ members: { "child.child.label": filtered } }, Tree);
    await assert.rejects(make({ members: { "child.lable": filtered } }, Tree), /did you mean child\.label\?/);
  });

  it("does not compile in a definition with the type of the records", () => {
    const right: CollectionDefinition<Book> = {
      name: "book",
      members: {
        isbn: { unique: true },
        "author.born.town": { filter: "text" },
        title: { search: true },
        "author.familyName": { search: true, unique: true },
      },
    };
    const wrong: readonly CollectionDefinition<Book>[] = [
      // @ts-expect-error: isbn
      { name: "book", members: { ibsn: { unique: true } } },
      // @ts-expect-error: title
      { name: "book", members: { titel: { filter: "text" } } },
      // @ts-expect-error: author.familyName
      { name: "book", members: { "author.name": { search: true } } },
      // @ts-expect-error: shelves.code
      { name: "book", members: { "shelves.kode": { filter: "text", list: true } } },
    ];
    assert.equal([right, ...wrong].length, 5);
  });
});

describe("a store that a database does not have", () => {
  it("is refused with the nearest name, and all of them", async () => {
    await using database = await openDatabase(":memory:", { collections: [{ name: "book" }, { name: "user" }] });
    assert.throws(() => database.store("books"), {
      name: "RangeError",
      message: 'The database was opened without "books"; did you mean book? Known: book, user',
    });
    assert.throws(() => database.store("person"), /without "person"\. Known: book, user$/);
  });
});

describe("a schema with a name", () => {
  const Named = namedSchema("Novel", Book);
  const schemaNames = ({ components }: OpenApiDocument) => Object.keys(components.schemas);

  it("validates what a client sends to a collection, and names it in the document", async () => {
    await using database = await openDatabase(":memory:", { collections: [{ name: "book" }] });
    const books = collection({ store: database.store("book"), schema: Named, lenientSchema: Named });
    const app = router(group("/books", books.routes()));
    assert.equal((await ask(app, "POST /books", {}, { title: "Emma" })).status, 201);
    assert.equal((await ask(app, "POST /books", {}, { titel: "Emma" })).status, 400);
    const names = schemaNames(await openApi(app, { title: "Books", version: "1" }));
    assert.ok(names.includes("Novel") && names.includes("StoredNovel"), names.join());
  });

  const Sequel = z.strictObject({ title: z.string() }).meta({ id: "Sequel" });
  for (const [what, schema] of [
    ["of its library", Book.meta({ id: "Novel" })],
    [
      "of its library, and within others",
      z.strictObject({ ...Book.shape, sequel: Sequel.optional() }).meta({ id: "Novel" }),
    ],
  ] as const) {
    it(`${what} names it in the document, which says what is sent and what is answered`, async () => {
      await using database = await openDatabase(":memory:", { collections: [{ name: "book" }] });
      const app = router(group("/books", collection({ store: database.store("book"), schema }).routes()));
      const { components } = await openApi(app, { title: "Books", version: "1" });
      const schemas = components.schemas as Readonly<Record<string, JsonSchema>>; // of a document
      const members = (name: string) => Object.keys(schemas[name]?.["properties"] ?? {});
      assert.deepEqual(members("StoredNovel"), ["id", ...Object.keys(schema.shape), "createdAt", "updatedAt"]);
      assert.deepEqual(members("Novel"), ["id", ...Object.keys(schema.shape)]);
      assert.deepEqual(
        Object.keys(schemas).filter((name) => name.endsWith("2")),
        [],
      );
      for (const { run } of await contract(app, { requests: 20 })) await run();
    });
  }

  it("that JSON Schema has no words for leaves the members open in the document", async () => {
    const schema = z.strictObject({ title: z.string().transform((title) => title.trim()), at: z.date().optional() });
    await using database = await openDatabase(":memory:", { collections: [{ name: "book" }] });
    const app = router(group("/books", collection({ store: database.store("book"), schema }).routes()));
    const { components } = await openApi(app, { title: "Books", version: "1" });
    assert.partialDeepStrictEqual(components.schemas["StoredBooks"], {
      type: "object",
      required: ["id", "createdAt", "updatedAt"],
    });
  });

  it("validates in a handler, whose document has it under its name", async () => {
    const app = router(
      POST("/books", docs({ content: { schema: Named } }), async (request) => {
        const { title }: Book = await request.body(Named);
        return text(title);
      }),
    );
    assert.equal((await ask(app, "POST /books", {}, { title: "Emma" })).text, "Emma");
    assert.ok(schemaNames(await openApi(app, { title: "Books", version: "1" })).includes("Novel"));
  });

  it("of a JSON Schema does not validate, and is refused by a collection, as all that validates nothing", async () => {
    for (const schema of [namedSchema("Book", { type: "object" }), { type: "object" }, undefined, null]) {
      // As of a program without types.
      await assert.rejects(make({}, schema as unknown as StandardSchemaV1<unknown, object>), {
        name: "TypeError",
        message: /^schema must validate what clients send: a schema of a library that implements Standard Schema/,
      });
      const lenientSchema = schema as unknown as StandardSchemaV1<unknown, object>; // likewise
      if (schema !== undefined)
        await assert.rejects(make({}, Book, { lenientSchema }), /^TypeError: lenientSchema must/);
    }
    for (const schema of [undefined, null, "Book", 7]) {
      assert.throws(() => namedSchema("Book", schema as unknown as object as never), /takes a name and a schema, not /);
    }
  });
});
