import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, it } from "node:test";
import { setTimeout as elapse } from "node:timers/promises";
import { Client } from "pg";
import {
  type Database,
  openPostgresDatabase,
  type PostgresDatabaseOptions,
  StoreOutcomeUnknown,
  StoreUnavailable,
} from "../../../../src/index.ts";
import { create, everything } from "../../../store-contract/contract.ts";
import { disposable, execute, postgresServer } from "../../../tools/postgres-server.ts";
import { survivesServerCrashes } from "../crashes.ts";

const open = (url: string, options: Partial<PostgresDatabaseOptions> = {}): Promise<Database> =>
  openPostgresDatabase(url, {
    collections: [{ name: "person", members: { identifier: { unique: true } } }],
    ...options,
  });

describe("a PostgreSQL server that goes away under load", () => {
  it("is missed while it is stopped, and used when it is there again; what was acknowledged is there", async () => {
    const { acknowledged } = await survivesServerCrashes(await postgresServer(), 2, (server) => server.stop());
    assert.ok(acknowledged > 0);
  });

  it("loses nothing that was acknowledged when it is killed", async () => {
    const { acknowledged } = await survivesServerCrashes(await postgresServer(), 3, (server) => server.kill());
    assert.ok(acknowledged > 0);
  });

  it("fails the reads in hand and those that come, and no other way than as unavailable", async () => {
    const server = await postgresServer();
    await using opened = disposable(await open(await server.createDatabase()));
    const people = opened.database.store("person");
    const ada = await create(people, { name: "Ada" });
    let isStopped = false;
    const read = async (): Promise<void> => {
      for (let isMissed = false; !isMissed; ) {
        await Promise.resolve(people.find(1)).then(
          (found) => assert.deepEqual(found, ada),
          (error) => {
            assert.ok(error instanceof StoreUnavailable, String(error));
            isMissed = isStopped;
          },
        );
      }
    };
    const reading = Array.from({ length: 20 }, read);
    await server.stop();
    isStopped = true;
    await Promise.all(reading);
    await assert.rejects(everything(people), StoreUnavailable);
    await assert.rejects(async () => people.revision(), StoreUnavailable);
    await server.start();
    assert.deepEqual(await everything(people), [ada]);
    assert.deepEqual(await people.find(1), ada);
  });
});

describe("a connection to PostgreSQL", () => {
  it("that breaks is replaced before a read fails", async () => {
    await using through = await openThroughRelay();
    const { database, relay } = through;
    const people = database.store("person");
    const ada = await create(people, { name: "Ada" });
    assert.deepEqual(await people.find(1), ada);
    for (const statement of ["waymark find", "waymark list", "waymark state"]) {
      relay.breakAt(statement);
      assert.deepEqual(await people.find(1), ada);
      assert.deepEqual(await everything(people), [ada]);
      assert.equal(await people.revision(), 1);
      assert.equal(relay.isBroken, true);
    }
  });

  it("that breaks before a change is committed is replaced, and the change is made once", async () => {
    await using through = await openThroughRelay();
    const { database, relay } = through;
    const people = database.store("person");
    await create(people, {});
    for (const [n, statement] of ["waymark create in", "BEGIN", "waymark removed"].entries()) {
      relay.breakAt(statement);
      await create(people, { identifier: `A${n}`, ...(statement === "waymark removed" && { id: 40 }) });
      assert.equal(relay.isBroken, true);
    }
    assert.equal((await everything(people)).length, 4);
  });

  it("that breaks during a commit leaves the outcome unknown, and says so", async () => {
    await using through = await openThroughRelay();
    const { database, relay } = through;
    const people = database.store("person");
    await create(people, {});
    relay.breakAt("COMMIT\0");
    await assert.rejects(people.create({ identifier: "A1" }), StoreOutcomeUnknown);
    assert.equal(relay.isBroken, true);
    const { kind } = await people.create({ identifier: "A1" });
    assert.ok(kind === "created" || kind === "conflict");
    assert.equal((await everything(people)).length, 2);
  });

  it("that breaks during the commit of a transaction leaves its outcome unknown, and its work is not done again", async () => {
    await using through = await openThroughRelay();
    const { database, relay } = through;
    let attempts = 0;
    const transaction = database.transaction(async (tx) => {
      attempts++;
      await create(tx.store("person"), {});
      if (attempts === 1) relay.breakAt("COMMIT\0");
    });
    await assert.rejects(transaction, StoreOutcomeUnknown);
    assert.deepEqual([relay.isBroken, attempts], [true, 1]);
  });

  it("over which no answer comes is given up, and nobody waits for ever", async () => {
    await using through = await openThroughRelay({ statementTimeout: 3000, connectTimeout: 3000 });
    const { database, relay } = through;
    const people = database.store("person");
    const ada = await create(people, { name: "Ada" });
    assert.deepEqual(await people.find(1), ada);
    relay.hold();
    const attempts = [
      people.find(1),
      people.find(2),
      people.create({}),
      people.replace(1, { name: "Eve" }),
      people.revision(),
      everything(people),
      database.check(),
    ];
    for (const attempt of await Promise.allSettled(attempts)) {
      assert.ok(attempt.status === "rejected" && attempt.reason instanceof StoreUnavailable);
    }
    relay.release();
    assert.deepEqual(await people.find(1), ada);
    assert.ok((await create(people, {})).id > 1);
  });
});

describe("another transaction in a PostgreSQL database", () => {
  it("that holds a lock of the collection makes changes unavailable, but not reads", async () => {
    const server = await postgresServer();
    const url = await server.createDatabase();
    await using opened = disposable(await open(url, { lockTimeout: 50 }));
    const people = opened.database.store("person");
    const ada = await create(people, { name: "Ada" });
    const other = new Client(url);
    await other.connect();
    await other.query("BEGIN; LOCK TABLE person IN SHARE MODE");
    const refused = await Promise.allSettled([people.create({}), people.remove(1), people.createAll([{}])]);
    for (const outcome of refused) {
      assert.ok(outcome.status === "rejected" && outcome.reason instanceof StoreUnavailable);
      assert.ok(!(outcome.reason instanceof StoreOutcomeUnknown));
    }
    assert.deepEqual(await people.find(1), ada);
    assert.deepEqual(await everything(people), [ada]);
    await opened.database.check();
    await other.end();
    assert.equal((await create(people, {})).revision, 2);
  });

  it("that holds the whole table makes reads unavailable once they took too long, however many there are", async () => {
    const server = await postgresServer();
    const url = await server.createDatabase();
    const options = { statementTimeout: 1000, lockTimeout: 50, connectTimeout: 1000, poolSize: 3 };
    await using opened = disposable(await open(url, options));
    const people = opened.database.store("person");
    const ada = await create(people, { name: "Ada" });
    const other = new Client(url);
    await other.connect();
    await other.query("BEGIN; LOCK TABLE person");
    const reads = Array.from({ length: 50 }, (_, n) => [people.find(n), everything(people)]).flat();
    for (const read of await Promise.allSettled(reads)) {
      assert.ok(read.status === "rejected" && read.reason instanceof StoreUnavailable);
    }
    await other.end();
    assert.deepEqual(await people.find(1), ada);
  });

  it("that pages wait for does not lose them where the connection of them all breaks meanwhile", async () => {
    const server = await postgresServer();
    const url = new URL(await server.createDatabase());
    const name = randomUUID();
    const other = new Client(url.href);
    await other.connect();
    url.searchParams.set("application_name", name);
    await using opened = disposable(await open(url.href));
    const people = opened.database.store("person");
    const ada = await create(people, { name: "Ada" });
    await other.query("BEGIN; LOCK TABLE person");
    const pages = Promise.all(Array.from({ length: 10 }, () => people.batch({ limit: 20 })));
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = '${name}' AND wait_event_type = 'Lock'`;
    while ((await execute(server.url, end)).length === 0);
    await other.query("COMMIT");
    for (const { records } of await pages) assert.deepEqual(records, [ada]);
    await other.end();
  });

  it("that keeps a list or a count from ending in time makes it one that takes too long", async () => {
    const server = await postgresServer();
    const url = await server.createDatabase();
    await using opened = disposable(await open(url, { statementTimeout: 300 }));
    const people = opened.database.store("person");
    const other = new Client(url);
    await other.connect();
    await other.query("BEGIN; LOCK TABLE person");
    const names = [people.count(), everything(people), people.find(1)].map((read) =>
      Promise.resolve<unknown>(read).catch((error) => error.name),
    );
    assert.deepEqual(await Promise.all(names), ["StoreReadTimeout", "StoreReadTimeout", "StoreUnavailable"]);
    await other.end();
    assert.equal(await people.count(), 0);
  });

  it("lets no more than some thousands wait", async () => {
    const server = await postgresServer();
    const url = await server.createDatabase();
    await using opened = disposable(await open(url, { lockTimeout: 300 }));
    const people = opened.database.store("person");
    const other = new Client(url);
    await other.connect();
    await other.query("BEGIN; LOCK TABLE person IN SHARE MODE");
    const changes = await Promise.allSettled(Array.from({ length: 12_000 }, () => people.create({})));
    const messages = new Set(changes.map((change) => (change.status === "rejected" ? change.reason.message : "")));
    assert.ok(messages.has("Too many changes wait for the database"), [...messages].join());
    assert.ok(!messages.has(""));
    await other.end();
    assert.equal((await create(people, {})).id, 1);
  });
});

describe("a read of PostgreSQL for which nobody waits any more", () => {
  it("is not made: a list ends before its next batch, and a count before it begins", async () => {
    const server = await postgresServer();
    await using opened = disposable(await open(await server.createDatabase()));
    const people = opened.database.store("person");
    await people.createAll(Array.from({ length: 2000 }, () => ({ name: "Ada" })));
    const client = new AbortController();
    const batches = people.list({}, client)[Symbol.asyncIterator]();
    assert.equal((await batches.next()).done, false);
    client.abort();
    const left = { name: "StoreUnavailable", message: "Nobody waits for the answer any more" };
    await assert.rejects(batches.next(), left);
    await assert.rejects(async () => people.count({}, { signal: client.signal }), left);
    assert.equal(await people.count(), 2000);
  });

  it("is ended in the server, which soon does nothing for it", async () => {
    const server = await postgresServer();
    const url = await server.createDatabase();
    await using opened = disposable(await open(url));
    const people = opened.database.store("person");
    await create(people, { name: "Ada" });
    const notBefore = await people.state();
    const administration = new Client(url);
    await administration.connect();
    /** Resolves once the server works on so many counts. */
    const counts = async (expected: number): Promise<void> => {
      const text =
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT (%count(*) FROM \"person%' AND state = 'active'";
      for (let attempt = 0; (await execute(url, text))[0]?.[0] !== String(expected); attempt++) {
        assert.ok(attempt < 3000, `the server does not work on ${expected} counts`);
        await elapse(20); // milliseconds
      }
    };
    try {
      await administration.query("BEGIN; LOCK TABLE person"); // for as long as it lasts, a count waits in the server
      const client = new AbortController();
      const count = assert.rejects(async () => people.count({}, { signal: client.signal, notBefore }), {
        name: "StoreUnavailable",
      });
      await counts(1);
      client.abort();
      await count;
      await counts(0);
      await administration.query("COMMIT");
      assert.equal(await people.count(), 1);
    } finally {
      await administration.end();
    }
  });
});

describe("a read that a standby undoes for what it takes over from its primary", () => {
  for (const [failures, outcome] of [
    [4, "is made again"],
    [5, "is unavailable when that goes on"],
  ] as const) {
    it(outcome, async () => {
      const server = await postgresServer();
      const url = await server.createDatabase();
      await using opened = disposable(await open(url));
      const people = opened.database.store("person");
      const ada = await create(people, { name: "Ada" });
      // So many times it fails as a standby does then.
      await execute(
        url,
        `CREATE SEQUENCE failures; ALTER TABLE person RENAME TO kept;
        CREATE FUNCTION meet() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$ BEGIN
          IF nextval('failures') <= ${failures} THEN
            RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = '40001';
          END IF;
          RETURN true;
        END $$; CREATE VIEW person AS SELECT * FROM kept WHERE meet()`,
      );
      if (failures === 5) await assert.rejects(everything(people), StoreUnavailable);
      assert.deepEqual(await everything(people), [ada]);
      assert.deepEqual(await people.find(1), ada);
    });
  }
});

describe("a read-only PostgreSQL database", () => {
  it("can be read, and is unavailable for changes", async () => {
    const server = await postgresServer();
    const url = await server.createDatabase();
    await using opened = disposable(await open(url, { poolSize: 3 }));
    const people = opened.database.store("person");
    await using readOnly = disposable(await open(url));
    const ada = await create(people, { name: "Ada" });
    const administration = new Client(url);
    await administration.connect();
    try {
      // As a standby is that was the primary once; only for connections that begin now.
      await administration.query("ALTER ROLE CURRENT_USER SET default_transaction_read_only = on");
      await assert.rejects(readOnly.database.store("person").create({}), {
        name: "StoreReadOnly",
        message: "The database is read-only",
      });
      assert.deepEqual(await readOnly.database.store("person").find(1), ada);
    } finally {
      await administration.query("ALTER ROLE CURRENT_USER RESET default_transaction_read_only");
      await administration.end();
    }
  });
});

/** Stands between a client and the server, and can fail as a network does. */
interface Relay {
  /** Breaks the connection over which a client sends this text next, once the server has it. */
  breakAt(text: string): void;
  readonly isBroken: boolean;
  /** Lets nothing pass until it is released; connections are accepted. */
  hold(): void;
  release(): void;
  close(): void;
}

async function openThroughRelay(
  options: Partial<PostgresDatabaseOptions> = {},
): Promise<AsyncDisposable & { readonly database: Database; readonly relay: Relay }> {
  const server = await postgresServer();
  const url = new URL(await server.createDatabase());
  const { relay, port } = await startRelay(server.port);
  url.port = String(port);
  const database = await open(url.href, options);
  return {
    database,
    relay,
    async [Symbol.asyncDispose]() {
      await database.close();
      relay.close();
    },
  };
}

async function startRelay(target: number): Promise<{ readonly relay: Relay; readonly port: number }> {
  let breakingText: string | undefined;
  let isHeld = false;
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      if (isHeld) socket.pause();
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (data) => {
      if (breakingText === undefined || !data.includes(breakingText)) {
        upstream.write(data);
        return;
      }
      breakingText = undefined;
      upstream.end(data);
      client.destroy();
    });
    upstream.on("data", (data) => client.write(data));
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo; // it listens on a port
  const relay: Relay = {
    breakAt(text) {
      breakingText = text;
    },
    get isBroken() {
      return breakingText === undefined;
    },
    hold() {
      isHeld = true;
      for (const socket of sockets) socket.pause();
    },
    release() {
      isHeld = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return { relay, port };
}
