import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { HttpError, HttpRequest, type HttpResponse, POST, router } from "waymark";
import type { StandardSchemaV1 } from "waymark/content";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import {
  type CollectionDefinition,
  type CollectionHandlers,
  type CollectionOptions,
  collection,
  csvDecoder,
  type ListChange,
  ndjsonDecoder,
  openDatabase,
  type Store,
  StoreOutcomeUnknown,
  StoreUnavailable,
} from "../../src/index.ts";
import { create, everything, noon } from "../store-contract/contract.ts";
import { storeWith } from "../stores/store-with.ts";
import { ask } from "../tools/ask.ts";

type Book = { readonly title: string; readonly isbn?: string };

/** Takes an object with a title; an unknown member is a fault, or is left out. */
const bookSchema = (lenient: boolean): StandardSchemaV1<unknown, Book> => ({
  "~standard": {
    version: 1,
    vendor: "test",
    validate(value) {
      const { title, ...others } = Object(value);
      const known = Object.entries(others).filter(([name]) => ["id", "isbn"].includes(name));
      const issues: StandardSchemaV1.Issue[] =
        typeof title === "string" ? [] : [{ message: "must be text", path: ["title"] }];
      if (!lenient) {
        for (const name of Object.keys(others)) {
          if (!["id", "isbn"].includes(name)) issues.push({ message: `is no member: ${name}`, path: [name] });
        }
      }
      return issues.length > 0 ? { issues } : { value: { title, ...Object.fromEntries(known) } };
    },
  },
});

type Books = CollectionHandlers<Book>;

const booksOver = (store: Store, options?: Partial<CollectionOptions<Book>>): Books =>
  collection({
    path: "/books",
    store,
    schema: bookSchema(false),
    lenientSchema: bookSchema(true),
    listDecoders: [ndjsonDecoder, csvDecoder({ columns: ["id", "title", "isbn", "createdAt", "updatedAt"] })],
    ...options,
  });

/** Tests with the handlers of a collection over an empty store. */
function itWithBooks(name: string, use: (books: Books, store: Store) => Promise<void>): void {
  it(name, async () => {
    const collections = [{ name: "book", members: { isbn: { unique: true } } }];
    await using database = await openDatabase(":memory:", { collections, now: () => noon });
    await use(booksOver(database.store("book")), database.store("book"));
  });
}

/** What is answered to these values, a line each. */
async function post(
  { createMany }: Books,
  lines: readonly unknown[] | string,
  { query = "", ...headers }: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  const body = typeof lines === "string" ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const fields = { ...ndjson, ...headers };
  try {
    return await createMany(HttpRequest.of({ method: "POST", target: `/books${query}`, headers: fields, body }));
  } catch (error) {
    if (error instanceof HttpError) return error.response;
    throw error;
  }
}

const lenient = { Prefer: "handling=lenient" };
const ndjson = { "Content-Type": "application/x-ndjson" };
const csv = { "Content-Type": "text/csv" };

interface Told {
  readonly type?: string;
  readonly detail?: string;
  readonly stored?: number;
  readonly updated?: number;
  readonly refused?: number;
  readonly omitted?: number;
  readonly stoppedAfter?: number;
  readonly errors: readonly { readonly line: number; readonly pointer: string; readonly detail: string }[];
}

const toldBy = ({ body }: HttpResponse): Told => JSON.parse(String(body));

/** The error of a line whose unique value or id is another record's. */
const taken = (line: number, member = "isbn") => ({
  ...{ line, pointer: `#/${member}`, code: "taken" },
  detail: member === "id" ? "is or was used by another record" : "is already used by another record",
});

const titles = async (store: Store): Promise<readonly string[]> =>
  (await everything(store)).map(({ json }) => JSON.parse(json).title);

describe("many records at once", () => {
  itWithBooks("are stored in their order, and counted", async (books, store) => {
    const lines = [{ title: "Emma" }, { title: "Persuasion", id: 7 }, { title: "Sanditon" }];
    const { status, headers, body } = await post(books, lines, { Prefer: "handling=strict" });
    assert.deepEqual([status, headers.get("Content-Type")], [200, "application/json"]);
    assert.equal(headers.get("Preference-Applied"), "handling=strict");
    assert.deepEqual(JSON.parse(String(body)), { stored: 3, refused: 0, errors: [] });
    const stored = (await everything(store)).map(({ id, json }) => `${id} ${JSON.parse(json).title}`);
    assert.deepEqual(stored, ["1 Emma", "7 Persuasion", "8 Sanditon"]);
  });

  itWithBooks("may be none", async (books, store) => {
    for (const [content, headers] of [
      ["", {}],
      ["\n\n", {}],
      ["title\r\n", csv],
    ] as const) {
      assert.deepEqual(toldBy(await post(books, content, headers)), { stored: 0, refused: 0, errors: [] });
    }
    assert.equal(await store.revision(), 0);
  });

  itWithBooks("may have the times of a list that was read, which are set again", async (books, store) => {
    const times = { createdAt: "1815-12-10T00:00:00Z", updatedAt: "x" };
    assert.equal(toldBy(await post(books, [{ id: 3, title: "Emma", ...times }])).stored, 1);
    assert.equal(toldBy(await post(books, "title,createdAt,updatedAt\r\nSanditon,x,\r\n", csv)).stored, 1);
    for (const { json } of await everything(store)) {
      assert.deepEqual([JSON.parse(json).createdAt, JSON.parse(json).updatedAt], Array(2).fill(noon.toISOString()));
    }
  });

  itWithBooks("are refused together, each with what is wrong with it", async (books, store) => {
    const response = await post(
      books,
      '{"title":"Emma"}\n\n{"title":7,"by":"Austen"}\n{"title":\n{"title":"Sanditon"}\n',
    );
    assert.equal(response.status, 400);
    assert.deepEqual(toldBy(response), {
      type: "/problems/invalid-content",
      title: "Invalid content",
      status: 400,
      detail: "Nothing was stored: there are 3 faults in 2 records.",
      refused: 2,
      errors: [
        { line: 3, pointer: "#/title", detail: "must be text", code: "invalid" },
        { line: 3, pointer: "#/by", detail: "is no member: by", code: "invalid" },
        {
          ...{ line: 4, pointer: "#", code: "invalid" },
          detail: "Expected a value, but found the end of the content at column 10",
        },
      ],
    });
    assert.equal(await store.revision(), 0);
  });

  itWithBooks(
    "are refused together when they have a value that there is already, or one has that of another",
    async (books, store) => {
      await create(store, { title: "Emma", isbn: "1" });
      const response = await post(books, [
        { title: "a", isbn: "2" },
        { title: "b", isbn: "1" },
        { title: "c", isbn: "2" },
        { title: "d", isbn: "1" },
        { title: "e", id: 1 },
        { title: "f" },
      ]);
      assert.equal(response.status, 409);
      assert.deepEqual(toldBy(response), {
        type: "/problems/conflict",
        title: "Conflict",
        status: 409,
        detail: "Nothing was stored: there are 4 faults in 4 records.",
        refused: 4,
        errors: [taken(2), taken(3), taken(4), taken(5, "id")],
      });
      assert.deepEqual(await titles(store), ["Emma"]);
    },
  );

  itWithBooks("are reported by the lines on which they begin", async (books, store) => {
    await create(store, { title: "Emma", isbn: "1" });
    const content = 'title,isbn\r\n"a\r\nb",2\r\n\r\n"c\r\nd",1\r\ne,2\r\n';
    assert.deepEqual(toldBy(await post(books, content, csv)).errors, [taken(5), taken(7)]);
  });

  itWithBooks("are looked at up to the 1,000th fault, and the answer says where that was", async (books, store) => {
    const lines = [...Array(1500).fill({ title: "Emma", by: 1 }), { title: "Sanditon" }];
    const { detail, refused, errors, omitted, stoppedAfter } = toldBy(await post(books, lines));
    assert.deepEqual([refused, errors.length, omitted, stoppedAfter], [1000, 1000, undefined, 1000]);
    assert.equal(errors.at(-1)?.line, 1000);
    assert.equal(
      detail,
      "Nothing was stored: there are 1,000 faults in 1,000 records; nothing after line 1000 was read.",
    );
    assert.equal(await store.revision(), 0);
  });

  itWithBooks("have all faults counted of the last one that is looked at", async (books) => {
    const by = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`by${i}`, i]));
    const { detail, errors, omitted, stoppedAfter } = toldBy(
      await post(books, Array(3).fill({ title: "Emma", ...by })),
    );
    assert.deepEqual([errors.length, omitted, stoppedAfter], [1000, 200, 2]);
    assert.equal(
      detail,
      "Nothing was stored: there are 1,200 faults in 2 records; the first 1,000 are listed, 200 are not; nothing after line 2 was read.",
    );
  });

  itWithBooks("have no more than 1,000 conflicts reported", async (books, store) => {
    const { detail, errors } = toldBy(await post(books, Array(1500).fill({ title: "Emma", isbn: "1" })));
    assert.deepEqual([errors.length, errors.at(-1)?.line], [1000, 1001]);
    assert.match(detail ?? "", /1,000 faults in 1,000 records, and perhaps more\.$/);
    assert.equal(await store.revision(), 0);
  });

  itWithBooks("are reported in few words, however long their names are", async (books) => {
    const response = await post(books, Array(1000).fill({ title: "Emma", ["\ud83c\udf89".repeat(1000)]: 1 }));
    const { errors } = toldBy(response);
    assert.equal(errors.length, 1000);
    assert.equal(errors[0]?.pointer, "#");
    assert.match(errors[0]?.detail ?? "", /^is no member: .+…$/u);
    assert.ok(String(response.body).length < 1_000_000);
  });

  itWithBooks("are refused for the first place from which on they cannot be kept apart", async (books, store) => {
    for (const headers of [csv, { ...csv, ...lenient }]) {
      const response = await post(books, 'title\r\nEmma\r\n"Sanditon\r\n', headers);
      assert.deepEqual(toldBy(response), {
        type: "/problems/malformed-content",
        title: "Malformed content",
        status: 400,
        detail: "Nothing was stored because of line 3: A quotation mark of this record is never closed.",
        line: 3,
        column: 1,
        errors: [
          { line: 3, pointer: "#", detail: "A quotation mark of this record is never closed", code: "malformed" },
        ],
      });
    }
    assert.equal(await store.revision(), 0);
  });

  itWithBooks("are refused by their type, and by a charset that is not UTF-8", async (books) => {
    for (const type of ["application/json", "text/csv; charset=iso-8859-1", "application/x-ndjson; charset=utf-16"]) {
      const response = await post(books, [{ title: "Emma" }], { "Content-Type": type });
      assert.equal(response.status, 415);
      assert.equal(response.headers.get("Accept"), "application/x-ndjson, text/csv");
    }
    assert.equal((await post(books, "", { "Content-Type": "application/x-ndjson; charset=UTF-8" })).status, 200);
  });

  itWithBooks("are refused with a malformed Idempotency-Key, and with query parameters", async (books, store) => {
    const response = await post(books, [{ title: "Emma" }], { "Idempotency-Key": '""' });
    assert.deepEqual([response.status, toldBy(response).type], [400, "/problems/invalid-idempotency-key"]);
    const target = HttpRequest.of({ method: "POST", target: "/books?dry=1", headers: csv, body: "title\r\n" });
    assert.equal((await books.createMany(target)).status, 400);
    assert.equal(await store.revision(), 0);
  });
});

describe("an id that the schema lets through and no record can have", () => {
  itWithBooks("is an error of its record, and not of the program", async (books, store) => {
    for (const id of ["7", 0, 1.5, null, 2 ** 53]) {
      const book = { id, title: "Emma" };
      const { refused, errors } = toldBy(await post(books, [book]));
      assert.deepEqual([refused, errors[0]?.pointer], [1, "#/id"]);
      const headers = { "Content-Type": "application/json" };
      const request = HttpRequest.of({ method: "POST", target: "/books", headers, body: JSON.stringify(book) });
      assert.equal((await router(POST("/books", booksOver(store).create)).handle(request)).status, 400);
    }
  });
});

describe("many records at once, with handling=lenient", () => {
  itWithBooks("are stored but for those that are refused, which are reported", async (books, store) => {
    await create(store, { title: "Emma", isbn: "1" });
    const lines = [
      { title: "a", isbn: "2", by: "Austen" },
      { title: "b", isbn: "1" },
      { title: 1 },
      { title: "c", isbn: "2" },
      { title: "d" },
    ];
    const response = await post(books, lines, lenient);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("Preference-Applied"), "handling=lenient");
    assert.deepEqual(toldBy(response), {
      stored: 2,
      refused: 3,
      errors: [taken(2), { line: 3, pointer: "#/title", detail: "must be text", code: "invalid" }, taken(4)],
    });
    assert.deepEqual(await titles(store), ["Emma", "a", "d"]);
  });

  itWithBooks("leave out columns that are not known", async (books, store) => {
    const content = "title,by\r\nEmma,Austen\r\n";
    assert.equal((await post(books, content, csv)).status, 400);
    assert.deepEqual(toldBy(await post(books, content, { ...csv, ...lenient })).stored, 1);
    assert.deepEqual(await titles(store), ["Emma"]);
  });

  itWithBooks(
    "have unknown members refused where the collection has no schema that leaves them out",
    async (_, store) => {
      const books = collection({ path: "/books", store, schema: bookSchema(false) });
      const { stored, errors } = toldBy(await post(books, [{ title: "Emma", by: 1 }, { title: "Sanditon" }], lenient));
      assert.deepEqual([stored, errors[0]?.pointer], [1, "#/by"]);
    },
  );

  it("are reported when the store fails among them: the stored ones, and the line where it ended", async () => {
    for (const [error, behind] of [
      [new StoreUnavailable("The disk is full"), "nothing after line 1001 was tried"],
      [new StoreOutcomeUnknown("The disk reports an error"), "some after it may be, too"],
    ] as const) {
      const steps: number[] = [];
      const store = storeWith({
        async changeAll(changes) {
          const count = (await Array.fromAsync(changes as AsyncIterable<ListChange>)).length;
          if (steps.push(count) === 2) throw error;
          return { kind: "created", count };
        },
      });
      const lines = Array(2500).fill({ title: "a" });
      const response = await post(booksOver(store), [{ title: 1 }, ...lines], lenient);
      assert.deepEqual([response.status, response.headers.get("Retry-After"), steps], [503, "1", [1000, 1000]]);
      const { type, detail, stored, refused, errors } = toldBy(response);
      assert.equal(type, "/problems/store-unavailable");
      assert.deepEqual([stored, refused, errors.length], [1000, 1, 1]);
      assert.equal(
        detail,
        `The store cannot be used at the moment: 1,000 records are stored, up to line 1001; ${behind}.`,
      );
    }
  });

  itWithBooks("swap unique values with each other, or with one that is new", async (_, store) => {
    const books = booksOver(store, { mayRead: () => true });
    for (const title of ["a", "b"]) await store.create({ title, isbn: title });
    const lines = [
      { id: 1, title: "a", isbn: "b" },
      { id: 2, title: "b", isbn: "a" },
    ];
    for (const fields of [{}, lenient]) {
      const swapped = lines.map((line) => ({ ...line, isbn: fields === lenient ? line.title : line.isbn }));
      const { updated, refused } = toldBy(await post(books, swapped, { ...fields, query: "?upsert=id" }));
      assert.deepEqual([updated, refused], [2, 0]);
    }
  });
});

describe("many records at once that belong to another", () => {
  const collections: readonly CollectionDefinition[] = [
    { name: "author" },
    { name: "book", members: { isbn: { unique: true } }, owner: { collection: "author", member: "authorId" } },
  ];

  it("are those of the owner that the path names, also when they are listed for another", async () => {
    await using database = await openDatabase(":memory:", { collections });
    const [authors, store] = [database.store("author"), database.store("book")];
    const books = booksOver(store, { path: "/authors/{authorId}/books" });
    const app = router(POST("/authors/{authorId}/books", books.createMany));
    const { id } = await create(authors, { name: "Austen" });
    for (const fields of [{}, lenient]) {
      const send = (author: number) =>
        ask(app, `POST /authors/${author}/books`, { ...ndjson, ...fields }, '{"authorId":7,"title":"Emma"}');
      assert.deepEqual((await send(id)).value, { stored: 1, refused: 0, errors: [] });
      const { status, text } = await send(id + 1);
      assert.deepEqual([status, text], [404, ""]);
    }
    const owners = (await everything(store)).map(({ json }) => JSON.parse(json).authorId);
    assert.deepEqual(owners, [id, id]);
  });

  it("are a 404 when the owner goes while they come", async () => {
    const gone = storeWith({ changeAll: async () => ({ kind: "ownerless" }) });
    for (const fields of [{}, lenient]) {
      const { status, body } = await post(booksOver(gone), [{ title: "Emma" }], fields);
      assert.deepEqual([status, body], [404, null]);
    }
  });
});

describe("a store that fails while it is given many records", () => {
  it("is a 503 when it is unavailable, and a fault otherwise", async () => {
    const fault = new Error("a fault of the program");
    for (const headers of [{}, lenient]) {
      for (const [error, status] of [
        [new StoreUnavailable("busy"), 503],
        [fault, undefined],
      ] as const) {
        const failing = storeWith({ changeAll: () => Promise.reject(error) });
        const answering = post(booksOver(failing), [{ title: "Emma" }], headers);
        if (status === undefined) await assert.rejects(answering, fault);
        else assert.equal((await answering).status, status);
      }
    }
  });

  it("is not asked for anything before the content has ended", async () => {
    const seen: string[] = [];
    const store = storeWith({
      async changeAll(changes) {
        seen.push("store");
        return { kind: "created", count: (await Array.fromAsync(changes as AsyncIterable<ListChange>)).length };
      },
    });
    const stream = new ReadableStream({
      async pull(controller) {
        seen.push("client");
        if (seen.length <= 1000) controller.enqueue(Buffer.from('{"title":"Emma"}\n'));
        else controller.close();
      },
    });
    const app = router(POST("/books", booksOver(store).createMany));
    const request = new Request("http://localhost/books", {
      method: "POST",
      headers: ndjson,
      body: stream,
      duplex: "half",
    } as RequestInit); // duplex, which Node asks for, is in no type
    assert.deepEqual(await (await app.fetch(request)).json(), { stored: 1000, refused: 0, errors: [] });
    assert.deepEqual([seen.indexOf("store"), seen.filter((one) => one === "client").length], [1001, 1001]);
  });
});

describe("the records that wait to be stored", () => {
  const given = process.env["TMPDIR"];
  const { root: directory } = openFolder("create-many");
  after(async () => {
    if (given === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = given;
  });

  it("are in a temporary file without a name, so that no file is ever left", async () => {
    process.env["TMPDIR"] = directory;
    const names: string[] = [];
    const store = storeWith({
      async changeAll(changes) {
        for await (const _ of changes) names.push(...(await readdir(directory)));
        return { kind: "created", count: 1 };
      },
    });
    assert.equal((await post(booksOver(store), [{ title: "Emma" }])).status, 200);
    assert.deepEqual([names, await readdir(directory)], [[], []]);
  });

  it("cause a fault where there is no temporary folder", async () => {
    process.env["TMPDIR"] = join(directory, "missing");
    await assert.rejects(post(booksOver(storeWith({})), [{ title: "Emma" }]), { code: "ENOENT" });
  });
});
