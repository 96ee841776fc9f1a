import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type App, GET, HttpRequest, router } from "waymark";
import { access } from "waymark/filters";
import { z } from "zod";
import {
  type CollectionDefinition,
  type CollectionOptions,
  collection,
  type Database,
  openDatabase,
  type RecordBatch,
  type Store,
} from "../../src/index.ts";
import { ask, idsOf } from "../tools/ask.ts";

const count = 200;
/** Of 2 KB each: together many times what a list keeps in memory. */
const documents = Array.from({ length: count }, (_, i) => ({ name: `${i % 7}`, text: `${i} `.padEnd(2_000, "x") }));

const definitions: readonly CollectionDefinition[] = [{ name: "thing", members: { name: { filter: "text" } } }];

describe("a long page", () => {
  let database: Database;
  let store: Store;
  before(async () => {
    database = await openDatabase(":memory:", { collections: definitions });
    store = database.store("thing");
    await store.createAll(documents);
  });
  after(() => database.close());

  function appWith({
    lists,
    store: of = store,
  }: Partial<Pick<CollectionOptions<object>, "lists" | "store">> = {}): App {
    const things = collection({ path: "/thing", store: of, schema: z.object({ name: z.string() }), lists });
    const byKey = access((request: HttpRequest) => ({
      kind: "allowed",
      caller: { id: request.header("Authorization") ?? "nobody", scopes: [] },
    }));
    return router({ filters: [byKey] }, GET("/thing", things.list));
  }

  interface Page {
    readonly ids: readonly number[];
    readonly links: Readonly<Record<string, string>>;
  }

  async function page(app: App, target = ""): Promise<Page> {
    const answer = await ask(app, `GET ${target}`);
    assert.equal(answer.status, 200);
    return { ids: idsOf(answer), links: answer.links };
  }

  async function idsBy(sort: string): Promise<readonly number[]> {
    const { ids } = await page(appWith(), `/thing?sort=${sort}`);
    assert.equal(ids.length, count);
    return ids;
  }

  for (const sort of ["id", "-id", "name", "-name", "name,-id"]) {
    it(`is sent whole and walked there and back, by ${sort}`, async () => {
      const app = appWith();
      const all = await idsBy(sort);
      const first = await page(app, `/thing?sort=${sort}&limit=90`);
      const second = await page(app, first.links["next"]);
      const third = await page(app, second.links["next"]);
      assert.deepEqual([...first.ids, ...second.ids, ...third.ids], all);
      assert.deepEqual(first.ids.length, 90);
      assert.deepEqual([first.links["prev"], third.links["next"]], [undefined, undefined]);
      const back = await page(app, third.links["prev"]);
      assert.deepEqual(back.ids, second.ids);
      const start = await page(app, back.links["prev"]);
      assert.deepEqual(start.ids, first.ids);
      assert.deepEqual([start.links["prev"], start.links["next"]], [undefined, first.links["next"]]);
    });
  }

  for (const [limit, length] of [
    [100, 50],
    [50, 50],
    [49, 49],
  ] as const) {
    it(`ends with the record that reaches its size, and its Link leads on, with a limit of ${limit}`, async () => {
      const app = appWith({ lists: { maxPageSize: 50 * 2_000 } });
      const ids: number[] = [];
      let target: string | undefined = `/thing?sort=-name&limit=${limit}`;
      for (let isFirst = true; target !== undefined; isFirst = false) {
        const { ids: found, links }: Page = await page(app, target);
        if (isFirst) assert.ok(found.length <= length && found.length >= length - 10, `${found.length} records`);
        ids.push(...found);
        target = links["next"];
      }
      assert.deepEqual(ids, await idsBy("-name"));
    });
  }

  for (const sort of ["id", "-name", "name", "name,-id"]) {
    it(`ends at the place of its last record when that one has gone meanwhile, by ${sort}`, async () => {
      const all = await idsBy(sort);
      const other = await openDatabase(":memory:", { collections: definitions });
      const things = other.store("thing");
      await things.createAll(documents);
      const [within = 0, last = 0] = [all[99], all[119]];
      const batch = things.batch.bind(things);
      let reads = 0;
      things.batch = async (...args) => {
        const { next, ...begin } = await batch(...args);
        const read = async (): Promise<RecordBatch> => {
          // The first time is to find the end of the page, the second to send it.
          if (++reads === 2) await Promise.all([things.remove(within), things.remove(last)]);
          return next?.() ?? assert.fail("there is no second batch");
        };
        return { ...begin, next: next && read };
      };
      const app = appWith({ store: things });
      const { ids, links } = await page(app, `/thing?sort=${sort}&limit=120`);
      assert.equal(reads, 2);
      assert.deepEqual(ids, all.slice(0, 119).toSpliced(99, 1));
      const next = await page(app, links["next"]);
      assert.deepEqual(next.ids, all.slice(120));
      await other.close();
    });
  }

  it("holds its part of the memory for lists until it is taken, for its caller", async () => {
    const app = appWith({ lists: { maxHeldBytesPerCaller: 300_000 } });
    const ask = (caller: string, method = "GET"): Promise<Response> =>
      app.fetch(new Request("http://localhost/thing?limit=150", { method, headers: { Authorization: caller } }));
    const holding = async (caller: string): Promise<Response[]> => {
      const held: Response[] = [];
      for (;;) {
        const answer = await ask(caller);
        if (answer.status === 200) held.push(answer);
        else {
          assert.deepEqual([answer.status, answer.headers.get("Retry-After")], [503, "5"]);
          assert.equal(JSON.parse(await answer.text()).type, "/problems/lists-busy");
          return held;
        }
      }
    };
    const [first, ...others] = await holding("ada");
    assert.ok(others.length < 4);
    assert.equal((await ask("bob", "HEAD")).status, 200);
    assert.equal((await holding("bob")).length, others.length + 1);
    for (const answer of others) await answer.body?.cancel();
    const taken = JSON.parse((await first?.text()) ?? "");
    assert.equal(taken.length, 150);
    assert.equal((await holding("ada")).length, others.length + 1);
  });

  it("holds nothing for a request from HttpRequest.of, whose caller has the whole answer", async () => {
    const app = appWith({ lists: { maxHeldBytesPerCaller: 30_000, maxHeldBytes: 30_000 } });
    for (let i = 0; i < 3; i++) {
      const { status } = await app.handle(HttpRequest.of({ target: "/thing?limit=10" }));
      assert.equal(status, 200);
    }
  });

  for (const order of [
    [{ member: "id", descending: false }],
    [
      { member: "name", descending: true },
      { member: "id", descending: false },
    ],
  ]) {
    it(`is read in batches of 64 KiB and one record, by ${order[0]?.member}`, async () => {
      const long = await openDatabase(":memory:", { collections: definitions });
      const things = long.store("thing");
      await things.createAll(Array.from({ length: 60 }, () => ({ name: "x", text: "x".repeat(50_000) })));
      const counts = () => Array.fromAsync(things.list({ order }), ({ length }) => length);
      await counts(); // by which it is seen that they are long
      assert.deepEqual(await counts(), new Array(30).fill(2));
      await long.close();
    });
  }

  it("needs bounds that are whole numbers", () => {
    for (const lists of [{ maxPageSize: 0 }, { maxHeldBytes: 1.5 }, { maxHeldBytesPerCaller: -1 }]) {
      assert.throws(() => appWith({ lists }), new RegExp(`^RangeError: lists\\.${Object.keys(lists)[0]} must be`));
    }
  });
});
