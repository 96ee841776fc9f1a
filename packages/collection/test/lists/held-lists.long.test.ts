import assert from "node:assert/strict";
import { once } from "node:events";
import { after, afterEach, before, describe, it } from "node:test";
import { type RunningServer, serve } from "@waymark/node";
import { GET, type HttpRequest, type Route, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { access } from "waymark/filters";
import { z } from "zod";
import { RawConnection } from "../../../node/test/tools/raw-connection.ts";
import { collection, type Database, type ListLimits, openDatabase, type Store } from "../../src/index.ts";

/** Records of 3 kB; a list of them is more than the system takes for a client that does not read. */
const documents = Array.from({ length: 5_000 }, (_, i) => ({ name: `${i}`.padEnd(3_000, "x") }));
/** What each of them holds at least: the next list finds no room in so many times this. */
const listBytes = 198_000;

describe("lists that clients ask for and do not take", () => {
  let database: Database;
  let store: Store;
  let server: RunningServer | undefined;
  const clients: RawConnection[] = [];
  before(async () => {
    database = await openDatabase(":memory:", { collections: [{ name: "thing" }] });
    store = database.store("thing");
    await store.createAll(documents);
  });
  after(() => database.close());
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await server?.close({ grace: 0 });
  });

  function listingRoute(lists: ListLimits): Route {
    const schema = z.object({ name: z.string() });
    return GET("/thing", collection({ path: "/thing", store, schema, decoders: [jsonDecoder], lists }).list);
  }

  async function servedWith(lists: ListLimits): Promise<void> {
    server = await serve(router(listingRoute(lists)));
  }

  /** Returns what asks for a list as a caller, in memory: nothing is sent before it is read. */
  function listing(lists: ListLimits): (caller: string) => Promise<Response> {
    const byName = access((request: HttpRequest) => ({
      kind: "allowed",
      caller: { id: request.header("Authorization") ?? "", scopes: [] },
    }));
    const app = router({ filters: [byName] }, listingRoute(lists));
    return (caller) => app.fetch(new Request("http://localhost/thing", { headers: { Authorization: caller } }));
  }

  /** Asks for a list from one of the addresses of this machine. */
  function ask(from: number, query = ""): RawConnection {
    const client = new RawConnection(server?.port ?? 0, `127.0.5.${from}`);
    clients.push(client);
    return client.request(`GET /thing${query}`);
  }

  /** Asks for the list, and takes no more of it than its head. */
  async function hold(from: number): Promise<RawConnection> {
    const client = ask(from);
    client.socket.pause();
    await once(client.socket, "readable");
    return client;
  }

  async function take(client: RawConnection): Promise<number> {
    client.socket.resume();
    return JSON.parse((await client.response()).body).length;
  }

  it("make room for a caller that holds less: one of the caller that holds most ends", async () => {
    await servedWith({ maxHeldBytes: 5 * listBytes, maxHeldBytesPerCaller: 3 * listBytes });
    const ofMost = [await hold(1), await hold(1), await hold(1)];
    const ofAnother = [await hold(2), await hold(2)];
    assert.equal(JSON.parse((await ask(3, "?limit=10").response()).body).length, 10);
    const taken = await Promise.allSettled(ofMost.map(take));
    assert.deepEqual(taken.map(({ status }) => status).sort(), ["fulfilled", "fulfilled", "rejected"]);
    for (const client of ofAnother) assert.equal(await take(client), documents.length);
  });

  it("end beginning with the one whose client has taken nothing for longest", async () => {
    const ask = listing({ maxHeldBytes: 3 * listBytes });
    const [first, stillest, last] = [await ask("ada"), await ask("ada"), await ask("ada")];
    const taken = first.body?.getReader();
    for (let i = 0; i < 10; i++) await taken?.read();
    assert.equal((await ask("bob")).status, 200);
    await assert.rejects(stillest.text());
    assert.equal(JSON.parse(await last.text()).length, documents.length);
    assert.equal((await taken?.read())?.done, false);
  });

  it("of few callers never keep out another one, however often it asks", async () => {
    await servedWith({ maxHeldBytes: 8 * listBytes, maxHeldBytesPerCaller: 2 * listBytes });
    for (let i = 0; i < 40; i++) ask(1 + (i % 4)).socket.pause();
    for (let i = 0; i < 20; i++) {
      const { status } = await ask(5, "?limit=50").response();
      assert.equal(status, 200);
    }
  });

  it("are as many as fit, while no caller holds twice as much as the one that asks", async () => {
    await servedWith({ maxHeldBytes: 3 * listBytes, maxHeldBytesPerCaller: 2 * listBytes });
    const held = [await hold(1), await hold(2), await hold(3)];
    const refused = await ask(4).response();
    assert.deepEqual([refused.status, refused.headers["retry-after"]], [503, "5"]);
    assert.equal(JSON.parse(refused.body).type, "/problems/lists-busy");
    for (const client of held) assert.equal(await take(client), documents.length);
    assert.equal(await take(ask(4)), documents.length);
  });
});
