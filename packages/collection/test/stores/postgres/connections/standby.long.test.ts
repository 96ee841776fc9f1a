import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type CollectionDefinition,
  type Database,
  type DatabaseOptions,
  openDatabase,
  openPostgresDatabase,
  openSnapshot,
  StoreOpenError,
  StoreReadOnly,
  StoreUnavailable,
} from "../../../../src/index.ts";
import { create, everything } from "../../../store-contract/contract.ts";
import { execute } from "../../../tools/postgres-server.ts";
import { type ReplicatedServers, startReplication } from "../../../tools/start-postgres.ts";

const definition: CollectionDefinition = {
  name: "person",
  members: {
    identifier: { unique: true },
    name: { filter: "text", search: true },
  },
};

const open = async (
  url: string,
  options: Partial<DatabaseOptions> = {},
): Promise<AsyncDisposable & { readonly database: Database }> => {
  const database = await openDatabase(url, { collections: [definition], ...options });
  return { database, [Symbol.asyncDispose]: () => database.close() };
};

describe("a standby of a PostgreSQL database", () => {
  let servers: ReplicatedServers;
  before(async () => {
    servers = await startReplication("-c", "fsync=off");
  });
  after(() => servers[Symbol.asyncDispose]());

  /** The address at the standby, which has all that the primary has. */
  const caughtUp = async (url: string): Promise<string> => {
    await servers.standby.catchUp(servers.primary);
    return servers.standby.urlOf(url);
  };

  it("is read as the primary is, and says that it is for reads only", async () => {
    const url = await servers.primary.createDatabase();
    await using primary = await open(url);
    await using standby = await open(await caughtUp(url));
    const [people, read] = [primary.database, standby.database].map((database) => database.store("person"));
    assert.ok(people !== undefined && read !== undefined);
    assert.deepEqual(await everything(read), []);
    const ada = await create(people, { name: "Ada Lovelace", identifier: "A1" });
    const grace = await create(people, { name: "Grace Hopper", identifier: "G1" });
    await caughtUp(url);
    assert.deepEqual(await read.find(ada.id), ada);
    assert.deepEqual(await everything(read), [ada, grace]);
    assert.deepEqual((await Array.fromAsync(read.list({ words: ["hopp"] }))).flat(), [grace]);
    assert.equal(await read.count(), 2);
    // A standby has up to 32 numbers of a sequence in advance.
    assert.ok((await read.revision()) >= (await people.revision()));
    assert.deepEqual(await primary.database.check(), { readOnly: false });
    assert.deepEqual(await standby.database.check(), { readOnly: true });
  });

  it("does not answer for changes that it does not have yet, and goes on behind a cursor of the primary when it has them", async () => {
    const url = await servers.primary.createDatabase();
    await using primary = await open(url);
    await using standby = await open(await caughtUp(url));
    const [people, read] = [primary.database, standby.database].map((database) => database.store("person"));
    assert.ok(people !== undefined && read !== undefined);
    const before = await read.changes();
    await execute(servers.standby.urlOf(url), "SELECT pg_wal_replay_pause()");
    const state = "SELECT pg_get_wal_replay_pause_state()";
    while ((await execute(servers.standby.urlOf(url), state))[0]?.[0] !== "paused");
    let ahead: string;
    const ada = await create(people, { name: "Ada Lovelace" });
    try {
      ({ cursor: ahead } = await people.changes());
      await assert.rejects(read.changes(ahead), StoreUnavailable);
      assert.deepEqual((await read.changes(before.cursor)).changes, []);
    } finally {
      await execute(servers.standby.urlOf(url), "SELECT pg_wal_replay_resume()");
    }
    await caughtUp(url);
    assert.deepEqual((await read.changes(ahead)).changes, []);
    assert.deepEqual((await read.changes(before.cursor)).changes, [{ kind: "stored", record: ada }]);
  });

  it("is found among the servers of an address by its role", async () => {
    const url = await servers.primary.createDatabase();
    await (await open(url))[Symbol.asyncDispose]();
    await caughtUp(url);
    for (const [role, readOnly] of [
      ["any", false],
      ["read-write", false],
      ["primary", false],
      ["read-only", true],
      ["standby", true],
      ["prefer-standby", true],
    ] as const) {
      await using opened = await open(hostsOf(url, servers, role));
      assert.deepEqual([role, await opened.database.check()], [role, { readOnly }]);
    }
    const standby = servers.standby.urlOf(url);
    await assertNotOpened(`${standby}&target_session_attrs=primary`, {}, /none of its servers is primary now/);
    await assertNotOpened(`${standby}&target_session_attrs=first`, {}, /target_session_attrs must be any, read-write/);
  });

  it("takes no change, whatever it is", async () => {
    const url = await servers.primary.createDatabase();
    await using primary = await open(url);
    const ada = await create(primary.database.store("person"), { name: "Ada" });
    await using standby = await open(await caughtUp(url));
    const people = standby.database.store("person");
    const changes = [
      people.create({}),
      people.create({}, { idempotency: { key: "a", fingerprint: "b" } }),
      people.replace(ada.id, { name: "Eve" }, ada.revision),
      people.remove(ada.id),
      people.createAll([{}, {}]),
      people.transaction((inside) => inside.create({})),
    ];
    for (const change of await Promise.allSettled(changes)) {
      assert.ok(change.status === "rejected" && change.reason instanceof StoreReadOnly, JSON.stringify(change));
    }
    assert.deepEqual(await everything(people), [ada]);
  });

  const lacking =
    /: it is read-only, as a standby is, and lacks what this program keeps in it; start the program on the primary first$/;

  it("is not opened before the primary has the tables of the program", async () => {
    await assertNotOpened(await caughtUp(await servers.primary.createDatabase()), {}, lacking);
  });

  const others: readonly (readonly [name: string, collection: CollectionDefinition])[] = [
    ["a member is unique, or is not", { ...definition, members: { name: { filter: "text", search: true } } }],
    [
      "a member can be selected, or cannot",
      { ...definition, members: { identifier: { unique: true }, name: { search: true } } },
    ],
    [
      "words are searched for in other members",
      { ...definition, members: { identifier: { unique: true, search: true }, name: { filter: "text" } } },
    ],
    ["there is another collection", { name: "order" }],
  ];
  for (const [name, collection] of others) {
    it(`is not opened where ${name}`, async () => {
      const url = await servers.primary.createDatabase();
      await (await open(url)).database.close();
      await assertNotOpened(await caughtUp(url), { collections: [collection] }, lacking);
    });
  }

  it("is not opened to be loaded", async () => {
    const url = await servers.primary.createDatabase();
    await (await open(url)).database.close();
    const reason = /: it is read-only, as a standby is, and is to be written to; name the primary$/;
    await assertNotOpened(await caughtUp(url), { forRestore: true }, reason);
  });

  it("is not opened when its layout is newer than the program", async () => {
    const url = await servers.primary.createDatabase();
    await (await open(url)).database.close();
    await execute(url, "UPDATE waymark_layout SET number = number + 1");
    await assertNotOpened(await caughtUp(url), {}, /a newer version of this program wrote it/);
  });

  it("can be copied from", async () => {
    const url = await servers.primary.createDatabase();
    await using primary = await open(url);
    const ada = await create(primary.database.store("person"), { name: "Ada" });
    const snapshot = await openSnapshot(await caughtUp(url));
    await using target = await open(":memory:");
    await target.database.restore(snapshot);
    await snapshot.close();
    assert.deepEqual(await target.database.store("person").find(ada.id), ada);
  });
});

describe("a standby that undoes reads for what it takes over at once", () => {
  it("can be read", async () => {
    await using servers = await startReplication("-c", "fsync=off", "-c", "max_standby_streaming_delay=0");
    const url = await servers.primary.createDatabase();
    await using primary = await open(url);
    const count = 2000;
    await primary.database
      .store("person")
      .createAll(Array.from({ length: count }, (_, n) => ({ name: `Ada ${n}`, text: "x".repeat(500) })));
    await servers.standby.catchUp(servers.primary);
    await using standby = await open(servers.standby.urlOf(url));
    const people = standby.database.store("person");
    let isOver = false;
    let failures = 0;
    const read = async (): Promise<void> => {
      while (!isOver) {
        const records = await everything(people).catch((error) => {
          assert.ok(error instanceof StoreUnavailable, String(error));
          failures++;
        });
        if (records !== undefined) assert.equal(records.length, count);
      }
    };
    const reading = Promise.all([read(), read(), read()]);
    const undone = async (): Promise<number> => {
      const text = "SELECT sum(confl_lock + confl_snapshot) FROM pg_stat_database_conflicts";
      return Number((await execute(servers.standby.urlOf(url), text))[0]?.[0]);
    };
    let conflicts = 0;
    for (; conflicts < 10; conflicts = await undone()) {
      await execute(url, "UPDATE person SET updated_at = updated_at + 1 WHERE id % 7 = 0");
      await execute(url, "VACUUM person");
      await execute(url, "BEGIN; LOCK TABLE person IN ACCESS EXCLUSIVE MODE; COMMIT");
    }
    isOver = true;
    await reading;
    assert.ok(failures < conflicts / 2, `${failures} reads failed of those that were undone ${conflicts} times`);
  });
});

describe("a standby that is promoted, and the primary that then follows it", () => {
  it("swap their roles without being opened again", async () => {
    await using servers = await startReplication("-c", "fsync=off");
    const { primary, standby } = servers;
    const url = await primary.createDatabase();
    await using former = await open(url);
    const ada = await create(former.database.store("person"), { name: "Ada" });
    await standby.catchUp(primary);
    await using latter = await open(standby.urlOf(url));
    await assert.rejects(latter.database.store("person").create({}), StoreReadOnly);
    // It names both servers, and finds the one that takes changes.
    await using either = await open(hostsOf(url, servers, "read-write"));
    assert.deepEqual(await either.database.store("person").find(ada.id), ada);

    await primary.stop(); // which hands the rest over
    await standby.promote();
    await primary.follow(standby);
    await primary.start();
    assert.deepEqual(await latter.database.check(), { readOnly: false });
    const grace = await create(latter.database.store("person"), { name: "Grace" });
    // What a failover may have lost is not given again.
    assert.ok(grace.id > ada.id + 1000 && grace.revision > ada.revision + 1_000_000);
    await primary.catchUp(standby);
    assert.deepEqual(await former.database.check(), { readOnly: true });
    assert.deepEqual(await everything(former.database.store("person")), [ada, grace]);
    await assert.rejects(former.database.store("person").create({}), StoreReadOnly);
    assert.deepEqual(await everything(either.database.store("person")), [ada, grace]);
    const alan = await create(either.database.store("person"), { name: "Alan" });
    assert.deepEqual(await latter.database.store("person").find(alan.id), alan);
  });
});

/** Returns the address that names both servers, and which of them is wanted. */
function hostsOf(url: string, { primary, standby }: ReplicatedServers, role: string): string {
  const port = `127.0.0.1:${primary.port}`;
  return `${url.replace(port, `${port},127.0.0.1:${standby.port}`)}&target_session_attrs=${role}`;
}

async function assertNotOpened(url: string, options: Partial<DatabaseOptions>, reason: RegExp): Promise<void> {
  await assert.rejects(openPostgresDatabase(url, { collections: [definition], ...options }), (error) => {
    assert.ok(error instanceof StoreOpenError, String(error));
    assert.match(error.message, reason);
    return true;
  });
}
