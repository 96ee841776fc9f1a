import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Database, openPostgresDatabase, StoreOpenError } from "../../../../src/index.ts";
import { create, everything } from "../../../store-contract/contract.ts";
import { execute, newPostgresDatabase } from "../../../tools/postgres-server.ts";
import { hasPgbouncer, type Pooler, startPgbouncer } from "../../../tools/start-pgbouncer.ts";

const open = (url: string): Promise<Database> =>
  openPostgresDatabase(url, {
    collections: [{ name: "person", members: { identifier: { unique: true } } }],
    poolSize: 6,
  });

/** How PgBouncer is set up, and what it does with the settings that a session begins with. */
const setups: readonly (readonly [what: string, settings: readonly string[]])[] = [
  ["in session mode", ["pool_mode = session", "default_pool_size = 20"]],
  ["in transaction mode", ["pool_mode = transaction"]],
  [
    "in transaction mode, which ignores the settings",
    [
      "pool_mode = transaction",
      "ignore_startup_parameters = options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout",
    ],
  ],
];

describe("PostgreSQL behind PgBouncer", { skip: !hasPgbouncer && "pgbouncer is not installed" }, () => {
  for (const [what, settings] of setups) {
    it(`${what} keeps records as without it, each tenant in its own schema`, async () => {
      const tenants = [await newPostgresDatabase(), await newPostgresDatabase()] as const;
      await using pooler: Pooler = await startPgbouncer(tenants[0], ...settings);
      const databases = await Promise.all(tenants.map((url) => open(pooler.urlOf(url))));
      for (const [tenant, database] of databases.entries()) {
        const store = database.store("person");
        const ada = await create(store, { name: `Ada ${tenant}`, identifier: "A1" });
        const others = Array.from({ length: 50 }, (_, n) => create(store, { name: `Person ${n}` }));
        assert.equal((await Promise.all(others)).length, 50);
        assert.deepEqual(await store.find(ada.id), ada);
        assert.deepEqual(await store.create({ identifier: "A1" }), { kind: "conflict", member: "identifier" });
        assert.equal((await everything(store)).length, 51);
        assert.equal(await store.count({}), 51);
      }
      await Promise.all(databases.map((database) => database.close()));
      for (const [tenant, url] of tenants.entries()) {
        const [[name, count] = []] = await execute(
          url,
          "SELECT (SELECT document::json->>'name' FROM person WHERE id = 1), count(*) FROM person",
        );
        assert.deepEqual([name, count], [`Ada ${tenant}`, "51"]);
      }
    });
  }

  it("ends a statement that takes too long, by the timeout of the program", async () => {
    const url = await newPostgresDatabase();
    await using pooler = await startPgbouncer(url, "pool_mode = transaction");
    const database = await openPostgresDatabase(pooler.urlOf(url), {
      collections: [{ name: "person" }],
      lockTimeout: 100,
    });
    const store = database.store("person");
    await create(store, {});
    const locked = execute(url, "BEGIN; LOCK TABLE person; SELECT pg_sleep(1); COMMIT");
    await assert.rejects(
      async () => {
        for (;;) await create(store, {}); // until the table is locked
      },
      { name: "StoreUnavailable", message: /Another transaction holds/ },
    );
    await locked;
    await database.close();
  });

  it("refuses an address with options that the pooler does not pass on", async () => {
    const url = new URL(await newPostgresDatabase());
    await using pooler = await startPgbouncer(url.href, "pool_mode = transaction");
    url.searchParams.set("options", "-c work_mem=8MB");
    await assert.rejects(open(pooler.urlOf(url.href)), (error) => {
      assert.ok(error instanceof StoreOpenError);
      assert.match(error.message, /a pooler is in front of it, which does not pass on the options/);
      return true;
    });
  });
});
