import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { type App, HttpRequest, type HttpResponse, router } from "waymark";
import { z } from "zod";
import { collection, type Database, openDatabase, type Store } from "../../src/index.ts";
import { ask as askOf } from "../tools/ask.ts";

describe("a caller whose rights end while it is answered", () => {
  let database: Database;
  let store: Store;
  let app: App;
  let isAllowed: boolean;
  let decisions: number;
  /** By how much the clock has been put forward, in milliseconds. */
  let later: number;

  beforeEach(async () => {
    database = await openDatabase(":memory:", { collections: [{ name: "book" }] });
    store = database.store("book");
    [isAllowed, decisions, later] = [true, 0, 0];
    const now = performance.now.bind(performance);
    mock.method(performance, "now", () => now() + later);
    const books = collection({
      path: "/books",
      store,
      schema: z.strictObject({ title: z.string() }),
      readmit: (request) => {
        decisions++;
        return isAllowed ? request : undefined;
      },
    });
    app = router(books.routes());
  });
  afterEach(async () => {
    mock.restoreAll();
    await database.close();
  });

  const ask = async (target: string, headers: Readonly<Record<string, string>>): Promise<HttpResponse> =>
    app.handle(HttpRequest.of({ target, headers }));

  it("gets nothing that it waited for, and nothing is skipped", async () => {
    const cursor = (await store.changes("now")).cursor;
    const waiting = ask(`/books/changes?after=${cursor}`, { Prefer: "wait=25" });
    await app.handle(HttpRequest.of({ target: "/books" }));
    isAllowed = false;
    await store.create({ title: "Emma" });
    const answer = await waiting;
    assert.equal(answer.body, "[]");
    assert.ok(answer.header("Link")?.includes(`after=${cursor}>`));
    isAllowed = true;
    const again = JSON.parse(String((await ask(`/books/changes?after=${cursor}`, {})).body));
    assert.equal(again[0].title, "Emma");
  });

  it("is asked for its rights at the end of a wait, however short it was", async () => {
    const waiting = ask("/books/changes?after=now", { Prefer: "wait=25" });
    await app.handle(HttpRequest.of({ target: "/books" }));
    await store.create({ title: "Emma" });
    assert.equal(JSON.parse(String((await waiting).body))[0].title, "Emma");
    assert.equal(decisions, 1);
  });

  it("gets no more of a list that is streamed, and no end that looks like that of the list", async () => {
    const title = "x".repeat(2000);
    await store.createAll(Array.from({ length: 4000 }, () => ({ title })));
    const read = async (onPiece: (count: number) => void): Promise<number> => {
      let count = 0;
      const { body } = await ask("/books", {});
      assert.notEqual(typeof body, "string");
      for await (const _piece of body as AsyncIterable<string>) onPiece(++count); // it is streamed
      return count;
    };
    assert.ok((await read(() => undefined)) > 3);
    assert.equal(decisions, 0);
    await read(() => {
      later += 5000;
    });
    assert.ok(decisions > 0);
    await assert.rejects(
      read(() => {
        [later, isAllowed] = [later + 5000, false];
      }),
      { name: "RightsEnded" },
    );
  });

  const send = (lines: AsyncIterable<Uint8Array>, headers = {}): Promise<Response> =>
    app.fetch(
      new Request("http://localhost/books", {
        method: "POST",
        headers: { "Content-Type": "application/x-ndjson", ...headers },
        body: ReadableStream.from(lines),
        duplex: "half",
      } as RequestInit), // the types of Node.js lack `duplex`
    );

  async function* lines(beforeLast: () => void): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"title":"Emma"}\n');
    beforeLast();
    yield Buffer.from('{"title":"Persuasion"}\n');
  }

  it("stores nothing of a list that it was sending", async () => {
    for (const headers of [{}, { Prefer: "handling=lenient" }]) {
      isAllowed = true;
      const late = lines(() => {
        [later, isAllowed] = [later + 5000, false];
      });
      const answer = await send(late, headers);
      assert.equal(answer.status, 403);
      const { detail } = JSON.parse(await answer.text());
      assert.equal(detail, "What these credentials may do has changed meanwhile. Nothing was stored.");
      assert.equal(await store.count(), 0);
    }
  });

  it("changes no records when the change of many has taken long", async () => {
    await store.createAll([{ title: "Emma" }, { title: "Persuasion" }]);
    const batch = store.batch.bind(store);
    store.batch = async (...args) => {
      [later, isAllowed] = [later + 5000, false];
      return batch(...args);
    };
    const { status, text } = await askOf(app, "PATCH /books?all=true", {}, { merge: { title: "Sanditon" } });
    assert.equal(status, 403, text);
    const records = (await Array.fromAsync(store.list())).flat();
    assert.deepEqual(
      records.map(({ json }) => JSON.parse(json).title),
      ["Emma", "Persuasion"],
    );
  });

  it("stores what took long while its rights stand", async () => {
    const answer = await send(
      lines(() => {
        later += 5000;
      }),
    );
    assert.equal(answer.status, 200);
    assert.deepEqual([await store.count(), decisions], [2, 1]);
  });
});
