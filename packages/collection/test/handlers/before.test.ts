import assert from "node:assert/strict";
import { after, before, describe, it, mock } from "node:test";
import { type App, HttpError, problem, router } from "waymark";
import { z } from "zod";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import {
  collection,
  collectionProblemTypes,
  type Database,
  openPostgresDatabase,
  openSqliteDatabase,
  parseRecord,
} from "../../src/index.ts";
import { changesBehind } from "../store-contract/feed.ts";
import { type Answer, ask } from "../tools/ask.ts";
import { newPostgresDatabase } from "../tools/postgres-server.ts";

const folder = openFolder("before");

interface Item {
  readonly name: string;
  readonly stock: number;
}

const Order = z.strictObject({ itemId: z.number(), code: z.string().optional(), note: z.string().optional() });

const collections = [
  { name: "item" },
  { name: "order", members: { itemId: { filter: "number" }, code: { unique: true } } },
] as const;

/** With the option that says for how long a transaction may wait. */
const openers = {
  SQLite: (busyTimeout: number) => openSqliteDatabase(folder.newFile(), { collections, busyTimeout }),
  PostgreSQL: async (statementTimeout: number) =>
    openPostgresDatabase(await newPostgresDatabase(), { collections, statementTimeout }),
};

const refused = (detail: string): HttpError => new HttpError(problem(collectionProblemTypes.conflict, { detail }));

for (const [kind, open] of Object.entries(openers)) {
  describe(`before a change (${kind})`, () => {
    let database: Database;
    let app: App;
    let faults: unknown[] = [];
    let onHanging = (): void => undefined;

    before(async () => {
      database = await open(1000);
      const orders = collection({
        path: "/orders",
        store: database.store("order"),
        schema: Order,
        async before({ before, after }, tx) {
          if (after?.["note"] === "fault") throw new Error("a fault of the program");
          if (after?.["note"] === "forever") {
            onHanging();
            await new Promise(() => undefined);
          }
          if (after === undefined && before?.["note"] === "kept") throw refused("It is kept.");
          const items = tx.store<Item>("item");
          const move = async (id: unknown, by: number): Promise<void> => {
            const item = parseRecord(await items.find(Number(id)));
            if (item === undefined) throw refused("There is no such item.");
            if (item.stock + by < 0) throw refused("None is left.");
            await items.replace(item.id, { ...item, stock: item.stock + by });
          };
          if (before !== undefined) await move(before["itemId"], 1);
          if (after !== undefined) await move(after["itemId"], -1);
          return after?.["note"] === "taken" ? { ...after, note: `the ${(await items.count()) + 1}th` } : undefined;
        },
      });
      app = router({ onFault: (fault) => void faults.push(fault) }, orders.routes());
    });
    after(() => database.close());

    const send = (method: string, path: string, content?: unknown, fields = {}): Promise<Answer> =>
      ask(app, `${method} /orders${path}`, fields, content);
    const newItem = async (stock: number): Promise<number> => {
      const creation = await database.store<Item>("item").create({ name: "item", stock });
      assert.ok(creation.kind === "created");
      return creation.record.id;
    };
    const stockOf = async (id: number): Promise<number | undefined> =>
      parseRecord(await database.store<Item>("item").find(id))?.stock;
    const lastOrder = async (): Promise<number | undefined> =>
      (await Array.fromAsync(database.store("order").list())).flat().at(-1)?.id;
    const count = async (itemId: number): Promise<number> =>
      database.store("order").count({ filters: [{ member: "itemId", operator: "eq", value: itemId }] });

    it("changes other records with it, which follow it in the feed", async () => {
      const [one, other] = [await newItem(2), await newItem(1)];
      const { cursor } = await changesBehind(database.store("item"));
      const { status, header } = await send("POST", "", { itemId: one, note: "taken" });
      assert.deepEqual([status, await stockOf(one)], [201, 1]);
      const path = `/${header("Location")?.split("/").at(-1)}`;
      assert.match((await send("GET", path)).text, /"note":"the \d+th"/);
      assert.equal((await send("PUT", path, { itemId: other })).status, 204);
      assert.deepEqual([await stockOf(one), await stockOf(other)], [2, 0]);
      assert.equal((await send("PUT", path, { itemId: other })).status, 204); // says what the record says
      assert.equal(await stockOf(other), 0);
      assert.equal((await send("PATCH", path, { itemId: one })).status, 204);
      assert.equal((await send("DELETE", path)).status, 200);
      assert.deepEqual([await stockOf(one), await stockOf(other)], [2, 1]);
      const { changes } = await changesBehind(database.store("item"), cursor);
      assert.deepEqual(new Set(changes.map((each) => each.kind === "stored" && each.record.id)), new Set([one, other]));
    });

    it("stores nothing where it refuses, or the change is refused", async () => {
      const { header } = await send("POST", "", { itemId: await newItem(1), note: "kept" });
      assert.match((await send("DELETE", header("Location")?.replace("/orders", "") ?? "")).text, /It is kept\./);
      assert.equal((await send("PATCH", "?all=true", { removed: true })).status, 409);
      const [none, some] = [await newItem(0), await newItem(5)];
      assert.match((await send("POST", "", { itemId: none })).text, /None is left\./);
      assert.equal((await send("POST", "", { itemId: some, code: "A" })).status, 201);
      assert.equal((await send("POST", "", { itemId: some, code: "A" })).status, 409);
      assert.equal((await send("PUT", "/1000", { itemId: some })).status, 404);
      const path = `/${await lastOrder()}`;
      assert.equal((await send("DELETE", path, undefined, { "If-Match": '"0"' })).status, 412);
      assert.deepEqual([await stockOf(none), await stockOf(some), await count(none), await count(some)], [0, 4, 0, 1]);
    });

    it("is not called for a creation that is repeated", async () => {
      const item = await newItem(1);
      const key = { "Idempotency-Key": '"once"' };
      for (const _ of ["first", "again"]) {
        const { status, header } = await send("POST", "", { itemId: item }, key);
        assert.deepEqual([status, header("Location")], [201, `/orders/${await lastOrder()}`]);
      }
      assert.equal((await send("POST", "", { itemId: item, note: "another" }, key)).status, 422);
      assert.deepEqual([await stockOf(item), await count(item)], [0, 1]);
    });

    it("sees each of the changes that come at the same time", async () => {
      const item = await newItem(5);
      const sent = await Promise.all(Array.from({ length: 16 }, () => send("POST", "", { itemId: item })));
      const statuses = sent.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [...Array(5).fill(201), ...Array(11).fill(409)]);
      assert.deepEqual([await stockOf(item), await count(item)], [0, 5]);
    });

    it("is called for each of many changes, in the state that those before it have left", async () => {
      const item = await newItem(3);
      const lines = (n: number): string => `${JSON.stringify({ itemId: item })}\n`.repeat(n);
      const ndjson = { "Content-Type": "application/x-ndjson" };
      assert.equal((await send("POST", "", lines(4), ndjson)).status, 409);
      const dry = await send("POST", "?dry-run=true", lines(3), ndjson);
      assert.equal(dry.status, 200, dry.text);
      assert.deepEqual([await stockOf(item), await count(item)], [3, 0]);
      assert.equal((await send("POST", "", lines(3), ndjson)).status, 200);
      assert.deepEqual([await stockOf(item), await count(item)], [0, 3]);
      assert.equal((await send("PATCH", `?itemId=${item}`, { removed: true })).status, 200);
      assert.deepEqual([await stockOf(item), await count(item)], [3, 0]);
    });

    it("is a fault where it throws anything else, or waits for something else", async () => {
      const item = await newItem(1);
      faults = [];
      assert.equal((await send("POST", "", { itemId: item, note: "fault" })).status, 500);
      assert.equal((await send("POST", "", { itemId: item, note: "forever" })).status, 500);
      assert.equal(String(faults[0]), "Error: a fault of the program");
      assert.match(
        String(faults[1]),
        /^Error: The transaction that began at .*before\.test\.ts:\d+:\d+ was ended, and nothing is stored: it waited for something else than its stores for more than 1 s$/,
      );
      assert.equal((await send("POST", "", { itemId: item })).status, 201);
      assert.deepEqual([await stockOf(item), await count(item)], [0, 1]);
    });

    it("is a fault where it waits for something else in a list, and others go on", async () => {
      const item = await newItem(2);
      faults = [];
      const lines = [{ itemId: item }, { itemId: item, note: "forever" }].map((line) => JSON.stringify(line));
      const { promise: hanging, resolve } = Promise.withResolvers<void>();
      onHanging = resolve;
      mock.timers.enable({ apis: ["setTimeout"] });
      const refused = send("POST", "", lines.join("\n"), { "Content-Type": "application/x-ndjson" });
      await hanging;
      mock.timers.tick(10_000);
      mock.timers.reset();
      assert.equal((await refused).status, 500);
      assert.match(
        String(faults),
        /^Error: The transaction that began at .* was ended, and nothing is stored: The records to be stored did not come for 10 s$/,
      );
      assert.equal((await send("POST", "", { itemId: item })).status, 201);
      assert.deepEqual([await stockOf(item), await count(item)], [1, 1]);
    });
  });
}
