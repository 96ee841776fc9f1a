import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { collection, openDatabase, type RecordBatch } from "@waymark/collection";
import { type RunningServer, serve } from "@waymark/node";
import { type App, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { personCollection, personRepresentations, personRoutes, personSchema } from "../../src/index.ts";
import { createSqliteFile, type TestDatabase } from "../tools/databases.ts";
import { beginList, fillWithPeople, streamPeople, streamPeopleAs } from "./streaming.ts";

/** Of about 4 KB each: 120 MiB, more than the service's memory may grow by. */
const count = 30_000;

/** The most bytes by which the service's memory may grow: V8 may let garbage fill the small heap before it collects it. */
const most = 112 * 2 ** 20;

describe("a long list", () => {
  let database: TestDatabase;
  let batches: number;
  before(async () => {
    database = await createSqliteFile();
    await fillWithPeople(database.location, count, 3900);
    const opened = await openDatabase(database.location, { collections: [personCollection] });
    batches = (await Array.fromAsync(opened.store("person").list(), ({ length }) => length)).length;
    await opened.close();
  });
  after(() => database.remove());

  it("is sent whole in little memory, while others are answered, stall and go away", async () => {
    let { sent, growth } = await streamPeople(database.location, count);
    if (growth >= most) ({ sent, growth } = await streamPeople(database.location, count)); // as below
    assert.ok(sent > most);
    assert.ok(growth < most, `memory grew by ${growth} bytes`);
  });

  it("is sent in little memory in another format", async (t) => {
    let { sent, growth } = await streamPeopleAs(database.location, count, "text/csv");
    t.diagnostic(`${sent} bytes were sent, and memory grew by ${growth} bytes`);
    // On a busy machine garbage may wait for its collection; what a list really holds, it holds each time.
    if (growth >= most) ({ sent, growth } = await streamPeopleAs(database.location, count, "text/csv"));
    assert.ok(sent > most);
    assert.ok(growth < most, `memory grew by ${growth} bytes`);
  });

  // The soak measures the memory of each. Others are answered meanwhile.
  for (const mediaType of [
    "application/json",
    "application/xml",
    "application/ld+json",
    "application/x-ndjson",
    "text/vcard",
  ]) {
    it(`is read as slowly as its client takes it, as ${mediaType}`, async () => {
      await using watched = await serveWatched(database.location);
      const list = await beginList(watched.server, mediaType);
      await watched.quiet();
      assert.ok(watched.batches > 0 && watched.batches < batches / 4, `${watched.batches} of ${batches} were read`);
      list.destroy();
    });
  }

  it("is read no further when its client has gone", async () => {
    await using watched = await serveWatched(database.location);
    const answer = await beginList(watched.server);
    answer.destroy();
    await watched.quiet();
    assert.ok(watched.batches > 0 && watched.batches < batches / 4, `${watched.batches} of ${batches} were read`);
  });

  it("is read no further when the web response is cancelled", async () => {
    await using watched = await serveWatched(database.location);
    const { status, body } = await watched.app.fetch(new Request("http://localhost/person"));
    assert.equal(status, 200);
    await body?.cancel();
    await watched.quiet();
    assert.ok(watched.batches > 0 && watched.batches <= 2, `${watched.batches} batches were read`);
  });

  it("is not read for HEAD", async () => {
    await using watched = await serveWatched(database.location);
    const { status } = await fetch(`${watched.server.url}/person`, { method: "HEAD" });
    assert.equal(status, 200);
    await watched.quiet();
    assert.ok(watched.batches <= 1, `${watched.batches} batches were read`);
  });
});

/** The routes of the people over a store whose lists are counted. */
interface Watched extends AsyncDisposable {
  readonly app: App;
  readonly server: RunningServer;
  /** How many batches have been read. */
  readonly batches: number;
  /** Resolves once a hundred others have been answered without another batch: then no more is read. */
  quiet(): Promise<void>;
}

async function serveWatched(file: string): Promise<Watched> {
  const database = await openDatabase(file, { collections: [personCollection] });
  const store = database.store("person");
  let batches = 0;
  const watch = <B extends RecordBatch>(batch: B): B => {
    batches++;
    const { next } = batch;
    return { ...batch, next: next && (async () => watch(await next())) };
  };
  const batch = store.batch.bind(store);
  store.batch = async (...selection) => watch(await batch(...selection));
  const people = collection({
    path: "/person",
    store,
    schema: personSchema(),
    decoders: [jsonDecoder],
    representations: personRepresentations,
  });
  const app = router(personRoutes(people));
  const server = await serve(app);
  return {
    app,
    server,
    get batches() {
      return batches;
    },
    async quiet() {
      for (let quiet = 0; quiet < 100; quiet++) {
        const before = batches;
        const { status } = await fetch(`${server.url}/person/${count}`);
        assert.equal(status, 200);
        if (batches !== before) quiet = 0;
      }
    },
    async [Symbol.asyncDispose]() {
      await server.close({ grace: 0 });
      await database.close();
    },
  };
}
