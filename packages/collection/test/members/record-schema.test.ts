import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HttpRequest, router } from "waymark";
import { openApi } from "waymark/openapi";
import { z } from "zod";
import {
  type CollectionDefinition,
  collection,
  csvDecoder,
  csvRepresentation,
  jsonRepresentation,
  openDatabase,
  type RecordOf,
  recordSchema,
} from "../../src/index.ts";
import { ask } from "../tools/ask.ts";

const bookMembers = {
  title: { schema: z.string().min(1), filter: "text", search: true, label: "Title", example: "Emma" },
  isbn: { schema: z.string().optional(), unique: true, aliases: ["EAN", "book number"] },
  pages: { schema: z.int().optional(), filter: "number" },
  language: { schema: z.string().default("en") },
  "author.familyName": { schema: z.string().optional(), filter: "text", aliases: ["writer"], example: "Austen" },
  "author.born.town": { schema: z.string().optional() },
  "publisher.name": { schema: z.string() },
  note: { schema: z.string().nullable().optional() },
} as const;
const Book = recordSchema(bookMembers, { noun: "a book" });
type Book = RecordOf<typeof bookMembers>;

/** True when the types are the same. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const assertType = <Truth extends true>(truth: Truth): void => assert.equal(truth, true);

const { validate } = Book["~standard"];
const emma = { title: "Emma", publisher: { name: "Murray" } };

/** The issues of a value, each with its place. */
const issuesOf = (value: unknown): readonly string[] =>
  (validate(value).issues ?? []).map(({ path = [], message }) => `${path.join(".")} ${message}`);

describe("the record of a table of members", () => {
  it("has the type that the schemas say", () => {
    assertType<
      Equal<
        Book,
        {
          readonly title: string;
          readonly language: string;
          readonly publisher: { readonly name: string };
          readonly isbn?: string;
          readonly pages?: number;
          readonly note?: string | null;
          readonly author?: { readonly familyName?: string; readonly born?: { readonly town?: string } };
        }
      >
    >(true);
    const wrong: readonly Book[] = [
      // @ts-expect-error: title
      { ...emma, language: "en", titel: "Emma" },
      // @ts-expect-error: author.familyName
      { ...emma, language: "en", author: { name: "Austen" } },
    ];
    assert.equal(wrong.length, 2);
  });

  it("has its members in the order of the table, with defaults and without what is absent", () => {
    const sent = {
      publisher: { name: "Murray" },
      author: { familyName: null, born: { town: "Steventon" } },
      title: "Emma",
    };
    assert.equal(
      JSON.stringify(validate(sent)),
      '{"value":{"title":"Emma","language":"en","author":{"born":{"town":"Steventon"}},"publisher":{"name":"Murray"}}}',
    );
  });

  it("takes null for an absent member, and where its schema takes it, for itself", () => {
    assert.deepEqual(validate({ ...emma, isbn: null, author: null, note: null }), {
      value: { ...emma, language: "en", note: null },
    });
  });

  // biome-ignore format: a table
  const refused: readonly [what: string, value: unknown, issues: readonly (string | RegExp)[]][] = [
    ["no object", 7, [" must be an object with members such as title and isbn, not a number"]],
    ["a list", [], [" must be an object with members such as title and isbn, not an array"]],
    ["nothing of an object that is required", { title: "Emma" }, [/^publisher\.name /]],
    [
      "no object for one",
      { ...emma, author: "Austen" },
      ["author must be an object with members such as familyName and born, not a string"],
    ],
    ["an empty object", { ...emma, author: {} }, ["author must have at least one of familyName, born"]],
    ["every fault at once", { title: "", isbn: 7, publisher: {} }, [/^title /, /^isbn /, /^publisher\.name /]],
    [
      "unknown members, with the nearest known ones",
      { ...emma, titel: 1, zzz: 2 },
      [
        "titel is not a member of a book; did you mean title? Known: title, isbn, pages, language, author, publisher, note",
        "zzz is not a member of a book",
      ],
    ],
    ["a name of another program", { ...emma, ean: "9" }, [/^ean .*did you mean isbn\?/]],
    ["such a name in other words", { ...emma, Book_Number: "9" }, [/did you mean isbn\?/]],
    ["the name of a member of an object", { ...emma, writer: "9" }, [/did you mean author\.familyName\?/]],
    ["such a name within it", { ...emma, author: { Writer: "9" } }, [/^author\.Writer .*an author; did you mean familyName\?/]],
    ["a member that the server sets", { ...emma, createdAt: "now" }, ["createdAt is set by the server: leave it out"]],
    ["the name of no member", JSON.parse('{"title":"E","publisher":{"name":"M"},"__proto__":1}'), [/^__proto__ is not/]],
  ];
  for (const [what, value, issues] of refused) {
    it(`is refused with ${what}`, () => {
      const found = issuesOf(value);
      assert.equal(found.length, issues.length, found.join("\n"));
      for (const [i, issue] of issues.entries()) {
        if (typeof issue === "string") assert.equal(found[i], issue);
        else assert.match(found[i] ?? "", issue);
      }
    });
  }

  it("has at most 100 unknown members named", () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`m${i}`, i]));
    const found = issuesOf({ ...emma, ...many });
    assert.equal(found.length, 101);
    assert.equal(found.at(-1), " has 900 more members that are not those of a book");
  });

  it("has unknown members left out by a lenient schema", () => {
    const lenient = recordSchema(bookMembers, { lenient: true })["~standard"];
    assert.deepEqual(lenient.validate({ ...emma, titel: 1, publisher: { name: "M", city: "L" } }), {
      value: { title: "Emma", language: "en", publisher: { name: "M" } },
    });
  });

  it("has a JSON Schema of what is sent, and of what is stored", () => {
    const { input, output } = Book["~standard"].jsonSchema;
    const draft = { target: "draft-2020-12" } as const;
    const sent = z.fromJSONSchema(input(draft) as Parameters<typeof z.fromJSONSchema>[0]); // an object
    for (const value of [emma, { ...emma, author: { born: { town: "S" } } }, { ...emma, isbn: null }]) {
      assert.ok(sent.safeParse(value).success);
    }
    for (const value of [{}, { ...emma, author: {} }, { ...emma, titel: 1 }, { title: "", publisher: { name: "M" } }]) {
      assert.equal(sent.safeParse(value).success, false, JSON.stringify(value));
    }
    assert.deepEqual(output(draft)["required"], ["title", "language", "publisher"]);
    assert.deepEqual(input(draft)["required"], ["title", "publisher"]);
  });
});

describe("a table that cannot be one", () => {
  const text = { schema: z.string() };
  // biome-ignore format: a table
  for (const [what, members, message] of [
    ["a value that is also an object", { a: text, "a.b": text }, /^a is a value as well as an object with a\.b$/],
    ["an object that is also a value", { "a.b": text, a: text }, /^a is a value as well as an object$/],
    ["a name that none can have", { "a b": text }, /^"a b" cannot name a member/],
    ["a prototype", { ["__proto__"]: text }, /cannot name a member/],
    ["a schema that needs a promise", { a: { schema: z .string() .optional() .refine(async () => true) } }, /by a promise/],
  ] as const) {
    it(`is refused: ${what}`, () => {
      assert.throws(() => recordSchema(members), { name: "TypeError", message });
    });
  }

  it("is refused: a member without a schema", () => {
    const message = "x has no schema: a member is an object such as { schema: z.string() }";
    // @ts-expect-error: a member has a schema
    assert.throws(() => recordSchema({ x: {} }), { name: "TypeError", message });
    // @ts-expect-error: a text is no member
    assert.throws(() => recordSchema({ x: "text" }), { name: "TypeError", message });
  });
});

describe("a collection of a table of members", () => {
  it("reads everything from it", async () => {
    const definition: CollectionDefinition = { name: "book", members: bookMembers };
    await using database = await openDatabase(":memory:", { collections: [definition] });
    const books = collection({
      path: "/books",
      store: database.store("book"),
      schema: Book,
      listDecoders: [csvDecoder({ columns: Book.names, numbers: Book.numbers })],
      representations: [jsonRepresentation, csvRepresentation({ columns: Book.names })],
    });
    const app = router(books.routes());
    const row = `title,isbn,pages,author.familyName,publisher.name\nEmma,9,474,Austen,Murray\n`;
    assert.equal(
      (await ask(app, "POST /books", { "Content-Type": "text/csv" }, row)).text,
      '{"stored":1,"refused":0,"errors":[]}',
    );
    assert.equal((await ask(app, "POST /books", {}, { ...emma, isbn: "9" })).status, 409);
    for (const query of ["q=emm", "author.familyName=Austen", "pages[gt]=400", "sort=-title"]) {
      const { text } = await ask(app, `GET /books?${query}&fields=isbn,author,pages`);
      assert.equal(text, '[{"isbn":"9","author":{"familyName":"Austen"},"pages":474}]', query);
    }
    assert.match((await ask(app, "GET /books?fields=titel")).text, /did you mean title/);
    assert.match((await ask(app, "GET /books?format=csv")).text, /^title,isbn,pages,language,author\.familyName,/);
    const { components } = await openApi(app, { title: "Books", version: "1" });
    assert.match(JSON.stringify(components.schemas), /"title":\{"title":"Title",/);
  });

  it("lets clients choose members of a schema alone, as far as it says which there are", async () => {
    await using database = await openDatabase(":memory:", { collections: [{ name: "book" }] });
    for (const [schema, fields, expected] of [
      [z.object({ title: z.string(), by: z.object({ name: z.string() }) }), "by.name", '{"by":{"name":"A"}}'],
      [z.object({ title: z.string(), by: z.object({ name: z.string() }) }), "by,id", '{"by":{"name":"A"},"id":1}'],
      [z.any(), "title", undefined],
    ] as const) {
      const { read } = collection({ store: database.store("book"), schema });
      if ((await database.store("book").find(1)) === undefined) {
        await database.store("book").create({ title: "Emma", by: { name: "A" } });
      }
      const request = HttpRequest.of({ target: `/books/1?fields=${fields}`, variables: { id: "1" } });
      if (expected === undefined) assert.equal((await read(request)).status, 400);
      else assert.equal((await read(request)).body, expected);
    }
  });
});

describe("a rule across members", () => {
  const members = {
    from: { schema: z.iso.date() },
    to: { schema: z.iso.date().optional() },
    "place.name": { schema: z.string().optional() },
  } as const;
  const Stay = recordSchema(members, {
    refine: ({ from, to = from, place }) => ({
      ...(to < from && { to: "must not be before from" }),
      ...(place?.name === "nowhere" && { "place.name": "must be somewhere" }),
    }),
  });
  const { validate } = Stay["~standard"];

  it("is held against records whose members are each right", () => {
    assert.deepEqual(validate({ from: "2026-07-02" }).issues, undefined);
    assert.deepEqual(validate({ from: "2026-07-02", to: "2026-07-01", place: { name: "nowhere" } }).issues, [
      { path: ["to"], message: "must not be before from" },
      { path: ["place", "name"], message: "must be somewhere" },
    ]);
    assert.equal(validate({ from: "x", to: "2026-07-01" }).issues?.length, 1);
  });

  it("holds for what a change makes of a record, one or many", async () => {
    await using database = await openDatabase(":memory:", { collections: [{ name: "stay", members }] });
    const stays = collection({ path: "/stays", store: database.store("stay"), schema: Stay });
    const app = router(stays.routes());
    await database.store("stay").create({ from: "2026-07-02" });
    for (const [target, patch] of [
      ["/stays/1", { to: "2026-07-01" }],
      ["/stays?all=true", { merge: { to: "2026-07-01" } }],
    ] as const) {
      const { status, text } = await ask(app, `PATCH ${target}`, {}, patch);
      assert.equal(status, 400);
      assert.match(text, /must not be before from/);
    }
  });

  it("names members of the table only", () => {
    const wrong = recordSchema({ a: { schema: z.string() } }, { refine: () => ({ b: "is wrong" }) });
    assert.throws(() => wrong["~standard"].validate({ a: "" }), /refine names b, which is not a member of the table/);
  });
});
