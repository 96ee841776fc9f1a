import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { type App, HttpRequest, type HttpResponse, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { z } from "zod";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import {
  collection,
  type Database,
  openDatabase,
  type Store,
  StoreCursorGone,
  StoreUnavailable,
} from "../../src/index.ts";
import { create } from "../store-contract/contract.ts";

const folder = openFolder("event-streams");

/** An event stream as its client reads it. */
interface Followed {
  readonly response: HttpResponse;
  /** Reads the next event, without comments; undefined behind the last. */
  next(): Promise<string | undefined>;
  end(): Promise<unknown>;
}

const idIn = (piece: string | undefined): string => /^id: (\S+)$/m.exec(piece ?? "")?.[1] ?? assert.fail(piece);
const dataIn = (piece: string | undefined): readonly unknown[] =>
  [...(piece ?? "").matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => JSON.parse(json));

describe("an event stream of changes", () => {
  let database: Database;
  let store: Store;
  let app: App;
  /** The cursors from which the changes are read. */
  let reads: (string | undefined)[];
  let fault: Error | undefined;
  let isAllowed: boolean;

  beforeEach(async () => {
    database = await openDatabase(folder.newFile(), { collections: [{ name: "book" }] });
    store = database.store("book");
    reads = [];
    fault = undefined;
    isAllowed = true;
    const changes = store.changes.bind(store);
    store.changes = async (after, options) => {
      reads.push(after);
      if (fault !== undefined) throw fault;
      return changes(after, options);
    };
    const books = collection({
      path: "/books",
      store,
      schema: z.strictObject({ title: z.string(), author: z.string() }),
      decoders: [jsonDecoder],
      readmit: (request) => (isAllowed ? request : undefined),
    });
    app = router(books.routes());
  });
  afterEach(async () => {
    mock.restoreAll();
    await database.close();
  });

  const ask = async (query = "", headers = {}, draining?: AbortSignal): Promise<HttpResponse> =>
    app.handle(
      HttpRequest.of({
        target: `/books/changes${query}`,
        headers: { Accept: "text/event-stream", ...headers },
        ...(draining && { draining }),
      }),
    );

  async function follow(query = "", headers = {}, draining?: AbortSignal): Promise<Followed> {
    const response = await ask(query, headers, draining);
    const iterator = (response.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator](); // of an event stream
    return {
      response,
      async next() {
        for (;;) {
          const { done, value } = await iterator.next();
          const piece = done === true ? undefined : Buffer.from(value).toString();
          if (piece?.startsWith("retry: ")) assert.match(piece, /^retry: [12]\d{3}\n\n$/);
          else if (piece !== ":\n\n") return piece;
        }
      },
      end: async () => iterator.return?.(),
    };
  }

  const write = async (title: string): Promise<number> => (await create(store, { title, author: "Austen" })).id;
  const titlesIn = (piece: string | undefined) => dataIn(piece).map((each) => (each as { title?: string }).title);

  it("begins with all changes, goes on with those that come, and with each piece moves the client on", async () => {
    const id = await write("Emma");
    const stream = await follow("?fields=title");
    const first = await stream.next();
    assert.match(first ?? "", /^id: \S+\ndata: \{"id":1,"title":"Emma"\}\n\n$/);
    const next = stream.next();
    await store.remove(id);
    assert.deepEqual(dataIn(await next), [{ id, removed: true }]);
    const after = stream.next();
    await write("Persuasion");
    assert.deepEqual(dataIn(await after), [{ id: 2, title: "Persuasion" }]);
    await stream.end();
    const again = await follow("?fields=title", { "Last-Event-ID": idIn(first) });
    const missed: unknown[] = [];
    while (missed.length < 2) missed.push(...dataIn(await again.next()));
    assert.deepEqual(missed, [
      { id, removed: true },
      { id: 2, title: "Persuasion" },
    ]);
    await again.end();
  });

  it("gives a client its place at once where there is nothing, and goes on behind `Last-Event-ID` and not `after`", async () => {
    const empty = await follow();
    const start = idIn(await empty.next());
    await empty.end();
    await write("Emma");
    const emma = await follow(`?after=${start}`);
    const behind = await emma.next();
    assert.deepEqual(titlesIn(behind), ["Emma"]);
    await emma.end();
    const none = await follow(`?after=${start}`, { "Last-Event-ID": idIn(behind) });
    assert.deepEqual(dataIn(await none.next()), []);
    await none.end();
    for (const cursor of ["", "x", `${start}A`]) {
      assert.equal((await ask("", { "Last-Event-ID": cursor })).status, 400, cursor);
    }
  });

  it("costs one read, and the same bytes, however many follow", async () => {
    const streams = await Promise.all(Array.from({ length: 50 }, () => follow()));
    const narrow = await follow("?fields=title");
    for (const stream of [...streams, narrow]) await stream.next();
    for (const title of ["Emma", "Persuasion", "Sanditon"]) {
      reads.length = 0;
      const pieces = streams.map((stream) => stream.next());
      const narrowed = narrow.next();
      await write(title);
      assert.equal(new Set(await Promise.all(pieces)).size, 1);
      assert.deepEqual(titlesIn(await narrowed), [title]);
      assert.ok(reads.length <= 2, reads.join("\n"));
    }
    for (const stream of [...streams, narrow]) await stream.end();
  });

  it("reads nothing for a client that takes nothing, which then gets the latest states once", async () => {
    const [slow, quick] = [await follow("?limit=5"), await follow()];
    for (const stream of [slow, quick]) await stream.next();
    const id = await write("0");
    for (let n = 1; n <= 20; n++) {
      const next = quick.next();
      await store.replace(id, { title: `${n}`, author: "Austen" });
      await next;
    }
    reads.length = 0;
    assert.deepEqual(titlesIn(await slow.next()), ["20"]);
    assert.equal(reads.length, 1);
    for (let n = 0; n < 12; n++) await write(`more ${n}`);
    const events: (string | undefined)[] = [];
    while (events.length < 12) events.push(await slow.next());
    assert.deepEqual(
      events.flatMap(titlesIn),
      Array.from({ length: 12 }, (_, n) => `more ${n}`),
    );
    // It is behind each five of them with the last.
    assert.deepEqual(
      events.flatMap((event, i) => (event?.startsWith("id: ") ? [i] : [])),
      [4, 9, 11],
    );
    for (const stream of [slow, quick]) await stream.end();
  });

  it("ends within 5 seconds once its client may not follow any more", async () => {
    const stream = await follow();
    await stream.next();
    const piece = stream.next();
    const elapsed = performance.now.bind(performance);
    let passed = 5000;
    mock.method(performance, "now", () => elapsed() + passed);
    const change = follow();
    await write("Emma");
    assert.deepEqual(titlesIn(await piece), ["Emma"]);
    const last = stream.next();
    isAllowed = false;
    passed += 5000;
    assert.equal(await last, undefined);
    assert.equal(await stream.next(), undefined);
    await (await change).end();
  });

  it("waits while the database is away, and ends where the changes are lost", async () => {
    const stream = await follow();
    await stream.next();
    fault = new StoreUnavailable("It is away");
    const piece = stream.next();
    const count = reads.length;
    await write("Emma");
    while (reads.length < count + 2) await new Promise((resolve) => setTimeout(resolve, 1));
    fault = undefined;
    assert.deepEqual(titlesIn(await piece), ["Emma"]);
    fault = new StoreCursorGone("It is lost");
    const last = stream.next();
    await write("Persuasion");
    assert.equal(await last, undefined);
    assert.equal((await ask()).status, 410);
  });

  it("ends when the server drains, with the cursor that its client needs", async () => {
    const drain = new AbortController();
    const stream = await follow("", {}, drain.signal);
    const place = idIn(await stream.next());
    const piece = stream.next();
    drain.abort();
    assert.equal(await piece, undefined);
    await write("Emma");
    const again = await follow("", { "Last-Event-ID": place });
    assert.deepEqual(titlesIn(await again.next()), ["Emma"]);
    await again.end();
  });

  it("is refused where its caller has 1,000 open", async () => {
    const streams = await Promise.all(Array.from({ length: 1000 }, () => follow()));
    for (const stream of streams) await stream.next();
    const refused = await ask();
    assert.deepEqual([refused.status, refused.header("Retry-After")], [503, "5"]);
    await streams[0]?.end();
    const one = await follow();
    assert.equal(one.response.status, 200);
    for (const stream of [...streams, one]) await stream.end();
  });

  it("sends a HEAD its fields only, and no coding, no caching and no buffering are wanted", async () => {
    const { status, headers, body } = await app.handle(
      HttpRequest.of({ method: "HEAD", target: "/books/changes", headers: { Accept: "text/event-stream" } }),
    );
    assert.equal(status, 200);
    assert.equal(headers.get("Cache-Control"), "no-store, no-transform");
    assert.equal(headers.get("X-Accel-Buffering"), "no");
    await (body as AsyncIterable<unknown>)[Symbol.asyncIterator]().return?.();
  });
});
