import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client } from "pg";
import { type FeedHolder, openPostgresDatabase, StoreCursorGone, StoreUnavailable } from "../../../../src/index.ts";
import type { PostgresConnection } from "../../../../src/stores/postgres/connections/connection.ts";
import { PostgresPool } from "../../../../src/stores/postgres/connections/pool.ts";
import { create, everything } from "../../../store-contract/contract.ts";
import { changesBehind } from "../../../store-contract/feed.ts";
import { disposable, execute, newPostgresDatabase } from "../../../tools/postgres-server.ts";

const person = { name: "person", members: { identifier: { unique: true } } } as const;
const book = { name: "book", owner: { collection: "person", member: "personId" } } as const;

/** Documents that stop after the first thousand until they are let go. */
function paused(): {
  readonly documents: AsyncIterable<object>;
  readonly letGo: () => void;
  readonly held: Promise<void>;
} {
  const [reached, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function* documents(): AsyncGenerator<object> {
    yield { identifier: "X" };
    for (let n = 0; n < 1_100; n++) yield {};
    reached.resolve();
    await left.promise;
  }
  return { documents: documents(), letGo: left.resolve, held: reached.promise };
}

describe("changes of PostgreSQL that arrive at once", () => {
  for (const [poolSize, most] of [
    [3, 100],
    [14, 16],
  ] as const) {
    it(`are made over the connections that are there for them, of ${poolSize}, and at most ${most} together`, async () => {
      const commits: number[] = [];
      const observer = { onCommit: ({ changes }: { readonly changes: number }) => void commits.push(changes) };
      const url = await newPostgresDatabase();
      await using opened = disposable(await openPostgresDatabase(url, { collections: [person], poolSize, observer }));
      const people = opened.database.store("person");
      await Promise.all(Array.from({ length: 100 }, () => create(people, {})));
      assert.equal(Math.max(...commits), most);
      assert.equal(
        commits.reduce((sum, count) => sum + count, 0),
        100,
      );
    });
  }
});

describe("changes of PostgreSQL beside what takes long", () => {
  it("are made while one of them waits for a unique value that a bulk request holds", async () => {
    await using opened = disposable(
      await openPostgresDatabase(await newPostgresDatabase(), { collections: [person], lockTimeout: 300 }),
    );
    const people = opened.database.store("person");
    const { documents, letGo, held } = paused();
    const bulk = people.createAll(documents);
    await held;
    const waiting = assert.rejects(async () => people.create({ identifier: "X" }), StoreUnavailable);
    const others = await Promise.all(Array.from({ length: 40 }, (_, n) => people.create({ identifier: `Y${n}` })));
    assert.ok(others.every(({ kind }) => kind === "created"));
    await waiting;
    letGo();
    assert.equal((await bulk).kind, "created");
  });

  it("are made while as many bulk requests as can be run wait for their content", async () => {
    const collections = [{ name: "a" }, { name: "b" }];
    await using opened = disposable(
      await openPostgresDatabase(await newPostgresDatabase(), { collections, poolSize: 4 }),
    );
    const [a, b] = [opened.database.store("a"), opened.database.store("b")];
    const uploads = [paused(), paused()];
    const bulks = uploads.map(({ documents }) => a.createAll(documents));
    await Promise.all(uploads.map(({ held }) => held));
    for (const store of [a, b]) await create(store, {});
    for (const { letGo } of uploads) letGo();
    for (const bulk of bulks) assert.equal((await bulk).kind, "created");
  });

  it("are made while an owner is removed for longer than a statement may take", async () => {
    const url = await newPostgresDatabase();
    await using opened = disposable(
      await openPostgresDatabase(url, { collections: [person, book], statementTimeout: 500 }),
    );
    const [people, books] = [opened.database.store("person"), opened.database.store("book")];
    for (let n = 0; n < 2; n++) await create(people, {});
    await books.within(1).createAll(Array.from({ length: 2_000 }, () => ({})));
    await execute(
      url,
      `CREATE FUNCTION rest() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(2); RETURN NULL; END $$;
      CREATE TRIGGER rest AFTER DELETE ON book FOR EACH STATEMENT EXECUTE FUNCTION rest()`,
    );
    let isRemoved = false;
    const removal = people.remove(1).then((outcome) => {
      isRemoved = true;
      return outcome;
    });
    for (let n = 0; n < 3; n++) {
      await create(books.within(2), {});
      await create(people, {});
    }
    assert.equal(isRemoved, false);
    assert.deepEqual(await removal, { kind: "removed" });
    assert.equal(await books.count(), 3);
  });

  it("get ids of their own, whatever ids clients choose meanwhile", async () => {
    const url = await newPostgresDatabase();
    await using one = disposable(await openPostgresDatabase(url, { collections: [person] }));
    await using other = disposable(await openPostgresDatabase(url, { collections: [person] }));
    const stores = [one, other].map(({ database }) => database.store("person"));
    const outcomes = await Promise.all(
      Array.from({ length: 400 }, (_, n) => stores[n % 2]?.create(n % 4 < 2 ? {} : { id: n * 2 })),
    );
    const created = outcomes.flatMap((outcome) => (outcome?.kind === "created" ? [outcome.record.id] : []));
    assert.equal(new Set(created).size, created.length);
    assert.ok(created.length >= 200 && outcomes.every((outcome) => outcome?.kind !== "ownerless"));
    assert.equal((await everything(stores[0] as (typeof stores)[0])).length, created.length);
  });
});

describe("a pool of connections to PostgreSQL", () => {
  it("serves those that wait by its other connections when one cannot be opened", async () => {
    const connection = { isUsable: true, close: async () => undefined } as unknown as PostgresConnection; // all that a pool uses
    let opened = 0;
    const pool = new PostgresPool(2, 3_000, async () => {
      if (++opened === 1) return connection;
      throw new Error("too many connections");
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = pool.use(() => promise);
    await assert.rejects(
      pool.use(async () => undefined),
      StoreUnavailable,
    );
    const waiting = Array.from({ length: 2 }, () => pool.use(async () => "done").catch((error) => error.message));
    resolve();
    await first;
    assert.ok((await Promise.all(waiting)).includes("done"));
    await pool.close();
  });
});

describe("a transaction that stays open on a server of PostgreSQL", () => {
  it("is named while it keeps followers from changes, and keeps nobody from changing", async () => {
    const url = await newPostgresDatabase();
    const reported = Promise.withResolvers<FeedHolder>();
    await using opened = disposable(
      await openPostgresDatabase(url, { collections: [person], observer: { onFeedHeld: reported.resolve } }),
    );
    const people = opened.database.store("person");
    const other = new Client(url);
    await other.connect();
    const { rows } = await other.query("BEGIN; SELECT pg_backend_pid() AS pid, pg_current_xact_id()").then((all) => {
      return (all as unknown as readonly { readonly rows: readonly { readonly pid: number }[] }[])[1] ?? { rows: [] };
    });
    await create(people, {});
    let holder: FeedHolder | undefined;
    reported.promise.then((found) => {
      holder = found;
    });
    while (holder === undefined) assert.deepEqual((await people.changes()).changes, []);
    assert.deepEqual(holder, { pid: rows[0]?.pid, database: new URL(url).pathname.slice(1), prepared: null });
    await other.query("COMMIT");
    await other.end();
    assert.equal((await changesBehind(people)).changes.length, 1);
  });
});

describe("the era of a PostgreSQL database", () => {
  it("ends where another server has the database: cursors of before are refused, and no id and no revision is given again", async () => {
    const url = await newPostgresDatabase();
    const before = await openPostgresDatabase(url, { collections: [person] });
    const last = await create(before.store("person"), {});
    const { cursor } = await before.store("person").changes();
    await before.close();
    await execute(url, "UPDATE waymark_era SET server = 'another one'; UPDATE person SET tx = '99999999999'");
    await using after = disposable(await openPostgresDatabase(url, { collections: [person] }));
    const people = after.database.store("person");
    await assert.rejects(async () => people.changes(cursor), StoreCursorGone);
    const next = await create(people, {});
    assert.ok(next.id > last.id + 1 && next.revision > last.revision + 1);
    assert.equal((await changesBehind(people)).changes.length, 2);
    const [[era] = []] = await execute(url, "SELECT era FROM waymark_era");
    await using again = disposable(await openPostgresDatabase(url, { collections: [person] }));
    await again.database.store("person").revision();
    assert.deepEqual(await execute(url, "SELECT era FROM waymark_era"), [[era]]);
  });
});
