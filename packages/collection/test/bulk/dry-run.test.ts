import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { group, HttpRequest, POST, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { type BulkLimits, collection, type Database, jsonArrayDecoder, openDatabase } from "../../src/index.ts";

/** A number is a book's count of pages, from 1. */
const schema = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: unknown) =>
      (value as { pages?: unknown }).pages === 0
        ? { issues: [{ message: "must have pages" }] }
        : { value: value as object },
  },
} as const;

describe("POST of many records with ?dry-run=true", () => {
  let database: Database;
  before(async () => {
    database = await openDatabase(":memory:", { collections: [{ name: "book", members: { isbn: { unique: true } } }] });
  });
  after(() => database.close());

  async function post(query: string, body: string, headers = {}, bulk: BulkLimits = {}) {
    const store = database.store("book");
    const books = collection({ path: "/books", store, schema, decoders: [], bulk });
    const app = router(group("/books", POST(books.createMany)));
    const sent = { "Content-Type": "application/x-ndjson", ...headers };
    const { status, body: answer } = await app.handle(
      HttpRequest.of({ method: "POST", target: `/books${query}`, headers: sent, body }),
    );
    return { status, answer: JSON.parse(String(answer)), count: await store.count() };
  }

  it("validates every record, and stores nothing", async () => {
    const lines = '{"pages":1}\n{"pages":0}\nnot JSON\n{"pages":2}\n';
    for (const headers of [{}, { Prefer: "handling=lenient" }]) {
      const { status, answer, count } = await post("?dry-run=true", lines, headers);
      assert.deepEqual([status, answer.stored, answer.refused, count], [200, 2, 2, 0]);
      assert.deepEqual(
        answer.errors.map(({ line }: { readonly line: number }) => line),
        [2, 3],
      );
    }
  });

  it("counts what is beyond the faults that it lists", async () => {
    const { answer } = await post("?dry-run=true", `${'{"pages":0}\n'.repeat(1500)}{"pages":1}\n`);
    assert.deepEqual([answer.stored, answer.refused, answer.errors.length, answer.omitted], [1, 1500, 1000, 500]);
  });

  it("is asked for by true, and nothing else", async () => {
    for (const query of ["?dry-run=false", "?dry-run", "?dryrun=true", "?dry-run=true&limit=1"]) {
      const { status, answer, count } = await post(query, '{"pages":1}\n');
      assert.deepEqual([status, answer.type, count], [400, "/problems/invalid-parameters", 0], query);
    }
  });

  it("finds conflicts with what is stored, in the order of the lines", async () => {
    const stored = '{"isbn":"1","pages":1}\n{"id":9,"pages":1}\n';
    assert.equal((await post("", stored)).status, 200);
    const lines = `${'{"pages":1}\n'.repeat(600)}{"isbn":"1","pages":1}\n{"pages":0}\n{"id":9,"pages":1}\n{"isbn":"2","pages":1}\n`;
    const { answer, count } = await post("?dry-run=true", lines);
    assert.deepEqual([answer.stored, answer.refused, count], [601, 3, 2]);
    assert.deepEqual(answer.errors, [
      { line: 601, pointer: "#/isbn", detail: "is already used by another record", code: "taken" },
      { line: 602, pointer: "#", detail: "must have pages", code: "invalid" },
      { line: 603, pointer: "#/id", detail: "is or was used by another record", code: "taken" },
    ]);
  });

  it("finds ids and unique values of earlier records of the content, and counts as storing them does", async () => {
    const lines = [
      '{"isbn":"a","pages":1}',
      '{"isbn":"a","pages":2}', // of the first
      '{"isbn":"b","pages":0}',
      '{"isbn":"b","pages":1}', // of one that is refused
      '{"id":500,"pages":1}',
      '{"id":500,"isbn":"c","pages":1}',
      '{"isbn":"c","pages":1}', // of one that is refused for its id
      '{"pages":1}',
      '{"pages":1}',
    ].join("\n");
    const { answer, count } = await post("?dry-run=true", lines);
    assert.deepEqual([answer.stored, answer.refused], [6, 3]);
    assert.deepEqual(
      answer.errors.map(({ line, pointer }: { readonly line: number; readonly pointer: string }) => [line, pointer]),
      [
        [2, "#/isbn"],
        [3, "#"],
        [6, "#/id"],
      ],
    );
    const stored = await post("", lines, { Prefer: "handling=lenient" });
    assert.deepEqual([stored.answer.stored, stored.answer.refused, stored.count], [6, 3, count + 6]);
  });

  it("ends when more records are faulty than the limit, with the conflicts", async () => {
    const books = database.store("book");
    await books.create({ isbn: "taken", pages: 1 });
    const lines = '{"pages":0}\n'.repeat(5) + '{"isbn":"taken","pages":1}\n'.repeat(20);
    const { status, answer } = await post("?dry-run=true", lines, {}, { maxRefused: 10 });
    assert.deepEqual([status, answer.type, answer.refused], [400, "/problems/invalid-content", 25]);
  });

  it("is made of a JSON array, too", async () => {
    const options = { path: "/books", schema, decoders: [jsonDecoder], listDecoders: [jsonArrayDecoder] };
    const books = collection({ ...options, store: database.store("book") });
    const app = router(POST("/books", books.create));
    const send = async (query: string, body: string) => {
      const headers = { "Content-Type": "application/json" };
      const sent = HttpRequest.of({ method: "POST", target: `/books${query}`, headers, body });
      const answer = await app.handle(sent);
      return { status: answer.status, answer: JSON.parse(String(answer.body)) };
    };
    const { status, answer } = await send("?dry-run=true", '[{"pages":1},{"pages":2},{"pages":0}]');
    assert.deepEqual([status, answer.stored, answer.refused], [200, 2, 1]);
    for (const [query, body] of [
      ["?dry-run=true", '{"pages":1}'],
      ["?dry-run=1", "[]"],
    ] as const) {
      const refused = await send(query, body);
      assert.deepEqual([refused.status, refused.answer.type], [400, "/problems/invalid-parameters"], query + body);
    }
  });
});
